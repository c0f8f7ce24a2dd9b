"""Continues from a checkpoint, in the same directory or, with changes, in another one."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.parallel import in_directory, on_root, world
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.clock import LANDING, Clock
from whorl.config.measures import state_fields
from whorl.config.settings import check_list
from whorl.forcing.shapes import begin_forces, kept_of_sources, set_known_forces, with_script
from whorl.initial.checkpoints import check_fields, read_fields
from whorl.initial.files import left_out
from whorl.initial.snapshots import read_snapshot
from whorl.output import states
from whorl.output.checkpoint import Checkpoint
from whorl.output.directory import RunDirectory
from whorl.output.snapshot_header import SnapshotHeader
from whorl.particles.groups import labels, resumed
from whorl.particles.particles import Particles
from whorl.run import tune
from whorl.run.checks import other_level


class Restarts:
    """The part of a simulation that makes one from a checkpoint of an earlier run."""

    flow: _core.Flow
    clock: Clock
    tracers: dict[str, Particles]
    _recorder: Any

    @classmethod
    def restart(
        cls,
        directory: str | Path,
        output: str | Path | None = None,
        *,
        until: float | str | None = None,
        settings: Sequence[str] = (),
        step: int | None = None,
        forcing: Any = None,
        comm: MPI.Intracomm | None = None,
        overwrite: bool = False,
    ) -> Self:
        """Continue from a checkpoint, in its directory or in another one.

        Parameters
        ----------
        directory : str or Path
            The output directory of the run that wrote the checkpoint.
        output : str or Path, optional
            A directory for a new run that begins from the checkpoint, at its time and step, while
            `directory` stays unchanged. Without it the run continues in `directory`.
        until : float or str, optional
            The end time, or "N turnovers"; that of the case by default.
        settings : sequence of str, optional
            Changes of the case, "section.key=value". They may change run.*, output.* (except directory),
            time.*, the diagnostics, the probes, and of particles `every` and `of`, or add new particles. With
            `output` they may change everything except [initial] and the box, such as the grid points or the
            viscosity.
        step : int, optional
            The step of the checkpoint; the newest by default.
        forcing : array_like, callable or dict, optional
            The forces that the earlier run was given by its script, as for a `Simulation`.
        comm : mpi4py.MPI.Intracomm, optional
            The ranks that share the flow, all by default; their number may differ from the earlier run's.
        overwrite : bool, default False
            Whether to replace an earlier run in `output`.

        Returns
        -------
        Simulation
            A simulation in the state of the checkpoint.

        Raises
        ------
        CaseError
            If the checkpoint does not exist or is damaged, if a setting is not one that may change, if the
            end of the run is reached already, or if the case cannot be run.

        Notes
        -----
        The number of ranks, process grid and precision may change. On the same ranks and at the same
        instruction level the run repeats the uninterrupted one bit for bit, except with run.lines = "fftw",
        whose plans are found by timing. A different level gives a warning.

        On another grid, modes that both grids keep are copied to the last bit; others are zero or left out. A
        run in `output` begins a multistep scheme without earlier steps.

        Examples
        --------
        >>> simulation = Simulation.restart("vortex", until=20)
        >>> finer = Simulation.restart("vortex", "finer", settings=["grid.points=128"])
        """
        check_list(settings)
        self = cls.__new__(cls)
        comm = comm or world()
        source = RunDirectory(directory)
        end = {} if until is None else {"until": until if isinstance(until, str) else float(until)}
        if output is None:
            in_directory(comm, lambda: self._take(source.lock()))
            with self._released_on_error():
                case, checkpoint = on_root(comm, lambda: states.to_restart(source, end, settings, step))
                self._go_on(source, case, checkpoint, settings, comm, forcing)
        else:
            place = RunDirectory(output)
            in_directory(comm, lambda: place.check_beside(source, overwrite))
            case, checkpoint = on_root(
                comm, lambda: states.to_begin_beside(source, place, end, settings, step)
            )
            self._begin_beside(source, place, case, checkpoint, settings, comm, overwrite, forcing)
        return self

    @classmethod
    def open(
        cls,
        directory: str | Path,
        *,
        step: int | None = None,
        snapshot: bool = False,
        diagnostics: Sequence[dict[str, Any]] = (),
        settings: Sequence[str] = (),
        particles: bool = True,
        comm: MPI.Intracomm | None = None,
    ) -> Self:
        """Open a checkpoint to look at its state: no file is written, and the run may go on meanwhile.

        Steps cannot be made if a force comes from a script, or from a file that is not there any more.

        Parameters
        ----------
        directory : str or Path
            The output directory of the run that wrote the checkpoint.
        step : int, optional
            The step of the checkpoint; the newest by default.
        snapshot : bool, default False
            Whether to open a snapshot instead, whose fields give the state to its precision. It makes no
            steps.
        diagnostics : sequence of dict, optional
            The diagnostics of the case, in place of those of the run.
        settings : sequence of str, optional
            Changes of run.*, such as "run.device=cuda".
        particles : bool, default True
            Whether the particles of the checkpoint are brought along, as `tracers`; a snapshot has none.
        comm : mpi4py.MPI.Intracomm, optional
            The ranks that share the flow, all by default; their number may differ from the run's.

        Returns
        -------
        Simulation
            A simulation in the state of the checkpoint.

        Raises
        ------
        CaseError
            If the file does not exist, if it or the file of its particles is damaged, if a snapshot lacks a
            field of the state, or if a setting is not one that may change.

        Examples
        --------
        >>> with Simulation.open("vortex", step=2000) as state:
        ...     enstrophy = state.mean("dot(omega, omega)")
        """
        check_list(settings)
        self = cls.__new__(cls)
        comm = comm or world()
        source = RunDirectory(directory)
        case, chosen = on_root(
            comm,
            lambda: states.to_look_at(
                source, diagnostics, settings, step, snapshot, particles=particles and not snapshot
            ),
        )
        if snapshot:
            self._look_at_snapshot(case, chosen, comm)
        else:
            self._look_at(source, case, chosen, settings, comm)
        self.origin, self._fresh = chosen.path, False
        return self

    def _look_at(
        self,
        source: RunDirectory,
        case: Case,
        checkpoint: Checkpoint,
        settings: Sequence[str],
        comm: MPI.Intracomm,
    ) -> None:
        timed = checkpoint.timed_for(case, settings)
        # Forces of a script are not known here.
        self._set_up(case, comm, None, checkpoint.clock(), None, timed, forced=False)
        try:
            self.flow.read_checkpoint(checkpoint.path)
        except _core.Error as error:
            raise _damaged(comm, source, checkpoint, error) from None
        self.flow.restore_sources(kept_of_sources(checkpoint.sources, checkpoint.case, case))
        if case.particles:
            self._bring_particles(source, case, checkpoint, comm)
        not_there = set_known_forces(self.flow, case, comm)
        self._open_log("open")
        self.case = case.without_forces(not_there)

    def _bring_particles(
        self, source: RunDirectory, case: Case, checkpoint: Checkpoint, comm: MPI.Intracomm
    ) -> None:
        """Place the particles of a checkpoint to look at. Raises CaseError."""
        try:
            self.tracers.update(resumed(checkpoint, case, comm, self.flow, self.clock))
        except CaseError:
            raise
        except ValueError as error:
            raise CaseError(
                f"{error}; put back the file that was written with {checkpoint.path}, or open the state "
                "without particles: Simulation.open(..., particles=False)."
            ) from None

    def _look_at_snapshot(self, case: Case, snapshot: SnapshotHeader, comm: MPI.Intracomm) -> None:
        self._set_up(case, comm, None, Clock(snapshot.time, step=snapshot.step), forced=False)
        self._makes_steps = False
        read_snapshot(self.flow, case, comm, snapshot)
        begin_forces(self.flow, snapshot.time)
        not_there = set_known_forces(self.flow, case, comm)
        self._open_log("open")
        self.case = case.without_forces(not_there)

    def _go_on(
        self,
        place: RunDirectory,
        case: Case,
        checkpoint: Checkpoint,
        settings: Sequence[str],
        comm: MPI.Intracomm,
        forcing: Any,
    ) -> None:
        case = with_script(case, forcing)
        grid = on_root(comm, lambda: tune.recorded_grid(place.exchange))
        timed = checkpoint.timed_for(case, settings)
        self._set_up(case, comm, place, checkpoint.clock(), grid, timed, forcing)
        try:
            self.flow.read_checkpoint(checkpoint.path)
        except _core.Error as error:
            raise _damaged(comm, place, checkpoint, error) from None
        self.flow.restore_sources(kept_of_sources(checkpoint.sources, checkpoint.case, case))
        self._resume_particles(place, case, checkpoint, comm)
        kept = self._recorder.kept(checkpoint)
        self._check_left(checkpoint, place)
        on_root(comm, place.remove_unfinished)
        remarks = [
            *other_level(checkpoint.level),
            *self._uncounted(checkpoint),
            *on_root(comm, place.remarks),
        ]
        remarks += self._recorder.resume(checkpoint, kept)
        self._recorder.read_new_particles([name for name in self.tracers if name not in labels(checkpoint)])
        on_root(comm, lambda: place.write_case(case, place.origin()))
        self._open_log(_event("restart", checkpoint, settings), remarks)
        self.origin, self._fresh = checkpoint.path, False

    def _begin_beside(
        self,
        source: RunDirectory,
        place: RunDirectory,
        case: Case,
        checkpoint: Checkpoint,
        settings: Sequence[str],
        comm: MPI.Intracomm,
        overwrite: bool,
        forcing: Any,
    ) -> None:
        case = with_script(case, forcing)
        fields = list(state_fields(case))
        check_fields(
            checkpoint, case, fields, str(checkpoint.path), "a run that begins from it keeps its box"
        )
        self._set_up(case, comm, place, checkpoint.clock(), forcing=forcing)
        self._changed()  # u'/L differs on another grid
        self.clock.pace = checkpoint.clock().pace if case.grid == checkpoint.grid else None
        try:
            read_fields(self.flow, case, comm, checkpoint, fields)
        except _core.Error as error:
            raise _damaged(comm, source, checkpoint, error, place) from None
        self.flow.restore_sources(kept_of_sources(checkpoint.sources, checkpoint.case, case))
        begin_forces(self.flow, checkpoint.time)
        self._resume_particles(source, case, checkpoint, comm, place)
        self._recorder.check_condition()
        self._check_left(checkpoint, source)
        in_directory(comm, lambda: self._take(place.create(case, overwrite, checkpoint.path.resolve())))
        with self._released_on_error():
            coarser = left_out(checkpoint.grid, case.grid, f"{checkpoint.path} is a checkpoint")
            dropped = _dropped(case, checkpoint)
            told = on_root(comm, source.remarks)
            remarks = filter(None, [coarser, dropped, *told, *self._uncounted(checkpoint)])
            self._open_log(_event("run", checkpoint, settings), remarks)
        self.origin, self._fresh = checkpoint.path, True

    def _resume_particles(
        self,
        source: RunDirectory,
        case: Case,
        checkpoint: Checkpoint,
        comm: MPI.Intracomm,
        output: RunDirectory | None = None,
    ) -> None:
        """Place the particles as the checkpoint has them. Raises CaseError."""
        beside = output is not None
        try:
            found = resumed(checkpoint, case, comm, self.flow, self.clock, beside=beside)
        except CaseError:
            raise
        except ValueError as error:
            reason = f"{error}; put back the file that was written with it, or go on in a new run (-o NEW) "
            reason += "without particles: --set 'particles=[]'"
            place = output.path if output else None
            raise on_root(comm, lambda: states.damaged(source, checkpoint.path, reason, place)) from None
        self.tracers.update(found)

    def _uncounted(self, checkpoint: Checkpoint) -> list[str]:
        """A sentence if turnovers are counted from here on only."""
        if self.clock.turnovers is None or checkpoint.turnovers is not None:
            return []
        begun = f"t = {checkpoint.time:.6g}"
        return [f"{checkpoint.path} has no count of turnovers, so they are counted from {begun} on."]

    def _check_left(self, checkpoint: Checkpoint, place: RunDirectory) -> None:
        """Raises CaseError if a limit of the run is reached already."""
        self._dt = checkpoint.dt
        end = self.case.time.end.time
        if end is not None and self.clock.until(end) < -LANDING * checkpoint.dt:
            raise CaseError(
                f"time.until = {end:.6g} is before the checkpoint {checkpoint.path}, at t = "
                f"{self.clock.time:.6g}, step {self.clock.step}: give a later time (--until), or an earlier "
                f"checkpoint (--step N) of those of step {', '.join(map(str, place.steps_of(False)))}."
            )
        if reached := self._limits_reached():
            limits = [f"{limit} ({advice})" for limit, advice in reached]
            raise CaseError(
                f"the run in {place.path} is at t = {self.clock.time:.6g}, step {self.clock.step}, and has "
                f"nothing left to do before {' and '.join(limits)}."
            )


def _damaged(
    comm: MPI.Intracomm,
    place: RunDirectory,
    checkpoint: Checkpoint,
    error: _core.Error,
    output: RunDirectory | None = None,
) -> CaseError:
    beside = None if output is None else output.path
    return on_root(comm, lambda: states.damaged(place, checkpoint.path, checkpoint.reason(error), beside))


def _dropped(case: Case, checkpoint: Checkpoint) -> str | None:
    """A sentence on the fields of a checkpoint that a case does not have."""
    dropped = [name for name in checkpoint.names_in_file() if name not in state_fields(case)]
    own = {one.label for one in case.particles}
    dropped += [f"the particles {name}" for name in labels(checkpoint) if name not in own]
    return f"{', '.join(dropped)} of {checkpoint.path} is left out: the case has none." if dropped else None


def _event(what: str, checkpoint: Checkpoint, settings: Sequence[str]) -> str:
    size = " x ".join(map(str, checkpoint.grid.points))
    source = f"{what} from {checkpoint.path} ({size} points)"
    return " with ".join(filter(None, [source, ", ".join(settings)]))

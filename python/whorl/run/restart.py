"""Continues from a checkpoint, in the same directory or, with changes, in another one."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.parallel import in_directory, on_root, world
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.clock import LANDING
from whorl.config.measures import state_fields
from whorl.config.settings import check_list
from whorl.forcing.shapes import begin_forces, kept_of_sources, with_script
from whorl.initial.checkpoints import check_fields, read_fields
from whorl.initial.files import left_out
from whorl.models import declared_by
from whorl.models.equations import other_equations
from whorl.output import states
from whorl.output.checkpoint import Checkpoint
from whorl.output.directory import RunDirectory
from whorl.particles.groups import labels, resumed
from whorl.run import tune
from whorl.run.begin import open_log, set_up
from whorl.run.checks import other_level
from whorl.run.compiled_rows import other_rows
from whorl.run.current import CurrentRun
from whorl.run.ends import Ends
from whorl.run.hold import Hold
from whorl.run.opening import damaged, read_state

if TYPE_CHECKING:
    from whorl.run.simulation import Simulation


def restart(
    _class: "type[Simulation]",
    directory: str | Path,
    output: str | Path | None = None,
    *,
    until: float | str | None = None,
    settings: Sequence[str] = (),
    step: int | None = None,
    forcing: Any = None,
    comm: MPI.Intracomm | None = None,
    overwrite: bool = False,
) -> "Simulation":
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
    comm = comm or world()
    source = RunDirectory(directory)
    end = {} if until is None else {"until": until if isinstance(until, str) else float(until)}
    if output is None:
        hold = Hold(source, comm)
        hold.take(source.lock)
        with hold.released_on_error():
            case, checkpoint = on_root(comm, lambda: states.to_restart(source, end, settings, step))
            return _class._of(_go_on(hold, with_script(case, forcing), checkpoint, settings, forcing))
    place = RunDirectory(output)
    in_directory(comm, lambda: place.check_beside(source, overwrite))
    case, checkpoint = on_root(comm, lambda: states.to_begin_beside(source, place, end, settings, step))
    case = with_script(case, forcing)
    return _class._of(_begin_beside(source, place, case, checkpoint, settings, comm, overwrite, forcing))


def _go_on(
    hold: Hold, case: Case, checkpoint: Checkpoint, settings: Sequence[str], forcing: Any
) -> CurrentRun:
    """The run of a checkpoint, in its own directory."""
    place, comm = hold.directory, hold.comm
    grid = on_root(comm, lambda: tune.recorded_grid(place.exchange))
    timed = checkpoint.timed_for(case, settings)
    given = {"measured_grid": grid, "timed": timed, "forcing": forcing}
    run = set_up(case, comm, place, checkpoint.clock(), hold=hold, **given)
    read_state(run, place, checkpoint)
    _resume_particles(run, place, checkpoint)
    kept = run.recorder.kept(checkpoint)
    _check_left(run, checkpoint, place)
    on_root(comm, place.remove_unfinished)
    remarks = [*other_level(checkpoint.level), *other_rows(checkpoint.code, run.flow)]
    remarks += [*_uncounted(run, checkpoint), *on_root(comm, place.remarks)]
    remarks += run.recorder.resume(checkpoint, kept)
    run.recorder.read_new_particles([name for name in run.tracers if name not in labels(checkpoint)])
    on_root(comm, lambda: place.write_case(case, place.origin()))
    open_log(run, _event("restart", checkpoint, settings), remarks)
    run.origin, run.fresh = checkpoint.path, False
    return run


def _begin_beside(
    source: RunDirectory,
    place: RunDirectory,
    case: Case,
    checkpoint: Checkpoint,
    settings: Sequence[str],
    comm: MPI.Intracomm,
    overwrite: bool,
    forcing: Any,
) -> CurrentRun:
    """A new run from the state of a checkpoint."""
    fields = list(state_fields(case))
    check_fields(checkpoint, case, fields, str(checkpoint.path), "a run that begins from it keeps its box")
    others = other_equations(case.flow, declared_by(checkpoint.case.get("flow")), case.grid)
    run = set_up(case, comm, place, checkpoint.clock(), forcing=forcing)
    run.changed()  # u'/L differs on another grid
    run.clock.pace = checkpoint.clock().pace if case.grid == checkpoint.grid else None
    try:
        read_fields(run.flow, case, comm, checkpoint, fields)
    except _core.Error as error:
        raise damaged(comm, source, checkpoint, error, place) from None
    run.flow.restore_sources(kept_of_sources(checkpoint.sources, checkpoint.case, case))
    begin_forces(run.flow, checkpoint.time)
    _resume_particles(run, source, checkpoint, place)
    run.recorder.check_condition()
    _check_left(run, checkpoint, source)
    run.hold.take(lambda: place.create(case, overwrite, checkpoint.path.resolve()))
    with run.hold.released_on_error():
        coarser = left_out(checkpoint.grid, case.grid, f"{checkpoint.path} is a checkpoint")
        dropped = _dropped(case, checkpoint)
        told = on_root(comm, source.remarks)
        remarks = filter(None, [coarser, dropped, others, *told, *_uncounted(run, checkpoint)])
        open_log(run, _event("run", checkpoint, settings), remarks)
    run.origin = checkpoint.path
    return run


def _resume_particles(
    run: CurrentRun, source: RunDirectory, checkpoint: Checkpoint, output: RunDirectory | None = None
) -> None:
    """Place the particles as the checkpoint has them. Raises CaseError."""
    beside = output is not None
    try:
        found = resumed(checkpoint, run.case, run.comm, run.flow, run.clock, beside=beside)
    except CaseError:
        raise
    except ValueError as error:
        reason = f"{error}; put back the file that was written with it, or go on in a new run (-o NEW) "
        reason += "without particles: --set 'particles=[]'"
        place = output.path if output else None
        raise on_root(run.comm, lambda: states.damaged(source, checkpoint.path, reason, place)) from None
    run.tracers.update(found)


def _uncounted(run: CurrentRun, checkpoint: Checkpoint) -> list[str]:
    """A sentence if turnovers are counted from here on only."""
    if run.clock.turnovers is None or checkpoint.turnovers is not None:
        return []
    begun = f"t = {checkpoint.time:.6g}"
    return [f"{checkpoint.path} has no count of turnovers, so they are counted from {begun} on."]


def _check_left(run: CurrentRun, checkpoint: Checkpoint, place: RunDirectory) -> None:
    """Raises CaseError if a limit of the run is reached already."""
    run.dt = checkpoint.dt
    end = run.case.time.end.time
    if end is not None and run.clock.until(end) < -LANDING * checkpoint.dt:
        raise CaseError(
            f"time.until = {end:.6g} is before the checkpoint {checkpoint.path}, at t = "
            f"{run.clock.time:.6g}, step {run.clock.step}: give a later time (--until), or an earlier "
            f"checkpoint (--step N) of those of step {', '.join(map(str, place.steps_of(False)))}."
        )
    if reached := Ends(run).limits_reached():
        limits = [f"{limit} ({advice})" for limit, advice in reached]
        raise CaseError(
            f"the run in {place.path} is at t = {run.clock.time:.6g}, step {run.clock.step}, and has "
            f"nothing left to do before {' and '.join(limits)}."
        )


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

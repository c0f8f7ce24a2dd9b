"""A run: builds the core from a case, owns the clock and the loop."""

import math
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from whorl import _core
from whorl.base.endings import abort_on_exception
from whorl.base.errors import BlowUp, CaseError, RunFault, last_checkpoint
from whorl.base.files import write_text
from whorl.base.parallel import in_directory, on_root, world
from whorl.base.ranks import MPI
from whorl.base.text import typed
from whorl.base.version import __version__
from whorl.config.case import Case
from whorl.config.clock import Clock, Instant
from whorl.config.explain import show
from whorl.forcing.options import Script, Steady
from whorl.forcing.shapes import begin_forces, make_flow, set_forces, with_script
from whorl.initial import fields as initials
from whorl.output.checkpoint import OPEN, Timed
from whorl.output.directory import RunDirectory
from whorl.output.lock import Lock
from whorl.output.plans import expression_plans
from whorl.output.recorder import Recorder
from whorl.particles.groups import placed
from whorl.particles.particles import Particles
from whorl.run import provenance, tune
from whorl.run.advance import Advances
from whorl.run.callbacks import Callbacks, is_told
from whorl.run.checks import at_rest, come_to_rest, warnings
from whorl.run.core_options import describe
from whorl.run.driven import Driven
from whorl.run.ends import Ends
from whorl.run.lasting_output import lasting_output
from whorl.run.progress import Progress, Status, pace, run_log
from whorl.run.records import Records
from whorl.run.restart import Restarts
from whorl.run.signals import StopFlag
from whorl.run.state import State
from whorl.run.turnovers import Counts


class Simulation(State, Records, Counts, Callbacks, Ends, Advances, Restarts):
    """A flow in time; every method must be called on all ranks of `comm`.

    Parameters
    ----------
    case : Case
        The case to compute. Files go to `case.output.directory`; none are written without it.
    initial : callable, array_like or dict, optional
        The initial field, instead of the case's [initial]: a function (x, y, z) → (u, v, w) or an array
        (3, nz, ny, nx), as for `set_field`. Several fields: a dict of these, {"velocity": function,
        "magnetic": array}. A field that neither it nor the case gives is zero. The case's "zero" gives none.
    forcing : array_like, callable or dict, optional
        A force on the model's first field, besides those of the case, or a dict of forces by field. A force
        is an array (components, nz, ny, nx), a function of (x, y, z), or a function that is called at each
        stage. That is one of (x, y, z, t), or one of (t, modes). The latter gets this rank's modes as from
        `modes` and returns those of the force.
    comm : mpi4py.MPI.Intracomm, optional
        The ranks that share the flow, all by default.
    overwrite : bool, default False
        Whether to replace an earlier run in the directory.

    Raises
    ------
    CaseError
        If the case cannot be run, for example because `initial` and the case give the same field; nothing is
        written then.

    Examples
    --------
    >>> case = Case(grid={"points": 16}, flow={"viscosity": 0.1}, time={"dt": 0.05, "until": 0.5})
    >>> simulation = Simulation(case, lambda x, y, z: (np.sin(z), np.sin(x), np.sin(y)))
    >>> simulation.run(progress=False)
    True
    """

    _lock: Lock | None = None  # the root's, until the run ends
    _makes_steps = True

    def __init__(
        self,
        case: Case,
        initial: Any = None,
        *,
        forcing: Any = None,
        comm: MPI.Intracomm | None = None,
        overwrite: bool = False,
    ):
        if not isinstance(case, Case):
            raise CaseError(f"a Simulation needs a Case, not {show(case)}: load_case makes one of a file.")
        directory = RunDirectory(case.output.directory) if case.output.directory else None
        comm = comm or world()
        if directory:
            in_directory(comm, lambda: directory.check_free(overwrite))
        case = with_script(case, forcing)
        self._set_up(case, comm, directory, Clock(), forcing=forcing)
        remarks = initials.set_initial(self.flow, case, initial, comm)
        begin_forces(self.flow, 0.0)
        names = [one.label for one in case.particles]
        self.tracers.update(placed(case, comm, self.flow, self.clock, names))
        follows = case.time.courant is not None and case.time.dt_max is None
        shaped = any(isinstance(force, Steady | Script) for force in case.forcing)
        pushed = shaped or self.flow.speed_of_sources(1.0) > 0
        if follows and not pushed and case.flow.at_rest(self.flow.statistics()):
            raise CaseError(at_rest(case))
        if directory:
            in_directory(comm, lambda: self._take(directory.create(case, overwrite)))
        with self._released_on_error():
            self._open_log("run", remarks)
        self._fresh = True

    def _set_up(
        self,
        case: Case,
        comm: MPI.Intracomm,
        directory: RunDirectory | None,
        clock: Clock,
        measured_grid: tuple[int, int] | None = None,
        timed: Timed = OPEN,
        forcing: Any = None,
        forced: bool = True,
    ) -> None:
        abort_on_exception()
        if case.forces_not_there:  # the case of an opened state, whose forces are given here
            case = case.without_forces(())
        self.case, self.comm, self.directory, self.clock = case, comm, directory, clock
        self._count_of_case()
        options, self.trials = tune.checked_options(case, comm, timed, measured_grid)
        self.flow = make_flow(options, comm)
        self._of_forces = set_forces(self.flow, case, comm, forcing) if forced else []
        self.report: _core.StepReport | None = None
        self.stopped_by: str | None = None
        self._dt = self._allowed_dt = 0.0
        self._shortest_dt = math.inf
        self.origin: Path | None = None  # the checkpoint from which it continues
        self._told: set[str] = set()
        self._ended = False
        self._driven: Driven | None = None
        self._courant_told = 0.0  # the largest Courant number that a warning reported
        self._goal = case.time.end.time  # the time that the next landing step lands on
        self.tracers: dict[str, Particles] = {}
        self._recorder = Recorder(case, self.flow, clock, directory, comm, self.tracers)
        self._callbacks, self._aside = [], None
        self._stop, self._wish, self._reason = StopFlag(), None, None
        self._left: tuple[int, int] | None = None  # when its directory was last written, as it left it
        self._progress: Progress | None = None

    def _take(self, lock: Lock) -> None:
        self._lock = lock

    def _release(self) -> None:
        """Release the directory for other processes."""
        if self._lock:
            self._lock.release()

    def _go_on_after_signal(self) -> None:
        """Lock the directory of a run again that a signal stopped. Raises CaseError if others had it."""
        if self.stopped_by is None or self.finished:
            return
        if self._ended:
            on_root(self.comm, lambda: self._take(self.directory.lock_again(self._left)))
            self.log.info(f"goes on after {self.stopped_by} at t = {self.time:.6g}, step {self.step_number}")
        self.stopped_by, self._ended = None, False

    @contextmanager
    def _released_on_error(self) -> Iterator[None]:
        """Release the lock on an exception, whose traceback would keep it alive."""
        try:
            yield
        except BaseException:
            self._release()
            raise

    def _open_log(self, event: str, remarks: Sequence[str] = ()) -> None:
        root = self.comm.rank == 0
        self.log = run_log(self.directory.log if self.directory and root else None)
        self.log.info(f"{event}: whorl {__version__}, {self.summary()}")
        self.log.info(f"instruction level {_core.build_info()['level']}, lines {self.flow.options.lines}")
        if planes := provenance.planes_tried(self.flow):
            self.log.info(planes)
        if self.directory and root:
            self.log.info(provenance.on_machine())
            self.log.info(provenance.memory_counted(self.flow))
        for what, plan in expression_plans(self.case).items():
            self.log.info(f"{what}: {plan}")
        if self.trials and self.directory and root:
            write_text(self.directory.exchange, tune.to_toml(self.trials))
            self.log.info(f"fastest exchange of {len(self.trials)}: see {self.directory.exchange.name}")
        self._warnings = [*self._of_forces, *remarks, *warnings(self.case, self.comm.size, self.flow.threads)]
        for warning in self._warnings:
            self.log.warning(f"warning: {warning}")

    def close(self) -> None:
        """Free the memory, MPI's windows and the directory; only series and spectra stay usable.

        A block `with Simulation(case) as simulation:` that ends without an exception calls it. Collective.
        Without it, resources of MPI on several ranks (windows, shared memory) stay until the program ends:
        Python deletes objects on each rank at its own time, and MPI waits for all ranks.
        """
        self.flow.close()
        if self._aside:
            self._aside.Free()
            self._aside = None
        self._release()

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        """Close it, but not on an exception: ranks without the exception would not take part."""
        if kind is None:
            self.close()

    def __reduce__(self) -> str:
        raise TypeError(
            "a Simulation cannot be pickled, nor sent to another process: its state is in the core; send its "
            "case, its series or other datasets, or the directory, which open_run reads."
        )

    def __repr__(self) -> str:
        return f"<Simulation: {self.summary()}, t = {self.time:.6g}, step {self.step_number}>"

    # the state

    @property
    def time(self) -> float:
        """The time t of the present state, in the case's unit of time."""
        return self.clock.time

    @property
    def step_number(self) -> int:
        """The number of time steps made since t = 0."""
        return self.clock.step

    def statistics(self) -> dict[str, float]:
        """Return the numbers of the present state, by the names of the columns of the series.

        They are sums over modes (energy, dissipation, …) and numbers that follow from them (R_lambda, a
        Nusselt number); see `whorl models MODEL`. Collective. Raises BlowUp if the state is not finite.
        """
        values = dict(self._recorder.sums.values())
        return values | self.case.flow.derived(values, self.flow.kmax)

    def _changed(self) -> None:
        self._recorder.sums.forget()
        if self.clock.pace:
            self.clock.pace = replace(self.clock.pace, rate=0.0)
        if self.clock.turnovers:
            self.clock.turnovers.rate = None

    def _lost(self, reason: str) -> BlowUp:
        return self._recorder.blow_up(reason)

    def summary(self) -> str:
        """Return one line that describes the case and how it runs."""
        return describe(self.case, self.flow)

    # the loop

    def step(self) -> _core.StepReport:
        """Make one step, call the callbacks, then write the output due, which has the state they leave.

        Returns
        -------
        StepReport
            With the attributes `dt`, the time step, `courant`, its Courant number, and `maximum_velocity`.

        Raises
        ------
        BlowUp
            If the flow is not finite.
        CaseError, RunFault
            If a force is not known (`Simulation.open`), or if the flow is at rest, or has come to rest, so
            that time.courant sets no step.
        ValueError
            If the run is finished or has released its directory.
        """
        if not self._makes_steps:
            raise CaseError(
                f"the snapshot {self.origin} is opened to look at it; begin a run from it with "
                "initial.name = from-file."
            )
        if self.case.forces_not_there:
            raise CaseError(
                f"the force {min(self.case.forces_not_there)} is not known where a checkpoint is opened to "
                "look at it; go on with Simulation.restart(..., forcing=...)."
            )
        if self.finished or self._ended:
            why = "is finished" if self.finished else "has ended, and its directory is free for others,"
            raise ValueError(f"the run {why} at t = {self.time:.6g}, step {self.step_number}")
        if self.clock.turnovers and self.clock.turnovers.rate is None:
            self._measure_turnovers()
        if self._fresh:
            self._recorder.begin(self._dt)
            self._fresh = False
        self.report = self._advance()
        self._watch_step(self.report)
        self._call_back()
        self._write_step()
        return self.report

    def _write_step(self, *, failed: bool = False) -> None:
        """Write the output due after a step, and a checkpoint if a signal or failed callback ends the run."""
        self._measure_when_due(self.report.dt)
        released = self._release_particles()
        stop, alarm, show, afforded = self._agree()
        settled, before = self._settled(), self._recorder.last_checkpoint
        self._recorder.after_step(self.report, alarm=alarm, last=self.finished or settled, released=released)
        for warning in self._recorder.resolution.news():
            self._warn(warning)
        if stop or failed:
            self._recorder.checkpoint(self.report.dt)
        if before is None and self._recorder.last_checkpoint:
            self.log.info(self._first_checkpoint())
        if show or self.finished:
            self._show(afforded)
        if settled and not self.finished and not failed:
            raise RunFault(come_to_rest(self.case, self.report, self.clock))

    def _release_particles(self) -> list[str]:
        """Place the groups of the case whose time has come, and return their names. Collective."""
        waiting = [one.label for one in self.case.particles if one.label not in self.tracers]
        found = placed(self.case, self.comm, self.flow, self.clock, waiting)
        self.tracers.update(found)
        return list(found)

    def run(self, *, until: float | str | None = None, progress: bool = True) -> bool:
        """Make steps until the end of the run, or until a time, or a count of turnovers, before it.

        With an output directory, SIGTERM, SIGINT, SIGUSR1 and SIGHUP stop the run after the present step,
        with a checkpoint. Standard output may be closed meanwhile.

        Parameters
        ----------
        until : float or str, optional
            A time to pause at; the last step is shortened to land on it. Or "N turnovers": the pause is after
            the first step with this count. No step is made if it has passed.
        progress : bool, default True
            Whether rank 0 shows how far the run is.

        Returns
        -------
        bool
            Whether the end is reached, as `ended` says; if not, `stopped_by` names the signal that stopped
            the run, or is None. Called again after a signal, the run goes on.

        Raises
        ------
        BlowUp, CaseError, RunFault
            As from `step`; RunFault also if the run cannot go on, for example on a full disk, and CaseError
            if the model has no turnovers, or if others had the directory after a signal stopped the run.
        ValueError
            If `until` is negative or not finite, or text that is not "N turnovers".

        Examples
        --------
        >>> simulation.run(until=0.25, progress=False)
        False
        """
        pause = self._pause_at(until)
        with lasting_output(self._lost_output):
            return self._run(pause, progress)

    def _pause_at(self, until: float | str | None) -> Instant:
        if isinstance(until, str):
            end = Instant.parse(until)
            self._count_for(f'run(until="{until}")')
            return end
        if until is not None and not 0 <= until < math.inf:
            raise ValueError(f"until = {until} is no time to pause at")
        return Instant(until)

    def _run(self, pause: Instant, progress: bool) -> bool:
        root = self.comm.rank == 0
        self._go_on_after_signal()
        started, first, paused = time.monotonic(), self.clock.step, False
        display = None
        try:
            display = self._progress = Progress(self.log) if progress and root else None
            with self._stop if self.directory else nullcontext(), display or nullcontext():
                if display:
                    display.begin(self._done())
                    for warning in self._warnings:
                        display.say(f"warning: {warning}")
                ends = (pause.time, self.case.time.end.time)
                self._goal = min((time for time in ends if time is not None), default=None)
                while not (self.finished or self.stopped_by or self._is_at(pause)):
                    self.step()
                paused = not (self.finished or self.stopped_by)
        except (BlowUp, CaseError, RunFault, _core.Error, OSError) as error:
            if is_told(error):
                raise
            self.log.error(f"error: {error}")
            if not isinstance(error, _core.Error | OSError):
                raise
            raise RunFault(
                f"{str(error).rstrip('.')} (t = {self.time:.6g}, step {self.step_number}); "
                f"{last_checkpoint(self._recorder.last_checkpoint)}."
            ) from error
        finally:
            self._progress, self._goal = None, self.case.time.end.time
            if not paused:
                self._ended = self.directory is not None
                self._left = self.directory.written() if self._lock else None
                self._release()
        self._report_end(display, time.monotonic() - started, self.clock.step - first)
        return self.finished

    def _warn(self, warning: str, kind: str = "") -> None:
        """Log and show a warning; only the first one of a kind."""
        if kind in self._told:
            return
        if kind:
            self._told.add(kind)
        self.log.warning(f"warning: {warning}")
        if self._progress:
            self._progress.say(f"warning: {warning}")

    def _lost_output(self, reason: str) -> None:
        self.log.warning(f"standard output can no longer be written ({reason}); the run goes on")

    def _agree(self) -> tuple[bool, bool, bool, bool]:
        """Whether a rank is asked to stop; whether rank 0 wants a checkpoint, a display, statistics in it."""
        root = self.comm.rank == 0
        show = self._progress is not None and self._progress.due()
        afforded = show and self._progress.affords(self._recorder.sums.seconds)
        own = [self._stop.signal or 0, root and self._recorder.alarm(), show, afforded, bool(self._wish)]
        *wishes, ended = self.flow.maximum(own)
        if wishes[0]:
            self.stopped_by = signal.Signals(int(wishes[0])).name
        if ended:
            self._reason = next(filter(None, self.comm.allgather(self._wish)))
        return tuple(wish > 0 for wish in wishes)

    def _show(self, afforded: bool) -> None:
        """Show the run, with new statistics if `afforded`: they cost a right-hand side or more.

        Collective, because computing statistics is.
        """
        seconds = self._recorder.sums.compute() if afforded else 0.0
        if self._progress is None:
            return
        if seconds:
            self._progress.computed(seconds)
        clock, report, options = self.clock, self.report, self.case.time
        values, measured = self._recorder.sums.latest(self._recorder.tables["series"].rows)
        place = {"step": clock.step, "time": clock.time, "turnovers": self.turnovers}
        ends = {"end": options.end, "steps": options.steps, "done": self._done()}
        step = {"dt": report.dt, "courant": report.courant}
        self._progress.show(Status(**place, **ends, **step, values=values, measured=measured))

    def _first_checkpoint(self) -> str:
        place, every = f"t = {self.time:.6g}, step {self.step_number}", self.case.output.checkpoint_every
        interval = f'"{every}"' if isinstance(every, str) else f"{every:g}"
        return f"first checkpoint at {place}; output.checkpoint_every = {interval}"

    def _going_on(self) -> str:
        """The command or call that continues this run."""
        if any(isinstance(force, Script) for force in self.case.forcing):
            return f"Simulation.restart({str(self.directory.path)!r}, forcing=...)"
        return f"whorl restart {typed(self.directory.path)}"

    def _report_end(self, display: Progress | None, seconds: float, steps: int) -> None:
        reached = " and ".join(limit for limit, _ in self._limits_reached())
        what = "finished" if reached else f"stopped by {self.stopped_by}" if self.stopped_by else "paused"
        turned = "" if self.turnovers is None else f", {self.turnovers:.6g} turnovers"
        line = f"{what} at t = {self.time:.6g}, step {self.step_number}{turned} ({pace(steps, seconds)})"
        line += f" by {reached}" if reached else ""
        if self._recorder.accuracy.means:
            line += f": {self._recorder.accuracy}"
        if self.stopped_by and self._recorder.last_checkpoint:
            line += f"; go on with: {self._going_on()}"
        if self.directory and self.comm.rank == 0:
            self.log.info(provenance.memory_taken(self.flow))
        self.log.info(line)
        if display:
            display.say(line)

"""The loop of a run: steps until its end, with callbacks and the output that is due after each."""

import math
import signal
import time
from contextlib import nullcontext
from typing import Any

from whorl import _core
from whorl.base.errors import BlowUp, CaseError, RunFault, last_checkpoint
from whorl.base.text import one_paragraph, typed
from whorl.config.clock import Instant
from whorl.forcing.options import Script
from whorl.run import provenance
from whorl.run.advance import Steps
from whorl.run.callbacks import Callbacks, is_told
from whorl.run.checks import come_to_rest
from whorl.run.current import CurrentRun
from whorl.run.ends import Ends
from whorl.run.lasting_output import lasting_output
from whorl.run.placing import Placing
from whorl.run.progress import Progress, Status, pace
from whorl.run.signals import INTERRUPTING, STOPPING, StopFlag
from whorl.run.turnovers import Counts
from whorl.run.wall_time import NAME as WALL_TIME
from whorl.run.wall_time import WallTime


class Loop:
    """The loop of a run, which may pause and go on."""

    def __init__(self, run: CurrentRun):
        self.run = run
        self.case, self.comm, self.flow, self.clock = run.case, run.comm, run.flow, run.clock
        self.counts, self.steps, self.ends = Counts(run), Steps(run), Ends(run)
        self.callbacks, self.placing = Callbacks(run, self.counts), Placing(run)
        self.report: _core.StepReport | None = None
        self._recorder, self._notices = run.recorder, run.notices
        self._recorder.patience.tell = self._notices.warn
        self._stop = StopFlag(STOPPING if run.directory else INTERRUPTING)
        self._wall_time = WallTime(run)
        self._ended = False

    def close(self) -> None:
        """Free the flow, the communicator of callbacks and the directory. Collective."""
        self._recorder.checkpoints.end()
        self.flow.close()
        self.callbacks.close()
        self.run.hold.release()

    def step(self, simulation: Any) -> _core.StepReport:
        """`_step`, which SIGINT interrupts after all that it does."""
        with StopFlag(INTERRUPTING) as interrupted:
            report = self._step(simulation)
        if interrupted.signal:
            raise KeyboardInterrupt
        return report

    def _step(self, simulation: Any) -> _core.StepReport:
        """Make a step, call the callbacks with the simulation, then write the output due."""
        self._check_that_steps_can_be_made()
        if self.clock.turnovers and self.clock.turnovers.rate is None:
            self.counts.measure()
        if self.run.fresh:
            self._begin()
        self.report = self.steps.advance()
        self.steps.watch(self.report)
        self.callbacks.call(simulation, self._keep)
        self._write_step()
        return self.report

    def _begin(self) -> None:
        """Write the initial state; a case that is refused leaves no directory."""
        self._recorder.check_start(self._withdraw)
        self._recorder.begin(self.run.dt)
        self.run.fresh = False

    def _withdraw(self) -> None:
        """Remove the files of a run that its condition refuses."""
        self._ended = self.run.directory is not None
        self.run.hold.withdraw()

    def _check_that_steps_can_be_made(self) -> None:
        if not self.run.makes_steps:
            raise CaseError(
                f"the snapshot {self.run.origin} is opened to look at it; begin a run from it with "
                "initial.name = from-file."
            )
        if self.case.forces_not_there:
            raise CaseError(
                f"the force {min(self.case.forces_not_there)} is not known where a checkpoint is opened to "
                "look at it; go on with Simulation.restart(..., forcing=...)."
            )
        if self.ends.finished or self._ended:
            finished = self.ends.finished
            why = "is finished" if finished else "has ended, and its directory is free for others,"
            raise ValueError(f"the run {why} at {self._place()}")

    def _place(self) -> str:
        return f"t = {self.clock.time:.6g}, step {self.clock.step}"

    def _keep(self, failure: Any) -> None:
        """Write the output due after the step and a checkpoint, and log the failure of a callback."""
        log = self._notices.log
        if isinstance(failure, BlowUp):
            log.error(f"error: {failure}")
            return
        try:
            self._write_step(failed=True)
        except Exception as error:
            failure.add_note(f"The state after it was not kept: {error}")
        told = one_paragraph(f"{type(failure).__name__}: {failure}").rstrip(".")
        where = f" on rank {failure.of_rank}" if self.comm.size > 1 else ""
        kept = last_checkpoint(self._recorder.checkpoints.last)
        log.error(f"error: a callback ended the run{where} by {told} ({self._place()}); {kept}.")

    def _write_step(self, *, failed: bool = False) -> None:
        """Write the output due after a step, and a checkpoint if a signal or failed callback ends the run."""
        self.counts.measure_when_due(self.report.dt)
        released = self.placing.release()
        settled, before = self.steps.settled(), self._recorder.checkpoints.last
        stop, alarm, show, afforded = self.agree()
        last = self.ends.finished or settled
        self._recorder.after_step(self.report, alarm=alarm, last=last, released=released)
        for warning in self._recorder.resolution.news():
            self._notices.warn(warning)
        if stop or failed:
            self._recorder.checkpoint(self.report.dt)
            self._recorder.checkpoints.end()
        if before is None and self._recorder.checkpoints.last:
            self._notices.log.info(self._first_checkpoint())
        if show or self.ends.finished:
            self._show(afforded)
        if settled and not self.ends.finished and not failed:
            raise RunFault(come_to_rest(self.case, self.report, self.clock))

    def agree(self) -> tuple[bool, bool, bool, bool]:
        """Whether a rank or the time asks to stop, and what rank 0 wants.

        That is a checkpoint, a display, and statistics in it.
        """
        root, progress, ends = self.comm.rank == 0, self._notices.progress, self.ends
        show = progress is not None and progress.due()
        afforded = show and progress.affords(self._recorder.sums.seconds)
        alarm, late = root and self._recorder.alarm(), self._wall_time.passed()
        own = [self._stop.signal or 0, alarm, show, afforded]
        others = [self._recorder.checkpoints.writing, bool(ends.wish), late]
        *wishes, writing, ended, over = self.flow.maximum([*own, *others])
        if not writing:
            self._recorder.checkpoints.end()
        if wishes[0]:
            ends.stopped_by = signal.Signals(int(wishes[0])).name
        elif over:
            ends.stopped_by = WALL_TIME
        if ended:
            ends.reason = next(filter(None, self.comm.allgather(ends.wish)))
        stop, alarm, show, afforded = (wish > 0 for wish in wishes)
        return stop or over > 0, alarm, show, afforded

    def _show(self, afforded: bool) -> None:
        """Show the run, with new statistics if `afforded`: they cost a right-hand side or more.

        Collective, because computing statistics is.
        """
        seconds = self._recorder.sums.compute() if afforded else 0.0
        progress = self._notices.progress
        if progress is None:
            return
        if seconds:
            progress.computed(seconds)
        progress.show(self.status())

    def status(self) -> Status:
        """The present state with the last known values; nothing is computed."""
        clock, report, options = self.clock, self.report, self.case.time
        values, measured = self._recorder.sums.latest(self._recorder.tables["series"].rows)  # type: ignore[attr-defined]
        place: dict[str, Any] = {"step": clock.step, "time": clock.time, "turnovers": self.counts.count}
        ends: dict[str, Any] = {"end": options.end, "steps": options.steps, "done": self.ends.done()}
        step: dict[str, Any] = {name: getattr(report, name, 0.0) for name in ("dt", "courant")}
        return Status(**place, **ends, **step, values=values, measured=measured)

    def _first_checkpoint(self) -> str:
        every = self.case.output.checkpoint_every
        interval = f'"{every}"' if isinstance(every, str) else f"{every:g}"
        return f"first checkpoint at {self._place()}; output.checkpoint_every = {interval}"

    def run_until(self, simulation: Any, until: float | str | None, progress: bool) -> bool:
        """Make steps until the end of the run or a pause; whether the end is reached."""
        pause = self._pause_at(until)
        with lasting_output(self._lost_output):
            return self._run(simulation, pause, progress)

    def _pause_at(self, until: float | str | None) -> Instant:
        if isinstance(until, str):
            end = Instant.parse(until)
            self.counts.count_for(f'run(until="{until}")')
            return end
        if until is not None and not 0 <= until < math.inf:
            raise ValueError(f"until = {until} is no time to pause at")
        return Instant(until)

    def _lost_output(self, reason: str) -> None:
        self._notices.log.warning(f"standard output can no longer be written ({reason}); the run goes on")

    def _run(self, simulation: Any, pause: Instant, progress: bool) -> bool:
        self._go_on_after_signal()
        notices, ends = self._notices, self.ends
        started, first, paused = time.monotonic(), self.clock.step, False
        display = None
        try:
            display = notices.progress = Progress(notices.log) if progress and self.comm.rank == 0 else None
            with self._stop, display or nullcontext(), self._wall_time:
                if display:
                    display.begin(ends.done())
                    for warning in notices.warnings:
                        display.say(f"warning: {warning}")
                goals = (pause.time, self.case.time.end.time)
                self.steps.goal = min((time for time in goals if time is not None), default=None)
                while not (ends.finished or ends.stopped_by or ends.is_at(pause)):
                    self._step(simulation)
                self._recorder.checkpoints.end()
                paused = not (ends.finished or ends.stopped_by)
        except (BlowUp, CaseError, RunFault, _core.Error, OSError) as error:
            if is_told(error):
                raise
            notices.log.error(f"error: {error}")
            if not isinstance(error, _core.Error | OSError):
                raise
            kept = last_checkpoint(self._recorder.checkpoints.last)
            raise RunFault(f"{str(error).rstrip('.')} ({self._place()}); {kept}.") from error
        finally:
            notices.progress, self.steps.goal = None, self.case.time.end.time
            if not paused:
                self._ended = self.run.directory is not None
                self.run.hold.leave()
        self._report_end(display, time.monotonic() - started, self.clock.step - first)
        if self.run.directory is None and ends.stopped_by == signal.SIGINT.name and not ends.finished:
            raise KeyboardInterrupt
        return ends.finished

    def _go_on_after_signal(self) -> None:
        """Lock the directory of a run again that a signal stopped. Raises CaseError if others had it."""
        if self.ends.stopped_by is None or self.ends.finished:
            return
        if self._ended:
            self.run.hold.take_again()
            self._notices.log.info(f"goes on after {self.ends.stopped_by} at {self._place()}")
        self.ends.stopped_by, self._ended = None, False

    def _going_on(self) -> str:
        """The command or call that continues this run."""
        path = self.run.directory.path
        if any(isinstance(force, Script) for force in self.case.forcing):
            return f"Simulation.restart({str(path)!r}, forcing=...)"
        return f"whorl restart {typed(path)}"

    def _report_end(self, display: Progress | None, seconds: float, steps: int) -> None:
        reached, signalled = self.ends.reached(), self.ends.stopped_by
        what = "finished" if reached else f"stopped by {signalled}" if signalled else "paused"
        turned = "" if self.counts.count is None else f", {self.counts.count:.6g} turnovers"
        line = f"{what} at {self._place()}{turned} ({pace(steps, seconds)})"
        line += f" by {reached}" if reached else ""
        if self._recorder.accuracy.means:
            line += f": {self._recorder.accuracy}"
        if signalled and self._recorder.checkpoints.last:
            line += f"; go on with: {self._going_on()}"
        if self.run.directory and self.comm.rank == 0:
            self._notices.log.info(provenance.memory_taken(self.flow))
        self._notices.log.info(line)
        if display:
            display.say(line)

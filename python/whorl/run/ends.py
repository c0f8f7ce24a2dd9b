"""The end of a run: its limits, those that are reached, and the fraction that is done."""

from whorl.base.errors import CaseError
from whorl.base.text import one_paragraph
from whorl.config.clock import LANDING, Instant
from whorl.config.explain import show
from whorl.run.current import CurrentRun


class Ends:
    """The ends of a run: its limits, a script's `stop`, signals and its wall time."""

    def __init__(self, run: CurrentRun):
        self.case, self.clock = run.case, run.clock
        self.stopped_by: str | None = None  # a signal, or run.wall_time
        self.wish: str | None = None  # this rank's reason to stop
        self.reason: str | None = None  # the reason of the first rank that asked to stop, on all ranks
        self._run, self._recorder = run, run.recorder

    @property
    def finished(self) -> bool:
        """Whether a limit of [time] is reached, or a script has called `stop`."""
        return bool(self.limits_reached())

    @property
    def ended(self) -> str | None:
        """The limits reached, the reason given to `stop`, or `stopped_by`; None while the run goes on."""
        return self.reached() or self.stopped_by

    def reached(self) -> str:
        """The limits reached, or the reason given to `stop`; empty while the run is not finished."""
        return " and ".join(limit for limit, _ in self.limits_reached())

    def stop(self, reason: str) -> None:
        """End the run after this step, or between steps after the next one, as at a limit of [time].

        One rank is enough. The run writes all output of an end, with a checkpoint from which a restart goes
        on. `run` returns True, and `ended` and the log have the reason.

        Parameters
        ----------
        reason : str
            The reason, in a few words.

        Raises
        ------
        CaseError
            If the reason is empty or not a text.

        Examples
        --------
        >>> @simulation.every("10 steps")
        ... def enough(flow):
        ...     if flow.statistics()["energy"] < 0.01:
        ...         flow.stop("the flow has died out")
        """
        if not isinstance(reason, str) or not reason.strip():
            raise CaseError(f"stop({reason!r}): give the reason for which the run ends, in a few words.")
        self.wish = self.wish or one_paragraph(reason)

    def limits_reached(self) -> list[tuple[str, str]]:
        """The limits reached, each with the option that moves it."""
        until, steps = self.case.time.until, self.case.time.steps
        limits = []
        if self.is_at(self.case.time.end):
            in_time = not isinstance(until, str)
            shown = f"{until:.6g}" if in_time else f'"{until}"'
            later = "a later time" if in_time else "more turnovers"
            limits.append((f"time.until = {shown}", f"--until and {later}"))
        if steps is not None and self.clock.step >= steps:
            limits.append((f"time.steps = {steps}", "--set time.steps= and a larger number"))
        if self._recorder.accuracy.reached:
            errors = show(self.case.time.until_error)
            limits.append((f"time.until_error = {errors}", "--set time.until_error= and smaller errors"))
        if self._recorder.condition.holds:
            condition = f"time.stop_when = {show(self.case.time.stop_when)}"
            limits.append((condition, "--set time.stop_when= and another condition"))
        if self.reason:
            limits.append((f"stop: {self.reason}", "a restart goes on"))
        return limits

    def is_at(self, end: Instant) -> bool:
        """Whether the run is at a time, or has a count of turnovers."""
        if end.turnovers is not None:
            return self.clock.turnovers.reached(end.turnovers)
        return end.time is not None and self.clock.until(end.time) <= LANDING * self._run.dt

    def done(self) -> float:
        """The fraction of the run that is done, 0 to 1."""
        clock, end, steps = self.clock, self.case.time.end, self.case.time.steps
        parts = [
            clock.time / end.time if end.time else 0.0,
            clock.turnovers.count / end.turnovers if end.turnovers else 0.0,
            clock.step / steps if steps else 0.0,
            self._recorder.accuracy.done,
        ]
        return min(1.0, max(parts))

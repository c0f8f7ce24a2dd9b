"""The end of a run: which limits it has, which are reached, and how far it is."""

from whorl.config.case import Case
from whorl.config.clock import LANDING, Clock, Instant
from whorl.config.explain import show
from whorl.output.recorder import Recorder


class Ends:
    """The part of a simulation that knows where it ends."""

    case: Case
    clock: Clock
    _dt: float
    _recorder: Recorder

    @property
    def finished(self) -> bool:
        """Whether time.until, time.steps or time.until_error is reached."""
        return bool(self._limits_reached())

    def _limits_reached(self) -> list[tuple[str, str]]:
        """The limits reached, each with the option that moves it."""
        until, steps = self.case.time.until, self.case.time.steps
        limits = []
        if self._is_at(self.case.time.end):
            in_time = not isinstance(until, str)
            shown = f"{until:.6g}" if in_time else f'"{until}"'
            later = "a later time" if in_time else "more turnovers"
            limits.append((f"time.until = {shown}", f"--until and {later}"))
        if steps is not None and self.clock.step >= steps:
            limits.append((f"time.steps = {steps}", "--set time.steps= and a larger number"))
        if self._recorder.accuracy.reached:
            errors = show(self.case.time.until_error)
            limits.append((f"time.until_error = {errors}", "--set time.until_error= and smaller errors"))
        return limits

    def _is_at(self, end: Instant) -> bool:
        if end.turnovers is not None:
            return self.clock.turnovers.reached(end.turnovers)
        return end.time is not None and self.clock.until(end.time) <= LANDING * self._dt

    def _done(self) -> float:
        """The fraction of the run that is done, 0 to 1."""
        clock, end, steps = self.clock, self.case.time.end, self.case.time.steps
        parts = [
            clock.time / end.time if end.time else 0.0,
            clock.turnovers.count / end.turnovers if end.turnovers else 0.0,
            clock.step / steps if steps else 0.0,
            self._recorder.accuracy.done,
        ]
        return min(1.0, max(parts))

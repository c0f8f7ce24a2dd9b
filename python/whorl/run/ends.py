"""The end of a run: which limits it has, which are reached, and how far it is."""

from whorl.config.case import Case
from whorl.config.clock import LANDING, Clock, End


class Ends:
    """The part of a simulation that knows where it ends."""

    case: Case
    clock: Clock
    _dt: float

    @property
    def finished(self) -> bool:
        """Whether time.until or time.steps is reached."""
        return bool(self._limits_reached())

    def _limits_reached(self) -> list[str]:
        """The limits reached, each with the option that moves it."""
        until, steps = self.case.time.until, self.case.time.steps
        limits = []
        if self._is_at(self.case.time.end):
            later = (
                f'"{until}" (--until and more turnovers)'
                if isinstance(until, str)
                else f"{until:.6g} (--until and a later time)"
            )
            limits.append(f"time.until = {later}")
        if steps is not None and self.clock.step >= steps:
            limits.append(f"time.steps = {steps} (--set time.steps= and a larger number)")
        return limits

    def _is_at(self, end: End) -> bool:
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
        ]
        return min(1.0, max(parts))

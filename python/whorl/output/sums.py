"""The sums over modes of the present state (energy, dissipation, …), computed once for all readers."""

import math
import time
from collections.abc import Callable, Mapping, Sequence

from whorl import _core
from whorl.config.case import Case
from whorl.config.clock import Clock


class Sums:
    """The sums of the core at the present step. `check` raises BlowUp if they are not finite."""

    def __init__(self, case: Case, flow: _core.Flow, clock: Clock, check: Callable[[dict[str, float]], None]):
        self.case, self.flow, self.clock, self._check = case, flow, clock, check
        self._known: tuple[int, dict[str, float]] | None = None
        self.seconds: float | None = None  # of the last computation

    def compute(self) -> float:
        """Compute the sums at the present step, unless known; return the seconds needed.

        Raises BlowUp if they are not finite.
        """
        if self._known is not None and self._known[0] == self.clock.step:
            return 0.0
        began = time.monotonic()
        values = self.flow.statistics()
        self.seconds = time.monotonic() - began
        self._check(values)
        self._known = (self.clock.step, values)
        return self.seconds

    def values(self) -> dict[str, float]:
        """The sums at the present step by name. Raises BlowUp if they are not finite."""
        self.compute()
        return self._known[1]

    def forget(self) -> None:
        """Forget the sums, because the state has changed."""
        self._known = None

    def latest(self, rows: Sequence[Mapping[str, float]]) -> tuple[dict[str, float], int | None]:
        """The last known values of a display by symbol, and their step if it is earlier than the present.

        Computes nothing. Where no sums are known, as after a restart, the values are those of the last of
        `rows`.
        """
        if self._known is not None:
            step, values = self._known
            values = values | self.case.flow.derived(values, self.flow.kmax)
        else:
            values = rows[-1] if rows else {"step": self.clock.step}
            step = values["step"]
        shown = {symbol: values[name] for symbol, name in self.case.flow.progress if name in values}
        shown = {symbol: value for symbol, value in shown.items() if math.isfinite(value)}
        return shown, step if step != self.clock.step else None

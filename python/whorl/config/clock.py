"""The clock (time summed with compensation, a count of turnovers) and the schedules that depend on it."""

import difflib
import math
from dataclasses import dataclass
from typing import Literal

Unit = Literal["time", "steps", "turnovers", "minutes", "never"]
# Units of an interval that is text; those of real time with their lengths in minutes.
REAL_TIME = {"seconds": 1 / 60, "minutes": 1.0, "hours": 60.0, "days": 1440.0}
WORDS = ("steps", "turnovers", *REAL_TIME)

# Bounds of amounts of time and turnovers, so that times and numbers of intervals in a run are finite.
SHORTEST, LONGEST = 1e-30, 1e30

# Relative tolerance: a time this close to an instant counts as that instant, so that ten steps of 0.1 make 1.
NEAR = 1e-12
# A step that ends this close to the end, relative to the step, is the last: it keeps its length and lands on
# the end. A fixed dt that divides the time thus stays fixed to the bit.
LANDING = 1e-9
# The first checkpoint of a run whose checkpoints are in minutes: after these steps or seconds.
FIRST_STEPS, FIRST_SECONDS = 100, 60.0
# Steps between measurements of u'/L. A step more than LONGER times as long as the one before causes another:
# the steps of a decaying flow grow without limit, and an old u'/L would count too many turnovers in them.
MEASURED_EVERY, LONGER = 10, 1.05


class Turnovers:
    """The count of turnovers ∫ u'/L dt of a flow; `rate` is the last measured u'/L, None before the first.

    A restart needs only these two and the clock to continue the count to the last bit.
    """

    def __init__(self, count: float = 0.0, rate: float | None = None):
        self.count = count
        self.previous = count
        self.rate = rate
        self._longer = False

    def advance(self, dt: float, before: float) -> None:
        """Count a step; `before` is the length of the step before it, 0 if there was none."""
        self.previous, self.count = self.count, self.count + self.rate * dt
        self._longer = 0 < LONGER * before < dt

    def reached(self, count: float) -> bool:
        return self.count >= count * (1 - NEAR)

    def to_measure(self, step: int) -> bool:
        """Whether u'/L must be measured after this step, independent of the output and of restarts."""
        return self.rate is None or step % MEASURED_EVERY == 0 or self._longer


def passes(amount: float, before: float, now: float, first: float = 0.0) -> bool:
    """Whether a value that grew from `before` to `now` reached `first` plus a multiple of `amount`."""
    reached, earlier = (math.floor((value * (1 + NEAR) - first) / amount) for value in (now, before))
    return reached > earlier


@dataclass(frozen=True)
class Pace:
    """The earlier steps that a step by the Courant number depends on; a restart needs it, too.

    `free` is the length of the last step that was not shortened to land on a time. `usual` is the length of
    the longest step since the flow, and not a force, last determined one. `rate` is the rate of advection
    `dt` ago, at the beginning of the last step that was not much shorter than usual.
    """

    free: float
    rate: float
    dt: float
    usual: float


class Clock:
    """Time as a sum of steps, exact to rounding over any number of them (Kahan, Comm. ACM 8, 1965, p. 40).

    `compensation` is the part of the last step that its addition lost to rounding. A restart needs only this,
    `time` and `step` to continue the sum. `turnovers` is None in a run that does not count them. `pace` is
    None before the first step and with a fixed step.
    """

    def __init__(
        self,
        time: float = 0.0,
        compensation: float = 0.0,
        step: int = 0,
        turnovers: Turnovers | None = None,
        pace: Pace | None = None,
    ):
        self.time = time
        self.previous = time
        self.compensation = compensation
        self.step = step
        self.turnovers = turnovers
        self.pace = pace

    def advance(self, dt: float) -> None:
        addend = dt + self.compensation
        total = self.time + addend
        self.compensation = addend - (total - self.time)
        self.previous, self.time = self.time, total
        self.step += 1

    def land(self, time: float) -> None:
        """Count one step and set the time to `time` exactly."""
        self.previous, self.time = self.time, time
        self.compensation = 0.0
        self.step += 1

    def settle(self, time: float) -> None:
        """Set the time to `time`, which equals the sum to rounding; the compensation keeps the difference."""
        self.compensation += self.time - time
        self.time = time

    def until(self, time: float) -> float:
        """Time left until `time`."""
        return (time - self.time) - self.compensation


@dataclass(frozen=True)
class Every:
    """An interval between repetitions: `amount` of `unit`; real time is in minutes."""

    amount: float
    unit: Unit

    @classmethod
    def parse(cls, value: float | int | str) -> "Every":
        """Read `0.5` (time), `"20 steps"`, `"2 turnovers"`, `"6 hours"` or `"never"`. Raises ValueError."""
        every = cls.read(value)
        if every is None:
            raise ValueError(f"{_ALLOWED}{_meant(value) if isinstance(value, str) else ''}")
        return every.of_usual_size()

    @classmethod
    def read(cls, value: float | int | str) -> "Every | None":
        """An interval of any size; None for a value that has none of these forms."""
        if value == "never":
            return cls(math.inf, "never")
        if isinstance(value, str):
            return cls._from_text(value)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
            return None
        return cls(value, "time")

    @classmethod
    def _from_text(cls, text: str) -> "Every | None":
        number, _, unit = text.strip().partition(" ")
        unit = unit.strip()
        unit = f"{unit}s" if f"{unit}s" in WORDS else unit
        if unit not in WORDS:
            return None
        try:
            amount = int(number) if unit == "steps" else float(number)
        except ValueError:
            return None
        if unit in REAL_TIME:
            amount, unit = amount * REAL_TIME[unit], "minutes"
        if not 0 < amount < math.inf:
            return None
        return cls(amount, unit)  # type: ignore[arg-type]

    def of_usual_size(self) -> "Every":
        """The interval with a float amount. Raises ValueError if it is out of bounds, except in steps."""
        if self.unit in ("steps", "never"):
            return self
        if not SHORTEST <= self.amount <= LONGEST:
            raise ValueError(f"it must be {SHORTEST:g} to {LONGEST:g} in size; choose other units")
        return Every(float(self.amount), self.unit)

    def due(self, clock: Clock, first: tuple[int, float] = (0, 0.0)) -> bool:
        """Whether the step just made reached or passed a multiple of the interval.

        Steps and time are counted from the `first` step and its time. The answer depends only on these and
        the clock, so that a restarted run writes the same as an uninterrupted one. An interval of real time
        is never due here; see `Stopwatch`.
        """
        if self.unit == "steps":
            return (clock.step - first[0]) % self.amount == 0
        if self.unit == "turnovers":
            return passes(self.amount, clock.turnovers.previous, clock.turnovers.count)
        return self.unit == "time" and passes(self.amount, clock.previous, clock.time, first[1])


_ALLOWED = (
    'it must be a positive number (time), "N steps", "N turnovers", "never", or for checkpoints only real '
    'time: "N seconds", "N minutes", "N hours" or "N days"'
)


def _meant(text: str) -> str:
    """The nearest unit to a word that is not a unit, as a question."""
    number, _, unit = text.strip().partition(" ")
    word, words = unit.strip() or number, (*WORDS, "never")
    if word in words:
        return ""
    near = [unit for unit in words if word and unit.startswith(word)]
    near = near or difflib.get_close_matches(word[:20], words, 1)
    return f"; did you mean {near[0]}?" if near else ""


@dataclass(frozen=True)
class Instant:
    """An instant of a run: a time or a count of turnovers, or neither."""

    time: float | None = None
    turnovers: float | None = None

    @classmethod
    def parse(cls, value: float | int | str | None, *, zero: bool = False) -> "Instant":
        """Read `10.0` (time), `"20 turnovers"` or None (no instant). Raises ValueError."""
        if value is None:
            return cls()
        if zero and value == 0 and not isinstance(value, bool):
            return cls(time=0.0)
        every = Every.read(value)
        if every is None or every.unit not in ("time", "turnovers"):
            what = "number, not below zero" if zero else "positive number"
            raise ValueError(f'it must be a {what} (time) or "N turnovers"')
        return cls(**{every.unit: every.of_usual_size().amount})


class Stopwatch:
    """Rings once per interval of real time, in seconds."""

    def __init__(self, seconds: float, now: float):
        self.seconds = seconds
        self.started = now

    def ring(self, now: float) -> bool:
        if now - self.started < self.seconds:
            return False
        self.started = now
        return True


class Allowance:
    """Limits work to a share of the time: work that took a second is allowed again after 1/share seconds."""

    def __init__(self, share: float, now: float):
        self.share = share
        self._taken, self._since = 0.0, now

    def allows(self, seconds: float, now: float) -> bool:
        """Whether work that will probably take `seconds` may be done now."""
        return max(seconds, self._taken) <= self.share * (now - self._since)

    def take(self, seconds: float, now: float) -> None:
        """Records that the work was done now and took `seconds`."""
        self._taken, self._since = seconds, now

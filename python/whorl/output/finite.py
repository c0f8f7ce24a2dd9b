"""The watch that ends a run whose flow or particles are not finite, or whose flow grows without bound.

The core finds the largest velocity of each step, in which NaN and infinity are kept.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from whorl import _core
from whorl.base.errors import BlowUp
from whorl.config.case import Case
from whorl.config.clock import Clock
from whorl.config.section import LARGEST_NUMBER

SOME = 3  # particles that a message names
GROWTH = 10.0  # factor on the energy in a step, larger than in any flow that the step resolves
SIZES = ("energy", "variance", "mass")  # ends of names of sums that are finite if their field is
LARGEST = LARGEST_NUMBER**2  # more than any case can begin with; single precision still holds such a field


class FiniteWatch:
    """Raises BlowUp for numbers that are not finite. All methods are collective.

    `write_rows` writes the rows before the present state, and returns the last good checkpoint.
    """

    def __init__(
        self,
        case: Case,
        flow: _core.Flow,
        clock: Clock,
        tracers: Mapping[str, Any],
        write_rows: Callable[[], Path | None],
    ):
        self.case, self.flow, self.clock, self.tracers = case, flow, clock, tracers
        self._write_rows = write_rows

    def check_step(self, report: _core.StepReport) -> None:
        if not math.isfinite(report.maximum_velocity):
            raise self._blow_up(f"the largest {self.case.flow.measured} is {report.maximum_velocity}")

    def check_time(self, dt: float) -> None:
        """Raises BlowUp unless a step of dt has moved the clock on."""
        if self.clock.time <= self.clock.previous:
            raise self._blow_up(f"the time step {dt:.3g} is too small to move the time on")

    def check_sums(self, values: Mapping[str, float]) -> None:
        for name in sorted(values, key=lambda name: name != "energy"):
            if name.endswith(SIZES) and not abs(values[name]) <= LARGEST:
                kinetic = name == "energy" and self.case.flow.viscous
                own = "kinetic energy" if kinetic else name.replace("_", " ")
                raise self._blow_up(f"the {own} is {values[name]}")

    def check_growth(self, report: _core.StepReport, sums: Mapping[str, float]) -> None:
        """Raises BlowUp if a step beyond the Courant limit left more mean energy than any point had before.

        A flow that blows up may stay finite for some steps and deserves no checkpoint. If other fields hold
        energy, too, they may pass it to the velocity, and nothing is concluded.
        """
        if not self.case.flow.only_kinetic or report.courant <= 1:
            return
        before, energy = report.maximum_velocity**2 / 2, sums["energy"]
        if energy > GROWTH * before:
            raise self._blow_up(
                f"with a Courant number of {report.courant:.3g} the mean energy came to {energy:.3g}, where "
                f"no point had more than {before:.3g} a step before"
            )

    def check_turnovers(self, rate: float) -> None:
        if not math.isfinite(rate):
            raise self._blow_up(f"its rate of turnovers u'/L is {rate}")

    def check_field(self, name: str, largest: float) -> None:
        """Raises BlowUp if the largest value of a field of the state is not finite."""
        if not math.isfinite(largest):
            raise self._blow_up(f"the largest {name} is {largest}")

    def check_particles(self, names: Iterable[str]) -> None:
        """Raises BlowUp if the flow or particles of these groups are not finite."""
        for name in names:
            if lost := self.tracers[name].lost(SOME + 1):
                self.check_sums(self.flow.statistics())  # the flow may have spoiled them
                told = ", ".join(map(str, lost[:SOME])) + (" and others" if lost[SOME:] else "")
                raise self._blow_up(f"the positions of {told} are not finite", particles=name)

    def _blow_up(self, reason: str, *, particles: str = "") -> BlowUp:
        return BlowUp(
            self.clock.time,
            self.clock.step,
            reason,
            self._write_rows(),
            viscous=self.case.flow.viscous,
            particles=particles,
        )

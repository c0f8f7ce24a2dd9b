"""Charged particles."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from whorl.config.section import Vector, option
from whorl.particles.options.base import ParticleGroup

if TYPE_CHECKING:
    from whorl.config.case import Case


class Charged(ParticleGroup):
    """Charged test particles of a conducting flow, dv/dt = α (E + v×B)."""

    kind: Literal["charged"] = option(..., "kind of particles")
    charge_to_mass: float = option(
        ..., "ratio α of charge and mass, α|B| being the frequency of gyration", unit="1/length"
    )
    velocity: Vector | None = option(
        None, "their velocity at first; by default that of the flow where they are", unit="length/time"
    )

    moves_itself: ClassVar = True
    timed_with: ClassVar = {"charge_to_mass": 1.0}
    timed_in: ClassVar = {"model": "mhd", "viscosity": 0.01, "resistivity": 0.01}

    @classmethod
    def sampled(cls, options: Mapping[str, Any]) -> tuple[str, ...]:
        """The fields that act on charges."""
        return ("velocity", "magnetic", "current")

    def numbers(self, case: "Case") -> dict[str, list[float]]:
        flow: Any = case.flow
        return {
            "charge_to_mass": [self.charge_to_mass],
            "mean_field": list(flow.mean_field),
            "resistivity": [flow.constants()["resistivity"]],
            "hall": [flow.hall],
        }

    def check_kind(self, case: "Case") -> None:
        if "magnetic" not in case.flow.outputs:
            raise ValueError(
                f'particles.{self.label}: flow.model = "{case.flow.model}" has no magnetic field b that '
                'would act on charged particles; take flow.model = "mhd", or another kind of particles'
            )

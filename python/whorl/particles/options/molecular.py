"""Molecules."""

from typing import TYPE_CHECKING, ClassVar, Literal

from whorl.config.section import option
from whorl.particles.options.base import ParticleGroup

if TYPE_CHECKING:
    from whorl.config.case import Case


class Molecular(ParticleGroup):
    """Particles that move with the flow and diffuse, dX = (u + U) dt + √(2D) dW."""

    kind: Literal["molecular"] = option(..., "kind of particles")
    diffusivity: float | None = option(
        None, "diffusivity D; instead of schmidt_number", unit="length²/time", gt=0
    )
    schmidt_number: float | None = option(None, "Schmidt number ν/D; instead of diffusivity", gt=0)

    rivals: ClassVar = ParticleGroup.rivals | {
        "diffusivity": ("schmidt_number",),
        "schmidt_number": ("diffusivity",),
    }

    timed_with: ClassVar = {"diffusivity": 0.01}

    def numbers(self, case: "Case") -> dict[str, list[float]]:
        return {"diffusivity": [self.diffusivity_in(case)], "seed": [float(self.seed)]}

    def diffusivity_in(self, case: "Case") -> float:
        """D in units of length²/time."""
        if self.diffusivity is not None:
            return self.diffusivity
        return case.flow.viscosity_of_schmidt() / self.schmidt_number

    def check_kind(self, case: "Case") -> None:
        place = f"particles.{self.label}"
        if (self.diffusivity is None) == (self.schmidt_number is None):
            given = "none" if self.diffusivity is None else "both"
            raise ValueError(f"{place} takes either diffusivity or schmidt_number; given: {given}")
        if not self.diffusivity_in(case) > 0:
            raise ValueError(
                f"{place}.schmidt_number = {self.schmidt_number:g} gives no diffusivity, since the flow has "
                "no viscosity; give diffusivity"
            )

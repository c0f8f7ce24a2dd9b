"""`alvelius`: random forcing of known power, new at each step."""

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import model_validator

from whorl.config.section import Seed, option
from whorl.forcing.options.base import END_ABOUT_PEAK, CoreSource, Forcing, about_peak, ends_about_peak

if TYPE_CHECKING:
    from whorl.config.case import Case


class Alvelius(Forcing):
    """Random force of known power, new at each step, without work on the present velocity (Alvelius 1999)."""

    kind: Literal["alvelius"]
    power: float = option(
        ..., "injected power P, that of the force with itself in a step", unit="field²/time", gt=0
    )
    k_f: float = option(
        2.0, "|k| about which |f|² of a mode is a Gaussian, in units of the box's smallest wavenumber", gt=0
    )
    width: float = option(
        0.5,
        "standard deviation of this Gaussian, in the same units; the band ends three of it from k_f",
        gt=0,
    )
    polarisation: Literal["all", "horizontal", "helical", "antihelical"] = option(
        "all", "horizontal: no z component; helical, antihelical: of the largest or the smallest helicity"
    )
    modes: Literal["all", "horizontal"] = option(
        "all", "which modes of the band: horizontal, those independent of z"
    )
    seed: Seed = option(
        0, "seed of its random numbers, which depend on the seed, the mode and the number of the step"
    )
    vector: ClassVar = True
    no_moment: ClassVar = "a force of kind alvelius is drawn again for each step and its length"
    any_bases: ClassVar = False
    end_of_band: ClassVar = END_ABOUT_PEAK

    def ends(self) -> tuple[float, float]:
        return ends_about_peak(self)

    @model_validator(mode="after")
    def _possible(self) -> "Alvelius":
        if self.k_f < 3 * self.width and self.k_f + 3 * self.width < 1:
            raise ValueError(
                f"forcing.k_f = {self.k_f:g} with forcing.width = {self.width:g} holds no modes; raise k_f"
            )
        return self

    def check(self, case: "Case") -> None:
        """Refuses helical polarisations of a velocity in a plane."""
        if case.flow.must_be_flat and self.polarisation in ("helical", "antihelical"):
            raise ValueError(
                f'forcing.polarisation = "{self.polarisation}" needs a velocity of three components, which '
                f'flow.model = "{case.flow.model}" does not have; choose "all"'
            )

    def sources(self, case: "Case") -> tuple[CoreSource, ...]:
        numbers = {
            "power": self.power,
            "of": float(self.modes == "horizontal"),
            "horizontal": float(self.polarisation == "horizontal"),
            "helicity": {"helical": 1.0, "antihelical": -1.0}.get(self.polarisation, 0.0),
            "seed": float(self.seed),
        }
        return (CoreSource("alvelius", about_peak(self) | numbers),)

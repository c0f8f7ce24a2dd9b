"""Forces in proportion to the field: `constant-power`, `constant-energy` and `linear`."""

import math
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import model_validator

from whorl.config.section import Numbers, option
from whorl.forcing.options.base import CoreSource, Forcing, OnBand, given

if TYPE_CHECKING:
    from whorl.config.case import Case


class ConstantPower(OnBand):
    """f = P u / (2 E) on a band of energy E (Machiels 1997); with a rate of helicity, f = α u + β curl u."""

    kind: Literal["constant-power"]
    power: float = option(..., "injected power P", unit="field²/time", gt=0)
    helicity_rate: float | None = option(
        None,
        "rate at which the force changes the helicity ⟨u·ω⟩, by a further term β curl u",
        unit="length/time³",
    )
    multiplies: ClassVar = True

    @property
    def vector(self) -> bool:  # type: ignore[override]
        """Whether the field must be a vector field, whose curl the force needs."""
        return self.helicity_rate is not None

    def check(self, case: "Case") -> None:
        if self.helicity_rate is not None and case.grid.bases != "FFF":
            raise ValueError("forcing.helicity_rate is for periodic boxes; leave it out")

    def sources(self, case: "Case") -> tuple[CoreSource, ...]:
        numbers = given(power=self.power, helicity_rate=self.helicity_rate)
        return (CoreSource("constant-power", self.band() | numbers),)


class ConstantEnergy(OnBand):
    """Holds the energy of a band, or of each of its shells ("frozen" shells), by a factor after each step."""

    kind: Literal["constant-energy"]
    by_shell: bool = option(False, "whether the energy of each shell is held, not that of the whole band")
    energy: float | None = option(
        None, "energy ½⟨field²⟩ of the band; by default that of the initial field", unit="field²", gt=0
    )
    spectrum: Numbers | None = option(
        None,
        "with by_shell: energies of the shells 0, 1, 2, … of the band; by default those of the initial field",
        unit="field²",
        min_length=2,
    )
    multiplies: ClassVar = True
    holds: ClassVar = True
    no_moment: ClassVar = "constant-energy sets the field after each step, and is no term of its equation"

    @model_validator(mode="after")
    def _consistent(self) -> "ConstantEnergy":
        if self.energy is not None and (self.by_shell or self.spectrum is not None):
            raise ValueError("forcing.energy is that of a whole band; with by_shell give forcing.spectrum")
        if self.spectrum is not None and not self.by_shell:
            raise ValueError("forcing.spectrum goes with forcing.by_shell = true")
        return self

    def check(self, case: "Case") -> None:
        """Refuses a spectrum that ends before the band does."""
        shells = math.ceil(self.k_max + 0.5)
        if self.spectrum is not None and len(self.spectrum) < shells:
            raise ValueError(
                f"forcing.spectrum has {len(self.spectrum)} shells; the band up to forcing.k_max = "
                f"{self.k_max:g} has {shells}, with shell 0: give as many, or lower k_max"
            )

    def sources(self, case: "Case") -> tuple[CoreSource, ...]:
        numbers = given(by_shell=float(self.by_shell), energy=self.energy)
        return (CoreSource("constant-energy", self.band() | numbers, self.spectrum or ()),)


class Linear(Forcing):
    """f = A u or A (E₀/E) u, on all modes or a band (Lundgren 2003; Carroll and Blanquart 2013)."""

    kind: Literal["linear"]
    rate: float | None = option(None, "rate A of the force A u", unit="1/time", gt=0)
    energy: float | None = option(
        None,
        "E₀ of the force A (E₀/E) u, whose transient is shorter; E that of the forced modes",
        unit="field²",
        gt=0,
    )
    power: float | None = option(
        None, "power P of the force P u / (2 E); instead of rate", unit="field²/time", gt=0
    )
    k_min: float = option(
        0.0, "smallest |k| of the forced modes, in units of the box's smallest wavenumber", ge=0
    )
    k_max: float | None = option(
        None,
        "largest |k| of the forced modes, in the same units; by default all modes, of ψ with its mean",
        gt=0,
    )
    multiplies: ClassVar = True
    rivals: ClassVar = {"power": ("rate", "energy"), "rate": ("power",), "energy": ("power",)}

    @model_validator(mode="after")
    def _consistent(self) -> "Linear":
        if (self.rate is None) == (self.power is None):
            raise ValueError("give forcing.rate or forcing.power, one of them")
        if self.energy is not None and self.rate is None:
            raise ValueError("forcing.energy goes with forcing.rate")
        if self.k_min > 0 and self.k_max is None:
            raise ValueError("forcing.k_min goes with forcing.k_max: without it all modes are forced")
        return self

    def ends(self) -> tuple[float, float] | None:
        return None if self.k_max is None else (self.k_min, self.k_max)

    def sources(self, case: "Case") -> tuple[CoreSource, ...]:
        numbers = given(rate=self.rate, energy=self.energy, power=self.power)
        if self.k_max is not None:
            numbers |= {"k_min": self.k_min, "k_max": self.k_max, "of": 0.0}
        return (CoreSource("linear", numbers),)

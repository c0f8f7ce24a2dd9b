"""Published numbers of stationary isotropic turbulence, by R_λ, for isotropic.py.

Numbers without a limit are recalled, unchecked: they are reported and not judged. `accuracy` widens those of
one paper. Only an exact relation has a limit.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from comparison import UNCHECKED

Range = Callable[[float], tuple[float, float]]


@dataclass(frozen=True)
class Published:
    """A range by R_λ of a quantity that isotropic.py measures under the same name.

    `told` and `source` are its cell in the table. Outside of `valid` R_λ nothing is compared. `limit` is how
    far outside of the range a number may be, relative to the range's end; None: recalled, unchecked.
    """

    name: str
    what: str
    told: str
    source: str
    range_of: Range
    valid: tuple[float, float] = (0.0, np.inf)
    accuracy: float = 0.0
    limit: float | None = None

    @property
    def cited(self) -> str:
        """The source, and whether the number was looked up there."""
        return self.source if self.limit is not None else f"{self.source}; {UNCHECKED}"

    def bounds(self, reynolds: float) -> tuple[float, float] | None:
        if not self.valid[0] <= reynolds <= self.valid[1]:
            return None
        low, high = self.range_of(reynolds)
        return low - abs(low) * self.accuracy, high + abs(high) * self.accuracy

    def outside(self, value: float, reynolds: float) -> float | None:
        """How far a value is below (negative) or above the range, relative to its end; None: not compared."""
        bounds = self.bounds(reynolds)
        if bounds is None:
            return None
        end = min(max(value, bounds[0]), bounds[1])
        return (value - end) / abs(end)


def constant(low: float, high: float) -> Range:
    return lambda reynolds: (low, high)


def fit(value: Callable[[float], float]) -> Range:
    return lambda reynolds: (value(reynolds), value(reynolds))


def between(*points: tuple[float, float]) -> Range:
    """Values at some R_λ, interpolated linearly in ln R_λ."""
    known, values = np.array(points).T
    return fit(lambda reynolds: float(np.interp(np.log(reynolds), np.log(known), values)))


def quoted_for_dissipation(reynolds: float) -> tuple[float, float]:
    """2.2 to 2.6 up to R_λ = 60, 3.6 at 140; see docs/validation.md on which quantity this may be."""
    low, high = (np.interp(np.log(reynolds), np.log([60, 140]), [end, 3.6]) for end in (2.2, 2.6))
    return float(low), float(high)


JIMENEZ = "Jiménez et al., J. Fluid Mech. 255, 65 (1993)"
ISHIHARA = "Ishihara et al., J. Fluid Mech. 592, 335 (2007)"
FLATNESS = ((35, 4.2), (61, 4.65), (94, 5.2), (168, 6.1))
PUBLISHED = (
    Published(
        "skewness",
        "skewness of ∂u/∂x",
        "−0.53 … −0.49",
        JIMENEZ,
        constant(-0.53, -0.49),
        (35, 170),
    ),
    Published(
        "flatness",
        "flatness of ∂u/∂x",
        "4.2, 4.65, 5.2, 6.1 at R_λ = 35, 61, 94, 168, ± 5 %",
        JIMENEZ,
        between(*FLATNESS),
        (35, 168),
        0.05,
    ),
    Published(
        "flatness",
        "flatness of ∂u/∂x",
        "1.14 R_λ^0.34, ± 10 %",
        ISHIHARA,
        fit(lambda reynolds: 1.14 * reynolds**0.34),
        accuracy=0.1,
    ),
    Published(
        "flatness_of_strain",
        "flatness over (15/7) ⟨ε²⟩/⟨ε⟩²",
        "1, exact in isotropic flow",
        "Siggia, J. Fluid Mech. 107, 375 (1981)",
        constant(1, 1),
        limit=0.03,
    ),
    Published(
        "dissipation",
        "⟨ε'²⟩/⟨ε⟩²",
        "(7/15) flatness − 1 of the flatness above: 0.96, 1.17, 1.43, 1.85, ± 10 %",
        JIMENEZ,
        between(*((reynolds, 7 / 15 * flatness - 1) for reynolds, flatness in FLATNESS)),
        (35, 168),
        0.1,
    ),
    Published(
        "dissipation",
        "⟨ε'²⟩/⟨ε⟩²",
        "2.2 … 2.6 at R_λ = 40 … 60, 3.6 at 140",
        "Donzis et al., Phys. Fluids 20, 045108 (2008)",
        quoted_for_dissipation,
        (35, 140),
    ),
    Published(
        "enstrophy",
        "⟨(ω²)'²⟩/⟨ω²⟩²",
        "the same numbers",
        "Donzis et al. (2008)",
        quoted_for_dissipation,
        (35, 140),
    ),
    Published(
        "enstrophy_to_dissipation",
        "⟨(ω²)'²⟩/⟨ω²⟩² over that of ε",
        "larger than 1",
        "Donzis et al. (2008)",
        constant(1, np.inf),
    ),
    Published(
        "a0",
        "a₀",
        "5/(1 + 110/R_λ), ± 10 %",
        "Sawford et al., Phys. Fluids 15, 3478 (2003)",
        fit(lambda reynolds: 5 / (1 + 110 / reynolds)),
        accuracy=0.1,
    ),
    Published(
        "a0",
        "a₀",
        "(11 + 7 R_λ)/(205 + R_λ), ± 10 %",
        "Ayala et al., New J. Phys. 10, 075015 (2008)",
        fit(lambda reynolds: (11 + 7 * reynolds) / (205 + reynolds)),
        accuracy=0.1,
    ),
    Published(
        "friction",
        "⟨\\|ν∇²u\\|²⟩/⟨\\|∇p\\|²⟩",
        "0.02 … 0.04, R_λ > 40",
        "Vedula and Yeung, Phys. Fluids 11, 1208 (1999)",
        constant(0.02, 0.04),
        (35, np.inf),
    ),
    Published(
        "pressure",
        "⟨p²⟩^½/u'²",
        "0.9 … 1.0",
        "Gotoh and Fukayama, Phys. Rev. Lett. 86, 3775 (2001)",
        constant(0.9, 1.0),
    ),
    Published(
        "pressure_skewness",
        "skewness of p",
        "−1.4 … −1",
        "Pumir, Phys. Fluids 6, 2071 (1994); Gotoh and Fukayama (2001)",
        constant(-1.4, -1.0),
        (35, 240),
    ),
    Published(
        "pressure_flatness",
        "flatness of p",
        "6 … 8",
        "Pumir (1994); Gotoh and Fukayama (2001)",
        constant(6, 8),
        (35, 240),
    ),
    Published(
        "zeta_4",
        "ζ₄ relative to ⟨\\|δu\\|³⟩",
        "1.27 … 1.29",
        "Benzi et al., Phys. Rev. E 48, R29 (1993)",
        constant(1.27, 1.29),
    ),
    Published(
        "zeta_6",
        "ζ₆ relative to ⟨\\|δu\\|³⟩",
        "1.77 … 1.79",
        "Benzi et al. (1993)",
        constant(1.77, 1.79),
    ),
    Published(
        "third_order",
        "largest −S₃/(εr)",
        "0.5 … 0.6 at R_λ = 70 … 100, 0.7 at 240",
        "Gotoh et al., Phys. Fluids 14, 1065 (2002)",
        lambda reynolds: (
            float(np.interp(np.log(reynolds), np.log([70, 240]), [0.5, 0.7])),
            float(np.interp(np.log(reynolds), np.log([100, 240]), [0.6, 0.7])),
        ),
        (60, 240),
    ),
)

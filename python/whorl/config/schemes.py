"""Time schemes: the steps that are taken with each where a case says nothing, and what they stand.

A scheme is stable without any loss where ω dt stays below a limit, ω the frequency of a mode that is carried
along or of a wave (Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.2; for
Adams–Bashforth Durran, Mon. Weather Rev. 119, 702 (1991)). Modes that are carried have ω dt ≤ π C κ, with
the Courant number C and κ the largest wavenumber kept over that of the grid, π/dx. rk2 and ab2 have no such
limit: with them everything grows, by (ω dt)⁴/8 and (ω dt)⁴/4 a step, which viscosity has to make up for.
"""

import math
from dataclasses import dataclass
from typing import Literal

from whorl.config.dealiasing import LARGEST_KEPT


@dataclass(frozen=True)
class Stability:
    """What a scheme stands, and the Courant number of a case that gives none.

    `frequency`: the largest ω dt without any loss; None where everything grows, by `growth` (ω dt)⁴ a step.
    `courant` is stable without viscosity whatever is kept; if it grows, such that viscosity keeps up.
    """

    courant: float
    frequency: float | None = None
    growth: float = 0.0


SCHEMES: dict[str, Stability] = {
    "rk2": Stability(0.5, growth=1 / 8),
    "rk3": Stability(0.5, math.sqrt(3.0)),
    "rk4": Stability(0.9, math.sqrt(8.0)),
    "rk4-gill": Stability(0.9, math.sqrt(8.0)),
    "rk4-carpenter": Stability(1.0, 3.34),
    "ab2": Stability(0.2, growth=1 / 4),
    "ab3": Stability(0.2, 0.7236),
}
Scheme = Literal[*SCHEMES]
DEFAULT: Scheme = "rk4-gill"


def largest_courant(scheme: str, dealias: str) -> float:
    """The largest Courant number the scheme is stable with without viscosity.

    Of schemes that are never stable that by which the shortest waves are doubled in a step, which no
    viscosity makes up for in a flow that the grid resolves.
    """
    of = SCHEMES[scheme]
    frequency = of.frequency or (1 / of.growth) ** 0.25
    return frequency / (math.pi * LARGEST_KEPT[dealias])

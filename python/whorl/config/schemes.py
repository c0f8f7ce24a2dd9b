"""Time schemes: the steps that are taken with each where a case says nothing, and what they stand.

A scheme is stable without any loss where ω dt stays below a limit, ω the frequency of a mode that is carried
along or of a wave (Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.2; for
Adams–Bashforth Durran, Mon. Weather Rev. 119, 702 (1991)). Modes that are carried have ω dt ≤ π C κ, with
the Courant number C and κ the largest wavenumber kept over that of the grid, π/dx. rk2 and ab2 have no such
limit: with them everything grows, by (ω dt)⁴/8 and (ω dt)⁴/4 a step, which viscosity has to make up for.
"""

import math
from typing import Literal

Scheme = Literal["rk2", "rk3", "rk4", "rk4-gill", "rk4-carpenter", "ab2", "ab3"]

LARGEST_FREQUENCY: dict[str, float] = {
    "rk3": math.sqrt(3.0),
    "rk4": math.sqrt(8.0),
    "rk4-gill": math.sqrt(8.0),
    "rk4-carpenter": 3.34,
    "ab3": 0.7236,
}
# What waves grow by in a step, times (ω dt)⁴.
GROWTH: dict[str, float] = {"rk2": 1 / 8, "ab2": 1 / 4}
# Stable without viscosity whatever is kept; of those that grow, such that viscosity keeps up.
DEFAULT_COURANT: dict[str, float] = {
    "rk2": 0.5,
    "rk3": 0.5,
    "rk4": 0.9,
    "rk4-gill": 0.9,
    "rk4-carpenter": 1.0,
    "ab2": 0.2,
    "ab3": 0.2,
}
# Largest wavenumber kept along an axis over that of the grid.
LARGEST_KEPT: dict[str, float] = {
    "2/3": 2 / 3,
    "1/2": 1 / 2,
    "phase-shift": math.sqrt(8.0) / 3,
    "phase-shift-exact": math.sqrt(8.0) / 3,
    "none": 1.0,
}


def largest_courant(scheme: str, dealias: str) -> float:
    """The largest Courant number the scheme is stable with without viscosity.

    Of schemes that are never stable that by which the shortest waves are doubled in a step, which no
    viscosity makes up for in a flow that the grid resolves.
    """
    frequency = LARGEST_FREQUENCY.get(scheme) or (1 / GROWTH[scheme]) ** 0.25
    return frequency / (math.pi * LARGEST_KEPT[dealias])

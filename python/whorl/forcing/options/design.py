"""The design of stochastic forcing for a wanted flow (Eswaran and Pope 1988).

N is the number of forced modes, k and −k counted, and k₀ the smallest wavenumber of the box. With
ε* = σ² T_L and T_L* = T_L (ε* k₀²)^⅓:

    ε = 4 N ε* / (1 + T_L* N^⅓ / β), β = 0.8        R_λ = 8.5 / ((η k₀)^⅚ N^(2/9))

Both are fits to simulations in periodic cubes with the same force in all modes (V. Eswaran and S. B. Pope,
Comput. Fluids 16, 257, 1988). Definitions are η = (ν³/ε)^¼ and R_λ = u'² (15/(ν ε))^½. The integral scale is
L = C u'³/ε with C = 0.468 + 18.9/R_L (W. D. McComb et al., Phys. Rev. E 91, 043013, 2015).
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import model_validator

from whorl.config.section import Section, option, three
from whorl.config.wavenumbers import resolved_wavenumber, smallest_wavenumber, smallest_wavenumbers

BETA, FACTOR = 0.8, 8.5
NEAR = 0.02  # how far k_max η may be below its bound, relative


class Target(Section):
    """The wanted flow of a designed force; the dissipation sets the unit of time."""

    kmax_eta: float | None = option(
        None, "resolution k_max η; a lower bound, 1 by default, with taylor_reynolds", gt=0
    )
    taylor_reynolds: float | None = option(None, "Reynolds number R_λ", gt=0)
    dissipation: float = option(1.0, "mean dissipation ε", unit="length²/time³", gt=0)
    correlation: float = option(
        0.15, "T_L* = T_L (σ² T_L k₀²)^⅓, the correlation time without unit", gt=0, le=1
    )

    @model_validator(mode="after")
    def _enough(self) -> "Target":
        if self.kmax_eta is None and self.taylor_reynolds is None:
            raise ValueError("forcing.target needs kmax_eta or taylor_reynolds, or both")
        return self


@dataclass(frozen=True)
class DesignGrid:
    """The part of the section [grid] that a design needs."""

    points: tuple[int, int, int]
    lengths: tuple[float, float, float]
    bases: str
    dealias: str

    @classmethod
    def of(cls, table: Any) -> "DesignGrid":
        """The grid of a section as a table. Raises ValueError, TypeError or KeyError if it is not valid."""
        lengths = three(table.get("lengths", 2 * math.pi))
        return cls(three(table["points"]), lengths, table["bases"], table["dealias"])


@dataclass(frozen=True)
class Expected:
    """The expected statistics of a designed flow: ε, η, k_max η, R_λ, u', L, T_E = L/u'."""

    dissipation: float
    kolmogorov_length: float
    kmax_eta: float
    taylor_reynolds: float
    rms_velocity: float
    integral_scale: float
    turnover_time: float


def count_modes(k_min: float, k_max: float, grid: Any) -> int:
    """The number of modes of a band in a periodic box, k and −k counted."""
    smallest = smallest_wavenumber(grid)
    axes = []
    for unit, n in zip(smallest_wavenumbers(grid), grid.points, strict=True):
        most = math.floor(k_max * smallest / unit + 1e-9) if n > 1 else 0
        axes.append(np.arange(-most, most + 1) * unit)
    x, y, z = np.meshgrid(*axes, indexing="ij", sparse=True)
    k = np.sqrt(x**2 + y**2 + z**2) / smallest
    inside = (k >= k_min * (1 - 1e-9)) & (k <= k_max * (1 + 1e-9)) & (k > 0)
    return int(inside.sum())


def _length(target: Target, modes: int, grid: Any) -> float:
    """The Kolmogorov length. Raises ValueError if the grid does not resolve the wanted flow."""
    k0, kmax = smallest_wavenumber(grid), resolved_wavenumber(grid)
    if target.taylor_reynolds is None:
        return target.kmax_eta / kmax
    length = (FACTOR / (target.taylor_reynolds * modes ** (2 / 9))) ** (6 / 5) / k0
    wanted = target.kmax_eta or 1.0
    if kmax * length < wanted * (1 - NEAR):
        possible = FACTOR / ((wanted / kmax * k0) ** (5 / 6) * modes ** (2 / 9))
        raise ValueError(
            f"forcing.target: R_λ = {target.taylor_reynolds:g} with {modes} forced modes has "
            f"k_max η = {kmax * length:.3g} on this grid (k_max = {kmax:.4g}), not {wanted:g}; lower "
            f"taylor_reynolds to {possible:.3g}, force fewer modes (forcing.k_max), use more points, or give "
            f"kmax_eta = {kmax * length:.2g}"
        )
    return length


def design(target: Target, k_min: float, k_max: float, grid: Any) -> dict[str, float]:
    """Viscosity ν, variance σ² and correlation_time T_L that meet a target. Raises ValueError."""
    modes = count_modes(k_min, k_max, grid)
    if modes == 0:
        raise ValueError(
            f"no modes from forcing.k_min = {k_min:g} to forcing.k_max = {k_max:g}; widen the band"
        )
    k0, dissipation = smallest_wavenumber(grid), target.dissipation
    length = _length(target, modes, grid)
    # The power that the force would have if the flow did not react.
    whole = dissipation * (1 + target.correlation * modes ** (1 / 3) / BETA)
    intensity = whole / (4 * modes)
    time = target.correlation / (intensity * k0**2) ** (1 / 3)
    viscosity = (dissipation * length**4) ** (1 / 3)
    return {"viscosity": viscosity, "variance": intensity / time, "correlation_time": time}


def dissipation_of(intensity: float, time: float, modes: int, smallest: float) -> float:
    """The dissipation that a force of intensity ε* and correlation time T_L should keep up."""
    correlation = time * (intensity * smallest**2) ** (1 / 3)
    return 4 * modes * intensity / (1 + correlation * modes ** (1 / 3) / BETA)


def expected(dissipation: float, viscosity: float, modes: int, grid: Any) -> Expected:
    """The expected statistics of a flow of this dissipation and viscosity with `modes` forced modes."""
    length = (viscosity**3 / dissipation) ** 0.25
    reynolds = FACTOR / ((length * smallest_wavenumber(grid)) ** (5 / 6) * modes ** (2 / 9))
    speed = math.sqrt(reynolds * math.sqrt(viscosity * dissipation / 15))
    scale = 0.5 * speed**3 / dissipation
    for _ in range(60):  # a contraction
        scale = (0.468 + 18.9 * viscosity / (speed * scale)) * speed**3 / dissipation
    kmax_eta = resolved_wavenumber(grid) * length
    return Expected(dissipation, length, kmax_eta, reynolds, speed, scale, scale / speed)

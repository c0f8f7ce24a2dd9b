"""The numbers of a state that a series row holds, from the core's sums over modes."""

import math

import numpy as np

from whorl import _core


def series_row(
    flow: _core.Flow, viscosity: float, statistics: dict[str, float], report: _core.StepReport | None
) -> dict[str, float]:
    """All columns of a row but step and time; no report before the first step. Collective."""
    spectra = flow.spectra()
    return {
        "dt": report.dt if report else math.nan,
        "courant": report.courant if report else math.nan,
        "maximum_velocity": report.maximum_velocity if report else math.nan,
        **{name: statistics[name] for name in ("energy", "dissipation", "enstrophy", "helicity")},
        **scales(statistics, viscosity, flow.kmax),
        "integral_scale": integral_scale(spectra["k"], spectra["energy"]),
    }


def scales(statistics: dict[str, float], viscosity: float, kmax: float) -> dict[str, float]:
    """Taylor and Kolmogorov scales; NaN or infinite where a flow at rest or without viscosity has none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        energy, enstrophy = np.float64(statistics["energy"]), np.float64(statistics["enstrophy"])
        taylor = np.sqrt(5 * energy / enstrophy)
        kolmogorov = (np.float64(viscosity) ** 3 / np.float64(statistics["dissipation"])) ** 0.25
        return {
            "taylor_scale": float(taylor),
            "R_lambda": float(np.sqrt(2 * energy / 3) * taylor / viscosity) if viscosity > 0 else math.inf,
            "kolmogorov_length": float(kolmogorov) if viscosity > 0 else 0.0,
            "kmax_eta": float(kmax * kolmogorov) if viscosity > 0 else 0.0,
        }


def integral_scale(k: np.ndarray, energy: np.ndarray) -> float:
    """π/(2u'²) Σ E(k)/k over the shells with k > 0 (Pope, Turbulent Flows, eq. 6.259 for isotropic flow)."""
    squared = 2 / 3 * energy.sum()
    if not squared > 0:
        return math.nan
    return float(math.pi / (2 * squared) * (energy[1:] / k[1:]).sum())

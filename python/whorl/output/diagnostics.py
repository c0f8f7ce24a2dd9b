"""The numbers of a state that a series row holds, from the core's sums over modes."""

import math

import numpy as np

from whorl import _core
from whorl.config.case import Case
from whorl.output.measures import series_columns


def series_row(
    case: Case, flow: _core.Flow, statistics: dict[str, float], report: _core.StepReport | None
) -> dict[str, float]:
    """All columns of a row but step and time; NaN for what the first one has not. Collective."""
    values = {
        "dt": report.dt if report else math.nan,
        "courant": report.courant if report else math.nan,
        "maximum_velocity": report.maximum_velocity if report else math.nan,
        **statistics,
        **case.flow.derived(statistics, flow.kmax),
    }
    names = [column.name for column in series_columns(case) if column.name not in ("step", "time")]
    if "integral_scale" in names:
        spectra = flow.spectra()
        values["integral_scale"] = integral_scale(spectra["k"], spectra["energy"])
    return {name: values.get(name, math.nan) for name in names}


def integral_scale(k: np.ndarray, energy: np.ndarray) -> float:
    """π/(2u'²) Σ E(k)/k over the shells with k > 0 (Pope, Turbulent Flows, eq. 6.259 for isotropic flow)."""
    squared = 2 / 3 * energy.sum()
    if not squared > 0:
        return math.nan
    return float(math.pi / (2 * squared) * (energy[1:] / k[1:]).sum())

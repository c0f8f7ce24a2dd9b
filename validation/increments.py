"""Longitudinal structure functions of the checkpoints of a run, with their scaling.

The diagnostic `structure-functions` (docs/diagnostics/structure-functions.md) computes them; they are means
over the three axes. Relative exponents ζ_p are the slopes of ln S_p over ln ⟨|δu|³⟩ (extended
self-similarity, R. Benzi et al., Phys. Rev. E 48, R29 (1993)) for 10 η ≤ r ≤ L.
"""

from pathlib import Path

import numpy as np
import xarray as xr
from whorl import Simulation, open_run
from whorl.diagnostics.results.structure_functions import over_axes, scaling_exponents
from whorl.output.means import mean_of

ORDERS = (4, 6)


def of_run(directory: Path, start: float, size: float) -> xr.Dataset:
    """Structure functions of the checkpoints from a time on, over time and all separations up to `size`."""
    results = open_run(directory)
    spacing = results.case.grid.lengths[0] / results.case.grid.points[0]
    separations = list(range(1, int(size / spacing) + 1))
    states = []
    for path in results.checkpoints:
        with Simulation.open(directory, step=int(path.stem)) as state:
            if state.time >= start:
                states.append(
                    state.diagnose("structure-functions", of="u", order=max(ORDERS), separations=separations)
                )
    return xr.concat(states, "time", coords="minimal")


def scaling(states: xr.Dataset, eta: float, dissipation: np.ndarray) -> dict[str, tuple[float, float]]:
    """ζ₄ and ζ₆ over 10 η ≤ r, and the largest −S₃/(εr), each with its standard error.

    `dissipation` is ε at the times of the states.
    """
    found = scaling_exponents(states, (10 * eta, np.inf))
    exponents = {
        f"zeta_{order}": (
            float(found["exponent"].sel(order=order)),
            float(found["exponent_error"].sel(order=order)),
        )
        for order in ORDERS
    }
    cubes = over_axes(states, "signed_longitudinal").isel(vector=0).sel(odd_order=3)
    cubes = (-cubes / cubes["r"]).transpose("time", "r")
    return exponents | {"third_order": third_order(states["time"].values, cubes.values, dissipation)}


def third_order(time: np.ndarray, cubes: np.ndarray, dissipation: np.ndarray) -> tuple[float, float]:
    """The largest ⟨−S₃/r⟩/⟨ε⟩ over r, of `cubes` −S₃/r over time and r; its error to first order in both."""
    epsilon = mean_of(time, dissipation).mean
    place = int(np.argmax([mean_of(time, cube).mean for cube in cubes.T]))
    peak = mean_of(time, cubes[:, place]).mean / epsilon
    return peak, mean_of(time, cubes[:, place] - peak * dissipation).error / epsilon

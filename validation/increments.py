"""Longitudinal structure functions of the checkpoints of a run, by NumPy, with their scaling.

δu(r) = u_i(x + r e_i) − u_i(x) is taken at all points and along the three axes, S_p = ⟨δu^p⟩. Relative
exponents ζ_p are the slopes of ln S_p over ln ⟨|δu|³⟩ (extended self-similarity, R. Benzi et al., Phys. Rev.
E 48, R29 (1993)) for 10 η ≤ r ≤ L.
"""

from pathlib import Path

import numpy as np
from whorl import Simulation, open_run
from whorl.output.means import mean_of

ORDERS = (3, 4, 6)


def moments_of(velocity: np.ndarray, separations: np.ndarray) -> np.ndarray:
    """⟨δu³⟩, ⟨δu⁴⟩, ⟨δu⁶⟩ and ⟨|δu|³⟩, of shape (4, separations), of u with the axes component, z, y, x.

    Separations are counted in points.
    """
    found = np.zeros((len(ORDERS) + 1, separations.size))
    for component, axis in ((0, 2), (1, 1), (2, 0)):
        u = velocity[component]
        for place, points in enumerate(separations):
            increment = np.roll(u, -points, axis) - u
            square = increment**2
            cube = increment * square
            sums = [cube.mean(), (square**2).mean(), (cube**2).mean(), np.abs(cube).mean()]
            found[:, place] += np.array(sums) / 3
    return found


def of_run(directory: Path, start: float, size: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times of the checkpoints from a time on, separations r up to `size`, and moments (time, 4, r)."""
    results = open_run(directory)
    spacing = results.case.grid.lengths[0] / results.case.grid.points[0]
    separations = np.arange(1, int(size / spacing) + 1)
    times, moments = [], []
    for path in results.checkpoints:
        with Simulation.open(directory, step=int(path.stem)) as state:
            if state.time >= start:
                times.append(state.time)
                moments.append(moments_of(state.field("velocity"), separations))
    return np.array(times), separations * spacing, np.array(moments)


def scaling(
    time: np.ndarray, r: np.ndarray, moments: np.ndarray, eta: float, dissipation: np.ndarray
) -> dict[str, tuple[float, float]]:
    """ζ₄ and ζ₆ over 10 η ≤ r, and the largest −S₃/(εr), each with its standard error.

    `moments` are those of `moments_of` over time and r, `dissipation` is ε over time.
    """
    logarithms = np.log(moments[:, 1:, r >= 10 * eta])
    exponents = {
        f"zeta_{order}": mean_of(time, np.array([slope(one[-1], one[place]) for one in logarithms]))
        for place, order in enumerate(ORDERS[1:])
    }
    found = {name: (one.mean, one.error) for name, one in exponents.items()}
    return found | {"third_order": third_order(time, -moments[:, 0] / r, dissipation)}


def third_order(time: np.ndarray, cubes: np.ndarray, dissipation: np.ndarray) -> tuple[float, float]:
    """The largest ⟨−S₃/r⟩/⟨ε⟩ over r, of `cubes` −S₃/r over time and r; its error to first order in both."""
    epsilon = mean_of(time, dissipation).mean
    place = int(np.argmax([mean_of(time, cube).mean for cube in cubes.T]))
    peak = mean_of(time, cubes[:, place]).mean / epsilon
    return peak, mean_of(time, cubes[:, place] - peak * dissipation).error / epsilon


def slope(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.polyfit(x, y, 1)[0])

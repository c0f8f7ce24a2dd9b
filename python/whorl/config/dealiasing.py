"""Which modes each dealiasing keeps: a box or an ellipsoid of wavenumbers (core/grid/truncation.hpp).

With e = `edge`, along each axis |n| < e N, or Σ (n_i/N_i)² < e². docs/method.md has the reasons.
"""

import math

# Largest wavenumber kept along an axis over that of the grid.
LARGEST_KEPT: dict[str, float] = {
    "2/3": 2 / 3,
    "1/2": 1 / 2,
    "phase-shift": math.sqrt(8.0) / 3,
    "phase-shift-exact": math.sqrt(8.0) / 3,
    "none": 1.0,
}
ROUNDING = 1e-12  # modes on the edge itself are not kept


def edge(dealias: str) -> float:
    """e, less what rounding may add to the place of a mode."""
    return LARGEST_KEPT[dealias] / 2 - ROUNDING


def is_box(dealias: str, shape: str) -> bool:
    """Whether it is a box, else an ellipsoid; `shape` is the option grid.shape."""
    return dealias in ("none", "1/2") or (dealias == "2/3" and shape == "cube")

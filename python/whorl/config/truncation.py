"""The number of kept modes in each row, also for large grids."""

import numpy as np

from whorl.config.case import Case
from whorl.config.dealiasing import edge, is_box


def kept_modes(case: Case) -> np.ndarray:
    """Number of kept kz for each ky and kx, as an array [ky][kx]; a periodic x has only kx ≥ 0."""
    walls = {axis: basis == "S" for axis, basis in zip("zyx", case.grid.bases, strict=True)}
    nx, ny, nz = case.grid.points
    x = positions(nx, walls["x"])
    z = positions(nz, walls["z"])[:, None]
    kept = [_kept_row(case, x[x >= 0], y, z).sum(axis=0) for y in positions(ny, walls["y"])]
    return np.array(kept)


def positions(n: int, wall: bool) -> np.ndarray:
    """Modes over points, m/N; sines and cosines have half a period in the box, m/(2N)."""
    if n == 1:
        return np.zeros(1)
    return np.arange(n) / (2 * n) if wall else np.arange(-(n // 2) + 1, n // 2) / n


def _kept_row(case: Case, x: np.ndarray, y: float, z: np.ndarray) -> np.ndarray:
    """Which modes at these positions are kept, as an array [kz][kx]."""
    most = edge(case.grid.dealias)
    if is_box(case.grid.dealias, case.grid.shape):
        return (x < most) & (abs(y) < most) & (abs(z) < most)
    return x**2 + y**2 + z**2 < most**2

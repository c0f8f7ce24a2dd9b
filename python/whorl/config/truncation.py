"""Which modes live, of large grids, too; core/grid/truncation.hpp has the rules."""

import numpy as np

from whorl.config.case import Case

EDGES = {"2/3": 1 / 3, "1/2": 1 / 4}  # |n| < edge · N is kept on each axis


def kept_modes(case: Case) -> np.ndarray:
    """Number of kept kz for each ky and kx, as an array [ky][kx]; of a periodic x only kx ≥ 0 is there."""
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
    rounding = 1e-12
    if case.grid.dealias == "none":
        return np.full(np.broadcast_shapes(x.shape, z.shape), True)
    if case.grid.dealias in EDGES and case.grid.shape == "cube":
        edge = EDGES[case.grid.dealias] - rounding
        return (x < edge) & (abs(y) < edge) & (abs(z) < edge)
    radius = 1 / 9 if case.grid.dealias == "2/3" else 2 / 9
    return x**2 + y**2 + z**2 < radius - rounding

"""Interpolation of a field from the points of one grid to those of another in the same box, by its modes.

Along an axis a field is Σ c_n exp(2πi n x/l), or between walls Σ a_n cos(nπ x/l) or Σ b_n sin(nπ x/l).
Modes that both grids have, |n| below half the fewer points (between walls: below the fewer points), are kept;
the others are zero or left out. The transforms from points to coefficients and back are matrices, so the
values on one grid are those on the other times a matrix for each axis.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np

Kind = Literal["periodic", "sine", "cosine"]
Block = Callable[[int, int, int, int], np.ndarray]  # z0, z1, y0, y1 → (z1 − z0, y1 − y0, nx)
AT_ONCE = 2**26  # bytes of the field to read at a time


def matrix(points: int, of: int, kind: Kind) -> np.ndarray:
    """The matrix, of shape (points, of), from values at `of` points of an axis to those at `points`."""
    synthesis, _ = _waves(points, min(points, of), kind)
    waves, weights = _waves(of, min(points, of), kind)
    return synthesis @ (weights[:, None] * waves.T)


def _waves(points: int, fewer: int, kind: Kind) -> tuple[np.ndarray, np.ndarray]:
    """Waves at the points, (points, waves), and the factors from sums over the points to coefficients."""
    j = np.arange(points)
    if kind == "periodic":
        n = np.arange(1, (fewer - 1) // 2 + 1)
        cycles = np.outer(j, n) % points / points
        waves = np.concatenate([np.ones((points, 1)), *(f(2 * np.pi * cycles) for f in (np.cos, np.sin))], 1)
    else:
        n = np.arange(1 if kind == "sine" else 0, fewer)
        cycles = np.outer(2 * j + 1, n) % (4 * points) / (4 * points)
        waves = (np.sin if kind == "sine" else np.cos)(2 * np.pi * cycles)
    weights = np.full(waves.shape[1], 2.0 / points)
    if kind != "sine":
        weights[0] = 1.0 / points
    return waves, weights


def regridded(
    read: Block, of: tuple[int, int, int], points: tuple[int, int, int], kinds: tuple[Kind, Kind, Kind]
) -> Block:
    """A reader of blocks of a grid of `points` from a reader of a grid `of`; all in the order x, y, z.

    It holds the requested planes, in double precision, with all y and x of the other grid, and reads that
    grid's planes a few at a time.
    """
    along_x, along_y, along_z = (matrix(*axis) for axis in zip(points, of, kinds, strict=True))
    nx, ny, nz = of
    planes = max(1, AT_ONCE // (8 * nx * ny))

    def block(z0: int, z1: int, y0: int, y1: int) -> np.ndarray:
        gathered = np.zeros((z1 - z0, ny * nx))
        for first in range(0, nz, planes):
            last = min(first + planes, nz)
            values = read(first, last, 0, ny).reshape(last - first, ny * nx)
            gathered += along_z[z0:z1, first:last] @ values
        result = np.empty((z1 - z0, y1 - y0, points[0]))
        for plane, out in zip(gathered.reshape(-1, ny, nx), result, strict=True):
            out[...] = along_y[y0:y1] @ plane @ along_x.T
        return result

    return block

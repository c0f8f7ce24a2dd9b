"""Positions of the grid points, and the grid point nearest to a position."""

from typing import Any

import numpy as np


def coordinates(grid: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions of the grid points along x, y and z: from 0, or between walls from half a spacing."""
    walls = reversed([basis == "S" for basis in grid.bases])
    return tuple(
        (np.arange(n) + (0.5 if wall else 0.0)) * (length / n)
        for n, length, wall in zip(grid.points, grid.lengths, walls, strict=True)
    )


def nearest_point(grid: Any, axis: int, position: float) -> int:
    """The index of the nearest point along an axis; of two, the first. Raises ValueError outside the box."""
    length = grid.lengths[axis]
    if not 0 <= position <= length:
        raise ValueError(f"{'xyz'[axis]} = {position:.6g} is outside the box, 0 to {length:.6g}")
    distance = np.abs(coordinates(grid)[axis] - position)
    if grid.bases[2 - axis] == "F":
        distance = np.minimum(distance, length - distance)
    # Rounding must not decide halfway between two points.
    return int(np.argmin(np.round(distance * (grid.points[axis] / length), 9)))

"""The smallest wavenumbers of a box, and the largest that is kept in every direction."""

import math
from typing import Any

from whorl.config.dealiasing import edge, is_box


def smallest_wavenumbers(grid: Any) -> tuple[float, float, float]:
    """Return the smallest wavenumber of each axis: 2π/l, or π/l between walls.

    Parameters
    ----------
    grid : Grid
        The box, with its lengths l and bases.

    Returns
    -------
    tuple of three float
        The wavenumbers along x, y and z, in units of 1/length.
    """
    axes = zip(grid.lengths, reversed(grid.bases), strict=True)
    return tuple((1 if basis == "S" else 2) * math.pi / length for length, basis in axes)


def smallest_wavenumber(grid: Any) -> float:
    """The smallest wavenumber of the box, along an axis with more than one point."""
    return min(k for k, n in zip(smallest_wavenumbers(grid), grid.points, strict=True) if n > 1)


def largest_wavenumbers(grid: Any) -> tuple[float, float, float]:
    """The largest wavenumbers that are kept along x, y, z."""
    axes = zip(smallest_wavenumbers(grid), grid.points, reversed(grid.bases), strict=True)
    x, y, z = (
        (math.ceil(edge(grid.dealias) * n * (2 if basis == "S" else 1)) - 1) * smallest
        for smallest, n, basis in axes
    )
    return x, y, z


def shell_count(grid: Any) -> int:
    """The number of shells, as wide as the smallest wavenumber, that hold every kept mode."""
    if is_box(grid.dealias, grid.shape):
        largest = math.hypot(*largest_wavenumbers(grid))
    else:
        axes = zip(smallest_wavenumbers(grid), grid.points, reversed(grid.bases), strict=True)
        largest = max(
            edge(grid.dealias) * n * (2 if basis == "S" else 1) * k for k, n, basis in axes if n > 1
        )
    return math.floor(largest / smallest_wavenumber(grid) + 0.5) + 1


def resolved_wavenumber(grid: Any) -> float:
    """The largest wavenumber that is kept in every direction, k_max."""
    largest = zip(largest_wavenumbers(grid), grid.points, strict=True)
    return min(k for k, n in largest if n > 1)


def complete_wavenumber(grid: Any) -> float:
    """The wavenumber below which the modes of every direction are kept; shells beyond it are cut."""
    axes = zip(smallest_wavenumbers(grid), grid.points, reversed(grid.bases), strict=True)
    whole = math.ceil if is_box(grid.dealias, grid.shape) else float
    return min(
        whole(edge(grid.dealias) * n * (2 if basis == "S" else 1)) * k for k, n, basis in axes if n > 1
    )


def check_kept(grid: Any, mode: tuple[int, int, int], what: str) -> None:
    """Raises ValueError, which begins with `what`, for a mode beyond the truncation.

    It is given as whole numbers of the smallest wavenumbers along x, y, z.
    """
    sides = zip(mode, grid.points, reversed(grid.bases), strict=True)
    at = [n / (2 * points if basis == "S" else points) for n, points, basis in sides]
    most = edge(grid.dealias)
    inside = max(map(abs, at)) < most if is_box(grid.dealias, grid.shape) else math.hypot(*at) < most
    if not inside:
        raise ValueError(
            f"{what} {list(mode)}, which grid.points = {list(grid.points)} with "
            f'grid.dealias = "{grid.dealias}" does not keep; choose a smaller wavenumber'
        )


def label_of_mode(mode: tuple[int, int, int]) -> str:
    """A mode by its whole numbers, as text."""
    return f"({', '.join(map(str, mode))})"

"""Smaller grids on which products of two fields are exact at small wavenumbers."""

import math
from collections.abc import Sequence
from typing import Any

from whorl.config.dealiasing import DEALIASINGS, LARGEST_KEPT, ROUNDING
from whorl.config.sizes import next_good_size
from whorl.config.wavenumbers import smallest_wavenumbers

KEPT = LARGEST_KEPT["phase-shift"]  # part of the smaller grid's largest wavenumber, in a sphere
AGAIN = 2.2  # an earlier grid is used up to this multiple of the work of the own one: each needs memory
WORTH = 0.8  # largest share of the work of the grid's own round trip at which a smaller grid is used


def narrowed_points(grid: Any, highest: float) -> tuple[int, int, int] | None:
    """The points for products of two fields, one of wavenumbers below `highest`, needed only at such ones.

    The other field contributes up to twice `highest`, which a sphere of the fraction KEPT of the grid's
    largest wavenumber holds. Waves n of the product also appear at n ± N. Along an axis where `highest` is m,
    |n| ≤ 3 m, and N is well above 4 m. None if the grid itself has hardly more points, or if its own products
    have aliases.
    """
    if grid.dealias == "none":
        return None
    sides = zip(smallest_wavenumbers(grid), grid.points, strict=True)
    fraction = max(4 * highest / k / KEPT / n for k, n in sides if n > 1) * (1 + ROUNDING)
    if fraction >= 1:
        return None
    x, y, z = (1 if n == 1 else next_good_size(math.ceil(fraction * n)) for n in grid.points)
    return (x, y, z) if _work((x, y, z), KEPT) < WORTH * _work_of(grid) else None


def narrowed_grids(grid: Any, highest: Sequence[float]) -> list[tuple[int, int, int] | None]:
    """The points for several wavenumbers in rising order, of which neighbours share a grid."""
    found: list[tuple[int, int, int] | None] = []
    for one in reversed(highest):
        points, last = narrowed_points(grid, one), found[-1] if found else None
        serves = points and last and _work(last, KEPT) < AGAIN * _work(points, KEPT)
        found.append(last if serves else points)
    return found[::-1]


def _work_of(grid: Any) -> float:
    """The work of a round trip of a grid."""
    passes = 2 if DEALIASINGS[grid.dealias].shifts else 1
    return passes * _work(grid.points, LARGEST_KEPT[grid.dealias])


def _work(points: tuple[int, int, int], kept: float) -> float:
    """The work of 1-D FFTs along x, y, z: (1 + a + a²) N, a = `kept` the share of each axis with modes."""
    return math.prod(points) * (1 + kept + kept**2)

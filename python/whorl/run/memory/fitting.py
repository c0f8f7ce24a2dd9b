"""Sizes that fit into memory: the planes at a time, and the largest grid."""

from collections.abc import Iterator

from whorl import _core
from whorl.config.sizes import next_good_size

HEADROOM = 1.1  # points along an axis, over those that fit if memory were proportional to all points

# Planes that a GPU works on at a time, from as many as fill it (0) to as few as its memory may allow.
PLANES = (0, 8, 4, 2, 1)


def choose_planes(options: _core.Options, ranks: int, room: float) -> float:
    """Sets `options.planes` to the most for which no rank needs more than `room` bytes, else to the fewest.

    Returns the bytes that the fullest rank then needs.
    """
    for planes in PLANES:
        options.planes = planes
        needed = sum(_core.estimate_memory(options, ranks).values())
        if needed <= room:
            break
    return needed


def largest_points(options: _core.Options, ranks: int, needed: float, room: float) -> tuple[int, ...] | None:
    """Points x, y, z of the largest smaller grid on which no rank needs more than `room` bytes.

    The fullest rank needs `needed` bytes on the grid of `options`, whose shape is kept as far as good sizes
    allow. None if these ranks cannot share so small a grid.
    """
    wanted = tuple(options.points)
    share = max(room, 0.0) / needed
    axes = sum(n > 1 for n in wanted)
    try:
        for points in _smaller(wanted, HEADROOM * share ** (1 / axes)):
            options.points = points
            if _fits(options, ranks, room):
                return points
        return None
    finally:
        options.points = wanted


def _fits(options: _core.Options, ranks: int, room: float) -> bool:
    try:
        return sum(_core.estimate_memory(options, ranks).values()) <= room
    except _core.Error:  # too many ranks for so few points
        return False


def _smaller(wanted: tuple[int, ...], factor: float) -> Iterator[tuple[int, ...]]:
    """Grids of good sizes and nearly this shape, descending from `factor` times the points of an axis."""
    longest = max(wanted)
    for n in range(min(longest - 2, int(factor * longest) // 2 * 2), 3, -2):
        if next_good_size(n) == n:
            yield tuple(1 if points == 1 else _good_size(points * n // longest) for points in wanted)


def _good_size(most: int) -> int:
    """The largest good size up to `most`, or the smallest of all."""
    return next((n for n in range(most // 2 * 2, 3, -2) if next_good_size(n) == n), 4)

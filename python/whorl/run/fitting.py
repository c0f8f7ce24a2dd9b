"""What fits into a memory: planes at a time, and the largest grid."""

from collections.abc import Iterator

from whorl import _core
from whorl.config.sizes import next_good_size

HEADROOM = 1.1  # of points along an axis, over what a memory in proportion to all points would let fit

# That a GPU works on at a time, from as many as fill it (0) to what its memory may leave.
PLANES = (0, 8, 4, 2, 1)


def choose_planes(options: _core.Options, ranks: int, room: float) -> float:
    """Sets `options.planes` to the most that fit: no rank needs more than `room` bytes; else to the fewest.

    Returns what the fullest rank then needs.
    """
    for planes in PLANES:
        options.planes = planes
        needed = sum(_core.estimate_memory(options, ranks).values())
        if needed <= room:
            break
    return needed


def largest_points(
    options: _core.Options, ranks: int, needed: float, room: float
) -> tuple[int, int, int] | None:
    """Points x, y, z of the largest smaller grid that fits: no rank needs more than `room` bytes.

    The fullest needs `needed` for the points of `options`, whose shape is kept as far as good sizes allow.
    None where these ranks can share no grid that small.
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


def _smaller(wanted: tuple[int, int, int], factor: float) -> Iterator[tuple[int, int, int]]:
    """Grids of good sizes, of this shape or nearly, descending from `factor` times the points of an axis."""
    longest = max(wanted)
    for n in range(min(longest - 2, int(factor * longest) // 2 * 2), 3, -2):
        if next_good_size(n) == n:
            yield tuple(1 if points == 1 else _good_size(points * n // longest) for points in wanted)


def _good_size(most: int) -> int:
    """The largest up to `most`, or the smallest there is."""
    return next((n for n in range(most // 2 * 2, 3, -2) if next_good_size(n) == n), 4)

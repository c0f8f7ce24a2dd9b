"""Modes of shells of the wavenumber: all that are kept, or a sample of each shell.

Modes are counted line by line along x, so that a sample of a large grid needs no list of all modes.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from whorl.config.dealiasing import edge, is_box
from whorl.config.wavenumbers import largest_wavenumbers, smallest_wavenumbers

SLACK = 2e-7  # of an edge: a mode on it is in the shell above
MOST_SHELLS = 200


@dataclass(frozen=True)
class Lines:
    """The modes of a shell: `counts` of them from kx = `first` on, in each line of given ky and kz.

    With a periodic x, `_lines` has one of each k and −k, and `_with_opposite` both.
    """

    y: np.ndarray
    z: np.ndarray
    first: np.ndarray
    counts: np.ndarray

    def modes(self, chosen: np.ndarray) -> np.ndarray:
        """Modes by their numbers in the shell, [mode][axis]."""
        ends = np.cumsum(self.counts)
        line = np.searchsorted(ends, chosen, side="right")
        x = self.first[line] + chosen - (ends - self.counts)[line]
        return np.stack([x, self.y[line], self.z[line]], axis=1)


@lru_cache(maxsize=64)
def modes_of_shells(
    grid: Any, edges: tuple[float, ...], sample: int | None, both: bool, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """The kept modes of shells from edge to edge.

    Parameters
    ----------
    grid : Grid
        The box, its points and which modes it keeps.
    edges : tuple of float
        Wavenumbers in rising order; a mode on an edge is in the shell above.
    sample : int or None
        The most modes of each shell, spread evenly over it in the order of kz, ky, kx; None: all.
    both : bool
        Whether k and −k are different modes, as for complex fields; for real ones only one of them is kept.
    most : int
        The most modes of all shells together.

    Returns
    -------
    tuple of ndarray
        Modes as whole numbers of the smallest wavenumbers, [mode][axis], and the shell of each, from 0.

    Raises
    ------
    ValueError
        If the modes are more than `most`, or the shells more than MOST_SHELLS.
    """
    if len(edges) - 1 > MOST_SHELLS:
        raise ValueError(
            f"are {len(edges) - 1}, more than {MOST_SHELLS}; choose logarithmic shells, or edges of fewer"
        )
    found = [_lines(grid, low, high) for low, high in pairwise(edges)]
    if both:
        found = [_with_opposite(one) for one in found]
    sizes = [int(one.counts.sum()) for one in found]
    taken = [size if sample is None else min(size, sample) for size in sizes]
    if sum(taken) > most:
        raise ValueError(
            f"have {sum(taken)} modes, more than {most}; give a sample, a number of modes of each shell, or "
            "fewer shells"
        )
    evenly = [
        (2 * np.arange(count) + 1) * size // (2 * max(count, 1))
        for size, count in zip(sizes, taken, strict=True)
    ]
    modes = [lines.modes(chosen) for lines, chosen in zip(found, evenly, strict=True)]
    return np.concatenate(modes), np.repeat(np.arange(len(modes)), taken)


def _lines(grid: Any, low: float, high: float) -> Lines:
    units = smallest_wavenumbers(grid)
    walls = [basis == "S" for basis in reversed(grid.bases)]
    most = [round(k / unit) for k, unit in zip(largest_wavenumbers(grid), units, strict=True)]
    low, high = low * (1 - SLACK), high * (1 - SLACK)

    def along(axis: int) -> np.ndarray:
        largest = int(min(most[axis], high / units[axis]))
        return np.arange(0 if walls[axis] else -largest, largest + 1)

    z, y = along(2)[:, None], along(1)[None, :]
    across = (units[1] * y) ** 2 + (units[2] * z) ** 2

    def beginning(k: float) -> np.ndarray:
        """The first kx of each line with a wavenumber of at least k, [kz][ky]."""
        return np.ceil(np.sqrt(np.maximum(k**2 - across, 0.0)) / units[0]).astype(int)

    # At kx = 0 the half has ky > 0, or ky = 0 and kz ≥ 0; along walls neither is negative.
    first = np.maximum(beginning(low), (y < 0) | ((y == 0) & (z < 0)))
    counts = np.minimum(beginning(high), _kept(grid, y, z, most[0], walls)) - first
    at_z, at_y = np.nonzero(counts > 0)
    return Lines(y[0, at_y], z[at_z, 0], first[at_z, at_y], counts[at_z, at_y])


def _with_opposite(half: Lines) -> Lines:
    """The modes and their opposite ones."""
    with_zero = (half.y == 0) & (half.z == 0) & (half.first == 0)
    other = Lines(-half.y, -half.z, 1 - half.first - half.counts, half.counts - with_zero)
    return Lines(
        *(
            np.concatenate([getattr(one, name) for one in (half, other)])
            for name in ("y", "z", "first", "counts")
        )
    )


def _kept(grid: Any, y: np.ndarray, z: np.ndarray, most: int, walls: list[bool]) -> np.ndarray | int:
    """The number of kx ≥ 0 that are kept in lines."""
    if is_box(grid.dealias, grid.shape):
        return most + 1
    nx, ny, nz = (n * (2 if wall else 1) for n, wall in zip(grid.points, walls, strict=True))
    room = edge(grid.dealias) ** 2 - (y / ny) ** 2 - (z / nz) ** 2
    return np.ceil(nx * np.sqrt(np.maximum(room, 0.0))).astype(int)

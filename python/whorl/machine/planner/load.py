"""The load of a right-hand side on one rank, independent of the machine: operations, bytes, messages.

Memory traffic counts the bytes read and the bytes written. A complex line of N points is 5 N log2 N
operations, a real one half of that.
"""

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class AllToAlls:
    """All-to-alls among `ranks` ranks that are `stride` apart in the order of the machine.

    `bytes` are those that a rank sends in a right-hand side, including its message to itself, in `calls`
    all-to-alls. `at_once` ranks, those of the run, do so at the same time (0: only these).
    """

    ranks: int
    stride: int
    bytes: float
    calls: float
    at_once: int = 0

    @property
    def message(self) -> float:
        """Bytes from one rank to another in a call; zero without calls."""
        return self.bytes / self.ranks / self.calls if self.calls else 0.0


@dataclass(frozen=True)
class FollowedParticles:
    """Particles of a rank that a right-hand side moves: a number of a kind, with their interpolation."""

    kind: str
    interpolation: str
    points: int
    number: float


@dataclass(frozen=True)
class Load:
    """One right-hand side on one rank.

    `operations` by axis ("x", "y", "z") go with `lengths`; `copy`, `point` and `modes` are bytes.
    `working_set` is the size of the rank's arrays, in bytes, which decides the cache that holds them.
    `batches` is the number of batches of an exchange. With `overlap` the work on the planes of a batch may
    hide exchanges of another: transforms along x and y, points, copies. `particles` move in addition.
    """

    lengths: dict[str, int]
    operations: dict[str, float]
    copy: float
    point: float
    modes: float
    row: AllToAlls
    column: AllToAlls
    working_set: float
    batches: int = 1
    overlap: bool = False
    particles: tuple[FollowedParticles, ...] = ()


def line_operations(n: int, lines: float) -> float:
    """Operations of complex lines; zero if the axis has one point."""
    return 5.0 * n * math.log2(n) * lines if n > 1 else 0.0


@dataclass(frozen=True)
class Shares:
    """The most that a rank has (`_core.shares`), or a bound: elements of a row along x, columns, row columns.

    `columns` are kept ones, `row_columns` those of a row index. `padded_columns` are those of a plane in a
    buffer, known only to the core.
    """

    elements: int
    columns: int
    row_columns: int
    padded_columns: int = 0


def least_shares(longest: np.ndarray, p_row: int, p_col: int) -> Shares:
    """A lower bound for the fullest rank, without a cut of ky.

    `longest` are the kept elements of each kept ky, the longest first.

    If n elements are dealt to p_row ranks, each has n / p_row, rounded down or up, and the fullest has at
    least the mean. Some rank has at least j + 1 of the j p_col + 1 longest ky, each at least as long as the
    last of them.
    """
    lasts = -(-longest[::p_col] // p_row)
    mean = -(-int(longest.sum()) // (p_row * p_col))
    columns = max(int((np.arange(1, lasts.size + 1) * lasts).max()), mean)
    return Shares(int(longest[0]) // p_row, columns, int((longest // p_row).sum()))

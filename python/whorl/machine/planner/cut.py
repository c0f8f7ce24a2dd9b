"""The shares of ranks on a process grid: the most that a rank has, and a lower bound for the fullest rank."""

from dataclasses import dataclass

import numpy as np


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

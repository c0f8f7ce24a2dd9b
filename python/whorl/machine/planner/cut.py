"""Shares of what is kept on a process grid: what ranks have at most, and the fullest at least."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Shares:
    """Elements of a row along x, kept columns, those of a row index: at most (`_core.shares`) or least.

    `padded_columns` are those of a plane in a buffer, which only the core knows.
    """

    elements: int
    columns: int
    row_columns: int
    padded_columns: int = 0


def least_shares(longest: np.ndarray, p_row: int, p_col: int) -> Shares:
    """What the fullest rank has at least, without a cut of ky.

    `longest` are the kept elements of each kept ky, the longest first.

    Of n elements dealt to p_row ranks each has n / p_row, rounded down or up, and the fullest of all no less
    than the mean. Of the j p_col + 1 longest ky one rank has j + 1 at least, each as long as the last of them
    or longer.
    """
    lasts = -(-longest[::p_col] // p_row)
    mean = -(-int(longest.sum()) // (p_row * p_col))
    columns = max(int((np.arange(1, lasts.size + 1) * lasts).max()), mean)
    return Shares(int(longest[0]) // p_row, columns, int((longest // p_row).sum()))

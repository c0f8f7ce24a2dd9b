"""How columns are shared among ranks, as core/grid/pencils.cpp does: the fullest rank as light as may be."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np


def lightest_cut(weights: Sequence[int], parts: int) -> list[tuple[int, int, int]]:
    """Consecutive blocks (begin, end, weight) of items, at most `parts`; the heaviest light as can be."""
    ends = [0, *accumulate(int(weight) for weight in weights)]
    # A greedy cut never needs more than the mean and one item.
    heaviest = max(weights, default=0)
    low = max(heaviest, -(-ends[-1] // parts))
    high = low + heaviest
    while low < high:
        middle = (low + high) // 2
        if _blocks_under(ends, parts, middle) is None:
            low = middle + 1
        else:
            high = middle
    return _blocks_under(ends, parts, high) or []


def _blocks_under(ends: list[int], parts: int, limit: int) -> list[tuple[int, int, int]] | None:
    """Each block as full as the limit lets it be, an item left for each to come; None if some remain."""
    blocks, begin, items = [], 0, len(ends) - 1
    while begin < items:
        to_come = parts - len(blocks) - 1
        if to_come < 0:
            return None
        most = max(items - to_come, min(begin + 1, items))
        end = min(bisect_right(ends, ends[begin] + limit) - 1, most)
        if end == begin:
            return None
        blocks.append((begin, end, ends[end] - ends[begin]))
        begin = end
    return blocks


@dataclass(frozen=True)
class Shares:
    """What ranks hold at most: kx of a block, kept columns of a rank, and of all ranks with the same kx."""

    widest: int
    columns: int
    row_columns: int


def shares(lengths: np.ndarray, p_row: int, p_col: int) -> Shares:
    """`lengths` are the kept kx of each kept ky, in the order of the core."""
    blocks = kx_blocks(lengths, p_row)
    fullest = 0
    for begin, end, _ in sorted(blocks, key=lambda block: -block[2]):
        own = np.clip(lengths - begin, 0, end - begin).tolist()
        # Nearly all are as full as the first, and one look shows that they need not be fuller.
        if _blocks_under([0, *accumulate(own)], p_col, fullest) is None:
            fullest = max(weight for _, _, weight in lightest_cut(own, p_col))
    widest = max(end - begin for begin, end, _ in blocks)
    return Shares(widest, fullest, max(weight for _, _, weight in blocks))


@dataclass(frozen=True)
class LeastShares:
    """Bounds, without a cut of ky, of the fullest rank: its kx and columns, and the columns of its row."""

    narrowest: int
    columns: int
    row_columns: int


def least_shares(longest: np.ndarray, blocks: list[tuple[int, int, int]], p_col: int) -> LeastShares:
    """`longest` are the kept kx of each kept ky, the longest first, `blocks` as `kx_blocks` gives them.

    Of the j p_col + 1 longest ky one rank has j + 1 at least, each as long as the last of them or longer.
    """
    begin, end, weights = np.array(blocks).T
    lasts = longest[::p_col]
    own = np.clip(lasts - begin[:, None], 0, (end - begin)[:, None])
    columns = max(int((np.arange(1, lasts.size + 1) * own).max()), -(-int(weights.max()) // p_col))
    # A rank of a light row cannot be the fullest: the lightest cut needs no more than the mean and one item.
    rows = -(-weights // p_col) + end - begin >= columns
    return LeastShares(int((end - begin)[rows].min()), columns, int(weights[rows].min()))


def kx_blocks(lengths: np.ndarray, p_row: int) -> list[tuple[int, int, int]]:
    """Blocks (begin, end, columns) of kx, of as equal numbers of columns as can be."""
    longest = int(lengths.max())
    of_kx = lengths.size - np.searchsorted(np.sort(lengths), np.arange(longest), side="right")
    return lightest_cut(of_kx.tolist(), p_row)

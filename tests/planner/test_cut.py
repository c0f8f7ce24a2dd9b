"""How columns are shared among ranks, against every cut there is and by hand."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from whorl.planner.cut import lightest_cut, shares

WEIGHTS = ([1, 1, 1, 1], [5, 1, 1, 1, 1, 1], [3, 1, 4, 1, 5, 9, 2, 6], [0, 2, 0, 2, 3], [7])


def lightest_of_all(weights: list[int], parts: int) -> int:
    """The heaviest block of the best of all cuts."""
    places = combinations(range(1, len(weights)), min(parts, len(weights)) - 1)
    cuts = ([0, *inside, len(weights)] for inside in places)
    return min(max(sum(weights[begin:end]) for begin, end in pairwise(cut)) for cut in cuts)


@pytest.mark.parametrize("weights", WEIGHTS, ids=str)
@pytest.mark.parametrize("parts", [1, 2, 3, 5])
def test_no_cut_is_lighter(weights, parts):
    blocks = lightest_cut(weights, parts)
    assert max(weight for _, _, weight in blocks) == lightest_of_all(weights, parts)
    assert [sum(weights[begin:end]) for begin, end, _ in blocks] == [weight for _, _, weight in blocks]
    assert [0, *(end for _, end, _ in blocks)] == [*(begin for begin, _, _ in blocks), len(weights)]


def test_every_part_has_an_item_while_there_are_as_many():
    assert lightest_cut([4, 1, 1], 3) == [(0, 1, 4), (1, 2, 1), (2, 3, 1)]


@pytest.mark.parametrize(
    ("grid", "columns"),
    [
        ((1, 1), 8),
        ((1, 2), 5),  # ky 0 and 1, ky 2 and 3
        ((2, 1), 4),  # kx 0; kx 1 and 2
        ((2, 2), 2),  # of the second row ky 0 alone has two
        ((3, 1), 4),
    ],
)
def test_the_fullest_rank_by_hand(grid, columns):
    """Four ky with 3, 2, 1 and 2 kx, so that kx 0, 1 and 2 have 4, 3 and 1 ky."""
    assert shares(np.array([3, 2, 1, 2]), *grid).columns == columns

"""How columns are shared among the ranks of a process grid, against the definition and every cut there is."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.twin import Twin
from whorl import _core
from whorl.machine.planner.load import least_shares

RULES = [("2/3", "cube"), ("2/3", "sphere"), ("phase-shift", "cube"), ("none", "cube")]
SIZES = st.sampled_from([4, 6, 8, 10, 12, 14, 18, 20])


def kept_columns(points, bases, rule) -> np.ndarray:
    """Kept elements of a row along x for each kept ky, in the order 0, 1, ..., -1."""
    nx, ny, _ = (2 * n if basis == "S" else n for n, basis in zip(points, bases[::-1], strict=True))
    twin = Twin((nx, ny, points[2]), dealias=rule[0], shape=rule[1])
    kept = twin.mask[0] & (twin.numbers[0][0] >= 0)  # of kz = 0
    lengths = kept.sum(axis=1)
    if bases[1] == "S":
        lengths = lengths[: points[1]]
    return -(-lengths[lengths > 0] // (2 if bases[2] == "S" else 1))


def hands(items: list[int], parts: int) -> list[list[int]]:
    """Dealt to and fro, card by card."""
    dealt: list[list[int]] = [[] for _ in range(parts)]
    for begin in range(0, len(items), parts):
        order = list(range(parts))[:: -1 if begin // parts % 2 else 1]
        for part, item in zip(order, items[begin : begin + parts], strict=False):
            dealt[part].append(item)
    return dealt


def lightest_block(weights: list[int], parts: int) -> int:
    """The heaviest block of the best cut; no part is without an item while there are as many."""
    cuts = combinations(range(1, len(weights)), min(parts, len(weights)) - 1)
    return min(max(sum(weights[a:b]) for a, b in pairwise([0, *inside, len(weights)])) for inside in cuts)


def fullest(weights: list[int], walls: bool, parts: int) -> int:
    """In blocks, or dealt in the order of |ky| where that is lighter by more than a twentieth."""
    blocks = lightest_block(weights, parts)
    places = range(len(weights))
    by_size = sorted(places, key=lambda j: j if walls else min(2 * j - 1, 2 * (len(weights) - j)) if j else 0)
    dealt = max(sum(weights[j] for j in hand) for hand in hands(list(by_size), parts))
    return dealt if 20 * dealt < 19 * blocks else blocks


def options(points, bases="FFF", rule=("2/3", "cube")) -> _core.Options:
    options = _core.Options()
    options.points, options.lengths, options.bases = list(points), [1.0, 1.0, 1.0], bases
    options.dealias, options.shape = rule
    options.model = "navier-stokes" if bases == "FFF" else "rayleigh-benard"
    return options


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    points=st.tuples(SIZES, SIZES, st.sampled_from([1, 6, 12])),
    bases=st.sampled_from(["FFF", "SSF", "SSS"]),
    rule=st.sampled_from(RULES),
    grid=st.tuples(st.integers(1, 5), st.integers(1, 6)),
)
def test_shares_are_those_of_the_definition(points, bases, rule, grid):
    assume(bases == "FFF" or (rule[0] != "phase-shift" and points[2] > 1))
    lengths = kept_columns(points, bases, rule)
    elements = hands(list(range(lengths.max())), grid[0])
    own = [[sum(1 for i in hand if i < length) for length in lengths] for hand in elements]
    shares = _core.shares(options(points, bases, rule), grid)
    assert shares["elements"] == max(map(len, elements))
    assert shares["row_columns"] == max(map(sum, own))
    assert shares["columns"] == max(fullest(weights, bases[1] == "S", grid[1]) for weights in own)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("grid", [(1, 7), (2, 5), (3, 13), (5, 11), (8, 3)])
def test_the_bounds_of_a_search_are_bounds(rule, grid):
    lengths = kept_columns((240, 210, 1), "FFF", rule)
    least = least_shares(np.sort(lengths)[::-1], *grid)
    shares = _core.shares(options((240, 210, 1), "FFF", rule), grid)
    assert shares["elements"] - 1 <= least.elements <= shares["elements"]
    assert 0.8 * shares["columns"] <= least.columns <= shares["columns"]
    assert 0.9 * shares["row_columns"] <= least.row_columns <= shares["row_columns"]


@pytest.mark.parametrize("rule", [("2/3", "sphere"), ("phase-shift", "cube")])
@pytest.mark.parametrize("p_row", [2, 4, 8])
def test_row_indices_of_a_sphere_are_even(rule, p_row):
    """In kx to one, in columns to two thousandths: as blocks they could be in one of them only."""
    shares = _core.shares(options((1024, 1024, 1024), rule=rule), (p_row, 4))
    whole = _core.shares(options((1024, 1024, 1024), rule=rule), (1, 1))
    assert shares["elements"] == -(-whole["elements"] // p_row)
    assert shares["row_columns"] * p_row <= 1.002 * whole["columns"]


def test_few_ky_a_rank_are_dealt():
    """3.8 of 32768³ on 4 × 8192: blocks of three or four leave the fullest a quarter too many columns."""
    points, rule, grid = (32768, 32768, 32768), ("phase-shift", "cube"), (4, 8192)
    shares, whole = (_core.shares(options(points, rule=rule), each) for each in (grid, (1, 1)))
    assert shares["columns"] * 4 * 8192 / whole["columns"] == pytest.approx(1.06, abs=0.005)
    assert shares["elements"] * 4 / whole["elements"] == pytest.approx(1, abs=0.001)

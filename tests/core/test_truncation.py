"""Which modes live, which sizes and process grids are possible."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support import flows
from support.ranks import run_on
from support.twin import Twin
from whorl import _core
from whorl.base.declared import CHOICES
from whorl.config.case import Case
from whorl.config.dealiasing import DEALIASINGS
from whorl.config.sizes import next_good_size
from whorl.config.truncation import kept_modes
from whorl.run.core_options import core_options

GOOD = [n for n in range(4, 64, 2) if _core.next_good_size(n) == n]
RULES = [
    ("2/3", "cube"),
    ("2/3", "sphere"),
    ("phase-shift", "cube"),
    ("phase-shift-exact", "cube"),
    ("none", "cube"),
]
ALL_RULES = [
    (name, shape)
    for name, rule in DEALIASINGS.items()
    for shape in (CHOICES["shape"] if rule.shaped else ["cube"])
]

sizes = st.tuples(st.sampled_from(GOOD), st.sampled_from(GOOD), st.sampled_from([1, *GOOD]))
lengths = st.tuples(*[st.floats(0.1, 100.0)] * 3)


def kept(world, points, lengths, dealias, shape):
    flow = flows.make(world, Twin(points, lengths, dealias, shape), lines="direct", precision="single")
    return flow.modes, flow.kmax, flow.spectra()["k"]


@settings(max_examples=60, derandomize=True)
@given(points=sizes, lengths=lengths, rule=st.sampled_from(RULES))
def test_kept_modes_are_those_of_the_definition(points, lengths, rule):
    twin = Twin(points, lengths, *rule)
    modes, kmax, k = run_on(1, kept, points=points, lengths=lengths, dealias=rule[0], shape=rule[1])[0]
    assert modes == twin.modes
    assert kmax == pytest.approx(twin.kmax, rel=1e-12)
    shells = len(twin.energy_spectrum(np.zeros((3, *twin.mask.shape))))
    assert k == pytest.approx(np.arange(shells) * twin.smallest_wavenumber, rel=1e-12)


@pytest.mark.parametrize("points", [(18, 18, 18), (24, 12, 6), (36, 30, 1), (60, 48, 12)])
@pytest.mark.parametrize("rule", RULES)
def test_a_mode_on_the_boundary_is_not_kept(points, rule):
    """Sizes divisible by 3, where modes lie on the boundary itself."""
    modes = run_on(1, kept, points=points, lengths=(1.0, 1.0, 1.0), dealias=rule[0], shape=rule[1])[0][0]
    assert modes == Twin(points, dealias=rule[0], shape=rule[1]).modes


@given(n=st.integers(1, 60000))
def test_next_good_size_is_the_smallest(n):
    good = _core.next_good_size(n)

    def is_good(m: int) -> bool:
        for factor in (2, 3, 5, 7):
            while m % factor == 0:
                m //= factor
        return m == 1

    assert good >= n
    assert good % 2 == 0
    assert is_good(good)
    assert not any(is_good(m) for m in range(max(4, n + n % 2), good, 2))


@given(n=st.integers(1, 60000))
def test_python_and_core_agree_on_good_sizes(n):
    assert next_good_size(n) == _core.next_good_size(n)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(points=sizes, rule=st.sampled_from(ALL_RULES), bases=st.sampled_from(["FFF", "SFF", "SSF"]))
def test_python_and_core_keep_as_many_modes(points, rule, bases):
    """Of every dealiasing there is; what Python counts without a core."""
    dealias, shape = rule
    walls = bases != "FFF"
    assume(not (walls and (DEALIASINGS[dealias].shifts or points[2] == 1)))
    model = {"model": "rayleigh-benard", "rayleigh": 1e4, "prandtl": 1.0} if walls else {"viscosity": 0.1}
    grid = {"points": points, "dealias": dealias, "shape": shape, "bases": bases, "lengths": 1.0}
    case = Case(grid=grid, flow=model, time={"scheme": "rk2", "steps": 1})
    fields = 4 if walls else 3
    registers = 3 if DEALIASINGS[dealias].twice else 2
    state = _core.estimate_memory(core_options(case, 1), 1)["state"]
    assert kept_modes(case).sum() == state // (16 * fields * registers)


@given(points=sizes, rule=st.sampled_from(RULES), ranks=st.integers(1, 64))
def test_allowed_process_grids_leave_nobody_without_work(points, rule, ranks):
    twin = Twin(points, dealias=rule[0], shape=rule[1])
    kept_x = int(np.abs(twin.numbers[0][twin.mask]).max()) + 1
    kept_y = 2 * int(np.abs(twin.numbers[1][twin.mask]).max()) + 1
    most_row, most_col = min(points[1], kept_x), min(points[2], kept_y)
    expected = [
        (rows, ranks // rows)
        for rows in range(1, ranks + 1)
        if ranks % rows == 0 and rows <= most_row and ranks // rows <= most_col
    ]
    options = flows.options(twin)
    assert _core.allowed_process_grids(options, ranks) == expected
    assert _core.maximum_ranks(options) == most_row * most_col

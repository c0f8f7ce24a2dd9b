"""Random expressions against NumPy: rules of dealiasing, walls, both precisions, on any ranks and device."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support import flows
from support.expressions import Evaluator
from support.programs import (
    LENGTHS,
    POINTS,
    RULES,
    between_walls,
    case_of,
    expected,
    known_between,
    names_of,
    smooth,
    walled_case,
    worked_out,
)
from support.ranks import COUNTS, run_on
from support.twin import Twin
from whorl.measure.expressions import Expressions
from whorl.programs.parse import ExpressionError

pytestmark = [pytest.mark.every_device, pytest.mark.mpi]

ROUNDING = 3e-7  # of single precision, relative to the root mean square
NOT_POSSIBLE = ("is not periodic", "average once", "odd or even about them")
LEAVES = ["u.x", "u.y", "u.z", "x", "t", "2", "0.5", "nu", "omega.z", "mean(u.x*u.y)", "max(u.y)"]
LEAVES_BETWEEN_WALLS = ["u.x", "u.y", "u.z", "theta", "theta", "z", "2", "mean(theta*u.z)", "dz(theta)"]
ONE_ARGUMENT = [
    "-({})",
    "dx({})",
    "dy({})",
    "lap({})",
    "filter({}, 3)",
    "average({}, 0.6)",
    "sin({})",
    "abs({})",
    "({})**2",
    "tanh({})",
    "max({})",
    "min({})",
]
TWO_ARGUMENTS = [
    "({}) + ({})",
    "({}) - ({})",
    "({}) * ({})",
    "minimum({}, {})",
    "({})/(2 + ({})**2)",
    "1*(({}) < ({}))",
]


def texts(leaves, of_one=ONE_ARGUMENT, of_two=TWO_ARGUMENTS):
    """Random expressions of up to eight leaves."""
    return st.recursive(
        st.sampled_from(leaves),
        lambda inner: st.one_of(
            st.builds(str.format, st.sampled_from(of_one), inner),
            st.builds(str.format, st.sampled_from(of_two), inner, inner),
        ),
        max_leaves=8,
    )


def assume_possible(case, text):
    """Leaves out what is refused for what it is of."""
    try:
        Expressions(case, [text])
    except ExpressionError as refused:
        assume(not any(words in str(refused) for words in NOT_POSSIBLE))
        raise


@settings(max_examples=100, derandomize=True)
@given(text=texts(LEAVES), ranks=st.sampled_from(COUNTS), dealias=st.sampled_from(RULES))
def test_of_every_rule(text, ranks, dealias):
    assume_possible(case_of(dealias=dealias), text)
    run_on(ranks, compare_in_box, text=text, dealias=dealias)


def compare_in_box(world, text, dealias):
    case, twin = case_of(dealias=dealias), Twin(POINTS, LENGTHS, dealias)
    flow, u = flows.make(world, twin), smooth(twin)
    flows.write(flow, u)
    evaluator, known = names_of(twin, u)
    actual, _ = worked_out(world, flow, case, text)
    agrees(actual, expected(evaluator, known, text), text)


def agrees(actual, wanted, text):
    # Rounding may move a point across a comparison.
    off = np.abs(actual - wanted) > 1e-8 * max(1.0, float(np.abs(wanted).max(initial=0)))
    assert off.sum() <= (3 if "<" in text else 0), text


# Between walls a comparison is neither odd nor even.
BETWEEN_WALLS = [
    *("-({})", "dx({})", "dz({})", "lap({})", "filter({}, 12)", "average({}, 0.2)", "sin({})", "cos({})"),
    *("abs({})", "({})**2", "({})**3", "tanh({})", "max({})"),
]


@settings(max_examples=60, derandomize=True)
@given(
    text=texts(LEAVES_BETWEEN_WALLS, BETWEEN_WALLS, TWO_ARGUMENTS[:5]),
    ranks=st.sampled_from(COUNTS),
    bases=st.sampled_from(["SFF", "SSF", "SSS"]),
)
def test_between_walls(text, ranks, bases):
    assume_possible(walled_case(bases), text)
    run_on(ranks, compare_between_walls, text=text, bases=bases)


def compare_between_walls(world, text, bases):
    simulation, evaluator, known = between_walls(world, bases)
    with simulation:
        z0, z1, y0, y1 = simulation.block
        wanted = expected(evaluator, known, text)
        actual = np.broadcast_to(simulation.field(text), wanted[:, z0:z1, y0:y1].shape)
        agrees(actual, wanted[:, z0:z1, y0:y1], text)


class Rounded(Evaluator):
    """One whose transforms err as those of single precision do, by chance."""

    chance = np.random.default_rng(1)

    def _rounded(self, f):
        return f + ROUNDING * np.sqrt((np.abs(f) ** 2).mean()) * self.chance.standard_normal(f.shape)

    def modes(self, f):
        return super().modes(self._rounded(np.broadcast_to(f, (len(self.phases), *self.k2.shape))))

    def values(self, modes):
        return self._rounded(super().values(modes))


@settings(max_examples=60, derandomize=True)
@given(
    text=texts(LEAVES, of_two=TWO_ARGUMENTS[:5]),
    ranks=st.sampled_from(COUNTS),
    dealias=st.sampled_from(RULES),
)
def test_in_single_precision(text, ranks, dealias):
    assume_possible(case_of(dealias=dealias), text)
    run_on(ranks, compare_in_single_precision, text=text, dealias=dealias)


def compare_in_single_precision(world, text, dealias):
    """The difference from double precision is of the size that rounding in transforms makes it."""
    case, twin = case_of(dealias=dealias), Twin(POINTS, LENGTHS, dealias)
    flow, u = flows.make(world, twin, precision="single"), smooth(twin)
    flows.write(flow, u)
    wanted = expected(*names_of(twin, u), text)
    rounded = [expected(*names_of(twin, u, Rounded), text) for _ in range(3)]
    size = max(1.0, float(np.abs(wanted).max()))
    likely = max(float(np.abs(one - wanted).max()) for one in rounded) + 1e-6 * size
    assume_useful = likely < 0.1 * size  # else nothing is left in single precision
    actual, _ = worked_out(world, flow, case, text)
    if assume_useful:
        assert np.abs(actual - wanted).max() <= 20 * likely, text


@settings(max_examples=20, derandomize=True)
@given(
    text=texts(LEAVES_BETWEEN_WALLS, BETWEEN_WALLS, TWO_ARGUMENTS[:5]),
    ranks=st.sampled_from(COUNTS),
    bases=st.sampled_from(["SFF", "SSF", "SSS"]),
)
def test_in_single_precision_between_walls(text, ranks, bases):
    assume_possible(walled_case(bases), text)
    run_on(ranks, compare_single_between_walls, text=text, bases=bases)


def compare_single_between_walls(world, text, bases):
    simulation, evaluator, known = between_walls(world, bases, "single")
    rounding = Rounded(evaluator.points, evaluator.lengths, evaluator.kept, walls=evaluator.walls)
    with simulation:
        z0, z1, y0, y1 = simulation.block
        wanted = expected(evaluator, known, text)
        rounded = [expected(rounding, known_between(rounding), text) for _ in range(3)]
        size = max(1.0, float(np.abs(wanted).max()))
        likely = max(float(np.abs(one - wanted).max()) for one in rounded) + 1e-6 * size
        actual = np.broadcast_to(simulation.field(text), wanted[:, z0:z1, y0:y1].shape)
        if likely < 0.1 * size:
            assert np.abs(actual - wanted[:, z0:z1, y0:y1]).max(initial=0) <= 20 * likely, text

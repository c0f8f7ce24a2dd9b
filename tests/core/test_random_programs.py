"""Random expressions against NumPy: rules of dealiasing, walls, both precisions, on any ranks and device."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import flows
from support.examples import examples
from support.expressions import Evaluator
from support.programs import (
    LENGTHS,
    POINTS,
    RULES,
    between_walls,
    case_of,
    expected,
    names_between,
    names_of,
    smooth,
    walled_case,
    worked_out_together,
)
from support.ranks import COUNTS, run_on
from support.twin import Twin
from whorl.expressions.faults import ExpressionError

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
    "1.0*({}) + ({})",
    "1.0*({}) - ({})",
    "({}) * ({})",
    "minimum({}, {})",
    "({})/(2 + ({})**2)",
    "1*(({}) < ({}))",
]


def texts(leaves, of_one=ONE_ARGUMENT, of_two=TWO_ARGUMENTS):
    """A few random expressions of up to eight leaves, which one run works out."""
    one = st.recursive(
        st.sampled_from(leaves),
        lambda inner: st.one_of(
            st.builds(str.format, st.sampled_from(of_one), inner),
            st.builds(str.format, st.sampled_from(of_two), inner, inner),
        ),
        max_leaves=8,
    )
    return st.lists(one, min_size=4, max_size=4, unique=True)


def possible(case, texts):
    """Without what is refused for what it is of."""
    found = []
    for text in texts:
        try:
            case.planned.asked([text])
        except ExpressionError as refused:
            if not any(words in str(refused) for words in NOT_POSSIBLE):
                raise
        else:
            found.append(text)
    return found


def in_box(world, texts, dealias, precision):
    twin = Twin(POINTS, LENGTHS, dealias)
    flow = flows.make(world, twin, precision=precision)
    flows.write(flow, smooth(twin))
    found = worked_out_together(world, flow, case_of(dealias=dealias), texts) if texts else ()
    return [values for values, _ in found]


def in_walls(world, texts, bases, precision):
    """On the first rank."""
    simulation, *_ = between_walls(world, bases, precision)
    with simulation:
        return [simulation.gather(text) for text in texts]


def names_in_box(dealias, of=Evaluator):
    twin = Twin(POINTS, LENGTHS, dealias)
    return names_of(twin, smooth(twin), of)


def agree(texts, names, found):
    """`names` has what the texts name, for NumPy, and `found` is what whorl found on each rank."""
    for text, actual in zip(texts, found[0], strict=True):
        wanted = expected(*names, text)
        # Rounding may move a point across a comparison.
        off = np.abs(actual - wanted) > 1e-8 * max(1.0, float(np.abs(wanted).max()))
        assert off.sum() <= (3 if "<" in text else 0), text


@settings(max_examples=examples(40), derandomize=True)
@given(texts=texts(LEAVES), ranks=st.sampled_from(COUNTS), dealias=st.sampled_from(RULES))
def test_of_every_rule(texts, ranks, dealias):
    texts = possible(case_of(dealias=dealias), texts)
    found = run_on(ranks, in_box, texts=texts, dealias=dealias, precision="double")
    agree(texts, names_in_box(dealias), found)


# Between walls a comparison is neither odd nor even.
BETWEEN_WALLS = [
    *("-({})", "dx({})", "dz({})", "lap({})", "filter({}, 12)", "average({}, 0.2)", "sin({})", "cos({})"),
    *("abs({})", "({})**2", "({})**3", "tanh({})", "max({})"),
]


@settings(max_examples=examples(20), derandomize=True)
@given(
    texts=texts(LEAVES_BETWEEN_WALLS, BETWEEN_WALLS, TWO_ARGUMENTS[:5]),
    ranks=st.sampled_from(COUNTS),
    bases=st.sampled_from(["SFF", "SSF", "SSS"]),
)
def test_between_walls(texts, ranks, bases):
    texts = possible(walled_case(bases), texts)
    found = run_on(ranks, in_walls, texts=texts, bases=bases, precision="double")
    agree(texts, names_between(bases), found)


@dataclass
class Rounded(Evaluator):
    """One whose transforms err as those of single precision do, by chance."""

    seed: int = field(default=0, kw_only=True)

    def __post_init__(self):
        super().__post_init__()
        self.chance = np.random.default_rng(self.seed)

    def _rounded(self, f):
        return f + ROUNDING * np.sqrt((np.abs(f) ** 2).mean()) * self.chance.standard_normal(f.shape)

    def modes(self, f):
        return super().modes(self._rounded(np.broadcast_to(f, (len(self.phases), *self.k2.shape))))

    def values(self, modes):
        return self._rounded(super().values(modes))


def agree_in_single_precision(texts, names_for, run):
    """The difference from double precision is of the size that rounding in transforms makes it.

    `names_for` gives what the texts name for a kind of evaluator, and `run` what whorl finds on each rank.
    """
    exact, *rounded = map(names_for, (Evaluator, *(partial(Rounded, seed=seed) for seed in range(3))))
    compared = {}
    for text in texts:
        wanted = expected(*exact, text)
        size = max(1.0, float(np.abs(wanted).max()))
        likely = max(float(np.abs(expected(*one, text) - wanted).max()) for one in rounded) + 1e-6 * size
        if likely < 0.1 * size:  # else nothing is left in single precision
            compared[text] = (wanted, 20 * likely)
    found, *_ = run(texts=list(compared))
    for (text, (wanted, limit)), actual in zip(compared.items(), found, strict=True):
        assert np.abs(actual - wanted).max() <= limit, text


@settings(max_examples=examples(20), derandomize=True)
@given(
    texts=texts(LEAVES, of_two=TWO_ARGUMENTS[:5]),
    ranks=st.sampled_from(COUNTS),
    dealias=st.sampled_from(RULES),
)
def test_in_single_precision(texts, ranks, dealias):
    texts = possible(case_of(dealias=dealias), texts)
    run = partial(run_on, ranks, in_box, dealias=dealias, precision="single")
    agree_in_single_precision(texts, partial(names_in_box, dealias), run)


@settings(max_examples=examples(8), derandomize=True)
@given(
    texts=texts(LEAVES_BETWEEN_WALLS, BETWEEN_WALLS, TWO_ARGUMENTS[:5]),
    ranks=st.sampled_from(COUNTS),
    bases=st.sampled_from(["SFF", "SSF", "SSS"]),
)
def test_in_single_precision_between_walls(texts, ranks, bases):
    texts = possible(walled_case(bases), texts)
    run = partial(run_on, ranks, in_walls, bases=bases, precision="single")
    agree_in_single_precision(texts, partial(names_between, bases), run)

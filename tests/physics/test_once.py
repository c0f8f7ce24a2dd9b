"""What several arrays of a diagnostic follow from is worked out once for each state."""

import gc
import weakref
from collections import Counter

import pytest
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.diagnostics.options.base import ComputedOnce
from whorl.expressions.questions import Answers
from whorl.run.simulation import Simulation


def answers() -> Answers:
    return Answers([], {})


def test_it_is_worked_out_once_for_each_answers():
    """Answers are told apart by themselves, not by what they hold."""
    asked = []
    once = ComputedOnce(lambda found: asked.append(found) or len(asked))
    first, second = answers(), answers()
    assert [once(one) for one in (first, first, second, second, first)] == [1, 1, 2, 2, 3]


def test_it_keeps_no_answers_alive():
    once, one = ComputedOnce(lambda found: len(found.found)), answers()
    assert once(one) == 0
    there = weakref.ref(one)
    del one
    gc.collect()
    assert there() is None
    other = answers()
    other.found["t"] = 1.0
    assert once(other) == 1


@pytest.mark.parametrize(
    ("kind", "options"), [("correlation", {"of": "u"}), ("transfer", {}), ("vortices", {})]
)
def test_kinds_ask_the_answers_once(kind, options, monkeypatch):
    """For each sum over modes, and for the values at the points."""
    counted = Counter()
    for name in ("spectrum", "selected"):
        usual = getattr(Answers, name)
        monkeypatch.setattr(
            Answers, name, lambda self, one, usual=usual: counted.update([one]) or usual(self, one)
        )
    case = Case(
        grid={"points": [12, 10, 1]},
        flow={"model": "navier-stokes-2d", "viscosity": 0.01},
        time={"dt": 0.01, "until": 1.0},
        initial={"name": "random", "k0": 2},
        run={"threads": 1},
    )
    with Simulation(case, comm=MPI.COMM_SELF) as state:
        state.diagnose(kind, **options)
    assert counted
    assert set(counted.values()) == {1}

"""What benchmarks/accuracy.py finds on errors that are made up, and on a small flow."""

import importlib
import json
import math
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
NAMES = ("accuracy", "figures", "shared")
PAGE = "before\n<!-- accuracy -->\nold\n<!-- end of accuracy -->\nbehind\n"


@pytest.fixture
def scripts(monkeypatch, tmp_path):
    """The modules; what they write goes into a folder of the test."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    found = SimpleNamespace(**{name: importlib.import_module(name) for name in NAMES})
    (tmp_path / "method.md").write_text(PAGE)
    monkeypatch.setattr(found.accuracy, "METHOD", tmp_path / "method.md")
    yield found
    for name in NAMES:
        del sys.modules[name]


def ladder_of(scripts, errors, courants=None):
    return scripts.accuracy.Ladder("rk3", errors, courants or dict.fromkeys(errors, 1.0), 0.5)


def test_the_longest_step_that_is_survived_is_found_by_bisection(scripts):
    """Between 10 steps, which are too few, and 40; what all or none survive has no bound to be found."""
    ladder = ladder_of(scripts, {10: math.inf, 40: 1e-3, 80: 1e-4})
    assert ladder.between() == 20
    ladder.errors[20] = math.inf
    assert ladder.between() == 28
    ladder.errors |= {28: 1e-2, 24: math.inf, 26: math.inf, 27: 1e-2}
    assert ladder.between() is None
    for error in (math.inf, 1e-3):
        assert ladder_of(scripts, {10: error, 40: error}).between() is None


def test_steps_between_two_runs_follow_the_order(scripts):
    """Errors of a scheme of third order: 8 / n³ is 10⁻³ for n = 20."""
    ladder = ladder_of(scripts, {n: 8 / n**3 for n in (4, 8, 16, 32)})
    assert ladder.steps_for(1e-3) == pytest.approx(20)
    assert ladder.steps_for(1e-6) is None
    found = ladder.found(until=3.0)["targets"]["1e-03"]
    assert found["dt"] == pytest.approx(0.15)
    assert found["seconds"] == pytest.approx(10.0)


def test_steps_are_no_fewer_than_those_that_survive(scripts):
    ladder = ladder_of(scripts, {4: math.inf, 8: 1e-4, 16: 1e-5})
    assert ladder.steps_for(1e-2) == 8


def test_an_error_that_rises_again_with_shorter_steps_counts(scripts):
    """By accident 4 steps are better than 8: what holds from there on is wanted."""
    ladder = ladder_of(scripts, {4: 1e-3, 8: 1e-1, 16: 1e-2, 32: 1e-3})
    assert 16 < ladder.steps_for(5e-3) < 32


def test_courant_numbers_go_with_the_step(scripts):
    ladder = ladder_of(scripts, {10: 1e-2, 20: 1e-3}, {10: 2.0, 20: 1.1})
    assert ladder.courant_of(11) == pytest.approx(2.0 * 10 / 11)


def test_distances_are_relative(scripts):
    reference = np.array([3.0, 4.0])
    assert scripts.accuracy.distance(reference * 1.01, reference) == pytest.approx(0.01)


def test_a_small_flow_from_runs_to_the_page(scripts, monkeypatch, tmp_path):
    given = ["--points", "12", "--flows", "taylor-green", "--schemes", "rk3", "rk4", "--halvings", "3"]
    monkeypatch.setattr(sys, "argv", ["accuracy.py", *given, "--json", str(tmp_path / "a.json")])
    monkeypatch.setattr(scripts.accuracy, "TARGETS", (1e-2, 1e-4))
    scripts.accuracy.main()
    kept = json.loads((tmp_path / "a.json").read_text())
    (flow,) = kept["flows"]
    assert flow["error_of_reference"] < 1e-6
    third, fourth = flow["schemes"]
    for scheme, order in ((third, 3), (fourth, 4)):
        errors = {int(n): error for n, error in scheme["errors"].items()}
        counts = sorted(errors)[-2:]
        slope = math.log(errors[counts[0]] / errors[counts[1]]) / math.log(counts[1] / counts[0])
        assert slope == pytest.approx(order, abs=0.5)
    assert third["targets"]["1e-04"]["dt"] < fourth["targets"]["1e-04"]["dt"]
    page = (tmp_path / "method.md").read_text()
    assert page.startswith("before\n<!-- accuracy -->\n")
    assert page.endswith("<!-- end of accuracy -->\nbehind\n")
    assert "| `rk4` |" in page
    assert "old" not in page

"""The expressions of a case are parsed and planned once, from the case to the end of its run."""

import copy
import pickle
from collections import Counter

import pytest
from whorl.config.case import Case
from whorl.expressions import plan as plans
from whorl.expressions.answers import answer
from whorl.expressions.faults import ExpressionError
from whorl.expressions.parse import Parser
from whorl.expressions.product_fields import ProductFields
from whorl.run.simulation import Simulation

COLUMNS = {"twist": "mean(dot(u, curl(u)))", "fastest": "max(norm(u)) + t"}
CONDITION = "mean(dot(u, u)) < 1e-9"
FIELD = "norm(curl(u))"
MEASURED = {"kind": "pdf", "of": "norm(u)*dx(u.x)", "every": "1 step"}
READ = {"kind": "points", "of": "sin(u.x)", "positions": [[1, 1, 1], [2, 1, 1]]}
GROUP = {"kind": "tracer", "count": 3, "of": ["exp(p)"]}
INITIAL = ["sin(2*y)", "sin(3*z)", "sin(4*x)"]
PUSH = ["cos(y)*sin(t)", "cos(z)", "cos(x)"]
TEXTS = (*COLUMNS.values(), CONDITION, FIELD, MEASURED["of"], READ["of"], *GROUP["of"], *INITIAL, *PUSH)
# A row, the field, the diagnostic, values at a probe and at particles, and the velocity that moves them.
SETS = 6


def case_of(**more):
    return Case(
        grid={"points": 8},
        flow={"viscosity": 0.1},
        time={"dt": 0.01, "steps": 3, "stop_when": CONDITION},
        initial={"name": "formula", "value": INITIAL},
        forcing=[{"kind": "steady", "shape": {"name": "formula", "value": PUSH}}],
        diagnostics=[MEASURED],
        probes=[READ],
        particles=[GROUP],
        output={"columns": COLUMNS, "fields": ["velocity", f"spin = {FIELD}"], "snapshot_every": "1 step"}
        | more,
        run={"threads": 1},
    )


@pytest.fixture
def counts(monkeypatch):
    """How often each text is parsed, and with "plan" the number of plans."""
    found = Counter()
    parse, plan = Parser.parse, plans.plan

    def counted_parse(self, text):
        found[text] += 1
        return parse(self, text)

    def counted_plan(*args, **kwargs):
        found["plan"] += 1
        return plan(*args, **kwargs)

    monkeypatch.setattr(Parser, "parse", counted_parse)
    monkeypatch.setattr(plans, "plan", counted_plan)
    return found


def test_each_expression_is_parsed_and_planned_once(counts, tmp_path):
    Simulation(case_of(directory=str(tmp_path / "run"))).run(progress=False)
    assert {text: counts[text] for text in TEXTS} == dict.fromkeys(TEXTS, 1)
    assert counts["plan"] == SETS


def test_a_program_is_made_for_the_core_once(monkeypatch):
    """Only its numbers, such as the time, are set at each evaluation."""
    with Simulation(case_of()) as state:
        questions = state.case.planned.means("max(u.x*t)")
        [first] = answer(questions, state.flow, 1.0).numbers
        monkeypatch.setattr(ProductFields, "terms", None)
        [second] = answer(questions, state.flow, 2.0).numbers
    assert second == 2 * first > 0


def test_diagnostics_due_at_one_time_are_planned_together_once(counts):
    other = {"kind": "pdf", "name": "other", "of": "u.y*u.z", "every": "1 step"}
    Simulation(case_of().updated(diagnostics=[MEASURED, other])).run(progress=False)
    # The other one alone, for the log and the count of memory, and both.
    assert counts["plan"] == SETS + 2
    assert counts[other["of"]] == 2


def test_a_copy_that_runs_otherwise_has_the_same_plans(counts):
    case = case_of()
    counts.clear()
    assert case.with_run(transport="pairwise", batches=2).planned is case.planned
    assert case.with_run(precision="single").planned is not case.planned
    assert case.with_run(precision="double").planned is case.planned
    assert not counts


def test_expressions_refuse_forces_that_are_not_there():
    case = case_of(columns={"push": "mean(dot(u, velocity_force))"})
    without = case.without_forces([case.forcing[0].label])
    with pytest.raises(ExpressionError, match=r"output\.columns\.push: velocity_force is not known here"):
        without.planned.row()
    without.planned.field("spin")
    assert without.without_forces(()).planned is case.planned


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda case: pickle.loads(pickle.dumps(case))])
def test_a_copied_case_is_equal_and_plans_anew(copied, counts):
    case = case_of()
    there = copied(case)
    assert there == case
    assert there.to_toml() == case.to_toml()
    assert there.planned is not case.planned
    assert counts[FIELD] == 1
    assert plans.plan_of(there.planned.field("spin")).stages
    assert counts[FIELD] == 2

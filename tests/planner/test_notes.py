"""What is said of a plan beside its numbers."""

import pytest
from planner.cases import case, sections, toy
from whorl.planner.machine import load_machine, machine_from
from whorl.planner.notes import notes_on
from whorl.planner.plan import make_plan, to_dict

SOURCE = {
    "inside": (64, "single", []),
    "longer": ((64, 96, 64), "single", ["lines of 96 points (rates: 16 to 64)"]),
    "flat": ((64, 32, 1), "single", []),
    "shorter": (
        (8, 128, 12),
        "single",
        ["lines of 8 and 12 and 128 points (rates: 16 to 64), small messages (no latency known: node)"],
    ),
    "double": (64, "double", ["double precision (rates: single)"]),
    "both": (
        (96, 64, 64),
        "double",
        ["lines of 96 points (rates: 16 to 64), double precision (rates: single)"],
    ),
}


@pytest.mark.parametrize(("points", "precision", "beyond"), SOURCE.values(), ids=SOURCE.keys())
def test_what_no_rate_covers_is_called_extrapolated(points, precision, beyond):
    said = notes_on(case(points, run={"precision": precision}), toy(), "whorl", overlap=False)
    assert list(said) == [f"extrapolated to {what}: only a rough guess" for what in beyond]


def test_both_precisions_may_be_measured():
    both = machine_from(sections() | {"double": sections()["single"]})
    assert notes_on(case(run={"precision": "double"}), both, "whorl", overlap=False) == ()


def test_small_cases_are_extrapolated_on_frontier():
    (said,) = notes_on(
        case(64, run={"precision": "double"}), load_machine("frontier"), "whorl", overlap=False
    )
    assert "lines of 64 points (rates: 2048 to 32768), double precision (rates: single)" in said
    assert "no latency known: pair, node" in said


@pytest.mark.parametrize(("threads", "said"), [(0, 0), (2, 0), (7, 1)])
def test_threads_that_are_not_counted_are_named(threads, said):
    notes = make_plan(case(run={"threads": threads}), toy(), nodes=[4]).notes
    assert len(notes) == said
    assert all("run.threads = 7 is not counted: the machine gives a rank 2" in note for note in notes)
    assert notes_on(case(run={"threads": threads}), toy(), "gests", overlap=False) == ()


def test_notes_are_part_of_the_plan():
    plan = make_plan(case(), toy(), nodes=[4], overlap=True)
    (guess,) = plan.notes
    assert guess.startswith("overlap assumes the share links[].hidden of each exchange")
    assert to_dict(plan)["notes"] == [guess]

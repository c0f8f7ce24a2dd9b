"""What is said of a plan beside its numbers."""

import pytest
from planner.cases import case, sections, toy
from whorl.machine.planner.cost import Parts
from whorl.machine.planner.machine import load_machine, machine_from
from whorl.machine.planner.notes import notes_on
from whorl.machine.planner.plan import make_plan, to_dict
from whorl.machine.planner.search import RunLayout

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
    (said,) = make_plan(case(64, run={"precision": "double"}), load_machine("frontier"), nodes=[1, 2]).notes
    assert "lines of 64 points (rates: 2048 to 32768), double precision (rates: single)" in said
    assert "MiB on 1 and 2 nodes (links pair and node: 0.125 to 2048 MiB)" in said
    assert "MiB on 2 nodes (links group and machine: 0.125 to 128 MiB)" in said


MEASURED = [
    {"level": "node", "ranks": 4, "bandwidth": 8.0, "messages": [1.0, 4.0]},
    {"level": "machine", "ranks": 0, "bandwidth": 2.0, "latency": 5.0, "messages": [0.5, 2.0]},
]
SIZES = {
    "all within": (2, {"node": (1.0,), "machine": (2.0, 0.5)}, []),
    "more nodes": (3, {}, ["3 nodes (links: up to 2)"]),
    "smaller": (1, {"node": (0.9,)}, ["messages of 0.9 MiB on 1 node (links node: 1 to 4 MiB)"]),
    "larger": (2, {"machine": (2.5,)}, ["messages of 2.5 MiB on 2 nodes (links machine: 0.5 to 2 MiB)"]),
    "of both kinds": (
        2,
        {"node": (5.0,), "machine": (1.0, 0.01)},
        [
            "messages of 5 MiB on 2 nodes (links node: 1 to 4 MiB)",
            "messages of 0.01 MiB on 2 nodes (links machine: 0.5 to 2 MiB)",
        ],
    ),
}


@pytest.mark.parametrize(("nodes", "sizes", "beyond"), SIZES.values(), ids=SIZES.keys())
def test_nodes_and_messages_beyond_the_links_are_called_extrapolated(nodes, sizes, beyond):
    machine = toy(node={"measured": 2}, links=MEASURED)
    bytes_of = {level: tuple(2**20 * size for size in mebibytes) for level, mebibytes in sizes.items()}
    layout = RunLayout(nodes, nodes, (1, nodes), 1, 1, {}, 1.0, Parts(*[1.0] * 6), bytes_of)
    said = notes_on(case(), machine, "whorl", False, [layout])
    assert list(said) == ([f"extrapolated to {', '.join(beyond)}: only a rough guess"] if beyond else [])
    assert notes_on(case(), toy(), "whorl", False, [layout]) == ()


def test_numbers_of_nodes_are_told_together():
    machine = toy(node={"measured": 4}, links=MEASURED)
    (said,) = make_plan(case(), machine, nodes=[4, 8, 16]).notes
    assert said.startswith("extrapolated to 8 and 16 nodes (links: up to 4), messages of ")
    assert " MiB on 4 and 8 and 16 nodes (links node: 1 to 4 MiB), messages of " in said
    assert said.endswith(" MiB on 8 and 16 nodes (links machine: 0.5 to 2 MiB): only a rough guess")


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

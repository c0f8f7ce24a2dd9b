"""What a plan says and draws, of runs of round numbers."""

import dataclasses
import io

import pytest
from matplotlib.figure import Figure
from planner.cases import case, toy
from rich.console import Console
from whorl.planner import report
from whorl.planner.clock import Parts
from whorl.planner.plan import Plan, Run, to_dict
from whorl.planner.run_length import Length, Output
from whorl.planner.search import Layout

GIB = 2**30
OUTPUT = Output(3, 2, 1.5 * GIB, 4 * GIB, 20.0)


def run_of(nodes, parts, hours, memory=3.0, own=5):
    """Two ranks a node in slabs, with so many GiB of the 4 that a rank has."""
    layout = Layout(nodes, 2 * nodes, (1, 2 * nodes), 5, own, {"state": memory * GIB}, 4.0 * GIB, parts)
    return Run(layout, OUTPUT, 3600.0 * hours)


def plan_of(*runs, algorithm="whorl"):
    chosen = case(64, time={"scheme": "rk4"})
    return Plan(chosen, toy(), algorithm, True, 2, Length(1000, 0.25, "time.dt"), runs)


RUNS = (
    run_of(1, Parts(8.0, 4.0, 2.0, 16.0, 32.0, 1.0), 30.0, memory=6.0),  # does not fit
    run_of(2, Parts(4.0, 2.0, 1.0, 8.0, 16.0, 0.5), 20.0),
    run_of(4, Parts(2.0, 1.0, 0.5, 4.0, 8.0, 0.25), 9.0),
    run_of(8, Parts(1.0, 0.5, 0.25, 2.0, 4.0, 0.125), 6.0),
)


@pytest.fixture
def shown():
    console = Console(file=io.StringIO(), width=120)
    report.show_plan(plan_of(*RUNS), console)
    return [" ".join(line.split()) for line in console.file.getvalue().splitlines()]


def test_a_line_for_each_number_of_nodes(shown):
    assert "nodes grid batches GiB a rank FFT pack other row column hidden s a step hours node-hours" in shown
    assert "1 1 × 2 5 6 > 4 8 4 32 2 16 -1 61 30 30" in shown
    assert "2 1 × 4 5 3 4 2 16 1 8 -0.5 30.5 20 40" in shown
    assert "4 1 × 8 5 3 2 1 8 0.5 4 -0.25 15.25 9 36" in shown
    assert "8 1 × 16 5 3 1 0.5 4 0.25 2 -0.125 7.625 6 48" in shown


def test_the_cheapest_that_fits_in_full(shown):
    """Four nodes: one would take fewer node-hours and is too small, eight are quicker."""
    assert "fewest node-hours 36 on 4 nodes" in shown
    assert 'set run.process_grid = [1, 8], run.transport = "overlap"' in shown
    assert "memory a rank 3 GiB: state 3 GiB" in shown
    assert "output 12.5 GiB in 20 s: 3 snapshots of 1.5 GiB, 2 checkpoints of 4 GiB" in shown


def set_by(algorithm="whorl", own=5, nodes=4, **run):
    """What is to be set for five batches where a run would take `own`."""
    planned = run_of(nodes, Parts(*[1.0] * 6), 1.0, own=own)
    plan = plan_of(planned, algorithm=algorithm)
    chosen = case(run=run)
    return report.to_set(dataclasses.replace(plan, case=chosen), planned.layout)


def test_only_what_a_run_would_not_take_by_itself_is_to_be_set():
    overlaps = {"transport": "overlap"}
    assert set_by(**overlaps) == "run.process_grid = [1, 8]"
    assert set_by(**overlaps, process_grid=[1, 8]) == ""
    assert set_by(own=16, **overlaps, process_grid=[1, 8]) == "run.batches = 5 (of itself a run takes 16)"
    assert set_by() == 'run.process_grid = [1, 8], run.transport = "overlap"'
    assert set_by(algorithm="gests", own=16) == ""


def test_the_headline_says_whose_steps_they_are():
    assert "64³, single, 2/3, rk4, whorl, exchange overlapped, on toy" in report.headline(plan_of(*RUNS))
    assert "64³, single, untruncated, rk2, gests," in report.headline(plan_of(*RUNS, algorithm="gests"))


def test_the_json_has_the_same_numbers():
    run = to_dict(plan_of(*RUNS))["runs"][1]
    assert (run["nodes"], run["ranks"], run["process_grid"], run["batches"]) == (2, 4, [1, 4], 5)
    assert (run["seconds_per_step"], run["seconds"], run["node_hours"]) == (30.5, 72000.0, 40.0)
    assert run["output"]["bytes"] == 12.5 * GIB


@pytest.fixture
def panels(monkeypatch, tmp_path):
    """The axes of a drawn plan: parts of a step, cost of the run."""
    figures = []
    monkeypatch.setattr(report, "Figure", lambda **given: figures.append(Figure(**given)) or figures[-1])
    report.draw_plan(plan_of(*RUNS), tmp_path / "plan.png")
    return figures[0].axes


def test_bars_are_as_high_as_the_parts_together(panels):
    tops = [
        max(bar.get_y() + bar.get_height() for bar in at_once)
        for at_once in zip(*panels[0].containers, strict=True)
    ]
    assert tops == [62.0, 31.0, 15.5, 7.75]
    assert panels[0].lines[0].get_ydata() == pytest.approx([61.0, 30.5, 15.25, 7.625])
    assert [label.get_text() for label in panels[0].get_xticklabels()] == ["1", "2", "4", "8"]


def test_the_cost_is_drawn_in_hours(panels):
    drawn = {line.get_label(): list(line.get_ydata()) for line in panels[1].lines}
    assert drawn == {"node-hours": [30.0, 40.0, 36.0, 48.0], "hours": [30.0, 20.0, 9.0, 6.0]}
    assert list(panels[1].lines[0].get_xdata()) == [1, 2, 4, 8]

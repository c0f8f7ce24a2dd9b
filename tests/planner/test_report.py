"""What a plan says and draws, of runs of round numbers."""

import dataclasses
import io

import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from planner.cases import case, toy
from rich.console import Console
from whorl.machine.planner import picture, report
from whorl.machine.planner.cost import Parts
from whorl.machine.planner.plan import PlannedRun, RunPlan, to_dict
from whorl.machine.planner.run_length import Length, OutputCost
from whorl.machine.planner.search import RunLayout

GIB = 2**30
OUTPUT = OutputCost(3, 2, 1.5 * GIB, 4 * GIB, 20.0)


def run_of(nodes, parts, hours, memory=3.0, own=5):
    """Two ranks a node in slabs, with so many GiB of the 4 that a rank has."""
    layout = RunLayout(nodes, 2 * nodes, (1, 2 * nodes), 5, own, {"state": memory * GIB}, 4.0 * GIB, parts)
    return PlannedRun(layout, OUTPUT, 3600.0 * hours)


def plan_of(*runs, algorithm="whorl"):
    chosen = case(64, time={"scheme": "rk4"})
    return RunPlan(chosen, toy(), algorithm, True, 2, Length(1000, 0.25, "time.dt"), runs)


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
    assert set_by(own=16, **overlaps, process_grid=[1, 8]) == "run.batches = 5 (by default a run takes 16)"
    assert set_by() == 'run.process_grid = [1, 8], run.transport = "overlap"'
    assert set_by(algorithm="gests", own=16) == ""


def test_the_headline_says_whose_steps_they_are():
    assert "64³, single, 2/3, rk4, whorl, exchange overlapped, on toy" in report.headline(plan_of(*RUNS))
    assert "64³, single, untruncated, rk2, gests," in report.headline(plan_of(*RUNS, algorithm="gests"))


def test_the_json_has_the_same_numbers():
    run = to_dict(plan_of(*RUNS))["runs"][1]
    assert (run["nodes"], run["ranks"], run["process_grid"], run["batches"]) == (2, 4, [1, 4], 5)
    assert run["own_batches"] == 5
    assert (run["seconds_per_step"], run["seconds"], run["node_hours"]) == (30.5, 72000.0, 40.0)
    assert run["output"]["bytes"] == 12.5 * GIB


CUT = "…"


@pytest.mark.parametrize("width", [40, 80, 300])
def test_no_number_is_ever_cut(width):
    """The widest that a run of years on all of a machine may have."""
    odd = Parts(*(1.2345e-5 + 1e-7 * i for i in range(6)))
    layout = RunLayout(9408, 75264, (64, 1176), 1176, 8, {"state": 1.234e15}, 1.2345e11, odd)
    fits = RunLayout(9407, 75256, (64, 1175), 1175, 8, {"state": 1.2345e9}, 1.2345e11, odd)
    shown = text_of(
        plan_of(PlannedRun(layout, OUTPUT, 1.2345e13), PlannedRun(fits, OUTPUT, 1.2345e-13)), width
    )
    assert CUT not in shown
    assert "1.15e+06 > 115" in shown
    for value in ("4.988e-05", "-1.28e-05", "3.43e+09", "3.226e+13", "3.226e-13", "64 × 1176"):
        assert value in shown
    assert [line for line in shown.splitlines() if line.endswith("node-hours")]


def text_of(plan, width):
    console = Console(file=io.StringIO(), width=width)
    report.show_plan(plan, console)
    return console.file.getvalue()


def test_lines_of_the_head_stay_whole_and_counts_are_in_the_right_number():
    one = dataclasses.replace(RUNS[1], output=OutputCost(1, 1, GIB, GIB, 1.0))
    shown = text_of(plan_of(one), 40)
    assert "1000 steps of 0.25, by time.dt; fewest nodes: 2\n" in shown
    assert " 1 snapshot of 1 GiB, 1 checkpoint of 1 GiB" in shown
    assert report.counted(0, "snapshot") == "0 snapshots"


def test_nothing_hidden_is_no_negative_nothing():
    layout = dataclasses.replace(RUNS[1].layout, parts=Parts(1.0, 1.0, 1.0, 1.0, 1.0, 0.0))
    assert "-0" not in text_of(plan_of(PlannedRun(layout, OUTPUT, 1.0)), 120)


@pytest.fixture
def draw(monkeypatch, tmp_path):
    """Draws a plan of these runs and returns the figure."""
    figures = []
    monkeypatch.setattr(picture, "Figure", lambda **given: figures.append(Figure(**given)) or figures[-1])

    def drawn(*runs):
        picture.draw_plan(plan_of(*runs), tmp_path / "plan.png")
        return figures[-1]

    return drawn


@pytest.fixture
def panels(draw):
    """The axes of a drawn plan: parts of a step, hours and node-hours of the run."""
    return draw(*RUNS).axes


def test_bars_are_as_high_as_the_parts_together_of_all_nodes(panels):
    bars = [panels[0].containers[i] for i in range(5)]
    tops = [max(bar.get_y() + bar.get_height() for bar in at_once) for at_once in zip(*bars, strict=True)]
    assert tops == [62.0, 62.0, 62.0, 62.0]
    (totals,) = panels[0].collections
    assert [line[0][1] for line in totals.get_segments()] == [61.0, 61.0, 61.0, 61.0]
    assert [label.get_text() for label in panels[0].get_xticklabels()] == ["1", "2", "4", "8"]


def test_what_does_not_fit_is_pale_and_said_so(panels):
    for bars in panels[0].containers:
        assert [bar.get_alpha() for bar in bars] == [0.25, 1.0, 1.0, 1.0]
    said = [text.get_text() for text in panels[0].texts]
    assert said == ["61 s\ndoes not fit", "30.5 s", "15.2 s", "7.62 s"]


def test_the_time_and_the_cost_are_drawn_where_the_case_fits(panels):
    """Each in a panel of its own, so that neither hides the other."""
    for ax, unit, fitting, other in (
        (panels[1], "hours", [20.0, 9.0, 6.0], [30.0]),
        (panels[2], "node-hours", [40.0, 36.0, 48.0], [30.0]),
    ):
        drawn = {line.get_label(): line for line in ax.lines}
        assert list(drawn[unit].get_xdata()) == [2, 4, 8]
        assert list(drawn[unit].get_ydata()) == fitting
        assert list(drawn["does not fit"].get_ydata()) == other
        assert drawn["does not fit"].get_linestyle() == "None"


@pytest.mark.parametrize("count", [1, 2, 4, 8])
def test_every_axis_has_its_unit_and_the_legend_lies_on_no_panel(draw, count):
    figure = draw(*(run_of(2**i, Parts(*[2.0**-i] * 6), 9.0 / 2**i) for i in range(count)))
    figure.canvas.draw()
    labels = [label for ax in figure.axes for label in (ax.get_xlabel(), ax.get_ylabel())]
    hours = ["nodes", "hours", "nodes", "node-hours"]
    assert labels == (["seconds a step", ""] if count == 1 else ["nodes", "node-seconds a step", *hours])
    for legend in figure.legends:
        assert not any(legend.get_window_extent().overlaps(ax.get_window_extent()) for ax in figure.axes)
        colors = [key.get_facecolor() for key in legend.get_patches()]
        assert colors == [to_rgba(color) for _, color in report.PARTS.values()]
    assert len(figure.legends) == (count > 1)


def test_one_number_of_nodes_has_a_bar_for_each_part(draw):
    (ax,) = draw(RUNS[1]).axes
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["hidden", "column", "row", "other", "pack", "FFT"]
    assert [bar.get_width() for bar in ax.containers[0]] == [-0.5, 8.0, 1.0, 16.0, 2.0, 4.0]
    assert ax.get_title(loc="left") == "2 nodes: 30.5 s a step, 20 hours, 40 node-hours"


def test_numbers_of_nodes_are_named_where_there_is_room():
    assert picture._labels([1, 2, 4, 128]) == ["1", "2", "4", "128"]
    assert picture._labels([1, 63, 64, 128]) == ["1", "63", "", "128"]

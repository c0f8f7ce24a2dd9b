"""A plan as a picture: the cost of a step by part, and the time and cost of the run, over the nodes."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

from matplotlib import rc_context
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator

from whorl.base.text import counted
from whorl.machine.planner.plan import PlannedRun, RunPlan
from whorl.machine.planner.report import headline, parts_of
from whorl.pictures.style import STYLE, save_picture

WIDE = 5.0  # ratio of the largest to the smallest value beyond which an axis is logarithmic
VERY_WIDE = 100.0  # ratio beyond which it has labels only at powers of ten
ROOM = 0.07  # fraction of an axis for the label of a number of nodes
TOTAL = "0.1"
TOO_LARGE = "0.6"


def draw_plan(plan: RunPlan, path: Path) -> None:
    """Writes a PNG. Numbers of nodes on which the case does not fit are pale and not joined to others."""
    with rc_context(STYLE):
        alone = len(plan.runs) == 1
        figure = Figure(figsize=(7.5, 3.6) if alone else (11, 5.2), layout="constrained")
        if alone:
            _draw_one(figure.subplots(), plan)
        else:
            axes = figure.subplot_mosaic([["step", "hours"], ["step", "cost"]], width_ratios=(1.4, 1))
            _draw_parts(axes["step"], plan)
            _draw_over_nodes(
                axes["hours"], plan, "Time of the whole run", "hours", lambda run: run.seconds / 3600
            )
            _draw_over_nodes(
                axes["cost"], plan, "Cost of the whole run", "node-hours", lambda run: run.node_hours
            )
            keys = _keys(plan)
            figure.legend(handles=keys, loc="outside lower left", ncols=len(keys), frameon=False, fontsize=9)
        figure.suptitle(f"{headline(plan)} (predicted)", x=0.012, ha="left", fontsize=11)
        save_picture(figure, path)


def _draw_one(ax: Axes, plan: RunPlan) -> None:
    """Draws the parts of a step on a single number of nodes, side by side, each with its value."""
    (run,) = plan.runs
    parts = run.layout.parts
    bars = [(name, getattr(parts, part), color) for part, (name, color) in parts_of(plan).items()]
    if plan.overlap:
        bars.append(("hidden", -parts.hidden, "0.75"))
    names, values, colors = zip(*reversed(bars), strict=True)
    drawn = ax.barh(names, values, 0.7, color=colors)
    ax.bar_label(drawn, [_number(value) for value in values], padding=4, fontsize=9)
    ax.margins(x=0.12)
    ax.axvline(0, color="0.6", linewidth=0.8)
    ax.set(
        xlabel="seconds a step",
        title=f"{counted(run.layout.nodes, 'node')}: {_number(parts.total)} s a step, "
        f"{_number(run.seconds / 3600)} hours, {_number(run.node_hours)} node-hours",
    )
    ax.grid(False, axis="y")


def _keys(plan: RunPlan) -> list[Artist]:
    """The legend of the colours; it has its own patches, since the first drawn bar may be pale."""
    keys: list[Artist] = [Patch(color=color, label=name) for name, color in parts_of(plan).values()]
    return [*keys, Line2D([], [], color=TOTAL, label="total, overlapped")] if plan.overlap else keys


def _draw_parts(ax: Axes, plan: RunPlan) -> None:
    """Draws bars of node-seconds, which have equal heights if the time is inverse to the number of nodes."""
    places, bottom = range(len(plan.runs)), [0.0] * len(plan.runs)
    for part, (_, color) in parts_of(plan).items():
        values = [run.layout.nodes * getattr(run.layout.parts, part) for run in plan.runs]
        bars = ax.bar(places, values, 0.7, bottom, color=color)
        for bar, run in zip(bars, plan.runs, strict=True):
            bar.set_alpha(1.0 if run.layout.fits else 0.25)
        bottom = [low + value for low, value in zip(bottom, values, strict=True)]
    if plan.overlap:
        totals = [run.layout.nodes * run.layout.parts.total for run in plan.runs]
        ax.hlines(totals, [at - 0.42 for at in places], [at + 0.42 for at in places], TOTAL)
    for at, top, run in zip(places, bottom, plan.runs, strict=True):
        seconds = f"{_number(run.layout.parts.total)} s"
        ax.annotate(
            seconds if run.layout.fits else f"{seconds}\ndoes not fit",
            (at, top),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=8,
            color="0.2" if run.layout.fits else TOO_LARGE,
        )
    ax.set(title="Cost of a step, above it its time", xlabel="nodes", ylabel="node-seconds a step")
    ax.margins(y=0.12)
    ax.set_xticks(places, _nodes(plan.runs))
    ax.grid(False, axis="x")


def _draw_over_nodes(
    ax: Axes, plan: RunPlan, title: str, unit: str, value: Callable[[PlannedRun], float]
) -> None:
    nodes = [run.layout.nodes for run in plan.runs]
    fitting = [run for run in plan.runs if run.layout.fits]
    others = [run for run in plan.runs if not run.layout.fits]
    ax.plot(
        [run.layout.nodes for run in fitting], list(map(value, fitting)), "o-", color="#2b6cb0", label=unit
    )
    ax.plot(
        [run.layout.nodes for run in others],
        list(map(value, others)),
        "o",
        color=TOO_LARGE,
        markerfacecolor="none",
        label="does not fit",
    )
    values = list(map(value, plan.runs))
    ax.set(title=title, xlabel="nodes", ylabel=unit, xscale="log")
    if max(values) > WIDE * min(values):
        ax.set_yscale("log")
        ax.yaxis.set_major_locator(
            LogLocator(subs=(1, 2, 5) if max(values) < VERY_WIDE * min(values) else (1,))
        )
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    else:
        ax.set_ylim(0, 1.15 * max(values))
    ax.set_xticks(nodes, _labels(nodes))
    ax.minorticks_off()


def _labels(nodes: Sequence[int]) -> list[str]:
    """Labels on a logarithmic axis; a label is empty if it would overlap the last."""
    room = ROOM * math.log(nodes[-1] / nodes[0])
    labels: list[str] = []
    last = 0.0
    for count in nodes:
        free = last == 0 or math.log(count / last) > room
        labels.append(str(count) if free else "")
        last = count if free else last
    return labels


def _nodes(runs: Sequence[PlannedRun]) -> list[str]:
    return [str(run.layout.nodes) for run in runs]


def _number(value: float) -> str:
    return f"{value + 0.0:.3g}"

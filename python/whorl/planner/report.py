"""A plan for people: tables, and a picture over the number of nodes."""

from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, ScalarFormatter
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from whorl import _core
from whorl.checks import gibibytes
from whorl.core_options import core_options
from whorl.exchange_choice import plain
from whorl.files import whole_file
from whorl.picture_style import STYLE
from whorl.planner.plan import Plan
from whorl.planner.search import Layout

WIDTH = 120
PARTS = {
    "fft": ("FFT", "#2b6cb0"),
    "pack": ("pack", "#7aa6d6"),
    "other": ("other", "#4d7c0f"),
    "row": ("row", "#f0a36b"),
    "column": ("column", "#c2410c"),
}


def show_plan(plan: Plan, console: Console) -> None:
    """What is planned, a line for each number of nodes, and the cheapest in full."""
    console.print(f"[bold]{escape(headline(plan))}[/]", soft_wrap=True)
    console.print(f"predicted; rates from {escape(plan.machine.machine.source)}", style="dim", soft_wrap=True)
    length = plan.length
    step = f" of {length.dt:.4g}" if length.dt else ""
    console.print(f"{length.steps} steps{step}, by {length.known_by}; fewest nodes: {plan.fewest}")
    if plan.overlap:
        console.print("overlap assumes the share links[].hidden of each exchange, which nobody measured")
    console.print()
    # Columns stay whole; a terminal that is narrower breaks lines.
    console.width = max(console.width, WIDTH)
    console.print(over_nodes(plan), "")
    console.print(in_full(plan))


def headline(plan: Plan) -> str:
    case = plan.case
    points = case.grid.points
    size = f"{points[0]}³" if len(set(points)) == 1 else " × ".join(map(str, points))
    kept = f"{case.grid.dealias} sphere" if case.grid.shape == "sphere" else case.grid.dealias
    kept = "untruncated" if plan.algorithm == "gests" else kept
    scheme = "rk2" if plan.algorithm == "gests" else case.time.scheme
    overlap = ", exchange overlapped" if plan.overlap else ""
    return (
        f"{case.flow.model} {size}, {case.run.precision}, {kept}, {scheme}, {plan.algorithm}{overlap}, "
        f"on {plan.machine.machine.name}"
    )


def over_nodes(plan: Plan) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    names = [name for name, _ in PARTS.values()]
    hidden = ["hidden"] if plan.overlap else []
    heads = ["nodes", "grid", "batches", "GiB a rank", *names, *hidden, "s a step", "hours", "node-hours"]
    for head in heads:
        table.add_column(head, justify="right", no_wrap=True)
    rows = [(run.layout.nodes, run) for run in plan.runs] + [(nodes, None) for nodes in plan.without_grid]
    for nodes, run in sorted(rows, key=lambda row: row[0]):
        if run is None:
            table.add_row(str(nodes), "no process grid", style="dim")
            continue
        layout, parts = run.layout, run.layout.parts
        shown = [getattr(parts, part) for part in PARTS] + ([-parts.hidden] if hidden else [])
        need = f"{layout.memory_needed / 2**30:.3g}"
        table.add_row(
            str(layout.nodes),
            f"{layout.grid[0]} × {layout.grid[1]}",
            str(layout.batches),
            need if layout.fits else f"{need} > {layout.memory_of_rank / 2**30:.3g}",
            *(f"{value:.3g}" for value in shown),
            f"{parts.total:.4g}",
            f"{run.seconds / 3600:.3g}",
            f"{run.node_hours:.4g}",
            style=None if layout.fits else "dim",
        )
    return table


def to_set(plan: Plan, layout: Layout) -> str:
    """The options of the case that make a run what is planned, where it would not be by itself."""
    run = plan.case.run
    if plan.algorithm == "gests":
        return ""
    options = []
    if run.process_grid == (0, 0) and layout.ranks > 1:
        options.append(f"run.process_grid = [{layout.grid[0]}, {layout.grid[1]}]")
    if layout.batches != layout.own_batches:
        options.append(f"run.batches = {layout.batches} (of itself a run takes {layout.own_batches})")
    if plan.overlap and _core.exchange_blocks(core_options(plain(plan.case), 1)):
        options.append('run.transport = "overlap"')
    return ", ".join(options)


def in_full(plan: Plan) -> Table:
    """The run with the fewest node-hours: what to set, memory by array, output."""
    run = plan.cheapest
    layout, output = run.layout, run.output
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column()
    nodes = f"{layout.nodes} node{'s' if layout.nodes > 1 else ''}"
    table.add_row("fewest node-hours", f"{run.node_hours:.4g} on {nodes}")
    if asked := to_set(plan, layout):
        table.add_row("set", asked)
    arrays = ", ".join(f"{name} {gibibytes(count)}" for name, count in layout.memory.items() if count)
    table.add_row("memory a rank", f"{gibibytes(layout.memory_needed)}: {arrays}")
    table.add_row(
        "output",
        f"{gibibytes(output.bytes)} in {output.seconds:.3g} s: {output.snapshots} snapshots of "
        f"{gibibytes(output.snapshot_bytes)}, {output.checkpoints} checkpoints of "
        f"{gibibytes(output.checkpoint_bytes)}",
    )
    return table


def draw_plan(plan: Plan, path: Path) -> None:
    """Seconds a step by part and node-hours, over the number of nodes, as a PNG."""
    with rc_context(STYLE):
        figure = Figure(figsize=(11, 4.6), layout="constrained")
        FigureCanvasAgg(figure)
        left, right = figure.subplots(1, 2)
        _draw_parts(left, plan)
        _draw_cost(right, plan)
        figure.suptitle(f"{headline(plan)} (predicted)", x=0.012, ha="left", fontsize=11)
        with whole_file(path) as beside:
            figure.savefig(beside, format="png", dpi=150)


def _draw_parts(ax: Axes, plan: Plan) -> None:
    """Bars of the parts; a mark where overlap makes the step shorter than their sum."""
    places = range(len(plan.runs))
    bottom = [0.0] * len(plan.runs)
    for part, (name, color) in PARTS.items():
        values = [getattr(run.layout.parts, part) for run in plan.runs]
        ax.bar(places, values, 0.7, bottom, label=name, color=color)
        bottom = [low + value for low, value in zip(bottom, values, strict=True)]
    if plan.overlap:
        totals = [run.layout.parts.total for run in plan.runs]
        ax.plot(places, totals, "_", color="0.1", markersize=26, label="total, overlapped")
    ax.set(title="Seconds a step", xlabel="nodes")
    ax.set_xticks(places, [str(run.layout.nodes) for run in plan.runs])
    ax.grid(False, axis="x")
    ax.legend(frameon=False, fontsize=8.5)


def _draw_cost(ax: Axes, plan: Plan) -> None:
    nodes = [run.layout.nodes for run in plan.runs]
    ax.plot(nodes, [run.node_hours for run in plan.runs], "o-", color="#2b6cb0", label="node-hours")
    ax.plot(nodes, [run.seconds / 3600 for run in plan.runs], "s-", color="#c2410c", label="hours")
    ax.set(title="The whole run", xlabel="nodes", xscale="log", yscale="log")
    ax.set_xticks(nodes)
    ax.xaxis.set_major_formatter(ScalarFormatter())
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.legend(frameon=False, fontsize=8.5)

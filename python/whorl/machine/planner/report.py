"""A plan as tables."""

from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table

from whorl import _core
from whorl.base.text import counted
from whorl.forcing.options import expectation
from whorl.machine.planner.plan import RunPlan
from whorl.machine.planner.search import RunLayout
from whorl.machine.planner.whorl_load import planned_options
from whorl.run.memory.checks import gibibytes

WIDTH = 120
WIDEST = 10_000  # more than any table has
PARTS = {
    "fft": ("FFT", "#2b6cb0"),
    "pack": ("pack", "#7aa6d6"),
    "other": ("other", "#4d7c0f"),
    "row": ("row", "#f0a36b"),
    "column": ("column", "#c2410c"),
}
PARTICLES = {"particles": ("particles", "#8a63b8")}


def show_plan(plan: RunPlan, console: Console) -> None:
    """Print the headline of a plan, a line for each number of nodes, and the cheapest run in full."""
    console.print(f"[bold]{escape(headline(plan))}[/]", soft_wrap=True)
    console.print(f"predicted; rates from {escape(plan.machine.machine.source)}", style="dim", soft_wrap=True)
    length = plan.length
    step = f" of {length.dt:.4g}" if length.dt else ""
    most = "at most " if plan.case.time.until_error or plan.case.time.stop_when else ""
    steps = most + counted(length.steps, "step")
    known_by = "as the force should keep up" if expectation(plan.case) else "as in the initial field"
    turnover = f", turnovers of {length.turnover:.3g} {known_by}" if length.turnover else ""
    console.print(
        f"{steps}{step}, by {length.known_by}{turnover}; fewest nodes: {plan.fewest}", soft_wrap=True
    )
    for note in plan.notes:
        console.print(f"note: {escape(note)}", soft_wrap=True)
    console.print()
    table = over_nodes(plan)
    # Columns stay whole; a narrower terminal breaks lines.
    widest = console.options.update(max_width=WIDEST)
    console.width = max(console.width, WIDTH, Measurement.get(console, widest, table).maximum)
    console.print(table, "")
    console.print(in_full(plan))


def parts_of(plan: RunPlan) -> dict[str, tuple[str, str]]:
    """The parts of a step of the plan, with names and colours."""
    return PARTS | PARTICLES if plan.case.particles else PARTS


def headline(plan: RunPlan) -> str:
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


def over_nodes(plan: RunPlan) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    names = [name for name, _ in parts_of(plan).values()]
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
        shown = [getattr(parts, part) for part in parts_of(plan)] + ([0.0 - parts.hidden] if hidden else [])
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


def to_set(plan: RunPlan, layout: RunLayout) -> str:
    """The options to set so that a run is as planned, where they differ from its own choices."""
    run = plan.case.run
    if plan.algorithm == "gests":
        return ""
    options = []
    if plan.machine.device != "cpu" and run.device == "cpu":
        options.append('run.device = "cuda" (on GPUs of AMD "hip", which no build has yet)')
    if run.process_grid == (0, 0) and layout.ranks > 1:
        options.append(f"run.process_grid = [{layout.grid[0]}, {layout.grid[1]}]")
    if layout.batches != layout.own_batches:
        options.append(f"run.batches = {layout.batches} (by default a run takes {layout.own_batches})")
    if plan.overlap and _core.exchange_blocks(planned_options(plan.case)):
        options.append('run.transport = "overlap"')
    return ", ".join(options)


def in_full(plan: RunPlan) -> Table:
    """The run with the fewest node-hours: options to set, memory by array, output."""
    run = plan.cheapest
    layout, output = run.layout, run.output
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column()
    table.add_row("fewest node-hours", f"{run.node_hours:.4g} on {counted(layout.nodes, 'node')}")
    if asked := to_set(plan, layout):
        table.add_row("set", asked)
    arrays = ", ".join(f"{name} {gibibytes(count)}" for name, count in layout.memory.items() if count)
    table.add_row("memory a rank", f"{gibibytes(layout.memory_needed)}: {arrays}")
    table.add_row(
        "output",
        f"{gibibytes(output.bytes)} in {output.seconds:.3g} s: {counted(output.snapshots, 'snapshot')} of "
        f"{gibibytes(output.snapshot_bytes)}, {counted(output.checkpoints, 'checkpoint')} of "
        f"{gibibytes(output.checkpoint_bytes)}",
    )
    for what, how in plan.expressions:
        table.add_row(escape(what), how)
    return table

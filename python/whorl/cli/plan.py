"""`whorl plan` and `whorl bench machine`; functions import slow modules, so that help appears at once."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import typer

from whorl.base.errors import CaseError
from whorl.base.files import check_folder, check_picture, write_text
from whorl.cli.options import CaseName, Settings

MachineName = Annotated[
    str | None,
    typer.Option(
        "--machine",
        "-m",
        help="A machine file (TOML), or the name of one: frontier, h200. By default this machine, by "
        "local.toml of whorl bench machine, if it is here, else measured in some seconds.",
    ),
]
Nodes = Annotated[list[int] | None, typer.Option("--nodes", "-n", help="Numbers of nodes; repeat as needed.")]
Algorithm = Annotated[
    Literal["whorl", "gests"], typer.Option(help="The algorithm: whorl's, or that of GESTS.")
]
RanksPerNode = Annotated[
    int | None, typer.Option(min=1, help="Ranks per node, if not those of the machine file.")
]
MeanStep = Annotated[
    float | None, typer.Option(help="The mean time step, in place of time.dt or of the step by time.courant.")
]
Overlap = Annotated[
    bool | None,
    typer.Option(
        help="Work while the columns are exchanged; by default as run.transport and run.threading do."
    ),
]
Json = Annotated[Path | None, typer.Option("--json", help="Write the plan to this file too.")]
Plot = Annotated[Path | None, typer.Option("--plot", help="Draw it over the nodes to this PNG, PDF or SVG.")]


def plan(
    case: CaseName,
    machine: MachineName = None,
    nodes: Nodes = None,
    algorithm: Algorithm = "whorl",
    ranks_per_node: RanksPerNode = None,
    dt: MeanStep = None,
    overlap: Overlap = None,
    settings: Settings = None,
    json: Json = None,
    plot: Plot = None,
) -> None:
    """Predict memory, time per step, output and node-hours of a case on a machine, before it is queued."""
    from whorl.config.case import load_case
    from whorl.machine.planner.machine import load_machine
    from whorl.machine.planner.measure import this_machine
    from whorl.machine.planner.picture import draw_plan
    from whorl.machine.planner.plan import as_json, make_plan
    from whorl.machine.planner.report import show_plan
    from whorl.machine.planner.search import with_ranks
    from whorl.run.progress import stdout_console

    _check_outputs(json, plot)
    planned_case = load_case(case, settings or [])
    if machine is None:
        where = this_machine(planned_case, lambda text: typer.echo(text, err=True))
    else:
        where = load_machine(machine)
    planned = make_plan(
        planned_case,
        with_ranks(where, ranks_per_node) if ranks_per_node else where,
        algorithm=algorithm,
        nodes=sorted(set(nodes or [])),
        dt=dt,
        overlap=overlap,
    )
    show_plan(planned, stdout_console())
    if json is not None:
        _write(json, lambda: write_text(json, as_json(planned)))
    if plot is not None:
        _write(plot, lambda: draw_plan(planned, plot))


def _check_outputs(text: Path | None, picture: Path | None = None) -> None:
    """Raises CaseError for files that cannot be written, before slow work begins."""
    if picture is not None:
        check_picture(picture)
    if text is not None and text.is_dir():
        raise CaseError(f"{text} is a directory; name a file in it.")
    if text is not None:
        check_folder(text, str(text))


def _write(path: Path, write: Callable[[], None]) -> None:
    """Write a file; errors name the given path, not that of the temporary file."""
    try:
        write()
    except OSError as error:
        raise CaseError(f"{path} cannot be written: {error.strerror or error}.") from None


def bench_machine(
    output: Annotated[Path, typer.Option("--output", "-o", help="The machine file to write.")] = Path(
        "local.toml"
    ),
    name: Annotated[str, typer.Option(help="The machine's name in the file.")] = "local",
) -> None:
    """Measure this node for whorl plan and write its file; under mpiexec, links between ranks too."""
    from whorl.base.endings import abort_on_exception
    from whorl.base.parallel import on_root, world
    from whorl.machine.planner.machine import machine_toml
    from whorl.machine.planner.measure import FILE, measure_machine

    abort_on_exception()
    comm = world()
    on_root(comm, lambda: _check_outputs(output))
    machine = measure_machine(name, comm, warn=lambda text: typer.echo(f"warning: {text}", err=True))
    on_root(comm, lambda: _write(output, lambda: write_text(output, machine_toml(machine))))
    if comm.rank == 0:
        named = "" if output == FILE else f" --machine {output}"
        typer.echo(f"machine  {output}\nplan with: whorl plan CASE{named}")

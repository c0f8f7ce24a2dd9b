"""`whorl bench` and its commands; functions import slow modules, so that help appears at once."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from whorl.base.declared import CHOICES, PLAIN_TRANSPORT
from whorl.cli.options import Settings, help_without_command
from whorl.config.dealiasing import DEALIASINGS
from whorl.run.progress import stdout_console

if TYPE_CHECKING:
    from whorl.config.case import Case

bench = typer.Typer(help="Measure how fast this machine is, against its own limits.")

Points = Annotated[int, typer.Option(help="Grid points along each axis.")]
Precision = Annotated[str, typer.Option(help=f"{' or '.join(CHOICES['precision'])}.")]
Dealias = Annotated[str | None, typer.Option(help=f"{', '.join(DEALIASINGS)}; the model's own by default.")]
Untruncated = Annotated[
    str, typer.Option(help=f"{', '.join(DEALIASINGS)}; none: whole transforms, to compare with others'.")
]
ModelName = Annotated[str, typer.Option(help="Equation set; see whorl models.")]
Scheme = Annotated[str, typer.Option(help="Time scheme.")]
Threads = Annotated[int, typer.Option(min=0, help="Threads per rank; 0: the cores available, shared.")]
Times = Annotated[int, typer.Option(min=1, help="Number of timings of each, after two to warm up.")]
Grid = Annotated[tuple[int, int] | None, typer.Option(help="Ranks as rows and columns: --process-grid 2 4.")]
Transport = Annotated[str, typer.Option(help="How ranks exchange data, or auto; see run.transport.")]
Json = Annotated[Path | None, typer.Option("--json", help="Write the figures to this file too.")]
Picture = Annotated[Path, typer.Option("--plot", help="The picture (PNG, PDF or SVG).")]
bench.callback(invoke_without_command=True)(help_without_command)


@bench.command("step")
def bench_step(
    points: Points = 256,
    precision: Precision = "double",
    dealias: Dealias = None,
    model: ModelName = "navier-stokes",
    scheme: Scheme = "rk2",
    steps: Annotated[int, typer.Option(min=1, help="Steps to measure, after two to warm up.")] = 10,
    threads: Threads = 0,
    particles: Annotated[int, typer.Option(min=0, help="Time as many steps with this many tracers too.")] = 0,
    json: Json = None,
    against: Annotated[
        Path | None, typer.Option(help="Report figures worse than those of this JSON of the same bench.")
    ] = None,
    margin: Annotated[float, typer.Option(min=0.0, help="Threshold of a change, in per cent.")] = 5.0,
    settings: Settings = None,
) -> None:
    """Time steps of a model: seconds, parts, memory, and their ratio to the machine's limits."""
    from whorl.machine.benches.against import compare, show_against
    from whorl.machine.benches.common import bench_case
    from whorl.machine.benches.step import measure_step, show_step

    comm = _ranks()
    case = bench_case(points, precision, dealias, model, scheme, threads, settings or [])
    earlier = _earlier(against, case) if against else None
    figures = measure_step(case, steps, comm, particles)
    if earlier is not None:
        figures["against"] = compare(earlier, figures, margin)
    _report(figures, show_step, json)
    if earlier is not None and comm.rank == 0:
        show_against(figures["against"], stdout_console())


@bench.command("fft")
def bench_fft(
    points: Points = 256,
    precision: Precision = "double",
    dealias: Untruncated = "none",
    bases: Annotated[str, typer.Option(help="FFF, SFF, SSF or SSS, along z, y, x; see grid.bases.")] = "FFF",
    transport: Transport = PLAIN_TRANSPORT,
    process_grid: Grid = None,
    times: Times = 10,
    threads: Threads = 0,
    json: Json = None,
    settings: Settings = None,
) -> None:
    """Time transforms of sin x cos y sin z and back, by step (Yeung and Pekurovsky), and check the result."""
    from whorl.machine.benches.fft import fft_case, measure_fft, show_fft

    comm = _ranks()
    chosen = [f"run.transport={transport}", *_grid(process_grid), *(settings or [])]
    case = fft_case(points, precision, dealias, bases, threads, chosen)
    _report(measure_fft(case, times, comm), show_fft, json)


@bench.command("exchange")
def bench_exchange(
    points: Points = 256,
    precision: Precision = "double",
    dealias: Dealias = None,
    model: ModelName = "navier-stokes",
    transport: Annotated[
        str, typer.Option(help="One way to exchange data, or all; see run.transport.")
    ] = "all",
    process_grid: Grid = None,
    times: Times = 10,
    threads: Threads = 0,
    json: Json = None,
    settings: Settings = None,
) -> None:
    """Time only the all-to-alls of a right-hand side: message sizes, seconds, bandwidth."""
    from whorl.machine.benches.common import bench_case
    from whorl.machine.benches.exchange import measure_exchange, show_exchange

    comm = _ranks()
    chosen = [*_grid(process_grid), *(settings or [])]
    case = bench_case(points, precision, dealias, model, "rk2", threads, chosen)
    _report(measure_exchange(case, transport, times, comm), show_exchange, json)


@bench.command("files")
def bench_files(
    points: Points = 128,
    precision: Precision = "double",
    dealias: Dealias = None,
    model: ModelName = "navier-stokes",
    folder: Annotated[Path, typer.Option(help="A folder on the disk to measure.")] = Path(),
    times: Annotated[int, typer.Option(min=1, help="Number of trials, of which the best counts.")] = 3,
    threads: Threads = 0,
    json: Json = None,
    settings: Settings = None,
) -> None:
    """Time checkpoints of every kind and a snapshot: bandwidth, and its share of the disk's."""
    from whorl.machine.benches.common import bench_case
    from whorl.machine.benches.files import measure_files, show_files

    comm = _ranks()
    case = bench_case(points, precision, dealias, model, "rk2", threads, settings or [])
    _report(measure_files(case, folder, times, comm), show_files, json)


@bench.command("scaling")
def bench_scaling(
    kernel: Annotated[
        Literal["fft", "step"], typer.Option(help="Pairs of transforms, or time steps.")
    ] = "fft",
    series: Annotated[
        Literal["strong", "weak", "both"], typer.Option(help="The same grid, or a growing one.")
    ] = "both",
    points: Annotated[
        int, typer.Option(help="Grid points along each axis; in a weak series those of one rank.")
    ] = 128,
    precision: Precision = "double",
    dealias: Annotated[
        str | None,
        typer.Option(help=f"{', '.join(DEALIASINGS)}; by default none with fft, else the model's own."),
    ] = None,
    model: Annotated[
        str, typer.Option(help="Equation set of the steps; see whorl models.")
    ] = "navier-stokes",
    times: Times = 10,
    threads: Threads = 0,
    plot: Annotated[Path, typer.Option("--plot", help="The picture (PNG, PDF or SVG).")] = Path(
        "scaling.png"
    ),
    json: Json = None,
    settings: Settings = None,
) -> None:
    """Time 1, 2, 4, … and all ranks: strong and weak scaling with their exponents, a table and a picture."""
    from whorl.base.files import check_picture
    from whorl.base.parallel import on_root
    from whorl.machine.benches.common import bench_case
    from whorl.machine.benches.fft import fft_case
    from whorl.machine.benches.scaling import SERIES, measure_scaling, show_scaling
    from whorl.machine.benches.scaling_picture import draw_scaling

    comm = _ranks()
    on_root(comm, lambda: check_picture(plot))
    if kernel == "fft":
        case = fft_case(points, precision, dealias, "FFF", threads, settings or [])
    else:
        case = bench_case(points, precision, dealias, model, "rk2", threads, settings or [])
    figures = measure_scaling(case, kernel, SERIES if series == "both" else (series,), times, comm)
    _report(figures, show_scaling, json)
    on_root(comm, lambda: draw_scaling(figures, plot))
    if comm.rank == 0:
        typer.echo(f"picture  {plot}")


def _ranks() -> Any:
    from whorl.base.endings import abort_on_exception
    from whorl.base.parallel import world

    abort_on_exception()
    return world()


def _earlier(path: Path, case: "Case") -> dict[str, Any]:
    """The figures of an earlier run of this case here, checked before anything is timed."""
    from whorl.base.parallel import on_root, world
    from whorl.machine.benches.against import read_earlier
    from whorl.machine.information import machine
    from whorl.run.threads import threads_of_rank

    threads, here = case.run.threads or threads_of_rank(world()), machine(world())
    return on_root(world(), lambda: read_earlier(path, case, threads, here))


def _grid(process_grid: tuple[int, int] | None) -> list[str]:
    """The process grid as a setting, if it is given."""
    return [f"run.process_grid=[{process_grid[0]}, {process_grid[1]}]"] if process_grid else []


def _report(figures: dict[str, Any], show: Any, json: Path | None) -> None:
    """Show the figures on rank 0, and write them if requested."""
    from whorl.base.parallel import on_root, world
    from whorl.machine.benches.common import write_figures

    if world().rank == 0:
        show(figures, stdout_console())
    if json is not None:
        on_root(world(), lambda: write_figures(figures, json))

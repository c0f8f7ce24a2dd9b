"""`whorl run`, `restart`, `plot` and `report`; functions import slow modules, so that help appears soon."""

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from whorl.base.errors import CaseError
from whorl.base.text import spelled, typed
from whorl.base.version import __version__
from whorl.cli.options import (
    MEANS,
    CaseName,
    Compensate,
    RemoveMean,
    Resample,
    RunArgument,
    Settings,
    StatesFile,
    WindowEnd,
    WindowStart,
)
from whorl.config.case import Case, find_case, sections_of
from whorl.config.clock import Instant
from whorl.run.lasting_output import lasting_output
from whorl.run.progress import Working, stdout_console


def run(
    case: CaseName,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Output directory; the case's name by default.")
    ] = None,
    settings: Settings = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an earlier run in the output directory.")
    ] = False,
) -> None:
    """Run a case, also under mpiexec. Ctrl-C stops it with a checkpoint."""
    from whorl.base.endings import abort_on_exception
    from whorl.base.parallel import on_root, world

    abort_on_exception()
    chosen = on_root(world(), lambda: _case_with_directory(case, output, settings or []))
    # Errors of a case are reported before these slow imports.
    from whorl.run.simulation import Simulation

    _go(Simulation(chosen, overwrite=overwrite))


def _end(text: str) -> float | str:
    try:
        end = float(text) if re.fullmatch(r"\S+", text) else text
        Instant.parse(end)
    except ValueError:
        raise typer.BadParameter(f'{text}: a positive number (time) or "N turnovers" in quotes.') from None
    return end


def restart(
    directory: RunArgument,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Begin a new run there, which may have another grid or viscosity."
        ),
    ] = None,
    until: Annotated[
        Any,
        typer.Option("--until", parser=_end, metavar="END", help='A new end: a time, or "N turnovers".'),
    ] = None,
    settings: Settings = None,
    step: Annotated[
        int | None, typer.Option("--step", help="Restart from the checkpoint of this step, not the newest.")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an earlier run in the output directory.")
    ] = False,
) -> None:
    """Continue a run, on any number of ranks, any process grid and precision.

    With -o a new run begins from the checkpoint; --set may give it other points and parameters.
    """
    from whorl.base.endings import abort_on_exception
    from whorl.run.simulation import Simulation

    abort_on_exception()
    if overwrite and output is None:
        raise CaseError("--overwrite goes with -o: a restart without -o replaces nothing.")
    changes = {"until": until, "settings": settings or [], "step": step}
    _go(Simulation.restart(directory, output, **changes, overwrite=overwrite))


PictureFile = Annotated[
    Path | None, typer.Option("--output", "-o", help="A PNG, PDF or SVG; DIR/plot.png by default.")
]
FieldOfSlice = Annotated[
    str | None, typer.Option(help="What the slice shows, such as vorticity or velocity.x.")
]
PlaneOfSlice = Annotated[
    str | None, typer.Option(help="Plane of the slice: x, y or z, or with a position z=1.5 or z=pi/2.")
]
TimeOfState = Annotated[
    float | None,
    typer.Option(help="Draw the snapshot or state nearest to this time; the last by default."),
]
OneDiagnostic = Annotated[
    str | None,
    typer.Option(
        "--diagnostic",
        "-d",
        metavar="NAME",
        help="Draw this diagnostic, to DIR/NAME.png, or this kind of statistics of --particles.",
    ),
]
OneProbe = Annotated[
    str | None, typer.Option("--probes", metavar="NAME", help="Draw this probe of the case instead.")
]
Correlation = Annotated[
    bool,
    typer.Option("--correlation", help="Draw the correlation in time of a probe, with errors, and τ(k)."),
]


def plot(
    directory: RunArgument,
    output: PictureFile = None,
    field: FieldOfSlice = None,
    plane: PlaneOfSlice = None,
    time: TimeOfState = None,
    start: WindowStart = None,
    end: WindowEnd = None,
    diagnostic: OneDiagnostic = None,
    source: StatesFile = None,
    probes: OneProbe = None,
    correlation: Correlation = False,
    resample: Resample = False,
    remove_mean: RemoveMean = None,
    particles: Annotated[
        str | None, typer.Option("--particles", metavar="NAME", help="Draw these particles instead.")
    ] = None,
    compensated: Compensate = False,
) -> None:
    """Draw a slice of a snapshot, energies and spectra of a run, also while it is in progress.

    With --from or --to it also draws averages over this window, as whorl average computes them. With
    --diagnostic NAME it draws the mean of a diagnostic over the window, with a band of its error, or one
    state with --time. A slice or a line is drawn at its last state, unless a window is given. With
    --probes NAME --correlation the window is that of the correlation. With --particles NAME it draws paths,
    or with -d KIND statistics of them. With --compensated it draws the spectrum and structure functions over
    Kolmogorov's laws, in units of η.
    """
    from whorl.pictures import PICTURES, plot

    given = {
        "--field": field,
        "--plane": plane,
        "--time": time,
        "--from": start,
        "--to": end,
        "--diagnostic": diagnostic,
        "--file": source,
        "--probes": probes,
        "--particles": particles,
        "--correlation": correlation or None,
        "--resample": resample or None,
        MEANS: remove_mean,
    }
    given = {option: value for option, value in given.items() if value is not None}
    kind = _kind_of_picture(given, compensated)
    takes = PICTURES[kind].options
    if others := [option for option in given if option not in takes]:
        able = [one.called for one in PICTURES.values() if set(others) <= one.options.keys()]
        instead = f", or draw {' or '.join(able)}" if able else ""
        raise CaseError(
            f"{', '.join(others)}: {PICTURES[kind].called} does not take this; leave it out{instead}."
        )
    what = particles or probes or diagnostic or "the run"
    remarks: list[str] = []
    with Working(f"picture of {what}"):
        options = {takes[option]: value for option, value in given.items() if takes[option]}
        picture = plot(directory, kind, output, tell=remarks.append, **options)
    for remark in remarks:
        typer.echo(remark)
    if kind in ("run", "diagnostic"):
        typer.echo(f"output   {spelled(str(directory))}")
    typer.echo(f"picture  {spelled(str(picture))}")


def _kind_of_picture(given: dict[str, Any], compensated: bool) -> str:
    """The picture that the options ask for: the first of these that is named."""
    if compensated:
        return "compensated"
    if "--particles" in given:
        return "particle-statistics" if "--diagnostic" in given else "particles"
    if "--probes" in given:
        return "probe-correlation" if "--correlation" in given else "probe"
    return "diagnostic" if "--diagnostic" in given else "run"


def _case_with_directory(source: str, output: Path | None, settings: list[str]) -> Case:
    """The case with its output in `output`, else where the case says, else in a folder of the case's name."""
    sections = sections_of(source, settings)
    own = sections.setdefault("output", {})
    if isinstance(own, dict):  # else the case says what is wrong
        own["directory"] = str(output) if output else own.get("directory", find_case(source).stem)
    return Case(**sections)


def _go(simulation) -> None:
    """Run to the end; rank 0 prints a summary and the directory of the output.

    Raises typer.Exit if the wall time ended the run.
    """
    from whorl.run import tune, wall_time

    root = simulation.comm.rank == 0
    with lasting_output():
        if root:
            if simulation.trials:
                stdout_console().print(tune.table(simulation.trials))
            print(f"whorl {__version__}: {simulation.summary()}")
            print(f"output in {spelled(str(simulation.directory.path))}")
            if simulation.origin:
                begun = f"t = {simulation.time:.6g}, step {simulation.step_number}"
                print(f"goes on from {begun}: {spelled(str(simulation.origin))}")
        finished = simulation.run()
        simulation.close()
        if root and finished:
            print(f"see it with: whorl plot {typed(simulation.directory.path)}")
    if not finished and simulation.stopped_by == wall_time.NAME:
        raise typer.Exit(wall_time.EXIT_CODE)


def report(
    directory: RunArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The HTML file; DIR/report.html by default.")
    ] = None,
    start: WindowStart = None,
    end: WindowEnd = None,
) -> None:
    """Write a report on a run to one HTML file: case, averages, pictures, checks, how to repeat it.

    It works while the run is in progress and after it failed. The file needs no network and no other file.
    """
    from whorl.report import report as write

    with Working(f"report on {spelled(str(directory))}") as working:
        page = write(directory, output, start=start, end=end, progress=working.at)
    typer.echo(f"output   {spelled(str(directory))}\nreport   {spelled(str(page))}")

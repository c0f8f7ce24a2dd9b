"""`whorl run`, `whorl restart` and `whorl plot`; each imports what it needs, so that help appears at once."""

import re
from collections.abc import Callable
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
from whorl.config.case import Case, find_case, load_case
from whorl.config.clock import Instant
from whorl.run.lasting_output import lasting_output
from whorl.run.progress import Working, stdout_console

Tell = Callable[[str], object]


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
        raise CaseError("--overwrite goes with -o: a run that goes on where it is replaces nothing.")
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
    typer.Option(help="Time of the snapshot or the state, the nearest is taken; the last by default."),
]
OneDiagnostic = Annotated[
    str | None,
    typer.Option(
        "--diagnostic",
        "-d",
        metavar="NAME",
        help="Draw this diagnostic, to DIR/NAME.png, or of particles a kind.",
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

    With --from or --to it also draws averages over this window, as of whorl average. With --diagnostic NAME
    it draws the mean of a diagnostic over the window, with a band of its error, or with --time a state of it;
    of a slice or a line the last state, unless a window is given. With --probes NAME --correlation the window
    is that of the correlation. With --particles NAME it draws paths, or with -d KIND statistics of them. With
    --compensated it draws the spectrum and structure functions over Kolmogorov's laws, in units of η.
    """
    others = {"--field": field, "--plane": plane, "--time": time}
    of_diagnostics = {"--diagnostic": diagnostic, "--file": source}
    of_probes = {"--correlation": correlation or None, MEANS: remove_mean}
    window = {"start": start, "end": end}
    if compensated:
        more = {"--file": source, "--probes": probes, "--particles": particles}
        more |= of_probes | {"--resample": resample or None}
        _refuse(others | more, "a picture with --compensated")
        _draw("the run", _plot_compensated, directory, diagnostic, output, window)
        return
    if particles is not None:
        _refuse(others | {"--file": source, "--probes": probes} | of_probes, "a picture of --particles")
        how = {**window, "resample": resample}
        _draw(particles, _plot_particles, directory, particles, diagnostic, output, how)
        return
    of_probes |= {"--resample": resample or None}
    if probes is not None:
        _refuse(others | of_diagnostics, "a picture of --probes")
        how = {**window, "resample": resample, "remove_mean": remove_mean}
        _draw(probes, _plot_probe, directory, probes, output, correlation, how)
        return
    _refuse(of_probes, "a picture without --probes NAME")
    if source is not None and diagnostic is None:
        raise CaseError("--file goes with --diagnostic NAME.")
    how = {**window, "time": time}
    if diagnostic is not None:
        _draw(diagnostic, _plot_diagnostic, directory, diagnostic, output, source, field or plane, how)
    else:
        _draw("the run", _plot_run, directory, output, how | {"field": field, "plane": plane})


def _draw(what: str, draw: Callable[..., Path], directory: Path, *arguments: Any) -> None:
    """Draw a picture, showing meanwhile that it is drawn, and print remarks on it and its path."""
    remarks: list[str] = []
    with Working(f"picture of {what}"):
        picture = draw(directory, *arguments, remarks.append)
    for remark in remarks:
        typer.echo(remark)
    if draw in (_plot_run, _plot_diagnostic):
        typer.echo(f"output   {spelled(str(directory))}")
    typer.echo(f"picture  {spelled(str(picture))}")


def _plot_run(directory: Path, output: Path | None, how: dict[str, Any], tell: Tell) -> Path:
    from whorl.pictures.run import plot_run

    return plot_run(directory, output, **how, tell=tell)


def _refuse(options: dict[str, Any], what: str) -> None:
    """Raises CaseError for options that are given and have no meaning for a picture."""
    if given := [name for name, value in options.items() if value is not None]:
        raise CaseError(f"{', '.join(given)}: {what} does not take this; leave it out.")


def _plot_compensated(
    directory: Path, name: str | None, output: Path | None, window: dict[str, float | None], tell: Tell
) -> Path:
    from whorl.pictures.compensated import plot_compensated

    return plot_compensated(directory, name, output, **window, tell=tell)


def _plot_particles(
    directory: Path, name: str, kind: str | None, output: Path | None, how: dict[str, Any], tell: Tell
) -> Path:
    if kind is not None:
        from whorl.particles.draw.statistics import plot_particle_means

        return plot_particle_means(directory, name, kind, output, **how, tell=tell)
    from whorl.particles.draw.paths import plot_particles

    others = {"--from": how["start"], "--to": how["end"], "--resample": how["resample"] or None}
    _refuse(others, "a picture of --particles without -d KIND")
    return plot_particles(directory, name, output)


def _plot_probe(
    directory: Path, name: str, output: Path | None, correlation: bool, how: dict[str, Any], tell: Tell
) -> Path:
    if correlation:
        from whorl.probes.draw.correlation import plot_probe_correlation

        return plot_probe_correlation(directory, name, output, **how, tell=tell)
    from whorl.probes.draw.series import plot_probe

    others = {"--from": how["start"], "--to": how["end"], MEANS: how["remove_mean"]}
    _refuse(others, "a picture of --probes without --correlation")
    return plot_probe(directory, name, output, resample=how["resample"])


def _plot_diagnostic(
    directory: Path,
    name: str,
    output: Path | None,
    source: Path | None,
    of_slice: str | None,
    chosen: dict[str, float | None],
    tell: Tell,
) -> Path:
    from whorl.diagnostics.picture import plot_diagnostic
    from whorl.output.diagnostic_files import read_diagnostics

    if of_slice is not None:
        raise CaseError("--field and --plane choose a slice, which a picture of a --diagnostic has not.")
    found = None if source is None else read_diagnostics(source)
    return plot_diagnostic(directory, name, output, **chosen, found=found, tell=tell)


def _case_with_directory(source: str, output: Path | None, settings: list[str]) -> Case:
    """The case with its output in `output`, else where the case says, else in a folder of the case's name."""
    case = load_case(source, settings)
    directory = str(output) if output else case.output.directory or find_case(source).stem
    return case.updated(output={"directory": directory})


def _go(simulation) -> None:
    """Run to the end, and print on rank 0 what runs and where its output is."""
    from whorl.run import tune

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

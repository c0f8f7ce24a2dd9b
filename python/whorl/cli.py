"""The command `whorl`."""

import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from whorl.benches.commands import Settings, bench, help_without_command
from whorl.case import Case, find_case, load_case, ready_cases
from whorl.errors import BlowUp, CaseError, RunFault
from whorl.explain import Option, did_you_mean, sections
from whorl.explain import options as case_options
from whorl.lasting_output import lasting_output
from whorl.models import MODELS, Model
from whorl.planner.commands import bench_machine, plan_case
from whorl.progress import stdout_console
from whorl.text import one_paragraph, spelled, typed
from whorl.version import __version__

START = """\
Direct numerical simulation of turbulence.

[bold]whorl run taylor-green[/]              a ready case, output in ./taylor-green
[bold]whorl plot taylor-green[/]             a picture of it
[bold]whorl cases taylor-green > my.toml[/]  a case of your own to edit
[bold]whorl models[/]                        the equation sets; whorl new MODEL > my.toml begins a case
[bold]mpiexec -n 4 whorl run my.toml[/]      the same on four MPI ranks
[bold]whorl restart my --until 20[/]         further, on any number of ranks
[bold]whorl plan my.toml -m frontier[/]      what it would take elsewhere
"""

app = typer.Typer(add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)
app.add_typer(bench, name="bench")


@app.callback(invoke_without_command=True, help=START)
def start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        typer.echo(f"whorl {__version__}")
        raise typer.Exit()
    help_without_command(context)


@app.command()
def run(
    case: Annotated[
        str, typer.Argument(metavar="CASE", help="A case file (TOML), or the name of a ready case.")
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Output directory; the case's name by default.")
    ] = None,
    settings: Settings = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an earlier run in the output directory.")
    ] = False,
) -> None:
    """Run a case, also under mpiexec. Ctrl-C stops it with a checkpoint."""
    from whorl.parallel import abort_on_exception, on_root, world

    abort_on_exception()
    chosen = on_root(world(), lambda: _case_with_directory(case, output, settings or []))
    # What is wrong with a case is told before these slow imports.
    from whorl.simulation import Simulation

    _go(Simulation(chosen, overwrite=overwrite))


@app.command()
def restart(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The output directory of a run.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Begin a run of its own there, which may have another grid or viscosity."
        ),
    ] = None,
    until: Annotated[float | None, typer.Option("--until", help="A new end time.")] = None,
    settings: Settings = None,
    step: Annotated[
        int | None, typer.Option("--step", help="From the checkpoint of this step, not the newest.")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an earlier run in the output directory.")
    ] = False,
) -> None:
    """Go on with a run, on any number of ranks, any process grid and precision.

    With -o, a run of its own begins from the checkpoint, which --set may give other points and parameters.
    """
    from whorl.parallel import abort_on_exception
    from whorl.simulation import Simulation

    abort_on_exception()
    if overwrite and output is None:
        raise CaseError("--overwrite goes with -o: a run that goes on where it is replaces nothing.")
    changes = {"until": until, "settings": settings or [], "step": step}
    _go(Simulation.restart(directory, output, **changes, overwrite=overwrite))


@app.command()
def plot(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The output directory of a run.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A PNG, PDF or SVG; DIR/plot.png by default.")
    ] = None,
    field: Annotated[
        str | None, typer.Option(help="What the slice shows, such as vorticity or velocity.x.")
    ] = None,
    plane: Annotated[
        str | None, typer.Option(help="Where it is: x, y or z, at a place with z=1.5 or z=pi/2.")
    ] = None,
    time: Annotated[
        float | None, typer.Option(help="Of the snapshot, the nearest; the last by default.")
    ] = None,
) -> None:
    """Draw a slice of a snapshot, energies and spectra of a run; also while it goes on."""
    from whorl.plots import plot_run

    picture = plot_run(directory, output, field=field, plane=plane, time=time, tell=typer.echo)
    typer.echo(f"output   {spelled(str(directory))}\npicture  {spelled(str(picture))}")


@app.command()
def cases(
    name: Annotated[str | None, typer.Argument(help="Print this one, to save and edit.")] = None,
) -> None:
    """List the ready cases, or print one."""
    if name is not None:
        typer.echo(find_case(name).read_text(encoding="utf-8"), nl=False)
        return
    table = Table("case", "points", "what it is", box=None, header_style="bold", pad_edge=False)
    for known, path in ready_cases().items():
        points = load_case(path).grid.points
        size = f"{points[0]}³" if len(set(points)) == 1 else " × ".join(map(str, points))
        table.add_row(known, size, escape(path.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")))
    stdout_console().print(table)


@app.command()
def models(
    name: Annotated[str | None, typer.Argument(help="This one in full.")] = None,
) -> None:
    """List the equation sets with their parameters, or show one in full."""
    from whorl.templates import equations, facts, own_options

    console = stdout_console()
    if name is not None:
        model = _find_model(name)
        console.print(f"[bold]{name}[/]: {escape(model.__doc__.strip())}\n")
        console.print("".join(f"    {escape(line)}\n" for line in equations(model)), soft_wrap=True)
        table = Table("option", "default", "meaning", box=None, header_style="bold", pad_edge=False)
        for row in own_options(model):
            table.add_row(*map(escape, row))
        console.print(table)
        about = Table(box=None, show_header=False, pad_edge=False)
        for heading, text in facts(name).items():
            about.add_row(f"[bold]{heading}[/]", escape(text))
        console.print("", about, f"\nwhorl new {name} > case.toml   writes a case to begin with", sep="\n")
        return
    table = Table("model", "equations", "parameters", header_style="bold", show_lines=True)
    table.columns[0].no_wrap = True
    for known, model in MODELS.items():
        parameters = ", ".join(key for key in model.model_fields if key != "model")
        table.add_row(known, escape(model.equations), escape(parameters))
    console.print(table)


@app.command()
def new(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="An equation set; see whorl models.")],
) -> None:
    """Write a case of a model with every option, its default, unit and meaning: whorl new mhd > my.toml"""
    from whorl.templates import new_case

    typer.echo(new_case(_find_model(model)), nl=False)


def _find_model(name: str) -> type[Model]:
    if name not in MODELS:
        near = did_you_mean(name, MODELS) or "."
        raise CaseError(f"there is no model {name}{near} Models: {', '.join(MODELS)}.")
    return MODELS[name]


@app.command()
def options(
    section: Annotated[str | None, typer.Argument(help="Only this section of a case.")] = None,
) -> None:
    """List every option of a case file: type, default, range, unit and meaning."""
    known = list(sections(Case))
    if section is not None and section not in known:
        raise CaseError(f"there is no section [{section}]; the sections are {', '.join(known)}.")
    console = stdout_console()
    for o in case_options(Case):
        if section in (None, o.key.partition(".")[0]):
            meaning = escape(o.help + (f" [{o.unit}]" if o.unit else ""))
            console.print(f"[bold]{o.key}[/]   {escape(_what_it_takes(o))}")
            console.print(Padding(meaning, (0, 0, 0, 4), expand=False))


def _what_it_takes(about: Option) -> str:
    """Type, range and default; what is one word long, such as a model's name, has no other default."""
    if about.default in ("", "required"):
        default = about.default
    else:
        default = "" if about.default.strip('"') == about.kind else f"default {about.default}"
    return ", ".join(filter(None, (about.kind, about.range, default)))


@app.command()
def info() -> None:
    """Versions, what is compiled in, cores, GPUs and ranks."""
    from whorl.information import information
    from whorl.parallel import world

    facts = information(world())
    if world().rank == 0:
        table = Table(box=None, show_header=False, pad_edge=False)
        table.add_column(style="bold")
        for name, fact in facts.items():
            table.add_row(name, escape(str(fact)))
        stdout_console().print(table)


app.command("plan")(plan_case)
bench.command("machine")(bench_machine)


def _case_with_directory(source: str, output: Path | None, settings: list[str]) -> Case:
    """The case, its output in `output`, else where it says itself, else in a folder of the case's name."""
    case = load_case(source, settings)
    directory = str(output) if output else case.output.directory or find_case(source).stem
    return case.updated(output={"directory": directory})


def _go(simulation) -> None:
    """Runs to the end, with a word on rank 0 about what and where."""
    from whorl import tune

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


# Typer carries click inside and exports only some of its exceptions; the rest are reached by their kinship.
UsageError = typer.BadParameter.__mro__[1]


def main() -> NoReturn:
    """Entry point: exit code 0, 2 for input that cannot be run, 3 for a blow-up, 1 for anything else."""
    try:
        code = app(prog_name="whorl", standalone_mode=False)
    except UsageError as error:
        where = error.ctx.command_path if error.ctx else _command_typed()
        message = error.format_message() + _one_by_one(error)
        _leave(f"{message}{'' if message.endswith(('.', '?', ')')) else '.'} See {where} --help.", 2)
    except (CaseError, BlowUp, RunFault) as error:
        _leave(str(error), error.exit_code)
    except OSError as error:
        _leave(f"{error}.", 1)
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    except Exception as error:
        core = sys.modules.get("whorl._core")
        if core is None or not isinstance(error, core.Error):
            raise
        _leave(str(error), 2)
    sys.exit(code or 0)


def _one_by_one(error: UsageError) -> str:
    """A hint for who gives a second setting behind one --set."""
    message = error.format_message()
    several = "unexpected extra argument" in message and "=" in message and "--set" in sys.argv
    return "; each setting needs a --set of its own." if several else ""


def _command_typed() -> str:
    """The command that an option without its value was for, which the error does not tell."""
    names = {command.name or command.callback.__name__ for command in app.registered_commands}
    return " ".join(["whorl", *(word for word in sys.argv[1:2] if word in names)])


def _leave(message: str, code: int) -> NoReturn:
    from whorl.parallel import leave_together

    console = Console(stderr=True, highlight=False)
    leave_together(
        one_paragraph(message),
        code,
        lambda text: console.print(f"[bold red]whorl:[/] {escape(text)}", soft_wrap=True),
    )

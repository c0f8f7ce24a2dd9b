"""Commands of the validations whose runs are kept in runs/validation/ and may need several starts."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from comparison import ROOT
from whorl import CaseError, Simulation, open_run
from whorl.base.parallel import on_root, world
from whorl.output.directory import RunDirectory


def kept_in(name: str, directory: Path | None = None) -> Path:
    """The directory of a run."""
    return directory or ROOT / "runs" / "validation" / name


def output_in(directory: Path, spectra_every: str) -> dict[str, str]:
    """[output] of a run that may be stopped anywhere and goes on from its last checkpoint."""
    return {
        "directory": str(directory),
        "series_every": "10 steps",
        "spectra_every": spectra_every,
        "checkpoint_every": "5 minutes",
    }


def opened(directory: Path, until: str | float, begin: Callable[[], Simulation]) -> Simulation | None:
    """The run, from its last checkpoint or from its beginning; None if its end is reached. Collective."""
    begun = on_root(
        world(), lambda: RunDirectory(directory).is_run() and bool(open_run(directory).checkpoints)
    )
    try:
        return Simulation.restart(directory, until=until) if begun else begin()
    except CaseError as error:
        if "nothing left to do" in str(error):
            return None
        raise


def start(app: typer.Typer) -> None:
    """Run the command that the arguments name; a CaseError ends the program with its message only."""
    try:
        app()
    except CaseError as error:
        raise SystemExit(str(error)) from None


def commands(
    doc: str | None,
    validations: dict[str, Any],
    simulate: Callable[[Any, Path], bool],
    judge: Callable[[str, Any, Path], None],
    reached: Callable[[Any, Any], str],
    titled: Callable[[Any], str] = lambda validation: validation.title,
) -> typer.Typer:
    """The commands `run NAME`, `compare NAME` and `list`.

    `simulate` runs a validation and returns whether its end is reached; `judge` compares it. For `list`,
    `reached` describes the progress of its series and `titled` the validation.
    """
    app = typer.Typer(add_completion=False, help=doc, rich_markup_mode=None, pretty_exceptions_enable=False)
    Name = Annotated[str, typer.Argument(metavar="NAME", help=f"One of {', '.join(validations)}.")]
    Directory = Annotated[
        Path | None, typer.Option("--directory", "-d", help="The run; runs/validation/NAME by default.")
    ]

    @app.command()
    def run(name: Name, directory: Directory = None) -> None:
        """Run the case, or go on with it from its last checkpoint, and compare it when it is finished."""
        validation, place = find(name, directory)
        if not simulate(validation, place):
            raise SystemExit(f"stopped before the end; go on by running {name} again")
        if world().rank == 0:
            judge(name, validation, place)

    @app.command()
    def compare(name: Name, directory: Directory = None) -> None:
        """Compare a finished run."""
        judge(name, *find(name, directory))

    @app.command(name="list")
    def list_() -> None:
        """List the validations, and how far their runs are."""
        for name, validation in validations.items():
            place = kept_in(name)
            begun = RunDirectory(place).is_run()
            at = reached(validation, open_run(place).series) if begun else "not begun"
            typer.echo(f"{name:24} {at:28} {titled(validation)}")

    def find(name: str, directory: Path | None) -> tuple[Any, Path]:
        if name not in validations:
            raise typer.BadParameter(f"{name} is none of {', '.join(validations)}")
        return validations[name], kept_in(name, directory)

    return app

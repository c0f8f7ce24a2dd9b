"""Arguments and options that several commands share."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

CaseName = Annotated[
    str, typer.Argument(metavar="CASE", help="A case file (TOML), or the name of a ready case.")
]
RunArgument = Annotated[Path, typer.Argument(metavar="DIR", help="The output directory of a run.")]
StateArgument = Annotated[
    Path,
    typer.Argument(metavar="DIR", help="The output directory of a run, or a checkpoint or snapshot in it."),
]
WindowStart = Annotated[
    float | None, typer.Option("--from", metavar="T", help="The time at which the window of averages begins.")
]
WindowEnd = Annotated[
    float | None, typer.Option("--to", metavar="T", help="The time at which it ends; the last by default.")
]
Resample = Annotated[
    bool,
    typer.Option("--resample", help="Interpolate series of probes, or paths, to even steps of time."),
]
MEANS = "--remove-mean/--keep-mean"
RemoveMean = Annotated[
    bool | None,
    typer.Option(
        MEANS,
        help="Remove the means of the series from a correlation; by default for points, not for modes.",
    ),
]
Compensate = Annotated[
    bool,
    typer.Option(
        "--compensated",
        help="The spectrum and structure functions over Kolmogorov's laws, in units of η; -d NAME for one.",
    ),
]
StatesFile = Annotated[
    Path | None,
    typer.Option("--file", metavar="FILE", help="An analysis of the run, in place of its diagnostics.h5."),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", "-s", metavar="KEY=VALUE", help="Change an option: --set grid.points=128; repeat as needed."
    ),
]


def paragraphs(command: Callable[..., object]) -> str:
    """The help of a command, a line for each paragraph of its docstring: the terminal has its own width."""
    text = inspect.cleandoc(command.__doc__ or "")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def help_without_command(context: typer.Context) -> None:
    """Show the help of a group of commands if no command is given."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit()

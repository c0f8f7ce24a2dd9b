"""Arguments that several commands take."""

from typing import Annotated

import typer

CaseName = Annotated[
    str, typer.Argument(metavar="CASE", help="A case file (TOML), or the name of a ready case.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", "-s", metavar="KEY=VALUE", help="Change an option: --set grid.points=128; repeat as needed."
    ),
]


def help_without_command(context: typer.Context) -> None:
    """What a group of commands says by itself."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit()

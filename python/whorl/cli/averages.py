"""`whorl average`, which imports what it needs, so that help appears at once."""

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from whorl.cli.options import RunArgument, WindowEnd, WindowStart
from whorl.run.progress import stdout_console

if TYPE_CHECKING:
    from whorl.results.averages import Averages


def average(
    directory: RunArgument,
    start: WindowStart = None,
    end: WindowEnd = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print all numbers, also mean spectra, as JSON.")
    ] = False,
) -> None:
    """Average a run over a window of time, with errors, and say whether it is stationary there.

    Without --from the window begins where the transient of energy and dissipation has ended (MSER).
    """
    from whorl.results.runs import open_run

    averages = open_run(directory).average(start, end)
    if as_json:
        typer.echo(json.dumps(averages.to_dict(), ensure_ascii=False, allow_nan=False, indent=1))
        return
    console = stdout_console()
    console.print(_table(averages))
    for remark in averages.remarks():
        console.print(f"\n{escape(remark)}", soft_wrap=True)


def _table(averages: "Averages") -> Table:
    """The means, with doubtful errors and trends in yellow."""
    from whorl.results.averages import HEADING

    table = Table(*HEADING, box=None, header_style="bold", pad_edge=False)
    table.columns[0].no_wrap = table.columns[1].no_wrap = True
    table.columns[3].justify = "right"
    for (name, *cells), one in zip(averages.cells(), averages.means.values(), strict=True):
        told, unit, samples, trend = map(escape, cells)
        if not one.reliable:
            told = f"[yellow]{told}[/]"
        table.add_row(name, told, unit, samples, f"[yellow]{trend}[/]" if one.trend else trend)
    return table

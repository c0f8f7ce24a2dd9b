"""`whorl report`; the function imports slow modules, so that help appears at once."""

from pathlib import Path
from typing import Annotated

import typer

from whorl.base.text import spelled
from whorl.cli.options import RunArgument, WindowEnd, WindowStart
from whorl.run.progress import Working


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

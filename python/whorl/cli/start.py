"""`whorl demo` and `whorl doctor`, the first commands of a new user; functions import slow modules."""

from pathlib import Path
from typing import Annotated

import typer

from whorl.cli.tables import show_rows, show_text
from whorl.run.progress import stdout_console

DEMO = ["grid.points=48", 'time.until="30 turnovers"', 'output.snapshot_every="30 turnovers"']
WINDOW = 10.0  # time after which the demo is stationary
SHOWN = ("energy", "dissipation", "R_lambda", "kmax_eta", "C_epsilon")


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Output directory.")] = Path("whorl-demo"),
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an earlier run in the output directory.")
    ] = False,
) -> None:
    """Compute forced turbulence on 48³ points in half a minute, average it with errors, and draw it."""
    from whorl.base.parallel import world
    from whorl.cli.runs import run
    from whorl.pictures import plot
    from whorl.results.as_text import told
    from whorl.results.runs import open_run

    run("forced-turbulence", output, DEMO, overwrite=overwrite)
    if world().rank > 0:
        return
    console = stdout_console()
    averages = open_run(output).average(WINDOW)
    show_rows(
        console, [(name, told(averages[name])) for name in SHOWN], ("quantity", "mean ± standard error")
    )
    picture = plot(output, "run", None, tell=console.print, start=WINDOW)
    console.print(f"picture  {picture}", soft_wrap=True)


def doctor(
    directory: Annotated[Path, typer.Argument(help="Folder of the runs to come.", exists=True)] = Path("."),
) -> None:
    """Check this machine for runs: instructions, MPI and launcher, threads, memory, disk, GPU.

    Exits with 1 if something needs a remedy. See whorl info for all versions.
    """
    from whorl.base.parallel import world
    from whorl.machine.doctor import examine

    findings = examine(world(), directory)
    if world().rank > 0:
        return
    console = stdout_console()
    rows = [(name, one.fact, "needs a remedy" if one.remedy else "") for name, one in findings.items()]
    show_rows(console, rows)
    wrong = {name: one.remedy for name, one in findings.items() if one.remedy}
    for name, remedy in wrong.items():
        show_text(console, f"{name}: {remedy}")
    raise typer.Exit(1 if wrong else 0)

"""`whorl average`; functions import slow modules, so that help appears at once."""

import json
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from whorl.base.errors import CaseError
from whorl.base.plain import write_as_file
from whorl.base.text import counted, typed
from whorl.cli.options import (
    MEANS,
    Compensate,
    RemoveMean,
    Resample,
    RunArgument,
    StatesFile,
    WindowEnd,
    WindowStart,
)
from whorl.cli.tables import show_table
from whorl.run.progress import stdout_console

if TYPE_CHECKING:
    from whorl.diagnostics.results.means import DiagnosticMeans
    from whorl.probes.results.correlation import ProbeCorrelation
    from whorl.results.averages import Averages
    from whorl.results.runs import RunResults

    Printed = Averages | DiagnosticMeans | ProbeCorrelation

AsJson = Annotated[bool, typer.Option("--json", help="Print all numbers, also mean spectra, as JSON.")]
AsCsv = Annotated[
    bool,
    typer.Option(
        "--csv",
        help="Print all numbers but mean spectra, also arrays, as CSV; with a file name after it write them.",
    ),
]
AllDiagnostics = Annotated[
    bool, typer.Option("--diagnostics", help="Average all diagnostics, in place of series and spectra.")
]
OneDiagnostic = Annotated[
    list[str] | None,
    typer.Option(
        "--diagnostic", "-d", metavar="NAME", help="Average this one, or a kind of --particles; repeatable."
    ),
]
MeansFile = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write the means of diagnostics to this HDF5 file, all arrays."),
]
OneProbe = Annotated[
    str | None,
    typer.Option("--probes", metavar="NAME", help="Print the mean squares and times of this probe."),
]
OneGroup = Annotated[
    str | None,
    typer.Option("--particles", metavar="NAME", help="Print statistics along the paths of these particles."),
]


def average(
    directory: RunArgument,
    words: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    start: WindowStart = None,
    end: WindowEnd = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    diagnostics: AllDiagnostics = False,
    diagnostic: OneDiagnostic = None,
    source: StatesFile = None,
    output: MeansFile = None,
    probes: OneProbe = None,
    resample: Resample = False,
    remove_mean: RemoveMean = None,
    particles: OneGroup = None,
    compensated: Compensate = False,
) -> None:
    """Average a run over a window of time, with errors, and say whether it is stationary there.

    Without --from the window begins where the transient of energy and dissipation has ended (MSER). With
    --probes NAME it averages the products of a probe's series at two times: integral times of their
    correlation in time, which --json has in full. With --particles NAME it prints statistics of particles.
    """
    from whorl.results.runs import open_run

    directory, how = _shown(directory, words or [], as_json, as_csv)
    run = open_run(directory)
    if particles is not None:
        others = {"--diagnostics": diagnostics, "--file": source, "--probes": probes}
        others |= {"--compensated": compensated}
        _refuse(others | {MEANS: remove_mean is not None}, "averages of --particles")
        _average_particles(run, particles, diagnostic or [], (start, end), how, output, resample)
        return
    if probes is not None:
        others = {"--diagnostics": diagnostics, "--diagnostic": diagnostic, "--file": source, "-o": output}
        others |= {"--compensated": compensated}
        _refuse(others, "averages of --probes")
        _average_probe(run, probes, (start, end), how, {"resample": resample, "remove_mean": remove_mean})
        return
    if compensated:
        others = {"--diagnostics": diagnostics, "--file": source, "--resample": resample}
        _refuse(others | {MEANS: remove_mean is not None}, "averages with --compensated")
        _average_compensated(run, diagnostic or [], (start, end), how, output)
        return
    if resample or remove_mean is not None:
        raise CaseError(
            f"--resample and {MEANS} go with --probes NAME, the first also with --particles NAME: other "
            "averages have none."
        )
    if diagnostics or diagnostic:
        _average_diagnostics(run, diagnostic or [], (start, end), how, source, output)
        return
    for name, value in (("--output", output), ("--file", source)):
        if value is not None:
            raise CaseError(
                f"{name} goes with --diagnostics or --diagnostic NAME: series and spectra have none."
            )
    _average_series(run, (start, end), how)


@dataclass(frozen=True)
class Shown:
    """The format of averages: a table, JSON or CSV, to a file if it has a name."""

    as_json: bool = False
    as_csv: bool = False
    file: Path | None = None

    def instead(self, found: "Printed") -> bool:
        """Print or write averages in place of a table; return False if a table is wanted."""
        if self.as_json:
            text = json.dumps(found.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)
            write_as_file(f"{text}\n")
        elif self.file is not None:
            found.to_csv(self.file)
            typer.echo(f"{self.file}: {counted(len(found.records()), 'row')}\n")
            typer.echo("\n\n".join(found.remarks()))
        elif self.as_csv:
            write_as_file(found.to_csv())  # type: ignore[arg-type]
        return self.as_json or self.as_csv


def _shown(directory: Path, words: list[str], as_json: bool, as_csv: bool) -> tuple[Path, Shown]:
    """The directory, and the format of averages. Raises CaseError for words without a meaning."""
    if as_csv and as_json:
        raise CaseError("--csv and --json are two ways to print the same; give one of them.")
    if as_csv and len(words) == 1:
        # The file may also come before the directory.
        names = [str(directory), words[0]]
        directory, file = map(Path, reversed(names) if names[0].lower().endswith(".csv") else names)
        return directory, Shown(as_csv=True, file=file)
    if words:
        options = " ".join(f"-d {typed(word)}" for word in words)
        raise CaseError(
            f"{', '.join(words)}: one run is averaged; for diagnostics of these names type "
            f"whorl average {typed(directory)} {options}."
        )
    return directory, Shown(as_json, as_csv)


def _refuse(options: dict[str, Any], what: str) -> None:
    """Raises CaseError for given options without a meaning for these averages."""
    if given := [name for name, value in options.items() if value]:
        raise CaseError(f"{', '.join(given)}: {what} do not take this; leave it out.")


def _average_series(run: "RunResults", window: tuple[float | None, float | None], how: Shown) -> None:
    averages = run.average(*window)
    if how.instead(averages):
        return
    console = stdout_console()
    show_table(console, _table(averages))
    console.print()
    _print_remarks(console, averages)


def _average_diagnostics(
    run: "RunResults",
    names: list[str],
    window: tuple[float | None, float | None],
    how: Shown,
    source: Path | None,
    output: Path | None,
) -> None:
    from whorl.diagnostics.results.means import check_means_file
    from whorl.output.growing_file import read_groups

    if output is not None:
        check_means_file(output)
    means = run.mean_diagnostics(names, *window, found=None if source is None else read_groups(source))
    _print_means(means, how, output)


def _average_compensated(
    run: "RunResults",
    names: list[str],
    window: tuple[float | None, float | None],
    how: Shown,
    output: Path | None,
) -> None:
    from whorl.diagnostics.results.means import check_means_file
    from whorl.results.compensated import compensated

    if output is not None:
        check_means_file(output)
    _print_means(compensated(run, names, *window), how, output)


def _average_particles(
    run: "RunResults",
    name: str,
    kinds: list[str],
    window: tuple[float | None, float | None],
    how: Shown,
    output: Path | None,
    resample: bool,
) -> None:
    from whorl.diagnostics.results.means import check_means_file
    from whorl.particles.results.means import average_particles

    if output is not None:
        check_means_file(output)
    _print_means(average_particles(run, name, kinds, *window, resample=resample), how, output)


def _print_means(means: "DiagnosticMeans", how: Shown, output: Path | None) -> None:
    from whorl.diagnostics.results.means import HEADING

    if output is not None:
        means.write(output)
    if how.instead(means):
        return
    console = stdout_console()
    for name, rows in groupby(means.cells(), key=lambda row: row[0]):
        table = Table(escape(name), *HEADING[2:], box=None, header_style="bold", pad_edge=False)
        table.columns[1].no_wrap = table.columns[2].no_wrap = True
        table.columns[3].justify = "right"
        for _, quantity, number, told, samples in rows:
            shown = f"[yellow]{escape(told)}[/]" if told.endswith("?") else escape(told)
            table.add_row(escape(quantity), escape(number), shown, samples)
        show_table(console, table)
        console.print()
    _print_remarks(console, means)
    if output is not None:
        group = next(iter(means.means))
        line = f"{output}: {', '.join(means.means)}; xarray.open_dataset({str(output)!r}, group={group!r})"
        console.print(f"\n{escape(line)}", soft_wrap=True)


def _average_probe(
    run: "RunResults",
    name: str,
    window: tuple[float | None, float | None],
    how: Shown,
    options: dict[str, bool | None],
) -> None:
    from whorl.probes.results.correlation import HEADING, correlate_probe

    found = correlate_probe(run, name, *window, **options)
    if how.instead(found):
        return
    table = Table(*HEADING, box=None, header_style="bold", pad_edge=False)
    rows = found.cells()
    table.columns[1].no_wrap = table.columns[2].no_wrap = True
    table.columns[3].justify = "right"
    for row in rows:
        table.add_row(*(f"[yellow]{escape(one)}[/]" if one.endswith("?") else escape(one) for one in row))
    console = stdout_console()
    show_table(console, table)
    console.print()
    _print_remarks(console, found)


def _print_remarks(console: Console, found: "Printed") -> None:
    console.print(*(escape(remark) for remark in found.remarks()), sep="\n\n", soft_wrap=True)


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

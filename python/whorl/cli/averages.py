"""`whorl average`; functions import slow modules, so that help appears at once."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
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
CsvFile = Annotated[list[str] | None, typer.Argument(metavar="FILE", help="With --csv: the file to write.")]
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
    words: CsvFile = None,
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
    run, names, window = open_run(directory), diagnostic or [], (start, end)
    given = {"--diagnostics": diagnostics, "--diagnostic": diagnostic, "--file": source, "-o": output}
    given |= {"--probes": probes, "--compensated": compensated, "--resample": resample}
    given |= {MEANS: remove_mean is not None}
    if particles is not None:
        from whorl.particles.results.means import average_particles

        refused = ("--diagnostics", "--file", "--probes", "--compensated", MEANS)
        _refuse(given, refused, "averages of --particles")
        find = partial(average_particles, run, particles, names, *window, resample=resample)
        _average_arrays(find, how, output)
    elif probes is not None:
        refused = ("--diagnostics", "--diagnostic", "--file", "-o", "--compensated")
        _refuse(given, refused, "averages of --probes")
        _average_probe(run, probes, window, how, {"resample": resample, "remove_mean": remove_mean})
    elif compensated:
        from whorl.results.compensated import compensated as compensate

        _refuse(given, ("--diagnostics", "--file", "--resample", MEANS), "averages with --compensated")
        _average_arrays(partial(compensate, run, names, *window), how, output)
    elif resample or remove_mean is not None:
        raise CaseError(
            f"--resample and {MEANS} go with --probes NAME, the first also with --particles NAME: other "
            "averages have none."
        )
    elif diagnostics or diagnostic:
        from whorl.output.growing_file import read_groups

        def of_states() -> "DiagnosticMeans":
            return run.mean_diagnostics(names, *window, found=read_groups(source) if source else None)

        _average_arrays(of_states, how, output)
    else:
        for name, value in (("--output", output), ("--file", source)):
            if value is not None:
                raise CaseError(
                    f"{name} goes with --diagnostics or --diagnostic NAME: series and spectra have none."
                )
        _average_series(run, window, how)


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


def _refuse(options: dict[str, Any], refused: Sequence[str], what: str) -> None:
    """Raises CaseError for given options without a meaning for these averages."""
    if given := [name for name in refused if options[name]]:
        raise CaseError(f"{', '.join(given)}: {what} do not take this; leave it out.")


def _average_series(run: "RunResults", window: tuple[float | None, float | None], how: Shown) -> None:
    """Print averages of series, with doubtful errors and trends in yellow."""
    from whorl.results.averages import HEADING

    averages, rows = run.average(*window), []
    if how.instead(averages):
        return
    for (name, *cells), one in zip(averages.cells(), averages.means.values(), strict=True):
        told, unit, samples, trend = map(escape, cells)
        told = told if one.reliable else f"[yellow]{told}[/]"
        rows.append((name, told, unit, samples, f"[yellow]{trend}[/]" if one.trend else trend))
    console = stdout_console()
    _show(console, HEADING, rows, whole=(0, 1))
    _print_remarks(console, averages)


def _average_arrays(find: Callable[[], "DiagnosticMeans"], how: Shown, output: Path | None) -> None:
    """Print the means that `find` returns, and write them to a file, which is checked first."""
    from whorl.diagnostics.results.means import HEADING, check_means_file

    if output is not None:
        check_means_file(output)
    means = find()
    if output is not None:
        means.write(output)
    if how.instead(means):
        return
    console = stdout_console()
    for name, rows in groupby(means.cells(), key=lambda row: row[0]):
        _show(console, (escape(name), *HEADING[2:]), [_marked(row[1:]) for row in rows])
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
    console = stdout_console()
    _show(console, HEADING, map(_marked, found.cells()))
    _print_remarks(console, found)


def _print_remarks(console: Console, found: "Printed") -> None:
    console.print(*(escape(remark) for remark in found.remarks()), sep="\n\n", soft_wrap=True)


def _marked(cells: Sequence[str]) -> list[str]:
    """Cells, with doubtful errors in yellow."""
    return [f"[yellow]{escape(one)}[/]" if one.endswith("?") else escape(one) for one in cells]


def _show(
    console: Console, heading: Sequence[str], rows: Iterable[Sequence[str]], whole: tuple[int, int] = (1, 2)
) -> None:
    """Print a table with two columns that stay whole and the number of samples in the fourth, and a line."""
    table = Table(*heading, box=None, header_style="bold", pad_edge=False)
    for column in whole:
        table.columns[column].no_wrap = True
    table.columns[3].justify = "right"
    for row in rows:
        table.add_row(*row)
    show_table(console, table)
    console.print()

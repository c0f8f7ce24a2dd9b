"""The page of a report: the contents of its sections, and the template that shows them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
import xarray as xr

from whorl.base.errors import CaseError
from whorl.base.text import counted
from whorl.base.version import __version__
from whorl.output.directory import RunDirectory
from whorl.output.growing_file import read_groups
from whorl.pictures.run import headline
from whorl.report import checks, facts, pictures
from whorl.report.pictures import Window
from whorl.report.run_log import read_log, standing_of
from whorl.results.averages import HEADING, Averages, averages_of
from whorl.results.runs import RunResults

TEMPLATE = "page.html"
# Parts of the page with pictures, in the order in which they are drawn.
PARTS = ("slices", "curves", "columns", "spectra", "diagnostics", "analyses", "probes", "particles")
Progress = Callable[[str, float], None]


def unwatched(part: str, done: float) -> None:
    """Ignore the progress of a report."""


@dataclass
class RunContents:
    """Output of a run that the report reads; `missing` are sentences on parts that it cannot show."""

    run: RunResults
    series: xr.Dataset | None
    spectra: xr.Dataset | None
    averages: Averages | None
    missing: list[str] = field(default_factory=list)

    @property
    def span(self) -> float:
        """The time from the first to the last row."""
        if self.series is None:
            return 0.0
        return float(self.series["time"][-1] - self.series["time"][0])


def page_of(run: RunResults, name: str, window: Window, progress: Progress = unwatched) -> str:
    """The report as the text of an HTML file. Raises CaseError if the run lacks a given window."""
    place = RunDirectory(run.directory)
    read = _read(run, window)
    sessions = read_log(place.log)
    title = ""
    if read.series is not None:
        told = headline(run, read.series, name, read.span, read.averages)
        title = told.removeprefix(name).lstrip(" ·")
    return _template().render(
        name=name,
        title=title,
        made=datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
        version=__version__,
        case=run.case,
        case_text=place.case_file.read_text(encoding="utf-8", errors="replace"),
        parameters=facts.parameters(run.case),
        set_up=facts.set_up(run.case, place.origin()),
        standing=standing_of(place, sessions),
        sessions=sessions,
        session_rows=facts.session_rows(sessions),
        memory=[(one.begin, rows) for one in sessions if (rows := facts.memory_rows(one))],
        files=facts.files(place),
        exchange=_text(place.exchange),
        commits=facts.commits(sessions),
        levels=facts.levels(sessions),
        citation=facts.citation(sessions, __version__),
        repeat=facts.repeat(place, run.case, sessions, _options(window)),
        **_results(read, place, window, progress),
        missing=read.missing,
    )


def _drawn(part: str, images: Iterator[Any], progress: Progress) -> list[Any]:
    """The images of a part; `progress` is called before the first and after each."""
    place, drawn = PARTS.index(part) / len(PARTS), []
    progress(part, place)
    for image in images:
        drawn.append(image)
        progress(f"{part} ({counted(len(drawn), 'picture')})", place)
    return drawn


def _results(read: RunContents, place: RunDirectory, window: Window, progress: Progress) -> dict[str, Any]:
    """The parts of the page from tables and fields; `read.missing` gets an error for each that fails."""
    run, series = read.run, read.series
    failed = read.missing.append
    drawn = partial(_drawn, progress=progress)
    shown: dict[str, Any] = {"slices": drawn("slices", pictures.slices(run, failed))}
    shown["averages"] = read.averages
    shown["heading"] = (*HEADING, "meaning")
    shown["rows"] = _rows(read.averages) if read.averages else []
    shown["curves"] = shown["columns"] = shown["checks"] = shown["balances"] = shown["spectra"] = []
    if series is not None:
        shown["curves"] = drawn("curves", pictures.main_curves(run, series, read.averages))
        shown["columns"] = drawn("columns", pictures.other_curves(run, series, read.averages))
        shown["checks"] = checks.checks(run.case, series, read.spectra)
        shown["balances"] = _balance_rows(checks.balances(run.case, series))
    if read.spectra is not None and read.spectra.sizes["time"]:
        spectra = pictures.spectra_of(run, read.spectra, series, read.averages, read.span)
        shown["spectra"] = drawn("spectra", spectra)
    measured = _there(place.diagnostics, lambda: run.diagnostics, failed)
    analysed = _there(place.path / "analysis.h5", lambda: read_groups(place.path / "analysis.h5"), failed)
    probed = _there(place.probes, lambda: run.probes, failed)
    for part, found in {"diagnostics": measured, "analyses": analysed}.items():
        shown[part] = drawn(part, pictures.diagnostics(run, found, window, read.averages, failed))
    shown["probes"] = drawn("probes", pictures.probes(run, probed, read.averages, failed))
    followed = _there(place.particles, lambda: run.particles, failed)
    of_paths = pictures.particles(run, followed, window, read.averages, failed)
    shown["particles"] = drawn("particles", of_paths)
    return shown


def _read(run: RunResults, window: Window) -> RunContents:
    """The tables of a run and its averages; `missing` has the errors of those that fail."""
    place, missing = RunDirectory(run.directory), list[str]()
    series = _table(run, run.rows, missing) if place.series.is_file() else None
    if series is None and window != (None, None):
        run.rows()  # raises the error of the series, which the window selects rows of
    spectra = _table(run, lambda: run.spectra, missing) if place.spectra.is_file() else None
    averages = None
    if series is not None:
        try:
            averages = averages_of(series, spectra, run.case, *window)
        except CaseError as error:
            if window != (None, None):
                raise
            missing.append(f"averages: {error}")
    elif not missing:
        missing.append("averages and curves: the run has no rows in series.csv")
    return RunContents(run, series, spectra, averages, missing)


def _table(run: RunResults, read: Callable[[], xr.Dataset], missing: list[str]) -> xr.Dataset | None:
    try:
        return read()
    except (CaseError, OSError) as error:
        missing.append(str(error))
        return None


def _there(
    path: Path, read: Callable[[], Mapping[str, xr.Dataset]], failed: pictures.Failed
) -> dict[str, xr.Dataset]:
    """The datasets of a file that have a state; none if the file is missing or cannot be read."""
    if not path.is_file():
        return {}
    try:
        return {name: data for name, data in read().items() if data.sizes["time"]}
    except (CaseError, OSError) as error:
        failed(f"{path.name}: {error}")
        return {}


def _rows(averages: Averages) -> list[facts.Row]:
    """The rows of the table of averages, with the meaning of each quantity."""
    meanings = (one.meaning for one in averages.means.values())
    return [(*cells, meaning) for cells, meaning in zip(averages.cells(), meanings, strict=True)]


def _balance_rows(balances: list[checks.ColumnBalance]) -> list[facts.Row]:
    """The rows of the table of balances."""
    rows = []
    for one in balances:
        terms = "; ".join(f"{term}: {_number(value)}" for term, value in one.terms)
        numbers = (_number(value) for value in (one.residual, one.relative, one.of_largest))
        rows.append((one.column, _number(one.change), terms or "none: it is conserved", *numbers))
    return rows


def _options(window: Window) -> str:
    """A window as options of a command."""
    edges = zip(("--from", "--to"), window, strict=True)
    return "".join(f" {option} {edge!r}" for option, edge in edges if edge is not None)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def _number(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.4g}"


def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent, encoding="utf-8"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(TEMPLATE)

"""The display of a run's results in a notebook, at the end of a cell."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from whorl.base import html
from whorl.base.text import counted
from whorl.config.outputs import GROWING
from whorl.output.directory import RunDirectory
from whorl.output.growing_file import GrowingFile

if TYPE_CHECKING:
    from whorl.results.runs import RunResults


def html_of(run: "RunResults") -> str:
    """The case in a line, the end of the log, and the files with the names under which they are read."""
    return html.titled(repr(run.case).strip("<>"), html.table(_rows(run)))


def _rows(run: "RunResults") -> Iterator[tuple[str, str]]:
    place = RunDirectory(run.directory)
    yield "directory", str(run.directory)
    if last := last_line(place):
        yield "log", last
    for name, path in (("series", place.series), ("spectra", place.spectra)):
        if path.is_file():
            yield name, _times(run.table(name)["time"].values)
    for name, found in (("snapshots", place.snapshots()), ("checkpoints", place.checkpoints())):
        if found:
            yield name, f"{len(found)}, at step {', '.join(str(int(path.stem)) for path in found[-3:])}"
    for name in GROWING:
        if (file := GrowingFile(getattr(place, name))).is_there():
            yield name, ", ".join(file.names())


def last_line(place: RunDirectory) -> str:
    """The last line of the log without its date; empty if the log cannot be read."""
    try:
        lines = place.log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return lines[-1].partition("  ")[2] if lines else ""


def _times(times) -> str:
    span = f", t = {times[0]:.6g} to {times[-1]:.6g}" if len(times) else ""
    return f"{counted(len(times), 'row')}{span}"

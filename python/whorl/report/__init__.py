"""`whorl report`: one HTML file on a run, made from its files alone; it needs no other file or network."""

from pathlib import Path

from whorl.base.errors import CaseError
from whorl.base.files import check_folder, write_text
from whorl.base.text import spelled, storable
from whorl.output.directory import RunDirectory
from whorl.report.page import Progress, page_of, unwatched
from whorl.results.runs import open_run

ENDINGS = (".html", ".htm")


def report(
    directory: str | Path,
    output: str | Path | None = None,
    *,
    start: float | None = None,
    end: float | None = None,
    progress: Progress = unwatched,
) -> Path:
    """Write a report on a run: its case, averages, pictures, checks and provenance, in one HTML file.

    Parameters
    ----------
    directory : str or Path
        The output directory of the run, which may be in progress, and need not have come to its end.
    output : str or Path, optional
        The file, which ends in .html or .htm; report.html in `directory` by default.
    start, end : float, optional
        The window of the averages, by default that of `RunResults.average`.
    progress : callable, optional
        Called with the part in progress, such as "particles", and with the fraction that is done.

    Returns
    -------
    Path
        The path of the file.

    Raises
    ------
    CaseError
        If `directory` is not that of a run of whorl, if the file cannot have this path, or if the run
        does not have this window.

    Notes
    -----
    The report leaves out parts that the run has no output for. Its top lists output that it cannot show,
    with the reason. The file is complete or absent: it is written under another name and renamed.

    Examples
    --------
    >>> report("forced", "forced.html", start=20)
    PosixPath('forced.html')
    """
    run = open_run(directory)
    path = Path(output) if output else RunDirectory(directory).path / "report.html"
    check_page(path)
    text = page_of(run, spelled(Path(directory).resolve().name), (start, end), progress)
    write_text(path, storable(text))
    return path


def check_page(path: Path) -> None:
    """Raise CaseError unless a report can have this path."""
    if path.is_dir():
        raise CaseError(
            f"the report {path} is a directory; name a file in it, such as {path / 'report.html'}."
        )
    if path.suffix.lower() not in ENDINGS:
        raise CaseError(
            f"the report {path} must end in {' or '.join(ENDINGS)}; name it {path.with_suffix('.html')}, for "
            "example."
        )
    check_folder(path, f"the report {path}")

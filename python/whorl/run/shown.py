"""The display of a simulation in a notebook, at the end of a cell."""

from typing import Any

from whorl.base import html
from whorl.run.loop import Loop


def html_of(title: str, loop: Loop) -> str:
    """The case in a line, the place of the run, its last known numbers and its files.

    It computes nothing, so that one rank may show it.
    """
    status, run = loop.status(), loop.run
    rows: list[tuple[str, Any]] = [("place", status.place())]
    rows += [("step", f"dt {status.dt:.3g}, Courant number {status.courant:.2f}")] if loop.report else []
    measured = "" if status.measured is None else f" (at step {status.measured})"
    values = "  ".join(f"{symbol} {value:.4g}" for symbol, value in status.values.items())
    rows += [("numbers", f"{values}{measured}")] if values else []
    rows += [("ended", loop.ends.ended)] if loop.ends.ended else []
    rows += [("directory", str(run.directory.path))] if run.directory else []
    return html.titled(title, html.table(rows))

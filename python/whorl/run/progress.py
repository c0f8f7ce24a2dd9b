"""The progress of a run: a live display on a terminal, else a plain line every few seconds; and the log.

Other slow work, such as a report, shows its progress here, too.
"""

import logging
import math
import os
import sys
import time
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from threading import Timer
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from whorl.base import html
from whorl.base.text import counted, one_paragraph
from whorl.config.clock import Allowance, Instant, Stopwatch

LIVE_SECONDS = 0.25
PLAIN_SECONDS = 5.0
LOG_SECONDS = 60.0
PATIENCE = 20.0  # seconds after which work that shows nothing says that it goes on
SHARE = 0.004  # of a run's time for statistics, and again for writing: together below one per cent
A_LIFETIME = 3e9  # seconds


@dataclass(frozen=True)
class Status:
    """The state of a run at one step: `done` is the fraction of the whole run; `values` are by symbol.

    `measured` is the step at which the values were measured, if it is an earlier one.
    """

    step: int
    time: float
    turnovers: float | None  # None: they are not counted
    end: Instant
    steps: int | None
    done: float
    dt: float
    courant: float
    values: dict[str, float]
    measured: int | None = None

    def place(self) -> str:
        steps = f" of {self.steps}" if self.steps is not None else ""
        places = [f"step {self.step}{steps}", f"t {self.time:.5g}{_of(self.end.time)}"]
        if self.turnovers is not None:
            places.append(f"{self.turnovers:.4g}{_of(self.end.turnovers)} turnovers")
        return "  ".join(places)

    def numbers(self) -> str:
        values = "  ".join(f"{symbol} {value:.4g}" for symbol, value in self.values.items())
        values += f" (at step {self.measured})" if self.measured is not None else ""
        return f"dt {self.dt:.3g}  C {self.courant:.2f}  {values}".rstrip()


def _of(limit: float | None) -> str:
    return "" if limit is None else f" of {limit:.6g}"


class LogFile(logging.FileHandler):
    """A log file; if it cannot be written, it says so once and the run goes on."""

    _told = False

    def handleError(self, record: logging.LogRecord) -> None:
        reason = sys.exc_info()[1]
        if not self._told:
            self._told = True
            told = one_paragraph(f"the log {self.baseFilename} cannot be written: {reason}; the run goes on.")
            sys.stderr.write(f"whorl: {told}\n")


def pace(steps: int, seconds: float) -> str:
    """The speed of some steps, as text."""
    took = timedelta(seconds=round(seconds))
    return f"{counted(steps, 'step')} in {took}, {seconds / max(steps, 1):.3g} s a step"


def run_log(path: Path | None) -> logging.Logger:
    """A log that appends to `path`, or discards its lines; one per run."""
    log = logging.Logger("whorl", logging.INFO)
    if path is None:
        log.addHandler(logging.NullHandler())
    else:
        handler = LogFile(path, encoding="utf-8", errors="backslashreplace")
        handler.setFormatter(logging.Formatter("%(asctime)s  %(message)s", "%Y-%m-%d %H:%M:%S"))
        log.addHandler(handler)
    return log


def on_terminal() -> bool:
    """Whether someone watches. Under mpiexec a rank's stdout may be a terminal though mpiexec's is not."""
    launched = any(os.environ.get(name) for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"))
    try:
        return (sys.stdout is not None and sys.stdout.isatty()) and (
            not launched or Path(f"/proc/{os.getppid()}/fd/1").resolve().is_char_device()
        )
    except OSError:
        return False


def stdout_console() -> Console:
    """A console for standard output, plain unless it is a terminal or a notebook."""
    return Console(force_terminal=None if on_terminal() else False, highlight=False)


class Progress:
    """Shows a run on rank 0; a context manager. `due` says whether the next `show` is wanted.

    Statistics and writing each take at most SHARE of the measured time, however long a step takes.
    """

    def __init__(self, log: logging.Logger, console: Console | None = None):
        self.log = log
        self.console = console or stdout_console()
        now = time.monotonic()
        self._started = now
        self._done_at_start: float | None = None
        self._bar = bar_of(self.console)
        self._display = Stopwatch(LIVE_SECONDS if self._bar else PLAIN_SECONDS, now)
        self._logging = Stopwatch(LOG_SECONDS, now)
        self._statistics, self._writing = Allowance(SHARE, now), Allowance(SHARE, now)

    def __enter__(self) -> "Progress":
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bar:
            self._bar.stop()

    def due(self) -> bool:
        now = time.monotonic()
        return self._writing.allows(0.0, now) and self._display.ring(now)

    def affords(self, seconds: float | None) -> bool:
        """Whether the display may compute statistics that took `seconds` last time (None: unknown)."""
        return seconds is not None and self._statistics.allows(seconds, time.monotonic())

    def computed(self, seconds: float) -> None:
        """Record the seconds that statistics took which only the display needed."""
        self._statistics.take(seconds, time.monotonic())

    def begin(self, done: float) -> None:
        """Set the fraction of the run that earlier runs had done, from which the time left follows."""
        self._started = time.monotonic()
        self._done_at_start = done

    def show(self, status: Status) -> None:
        began = time.monotonic()
        left = self._left(status)
        line = f"{status.place()}  {status.numbers()}  {left} left"
        if self._bar:
            self._bar.show(status, left)
        else:
            self.say(line)
        if self._logging.ring(time.monotonic()):
            self.log.info(line)
        now = time.monotonic()
        self._writing.take(now - began, now)

    def say(self, line: str) -> None:
        self.console.print(line, soft_wrap=True)

    def _left(self, status: Status) -> str:
        now, done = time.monotonic() - self._started, status.done - (self._done_at_start or 0.0)
        left = now * (1 - status.done) / done if done > 0 else math.inf
        return str(timedelta(seconds=round(left))) if left < A_LIFETIME else "–"


class TerminalBar:
    """A bar with a line below it, in the last lines of a terminal."""

    def __init__(self, console: Console):
        self._live = Live(console=console, auto_refresh=False)

    def start(self) -> None:
        self._live.start()

    def stop(self) -> None:
        self._live.stop()

    def show(self, status: Status, left: str) -> None:
        bar = Table.grid(padding=(0, 1), expand=True)
        bar.add_column(ratio=1)
        bar.add_column(no_wrap=True)
        filled = ProgressBar(1.0, status.done, complete_style="cyan", finished_style="green")
        bar.add_row(filled, f"{100 * status.done:.0f} %  {left} left")
        line = Text(f"{status.place()}  ", style="bold", no_wrap=True, overflow="ellipsis")
        line.append(status.numbers(), style="not bold")
        self._live.update(Group(bar, line), refresh=True)


class NotebookBar:
    """A bar with a line below it in the output of a notebook's cell, which replaces it; no widgets."""

    def __init__(self) -> None:
        self._handle: Any = None  # of the output in the cell

    def start(self) -> None:
        """Nothing is shown before the first status."""

    def stop(self) -> None:
        """The last status stays in the cell."""

    def show(self, status: Status, left: str) -> None:
        from IPython.display import display

        text = f"{status.place()}  {status.numbers()}  {left} left"
        shown = {"text/html": html.bar(status.done, text), "text/plain": text}
        if self._handle is None:
            self._handle = display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)


def bar_of(console: Console) -> TerminalBar | NotebookBar | None:
    """The bar that a console can show; None where it has lines."""
    if console.is_jupyter:
        return NotebookBar()
    return TerminalBar(console) if console.is_terminal else None


class Working:
    """Shows the progress of slow work on standard error; a context manager.

    On a terminal it is a bar with the time so far, which disappears at the end. Elsewhere it is a single
    line, once the work has taken PATIENCE.
    """

    def __init__(self, what: str, console: Console | None = None):
        self.what = what
        self.console = console or Console(stderr=True, highlight=False)
        self._bars: Any = None
        self._line = Timer(PATIENCE, self._say)
        self._line.daemon = True

    def __enter__(self) -> "Working":
        if not self.console.is_terminal:
            self._line.start()
            return self
        from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bars

        shown = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(20), TimeElapsedColumn())
        kept: Any = {"redirect_stdout": False, "redirect_stderr": False}
        self._bars = Bars(*shown, console=self.console, transient=True, **kept)
        self._task = self._bars.add_task(escape(self.what), total=None)
        self._bars.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._line.cancel()
        if self._bars:
            self._bars.stop()

    def at(self, part: str, done: float | None = None) -> None:
        """Show the present part of the work, and the fraction of the work that is done, if it is known."""
        if self._bars:
            told = escape(f"{self.what}: {part}")
            self._bars.update(self._task, description=told, total=done and 1.0, completed=done or 0.0)

    def _say(self) -> None:
        self.console.print(escape(f"{self.what}: this takes a while"), soft_wrap=True)

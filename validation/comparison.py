"""Output of a validation: its errors on the screen and on a page, its JSON file and its figure."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from rich.table import Table
from whorl import __version__
from whorl.pictures.style import STYLE
from whorl.run.progress import stdout_console

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "validation" / "results"
FIGURES = ROOT / "docs" / "figures"
PAGE = ROOT / "docs" / "validation.md"
OWN, REFERENCE = "#2b6cb0", "0.15"
UNCHECKED = "recalled, unchecked"  # of a published number that was not looked up: it has no limit


@dataclass(frozen=True)
class Error:
    """A number that should be small. Without a limit it is reported but not judged."""

    what: str
    value: float
    limit: float | None = None

    @property
    def verdict(self) -> str:
        if self.limit is None:
            return "–"
        return "passed" if self.value < self.limit else "FAILED"


@dataclass(frozen=True)
class Curves:
    """Time series of energy, dissipation and enstrophy."""

    label: str
    time: np.ndarray
    energy: np.ndarray
    dissipation: np.ndarray
    enstrophy: np.ndarray

    def at(self, indices: np.ndarray) -> "Curves":
        arrays = (self.time, self.energy, self.dissipation, self.enstrophy)
        return Curves(self.label, *(array[indices] for array in arrays))


def paired(own: Curves, reference: Curves) -> tuple[Curves, Curves]:
    """Both curves at the times that they have in common (to 1e-9)."""
    nearest = np.abs(reference.time[:, None] - own.time[None, :]).argmin(axis=1)
    common = np.abs(own.time[nearest] - reference.time) < 1e-9
    return own.at(nearest[common]), reference.at(np.flatnonzero(common))


def show(title: str, errors: list[Error]) -> None:
    table = Table("error", "value", "limit", "verdict", title=title, title_justify="left", box=None)
    for error in errors:
        color = {"passed": "green", "FAILED": "bold red"}.get(error.verdict, "dim")
        table.add_row(error.what, *_numbers(error), f"[{color}]{error.verdict}")
    stdout_console().print(table)


def write_result(name: str, title: str, errors: list[Error], run: dict[str, Any]) -> None:
    """Write validation/results/NAME.json: the errors with their limits, and the run they come from."""
    result = {
        "title": title,
        "passed": all(error.verdict != "FAILED" for error in errors),
        "errors": [asdict(error) | {"verdict": error.verdict} for error in errors],
        "run": run,
        "whorl": __version__,
        "date": date.today().isoformat(),
    }
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(result, indent=2, ensure_ascii=False)
    (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def write_page_table(name: str, errors: list[Error], place: Path = PAGE) -> None:
    """Write the table between the marks of NAME on a page, docs/validation.md by default."""
    cells = [(e.what.replace("|", "\\|"), *_numbers(e), e.verdict) for e in errors]
    rows = [f"| {' | '.join(row)} |" for row in cells]
    table = "\n".join(["| error | value | limit | verdict |", "|---|---|---|---|", *rows])
    write_between(f"<!-- table {name} -->", "<!-- end -->", table, place)


def write_between(begin: str, end: str, text: str, place: Path) -> None:
    """Write a text between two marks on a page."""
    page = place.read_text(encoding="utf-8")
    marked = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if not marked.search(page):
        raise SystemExit(f"{place} has no place for the table: put '{begin}' and '{end}' on lines there.")
    place.write_text(marked.sub(lambda _: f"{begin}\n{text}\n{end}", page, count=1), encoding="utf-8")


@contextmanager
def picture(name: str, title: str, size: tuple[float, float] = (14, 4.4)) -> Iterator[Figure]:
    """A figure that is saved as docs/figures/validation-NAME.png at the end of the block."""
    with rc_context(STYLE):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        yield figure
        figure.suptitle(title, x=0.01, ha="left", fontsize=13)
        FIGURES.mkdir(exist_ok=True)
        figure.savefig(FIGURES / f"validation-{name}.png", dpi=100)


def draw(name: str, title: str, own: Curves, reference: Curves, limits: dict[str, float]) -> Path:
    """Draw docs/figures/validation-NAME.png: energy and dissipation over the reference, and the errors."""
    with picture(name, title) as figure:
        energy, dissipation, errors = figure.subplots(1, 3)
        _over_reference(energy, own, reference, "energy", "Kinetic energy  ½⟨u²⟩")
        _over_reference(dissipation, own, reference, "dissipation", "Dissipation  ε")
        energy.legend(frameon=False, loc="lower left")
        _draw_errors(errors, *paired(own, reference), limits)
    return FIGURES / f"validation-{name}.png"


def _over_reference(ax: Axes, own: Curves, reference: Curves, name: str, title: str) -> None:
    shown = reference.time <= own.time[-1] + 1e-9
    few = np.count_nonzero(shown) < 50
    ax.plot(own.time, getattr(own, name), color=OWN, linewidth=3.5, alpha=0.55, label=own.label)
    ax.plot(
        reference.time[shown],
        getattr(reference, name)[shown],
        "o" if few else "-",
        color=REFERENCE,
        linewidth=1,
        markersize=4,
        label=reference.label,
    )
    ax.set(title=title, xlabel="t")
    ax.set_ylim(0, 1.08 * getattr(own, name).max())


def _draw_errors(ax: Axes, own: Curves, reference: Curves, limits: dict[str, float]) -> None:
    """Draw |ΔE| and |ΔZ|/Z over time, with their limits."""
    style = "o-" if own.time.size < 50 else "-"
    quantities = {
        "energy": (np.abs(own.energy - reference.energy), "|ΔE|", OWN),
        "enstrophy": (np.abs(own.enstrophy / reference.enstrophy - 1), "|ΔZ| / Z", "#c2410c"),
    }
    for name, (values, label, color) in quantities.items():
        ax.plot(own.time, np.where(values > 0, values, np.nan), style, color=color, label=label, markersize=4)
        if name in limits:
            ax.axhline(limits[name], color=color, linestyle=":", linewidth=1.2)
    ax.set(title="Difference from the reference", xlabel="t", yscale="log")
    ax.legend(frameon=False, loc="lower right")


def _numbers(error: Error) -> tuple[str, str]:
    return f"{error.value:.3g}", "–" if error.limit is None else f"{error.limit:g}"

"""The style of all pictures of whorl, units and errors in them, and how they are saved."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.textpath import TextPath

from whorl.base.dimension import UNITS_OF_CASE
from whorl.base.files import whole_file
from whorl.base.text import spelled

# Colours that also differ without red or green: tests/python/test_diagnostic_pictures.py.
COLORS = ("#2563a8", "#d9590b", "#0aa17a", "#86206b", "#e0a800", "#6bb8ea", "#1f2937", "#94a3b8")
STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.labelcolor": "0.3",
    "axes.edgecolor": "0.6",
    "xtick.color": "0.35",
    "ytick.color": "0.35",
    "axes.grid": True,
    "grid.color": "0.92",
    "axes.axisbelow": True,
    "lines.linewidth": 2,
}
DOTS = 150  # per inch, in a PNG and in the images within other formats
TITLE, POINTS = 11.0, 72  # the size of titles, and points per inch
ROOM = 0.92  # share of the width for a title
BAND = 0.3  # opacity of a band of errors
HALO = {"path_effects": [withStroke(linewidth=3, foreground="white", alpha=0.8)]}  # around a text over curves
LAW = {
    "color": "0.45",
    "linewidth": 1.2,
    "linestyle": (0, (5, 2)),
    "zorder": 1,
}  # lines that curves are compared with


def draw_title(figure: Figure, title: str, size: float = TITLE) -> None:
    """The title of a whole figure, smaller if it is too long for it."""
    if not title:
        return
    length = TextPath((0, 0), title, size=size).get_extents().width
    room = ROOM * POINTS * figure.get_figwidth() / length
    figure.suptitle(title, x=0.012, ha="left", fontsize=size * min(1.0, room))


def title_of(directory: Path, *parts: str) -> str:
    """The title of a picture: the folder of the run, and more."""
    return "   ·   ".join([spelled(directory.resolve().name), *parts])


def with_unit(name: str, unit: str) -> str:
    """The name of an axis, which may be empty, with its unit if that says something."""
    if unit in ("", "1") or UNITS_OF_CASE in unit:
        return name
    return f"{name}  [{unit}]" if name else f"[{unit}]"


def units_of(arrays: Sequence[xr.DataArray]) -> tuple[str, dict[str, str]]:
    """The common unit of arrays, or "" if they differ, and the end of each label by name."""
    units = {str(one.name): str(one.attrs.get("units", "1")) for one in arrays}
    if len(set(units.values())) == 1:
        return next(iter(units.values())), dict.fromkeys(units, "")
    return "", {name: with_unit("f", unit)[1:] for name, unit in units.items()}


def rounded(time: float, span: float) -> str:
    """Return a time as short text, accurate to a fortieth of the time shown, or better."""
    decimals = max(0, math.ceil(-math.log10(span / 40))) if span > 0 else 4
    return f"{time:.{min(decimals, 12)}f}".rstrip("0").rstrip(".") if decimals else f"{time:.0f}"


def draw_band(
    ax: Axes,
    place: np.ndarray,
    values: np.ndarray,
    error: np.ndarray | None,
    color: str,
    floor: float | np.ndarray = -np.inf,
) -> None:
    """A band of one standard error on either side, from `floor` up."""
    if error is None:
        return
    seen = np.isfinite(values) & np.isfinite(error)
    low, high = (np.where(seen, np.maximum(values + sign * error, floor), np.nan) for sign in (-1, 1))
    ax.fill_between(place, low, high, color=color, alpha=BAND, linewidth=0)


def draw_notes(figure: Figure, notes: Sequence[str]) -> None:
    """Sentences below a whole figure, on data left out of it."""
    if notes:
        figure.supxlabel("\n".join(notes), fontsize=9, color="0.35")


def save_picture(figure: Figure, path: Path) -> None:
    """Save a figure as PNG, PDF or SVG, by the ending of the name; see `files.check_picture`."""
    FigureCanvasAgg(figure)
    with whole_file(path) as beside:
        figure.savefig(beside, format=path.suffix[1:].lower(), dpi=DOTS)

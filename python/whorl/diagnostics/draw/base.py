"""Parts that drawings of diagnostics share: looks of curves, bands of errors, names of axes."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from whorl.base.text import in_powers
from whorl.config.earlier import renamed
from whorl.output.means import ENOUGH
from whorl.pictures.style import BAND, COLORS, LAW, draw_band, with_unit
from whorl.results.as_text import TO_ROUNDING, is_rounding, told_of_box
from whorl.results.estimate import Estimate

DASHES = ("-", (0, (4, 1.5)), (0, (1, 1)))  # of curves: the next after each round of colours
ZERO = LAW | {"linewidth": 0.8, "linestyle": "-"}
DASH_OF_AXIS = {"x": "-", "y": "--", "z": ":"}  # dashes of curves along an axis
BARS = 10  # approximate number of error bars of a curve
DEEPEST = 0.3  # of a value: the lowest end of its error bar on a logarithmic axis
IN_WORDS = re.compile(r"[A-Za-z_]+(\.[xyz])?")  # a name, not an expression
ROWS = 20  # of a legend next to a graph
WIDTH, HEIGHT = 6.4, 4.2  # of a figure with one graph, in inches


def options_of(data: xr.Dataset) -> dict[str, Any]:
    """The options that the diagnostic was measured with."""
    return renamed("diagnostics", json.loads(data.attrs.get("options", "{}")))


class Look(NamedTuple):
    """The colour and the dash of the curve of a quantity."""

    color: str
    linestyle: Any

    @property
    def line(self) -> dict[str, Any]:
        """The style of a line of usual width."""
        return self._asdict() | {"linewidth": 1.6}


def look(number: int) -> Look:
    """The look of the curve with this number, from 0."""
    return Look(COLORS[number % len(COLORS)], DASHES[number // len(COLORS) % len(DASHES)])


def quantity_of(array: xr.DataArray) -> str | None:
    """The axis of the quantities of an array, "quantity" or one such as "angle_quantity", or None."""
    return next((str(name) for name in array.dims if str(name).endswith("quantity")), None)


def coordinates_of(array: xr.DataArray) -> list[str]:
    """The other axes of an array, such as the coordinates of bins."""
    return [str(name) for name in array.dims if name != quantity_of(array)]


def curves(array: xr.DataArray) -> Iterator[tuple[str, xr.DataArray, Look]]:
    """The name, values and look of each quantity of an array; an array without quantities has no name."""
    if (axis := quantity_of(array)) is None:
        yield "", array, look(0)
        return
    for n, name in enumerate(array[axis].values):
        yield short(str(name)), array.isel({axis: n}), look(n)


def short(text: str, most: int = 32) -> str:
    """An expression, shortened to fit a legend; the underscores of a name become spaces."""
    if IN_WORDS.fullmatch(text):
        text = text.replace("_", " ")
    return text if len(text) <= most else f"{text[: most - 1]}…"


def error_of(data: xr.Dataset, array: xr.DataArray) -> np.ndarray | None:
    """The standard errors of an array, or of a part of it; None if `data` has none."""
    errors = data.get(f"{array.name}_error")
    if errors is None:
        return None
    chosen = {axis: array[axis] for axis in errors.dims if axis not in array.dims}
    return errors.sel(chosen).transpose(*array.dims).values


def draw_curve(ax: Axes, place: np.ndarray, values: np.ndarray, look: Look, label: str, **more: Any) -> None:
    """A curve, with a dot for each value between two missing ones, which a line does not show."""
    ax.plot(place, values, **look.line | more, label=label)
    there = np.pad(np.isfinite(place) & np.isfinite(values), 1)
    alone = there[1:-1] & ~there[:-2] & ~there[2:]
    if alone.any():
        ax.plot(place[alone], values[alone], ".", color=look.color)


def draw_curves(ax: Axes, place: np.ndarray, data: xr.Dataset, array: xr.DataArray, **more: Any) -> None:
    """The curve of each quantity of an array, with a band of its errors."""
    for name, one, look in curves(array):
        draw_curve(ax, place, one.values, look, name, **more)
        draw_band(ax, place, one.values, error_of(data, one), look.color)


def draw_upright_curve(
    ax: Axes, values: np.ndarray, place: np.ndarray, error: np.ndarray | None, look: Look, label: str
) -> None:
    """A curve with its values across the page and their places up the page, with a band of its errors."""
    draw_curve(ax, values, place, look, label)
    if error is not None:
        ax.fill_betweenx(place, values - error, values + error, color=look.color, alpha=BAND, linewidth=0)


def label_of(variable: xr.DataArray, name: str = "") -> str:
    """The name of an axis, with its unit as `with_unit` adds it."""
    return with_unit(name or str(variable.name), variable.attrs.get("units", "1"))


def axes_of_separations(data: xr.Dataset) -> list[str]:
    """The axes along which points are separated."""
    return [axis for axis in "xyz" if f"r_{axis}" in data.dims]


def tell_separations(ax: Axes, axes: Sequence[str]) -> None:
    """Name the axis of separations; add the dash of each axis to the legend if several are drawn."""
    ax.set_xlabel("r  [length]")
    for axis in axes if len(axes) > 1 else ():
        ax.plot([], [], color="0.3", linestyle=DASH_OF_AXIS[axis], linewidth=1.2, label=f"along {axis}")


def draw_bars(
    ax: Axes, place: np.ndarray, values: np.ndarray, error: np.ndarray | None, color: str, axis: str
) -> None:
    """Bars of one standard error at some places, which differ by axis; bands would cover each other."""
    if error is None:
        return
    every = max(len(DASH_OF_AXIS), len(values) // BARS)
    some = slice(list(DASH_OF_AXIS).index(axis) * every // len(DASH_OF_AXIS), None, every)
    below = error
    if ax.get_yscale() == "log":
        below = np.minimum(error, (1 - DEEPEST) * np.abs(values))
    bars = np.array([below[some], error[some]])
    ax.errorbar(place[some], values[some], bars, fmt="none", ecolor=color, elinewidth=1.2, capsize=2.5)


def scaled(data: xr.Dataset, axis: str) -> str:
    """The label of an axis of bins, such as "(f − ⟨f⟩)/σ"."""
    return label_of(
        data[axis], str(data[axis].attrs.get("long_name", axis)).partition(",")[0].replace("σ_f", "σ")
    )


def told(data: xr.Dataset, name: str) -> str:
    """A number of the whole box: a mean as `whorl average` prints it, a number of a state to four digits."""
    value, unit = float(data[name]), data[name].attrs.get("units", "1")
    if f"{name}_error" in data:
        return told_of_box(Estimate.read(data, name), unit)
    return TO_ROUNDING if is_rounding(value, unit) else in_powers(value, 4)


def doubt(numbers: Sequence[str]) -> list[str]:
    """The meaning of question marks after numbers; nothing if no number has one."""
    marked = any(number.endswith("?") for number in numbers)
    return [f"?  of fewer than {ENOUGH:.0f} independent\n    samples: not reliable"] if marked else []


def places(data: xr.Dataset, axis: str) -> tuple[np.ndarray, list[str] | None]:
    """The positions of the values of an axis, and their labels if they are texts."""
    values = data[axis].values
    if values.dtype.kind in "fiu":
        return values, None
    return np.arange(len(values)), [short(str(text)) for text in values]


def legend(ax: Axes, many: int = 4, loc: str = "best", title: str = "", size: float = 8.5) -> None:
    """A legend without a frame, if a curve has a label; a long one is next to the graph, under `title`."""
    _, labels = ax.get_legend_handles_labels()
    if len(labels) > 2 * many:
        style = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "ncols": -(-len(labels) // ROWS)}
        ax.legend(frameon=False, fontsize=8, title=title or None, title_fontsize=8, **style)
    elif any(labels):
        ax.legend(loc=loc, frameon=False, fontsize=size, ncols=1 if len(labels) <= many else 2)


def say(ax: Axes, text: str) -> None:
    """A text in the middle of a graph that shows nothing else."""
    ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", color="0.5")


def tell_empty(figure: Figure) -> None:
    """Write "no numbers" in each graph whose curves have none, unless it has a text that says why."""
    for ax in figure.axes:
        lines = [one for one in ax.lines if one.get_color() != LAW["color"]]
        if (
            lines
            and not ax.texts
            and not any(np.isfinite(np.asarray(one.get_xydata(), float)).all(axis=1).any() for one in lines)
        ):
            say(ax, "no numbers")


def tell_left_out(figure: Figure, number: int) -> None:
    """Write in the figure how many graphs are left out."""
    if number > 0:
        figure.supxlabel(f"{number} more {'is' if number == 1 else 'are'} not drawn", fontsize=9, color="0.4")


def plain_ticks(axis: Axis) -> None:
    """Ticks at 1, 2 and 5 times powers of ten, for a logarithmic axis that spans few decades."""
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def few_ticks(ax: Axes) -> None:
    """Ticks across the page that do not run into each other, however small the values."""
    ax.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
    ax.ticklabel_format(axis="x", scilimits=(-4, 5), useMathText=True)


def populated(present: np.ndarray, margin: int = 2) -> slice:
    """The part of an axis where something is present, with a few places on either side."""
    places = np.flatnonzero(present)
    if not places.size:
        return slice(0, len(present))
    return slice(max(0, int(places[0]) - margin), min(len(present), int(places[-1]) + margin + 1))

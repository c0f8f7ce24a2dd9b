"""Bins of wavenumbers and angles: their edges, the axes over them, and maps over two coordinates."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import QuadMesh
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import ScalarFormatter

from whorl.diagnostics.draw.base import coordinates_of, label_of

STEPS = (1, 2, 5)  # of ticks in a decade
FEW_DECADES = 2.5  # span of an axis up to which a decade has all of them
APART = 1.3  # times the end of the strip of 0: the least of the other ticks, clear of that of 0
OF_PI = ("0", "π/8", "π/4", "3π/8", "π/2")
CLEAR = 0.05  # of the largest value: smaller errors get no dot, for the values below them are pale
COLUMNS, SIDE = 3, 4.3  # of maps, and the width of one in inches


def edges_of(data: xr.Dataset, name: str) -> np.ndarray:
    """The edges of the bins of a coordinate, one more than its bins."""
    return np.append(data[f"{name}_lower"].values, data[f"{name}_upper"].values[-1])


def is_angle(name: str) -> bool:
    """Whether a coordinate is an angle, in radians; the others are wavenumbers."""
    return name.endswith("angle")


def drawn_edges(name: str, edges: np.ndarray) -> np.ndarray:
    """Edges that a logarithmic axis can show: a bin that starts at 0 becomes a strip before the others."""
    if is_angle(name) or edges[0] > 0:
        return edges
    return np.array([edges[1] / 2, *edges[1:]])


def tell_bins(
    axis: Axis, data: xr.Dataset, name: str, edges: Sequence[float] | np.ndarray, strip: bool = False
) -> None:
    """Label, scale and ticks of an axis over bins between edges; the first bin may be the strip of 0."""
    which = axis.axis_name
    role, _, coordinate = name.rpartition("_")
    axis.set_label_text(label_of(data[name], f"{coordinate} of the {role}" if role else name))
    if is_angle(name):
        axis.set_ticks(np.pi / 8 * np.arange(len(OF_PI)), OF_PI)
        return
    axis.axes.set(**{f"{which}scale": "log"})
    first, last = edges[0] if not strip else APART * edges[1], edges[-1]
    ticks = ticks_between(first, last)
    zero = [(float(np.sqrt(edges[0] * edges[1])), "0")] if strip else []
    at, texts = zip(*zero, *((one, f"{one:g}") for one in ticks), strict=True)
    axis.set_ticks(at, texts)
    axis.set_ticks([], minor=True)


def ticks_between(first: float, last: float) -> list[float]:
    """Round numbers for a logarithmic axis; its upper end if it spans none."""
    steps = STEPS if last < first * 10**FEW_DECADES else STEPS[:1]
    decades = range(int(np.floor(np.log10(first))), int(np.ceil(np.log10(last))) + 1)
    every = [float(f"{step}e{decade}") for decade in decades for step in steps]
    return [one for one in every if first <= one <= last] or [float(f"{last:.3g}")]


def draw_bins(ax: Axes, data: xr.Dataset, values: xr.DataArray, **style: Any) -> None:
    """A map of values [up][across] with the true edges of the bins, and a colour bar."""
    up, across = coordinates_of(values)
    whole = {name: edges_of(data, name) for name in (up, across)}
    edges = {name: drawn_edges(name, one) for name, one in whole.items()}
    ax.grid(False)
    image = ax.pcolormesh(edges[across], edges[up], values.values, rasterized=True, **style)
    for axis, name, draw_line in ((ax.xaxis, across, ax.axvline), (ax.yaxis, up, ax.axhline)):
        strip = edges[name][0] != whole[name][0]
        if strip:
            draw_line(edges[name][1], color="white", linewidth=2)
        tell_bins(axis, data, name, edges[name], strip)
    ax.set(xlim=edges[across][[0, -1]], ylim=edges[up][[0, -1]])
    colour_bar(ax, image)


def colour_bar(ax: Axes, image: QuadMesh, **place: Any) -> None:
    """The colour bar of a map; its numbers are short, however small the values."""
    bar = ax.figure.colorbar(image, ax=ax, **place)
    bar.outline.set_visible(False)
    if isinstance(bar.formatter, ScalarFormatter):
        bar.formatter.set_powerlimits((-2, 3))
        bar.formatter.set_useMathText(True)


def mark_doubtful(
    ax: Axes, across: np.ndarray, up: np.ndarray, values: np.ndarray, error: np.ndarray | None
) -> None:
    """A dot on each value [up][across] that is smaller than its error, unless the error is below CLEAR."""
    if error is None:
        return
    limit = np.abs(np.nan_to_num(values)).max(initial=0.0)
    rows, columns = np.nonzero((error > np.abs(values)) & (error > CLEAR * limit))
    if rows.size:
        ax.plot(across[columns], up[rows], ".", color="0.25", markersize=2)


def about_zero(values: np.ndarray) -> dict[str, Any]:
    """Colours on either side of zero, up to the largest value."""
    limit = float(np.abs(np.nan_to_num(values)).max(initial=0.0)) or 1.0
    return {"cmap": "RdBu_r", "norm": Normalize(-limit, limit)}


def with_modes(data: xr.Dataset, array: str) -> xr.Dataset:
    """The dataset up to the last bins with modes; in bins without modes the values of `array` are NaN."""
    there, last = data["modes"] > 0, {}
    for name in there.dims:
        any_at = there.any([other for other in there.dims if other != name])
        last[name] = slice(int(np.flatnonzero(any_at).max(initial=0)) + 1)
    return data.assign({array: data[array].where(there)}).isel(last)


def graphs(figure: Figure, count: int, height: float = SIDE) -> list[Axes]:
    """The axes of `count` graphs in rows; the rest of the last row stays empty."""
    columns = min(count, COLUMNS)
    rows = -(-count // columns)
    figure.set_size_inches(SIDE * columns, 0.86 * height * rows)
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for ax in axes[count:]:
        ax.set_axis_off()
    return axes[:count]

"""Any diagnostic: an array over one axis as curves, one over two axes as a map, numbers as points."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from whorl.base.errors import CaseError
from whorl.diagnostics.draw.base import (
    HEIGHT,
    WIDTH,
    coordinates_of,
    curves,
    draw_curves,
    error_of,
    label_of,
    legend,
    places,
    tell_left_out,
)
from whorl.results.by_name import averaged

MOST = 4  # graphs


def draw_plain(figure: Figure, data: xr.Dataset) -> None:
    """The arrays with the most axes, at most two: a graph for each, or a map for each quantity."""
    arrays = [one for one in _arrays(data) if len(coordinates_of(one)) <= 2]
    if not arrays:
        raise CaseError(
            "the diagnostic has no array of numbers over two axes or fewer, so it cannot be drawn."
        )
    most = max(len(coordinates_of(one)) for one in arrays)
    parts = [one for one in arrays if len(coordinates_of(one)) == most]
    if most == 2:
        parts = [part for one in parts for _, part, _ in curves(one)]
    tell_left_out(figure, len(parts) - MOST)
    parts = parts[:MOST]
    figure.set_size_inches(WIDTH if len(parts) == 1 else 0.8 * WIDTH * len(parts), HEIGHT)
    for ax, array in zip(figure.subplots(1, len(parts), squeeze=False)[0], parts, strict=True):
        (_numbers, _curves, _map)[most](ax, data, array)


def _arrays(data: xr.Dataset) -> list[xr.DataArray]:
    """The arrays of numbers, except errors, samples and counts."""
    return [one for one in averaged(data) if one.name != "count" and one.dtype.kind in "fiu"]


def _numbers(ax: Axes, data: xr.Dataset, array: xr.DataArray) -> None:
    names = [name for name, *_ in curves(array)]
    at, error = np.arange(len(names)), error_of(data, array)
    ax.errorbar(
        at, np.atleast_1d(array.values), None if error is None else np.atleast_1d(error), fmt="o", capsize=3
    )
    ax.set_xticks(at, names)
    ax.set_ylabel(label_of(array))


def _curves(ax: Axes, data: xr.Dataset, array: xr.DataArray) -> None:
    (axis,) = coordinates_of(array)
    at, texts = places(data, axis)
    style = {"marker": "o", "linestyle": ""} if texts else {}
    draw_curves(ax, at, data, array, **style)
    if texts:
        ax.set_xticks(at, texts)
    ax.set(xlabel=label_of(data[axis]), ylabel=label_of(array))
    legend(ax)


def _map(ax: Axes, data: xr.Dataset, array: xr.DataArray) -> None:
    (up, rows), (across, columns) = ((places(data, axis), axis)[::-1] for axis in coordinates_of(array))
    ax.grid(False)
    image = ax.pcolormesh(
        columns[0], rows[0], array.values, cmap="viridis", shading="nearest", rasterized=True
    )
    ax.figure.colorbar(image, ax=ax).outline.set_visible(False)
    for axis, (at, texts) in ((ax.xaxis, columns), (ax.yaxis, rows)):
        if texts:
            axis.set_ticks(at, texts)
    title = str(array["quantity"].values) if "quantity" in array.coords else ""
    ax.set(xlabel=label_of(data[across]), ylabel=label_of(data[up]), title=title or label_of(array))

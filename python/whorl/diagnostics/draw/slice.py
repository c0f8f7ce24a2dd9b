"""Slices: a map for each quantity, with one scale along both axes."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from whorl.diagnostics.draw.base import (
    coordinates_of,
    curves,
    draw_curve,
    label_of,
    look,
    options_of,
    tell_left_out,
)
from whorl.pictures.slices import scale_of, told_position

MOST, COLUMNS = 9, 3  # maps
SIZE = 3.6  # of the longer side of a map, in inches
ROOM = (1.5, 1.2)  # width and height of the colour bar and labels of a map, in inches


def draw_slice_of(figure: Figure, data: xr.Dataset) -> None:
    """Values on the plane of the slice."""
    normal, place = options_of(data).get("normal", ""), float(data["position"])
    up, across = coordinates_of(data["slice"])
    draw_maps(figure, data["slice"], (up, across), f"at {normal} = {told_position(place)}")


def draw_maps(figure: Figure, array: xr.DataArray, axes_of_map: tuple[str, str], what: str) -> None:
    """The first maps of an array over quantities and two axes, the first of these up the page.

    Colours are on either side of zero if a part of the values is clearly negative.
    """
    maps, (up, across) = list(curves(array)), axes_of_map
    columns = min(len(maps), COLUMNS)
    rows = -(-min(len(maps), MOST) // columns)
    flat = min(array.sizes[up], array.sizes[across]) == 1
    aspect = 1.5 if flat else _length(array[across].values) / _length(array[up].values)
    width, height = SIZE * min(1.0, aspect), SIZE * min(1.0, 1 / aspect)
    figure.set_size_inches(columns * (width + ROOM[0]), rows * (height + ROOM[1]))
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for ax, (name, values, _) in zip(axes, maps[:MOST], strict=False):
        draw = _draw_row if flat else _draw_map
        draw(ax, values.transpose(up, across), f"{name}   {what}")
    for ax in axes[len(maps) :]:
        ax.set_axis_off()
    tell_left_out(figure, len(maps) - MOST)


def _length(places: np.ndarray) -> float:
    """The length of an axis, one cell for each point."""
    return float(np.ptp(places)) * len(places) / max(len(places) - 1, 1) or 1.0


def _draw_map(ax: Axes, values: xr.DataArray, title: str) -> None:
    up, across = values.dims
    ax.grid(False)
    image = ax.pcolormesh(
        values[across],
        values[up],
        values.values,
        shading="nearest",
        rasterized=True,
        **scale_of(values.values),
    )
    ax.set(xlabel=label_of(values[across]), ylabel=label_of(values[up]))
    ax.set_aspect("equal")
    ax.set_title(title, fontsize=10)
    ax.figure.colorbar(image, ax=ax, shrink=0.9, extend="both").outline.set_visible(False)


def _draw_row(ax: Axes, values: xr.DataArray, title: str) -> None:
    """The values along a plane that is one point wide."""
    along = max(values.dims, key=lambda axis: values.sizes[axis])
    draw_curve(ax, values[along].values, values.values.ravel(), look(0), "")
    ax.set(xlabel=label_of(values[along]), ylabel="value")
    ax.set_title(title, fontsize=10)

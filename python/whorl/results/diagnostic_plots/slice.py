"""Slices: a map for each quantity, with one scale along both axes."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from whorl.results.diagnostic_plots.base import curves, draw_curve, label_of, look, options_of, tell_left_out
from whorl.results.slices import scale_of, told_position

MOST, COLUMNS = 9, 3  # maps
SIZE = 3.6  # of the longer side of a map, in inches
ROOM = (1.5, 1.2)  # beside and above a map


def draw_slice_of(figure: Figure, data: xr.Dataset) -> None:
    """The first maps, with colours on either side of zero for what has both signs."""
    maps = list(curves(data["slice"]))
    up, across = (str(name) for name in data["slice"].dims if name in ("x", "y", "z"))
    columns = min(len(maps), COLUMNS)
    rows = -(-min(len(maps), MOST) // columns)
    aspect = (
        _length(data[across].values) / _length(data[up].values) if min(data["slice"].shape[1:]) > 1 else 1.5
    )
    width, height = SIZE * min(1.0, aspect), SIZE * min(1.0, 1 / aspect)
    figure.set_size_inches(columns * (width + ROOM[0]), rows * (height + ROOM[1]))
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    normal, place = options_of(data).get("normal", ""), float(data["position"])
    for ax, (name, values, _) in zip(axes, maps[:MOST], strict=False):
        draw = _draw_map if min(values.shape) > 1 else _draw_row
        draw(ax, values.transpose(up, across), f"{name}   at {normal} = {told_position(place)}")
    for ax in axes[len(maps) :]:
        ax.set_axis_off()
    tell_left_out(figure, len(maps) - MOST)


def _length(places: np.ndarray) -> float:
    """What the points of an axis take, one cell each."""
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
    """Of a plane that is one point wide, its values along the other axis."""
    along = max(values.dims, key=lambda axis: values.sizes[axis])
    draw_curve(ax, values[along].values, values.values.ravel(), look(0), "")
    ax.set(xlabel=label_of(values[along]), ylabel="value")
    ax.set_title(title, fontsize=10)

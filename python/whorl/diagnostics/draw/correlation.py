"""Correlations over the separation along the axes."""

import xarray as xr
from matplotlib.figure import Figure

from whorl.diagnostics.draw.base import (
    DASH_OF_AXIS,
    HEIGHT,
    WIDTH,
    axes_of_separations,
    curves,
    draw_bars,
    draw_curve,
    error_of,
    legend,
    tell_separations,
)


def draw_correlation(figure: Figure, data: xr.Dataset) -> None:
    """R(r)/R(0), with a colour for each quantity and a dash for each axis."""
    figure.set_size_inches(WIDTH, HEIGHT)
    ax = figure.subplots()
    axes = axes_of_separations(data)
    for axis in axes:
        array, r = data[f"correlation_{axis}"], data[f"r_{axis}"].values
        for name, one, look in curves(array):
            error, largest = error_of(data, one), one.values[0]
            label = name if axis == axes[0] else ""
            draw_curve(ax, r, one.values / largest, look, label, linestyle=DASH_OF_AXIS[axis])
            own = None if error is None else error[1:] / largest  # at r = 0 it is 1
            draw_bars(ax, r[1:], one.values[1:] / largest, own, look.color, axis)
    ax.axhline(0, color="0.5", linewidth=0.6)
    ax.set(xlim=(0, None), ylabel="R(r)/R(0)")
    tell_separations(ax, axes)
    legend(ax, loc="upper right")

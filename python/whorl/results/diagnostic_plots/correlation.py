"""Correlations over the separation along the axes."""

import xarray as xr
from matplotlib.figure import Figure

from whorl.results.diagnostic_plots.base import (
    DASH_OF_AXIS,
    HEIGHT,
    WIDTH,
    axes_of_separations,
    curves,
    draw_band,
    draw_curve,
    error_of,
    label_of_separations,
    legend,
)


def draw_correlation(figure: Figure, data: xr.Dataset) -> None:
    """R(r)/R(0), a colour a quantity and a dash an axis."""
    figure.set_size_inches(WIDTH, HEIGHT)
    ax = figure.subplots()
    axes = axes_of_separations(data)
    for axis in axes:
        array, r = data[f"correlation_{axis}"], data[f"r_{axis}"].values
        for name, one, look in curves(array):
            error, largest = error_of(data, one), one.values[0]
            label = name if axis == axes[0] else ""
            draw_curve(ax, r, one.values / largest, look, label, linestyle=DASH_OF_AXIS[axis])
            draw_band(ax, r, one.values / largest, None if error is None else error / largest, look.color)
    ax.axhline(0, color="0.5", linewidth=0.6)
    ax.set(xlim=(0, None), xlabel=label_of_separations(axes), ylabel="R(r)/R(0)")
    legend(ax)

"""Densities over the values of a quantity, beside that of a Gaussian one."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from whorl.results.diagnostic_plots.base import (
    HEIGHT,
    LAW,
    WIDTH,
    curves,
    draw_band,
    error_of,
    legend,
    options_of,
    populated,
    scaled,
)


def draw_pdf(figure: Figure, data: xr.Dataset) -> None:
    """Each density over its axis, logarithmic upwards; on the axis in units of σ with a Gaussian one."""
    figure.set_size_inches(WIDTH, HEIGHT)
    ax, density = figure.subplots(), data["pdf"]
    positive = density.values[density.values > 0]
    floor = 0.3 * positive.min() if positive.size else 1e-6
    shown = populated((density.values > 0).any(axis=0))
    bins = data["bin"].values[shown]
    if options_of(data).get("scale") == "std":
        place = np.linspace(bins[0], bins[-1], 400)
        gaussian = np.exp(-(place**2) / 2) / np.sqrt(2 * np.pi)
        ax.plot(place, np.where(gaussian > floor, gaussian, np.nan), label="Gaussian", **LAW)
    for name, one, color in curves(density):
        values, error = one.values[shown], error_of(data, one)
        ax.plot(bins, np.where(values > 0, values, np.nan), color=color, linewidth=1.6, label=name)
        draw_band(
            ax,
            bins,
            np.where(values > 0, values, np.nan),
            None if error is None else error[shown],
            color,
            floor,
        )
    ax.set(yscale="log", xlabel=scaled(data, "bin"), ylabel="probability density")
    ax.set_ylim(bottom=floor)
    ax.set_xlim(bins[0], bins[-1])
    legend(ax)

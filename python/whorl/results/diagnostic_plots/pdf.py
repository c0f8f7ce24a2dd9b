"""Densities over the values of a quantity, beside that of a Gaussian one."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from whorl.base.text import in_powers, in_words
from whorl.results.diagnostic_plots.base import (
    HEIGHT,
    LAW,
    WIDTH,
    curves,
    draw_band,
    draw_curve,
    error_of,
    legend,
    populated,
    quantity_of,
    say,
    scaled,
)

SHOWN = 4  # means where there are no densities
FLAT = 10  # times the smallest density is the largest one where no logarithm is needed


def draw_pdf(figure: Figure, data: xr.Dataset) -> None:
    """Each density over its axis, logarithmic upwards unless flat; in units of σ with a Gaussian one."""
    figure.set_size_inches(WIDTH, HEIGHT)
    draw_densities(figure.subplots(), data)


def draw_densities(ax: Axes, data: xr.Dataset, prefix: str = "") -> None:
    """The densities of the array that begins with a prefix, as `draw_pdf` does."""
    density, axis = data[f"{prefix}pdf"], f"{prefix}bin"
    positive = density.values[density.values > 0]
    floor = 0.3 * positive.min() if positive.size else 1e-6
    shown = populated((density.values > 0).any(axis=0))
    bins = data[axis].values[shown]
    if "σ" in scaled(data, axis):
        place = np.linspace(bins[0], bins[-1], 400)
        gaussian = np.exp(-(place**2) / 2) / np.sqrt(2 * np.pi)
        ax.plot(place, np.where(gaussian > floor, gaussian, np.nan), label="Gaussian", **LAW)
    for name, one, look in curves(density):
        values, error = np.where(one.values > 0, one.values, np.nan)[shown], error_of(data, one)
        draw_curve(ax, bins, values, look, name if (one.values > 0).any() else f"{name}   (no points)")
        draw_band(ax, bins, values, None if error is None else error[shown], look.color, floor)
    flat = positive.size and positive.max() < FLAT * positive.min()
    ax.set(yscale="linear" if flat else "log", xlabel=scaled(data, axis), ylabel="probability density")
    ax.set_ylim(bottom=0.0 if flat else floor)
    if not positive.size:
        say(ax, _reason(data, prefix))
    if len(bins) > 1:
        ax.set_xlim(bins[0], bins[-1])
    legend(ax)


def _reason(data: xr.Dataset, prefix: str) -> str:
    """Why there are no densities: where the points are that lie in no bin, and means that are near zero."""
    outside = data[f"{prefix}outside"].sum(quantity_of(data[f"{prefix}outside"]))
    points = [f"{int(outside.sel(beyond=one))} {one}" for one in outside["beyond"].values]
    told = f"no points on the axis: {in_words(points)}"
    if "log" not in scaled(data, f"{prefix}bin"):
        return told
    means = ", ".join(in_powers(float(f"{mean:.2g}")) for mean in data[f"{prefix}mean"].values[:SHOWN])
    return f"{told}\nlog₁₀(f/⟨f⟩) needs a mean that is not near zero:\n⟨f⟩ = {means}"

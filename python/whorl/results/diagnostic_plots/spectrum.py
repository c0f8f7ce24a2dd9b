"""Spectra by shell, and cospectra, which may be negative."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from whorl.results.diagnostic_plots.base import (
    HEIGHT,
    WIDTH,
    curves,
    draw_band,
    draw_curve,
    error_of,
    label_of,
    legend,
    options_of,
    say,
)

DEEPEST = 1e-14  # of the largest value: below it there is rounding alone


def draw_spectrum(figure: Figure, data: xr.Dataset) -> None:
    """Spectra in logarithmic axes; of what is negative the size, as open points."""
    figure.set_size_inches(WIDTH, HEIGHT)
    ax, k = figure.subplots(), data["k"].values
    shown, times = k > 0, options_of(data).get("times")
    sizes = np.abs(np.nan_to_num(data["spectrum"].values[..., shown]))
    if not sizes.any():
        say(ax, "it is zero")
        return
    floor = max(DEEPEST * sizes.max(), sizes[sizes > 0].min())
    for name, one, look in curves(data["spectrum"]):
        values, error = one.values[shown], error_of(data, one)
        draw_curve(ax, k[shown], np.where(values >= floor, values, np.nan), look, name)
        below = -values >= floor
        if below.any():
            ax.plot(k[shown][below], -values[below], "o", color=look.color, fillstyle="none", markersize=4)
        if error is not None:
            draw_band(
                ax, k[shown], np.where(values >= floor, values, np.nan), error[shown], look.color, 0.3 * floor
            )
    label = f"cospectrum with {times}" if times else "sum over the shell"
    ax.set(xscale="log", yscale="log", xlabel=label_of(data["k"]), ylabel=label)
    ax.set_ylim(bottom=0.3 * floor)
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())
    legend(ax)

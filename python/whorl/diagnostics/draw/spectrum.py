"""Spectra and cospectra, which may be negative: curves over one coordinate, maps over two."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from whorl.diagnostics.draw.base import (
    HEIGHT,
    WIDTH,
    Look,
    coordinates_of,
    curves,
    draw_band,
    draw_curve,
    error_of,
    legend,
    options_of,
    say,
    short,
    tell_left_out,
)
from whorl.diagnostics.draw.binned import (
    about_zero,
    draw_bins,
    edges_of,
    graphs,
    is_angle,
    tell_bins,
    with_modes,
)

DEEPEST = 1e-14  # of the largest value: smaller ones are rounding
DECADES = 8  # of the colours of a map
MOST = 6  # maps


def draw_spectrum(figure: Figure, data: xr.Dataset) -> None:
    """Log-log spectra; negative values are drawn as open circles at their magnitude."""
    names = coordinates_of(data["spectrum"])
    if len(names) == 2:
        _draw_maps(figure, data)
        return
    (name,) = names
    ax, *strip = _axes(figure, "spectrum_error" in data)
    edges = edges_of(data, name)
    shown = (data["modes"].values > 0) & ((data[name].values > 0) | is_angle(name))
    sizes = np.abs(np.nan_to_num(data["spectrum"].values[..., shown]))
    if not sizes.any():
        say(ax, "it is zero")
        for below in strip:
            below.remove()
        return
    floor = max(DEEPEST * sizes.max(), sizes[sizes > 0].min())
    for label, one, look in curves(data["spectrum"]):
        _draw_one(ax, data, one, edges, shown, floor, look, label)
    ax.set(yscale="log", ylabel=_meaning(data))
    ax.set_ylim(bottom=0.3 * floor)
    tell_bins(ax.xaxis, data, name, data[name].values[shown])
    legend(ax)
    for below in strip:
        _draw_errors(below, data, name, shown, floor)
        ax.set_xlabel("")


def _axes(figure: Figure, with_errors: bool) -> list[Axes]:
    """The axes of the graph, and those of its relative errors below, too small to be seen over decades."""
    figure.set_size_inches(WIDTH, HEIGHT + 1.2 * with_errors)
    if not with_errors:
        return [figure.subplots()]
    return list(figure.subplots(2, 1, sharex=True, height_ratios=(3.4, 1)))


def _draw_errors(ax: Axes, data: xr.Dataset, name: str, shown: np.ndarray, floor: float) -> None:
    place = data[name].values[shown]
    for _, one, look in curves(data["spectrum"]):
        values, error = (np.abs(of[shown]) for of in (one.values, error_of(data, one)))
        ax.plot(place, np.where(values >= floor, 100 * error / values, np.nan), **look.line)
    tell_bins(ax.xaxis, data, name, place)
    ax.set(ylabel="error  [%]")
    ax.set_ylim(0, min(100.0, 1.1 * ax.get_ylim()[1]))


def _draw_one(
    ax: Axes,
    data: xr.Dataset,
    array: xr.DataArray,
    edges: np.ndarray,
    shown: np.ndarray,
    floor: float,
    look: Look,
    label: str,
) -> None:
    place, values, error = array[array.dims[0]].values[shown], array.values[shown], error_of(data, array)
    above = np.where(values >= floor, values, np.nan)
    draw_curve(ax, place, above, look, label)
    widths = np.diff(edges)[shown]
    if not np.allclose(widths, widths[0]):
        ax.hlines(above, edges[:-1][shown], edges[1:][shown], color=look.color, linewidth=0.8)
    below = -values >= floor
    if below.any():
        ax.plot(place[below], -values[below], "o", color=look.color, fillstyle="none", markersize=4)
    if error is not None:
        draw_band(ax, place, above, error[shown], look.color, 0.3 * floor)


def _meaning(data: xr.Dataset) -> str:
    """The label of the values, by the options of the spectrum."""
    options, names = options_of(data), " and ".join(coordinates_of(data["spectrum"]))
    times = options.get("times")
    what = f"cospectrum with {short(times)}" if times else "spectrum"
    per = f" per unit of {names}" if options.get("density") else ", sum over the bin"
    return what + per + (", as of a continuum" if options.get("correct_shells") else "")


def _draw_maps(figure: Figure, data: xr.Dataset) -> None:
    """A map for each quantity; colours are logarithmic, or about zero if a value is negative."""
    data = with_modes(data, "spectrum")
    parts = list(curves(data["spectrum"]))
    tell_left_out(figure, len(parts) - MOST)
    for ax, (name, values, _) in zip(graphs(figure, len(parts[:MOST])), parts, strict=False):
        found = values.values[np.isfinite(values.values)]
        if not found.any():
            say(ax, "it is zero")
        elif (found < 0).any():
            draw_bins(ax, data, values.T, **about_zero(found))
        else:
            _draw_positive(ax, data, values.T)
        ax.set_title(name, fontsize=10)
    figure.supylabel(_meaning(data), fontsize=9, color="0.3")


def _draw_positive(ax: Axes, data: xr.Dataset, values: xr.DataArray) -> None:
    """A map of some decades in logarithmic colours, with a contour each; zeros have no colour."""
    seen = values.values[values.values > 0]
    lowest = max(seen.min(), seen.max() * 10.0**-DECADES)
    norm = LogNorm(lowest, max(seen.max(), lowest * 1.001))
    shown: dict[str, Any] = {"norm": norm, "cmap": "viridis"}
    draw_bins(ax, data, values.where(values > 0), **shown)
    up, across = coordinates_of(values)
    if is_angle(up):
        return  # angles have few bins, and many of them no modes
    inner = values.isel({name: slice(1 if values[name][0] == 0 else 0, None) for name in (up, across)})
    levels = 10.0 ** np.arange(np.floor(np.log10(lowest)) + 1, np.log10(seen.max()))
    if levels.size and min(inner.shape) > 1:
        ax.contour(inner[across], inner[up], inner.values, levels, colors="white", linewidths=0.7, alpha=0.8)

"""Structure functions over the separation, and the balances of the third order."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from whorl.results.diagnostic_plots.base import (
    HEIGHT,
    LAW,
    WIDTH,
    Look,
    draw_band,
    draw_curve,
    error_of,
    legend,
    short,
)
from whorl.results.picture_style import COLORS

BALANCES = (
    ("cubic_balance", 4 / 5, "(6κ⟨δf_L²⟩′ − ⟨δf_L³⟩)/(ε r)"),
    ("flux_balance", 4 / 3, "(2κ⟨|δf|²⟩′ − ⟨δu_L |δf|²⟩)/(ε r)"),
)
STYLES = {"x": "-", "y": "--", "z": ":"}
LINES = {"x": "──", "y": "– –", "z": "·····"}


def draw_structure_functions(figure: Figure, data: xr.Dataset) -> None:
    """Absolute moments in logarithmic axes; beside them balances, or else signed moments if there are any."""
    axes = [axis for axis in "xyz" if f"r_{axis}" in data.dims]
    balanced = [one for one in BALANCES if np.isfinite(data.get(f"{one[0]}_{axes[0]}", np.nan)).any()]
    if balanced or f"signed_{_kind(data)[0]}_{axes[0]}" in data:
        figure.set_size_inches(1.5 * WIDTH, HEIGHT)
        left, right = figure.subplots(1, 2)
        _third_order(right, data, axes, balanced)
    else:
        figure.set_size_inches(WIDTH, HEIGHT)
        left = figure.subplots()
    for axis in axes:
        _moments(left, data, axis)
    name, kind = _kind(data)
    symbol = "⟨|δf_L|ⁿ⟩" if kind == "vector" else "⟨|δf|ⁿ⟩"
    positive = any((data[f"{name}_{axis}"] > 0).any() for axis in axes)
    left.set(
        yscale="log" if positive else "linear",
        ylabel=f"{symbol},   f = {short(str(data[kind].values[0]))}",
        title=f"{name} moments",
    )
    for ax in figure.axes:
        legend(ax)
        ax.set(xscale="log", xlabel=f"r  [length]   {', '.join(f'{axis} {LINES[axis]}' for axis in axes)}")
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_formatter(NullFormatter())


def _third_order(
    right: Axes, data: xr.Dataset, axes: Sequence[str], balanced: Sequence[tuple[str, float, str]]
) -> None:
    """Balances, or signed moments if there are none."""
    if balanced:
        for n, (name, law, label) in enumerate(balanced):
            right.axhline(law, **LAW)
            for axis in axes:
                _line(right, data, f"{name}_{axis}", axis, COLORS[n], label if axis == axes[0] else "")
        right.set_ylim(bottom=min(0.0, right.get_ylim()[0]))
        right.set_title("balances of the third order, 4/5 and 4/3")
    else:
        right.axhline(0, **LAW)
        for axis in axes:
            _line(
                right, data, f"{_kind(data)[0]}_{axis}", axis, COLORS[0], f"⟨δf³⟩ along {axis}", signed=True
            )


def _kind(data: xr.Dataset) -> tuple[str, str]:
    """What is drawn: the increments of the first vector, or of the first number if there is none."""
    return ("longitudinal", "vector") if "vector" in data.dims else ("scalar", "number")


def _moments(ax: Axes, data: xr.Dataset, axis: str) -> None:
    """The moments of even orders, one colour an order."""
    name, kind = _kind(data)
    array = data[f"{name}_{axis}"].isel({kind: 0})
    errors = error_of(data, data[f"{name}_{axis}"])
    first = axis == min(one for one in "xyz" if f"r_{one}" in data.dims)
    for n, order in enumerate(array["order"].values):
        if order % 2:
            continue
        label = f"n = {order:.0f}" if first else ""
        values, color = array.values[n], COLORS[n // 2]
        draw_curve(ax, data[f"r_{axis}"].values, values, Look(color, STYLES[axis]), label)
        band = None if errors is None else errors[0][n]
        draw_band(ax, data[f"r_{axis}"].values, values, band, color, floor=0.3 * np.nanmin(values))


def _line(
    ax: Axes, data: xr.Dataset, name: str, axis: str, color: str, label: str, signed: bool = False
) -> None:
    array = data[f"signed_{name}"] if signed else data[name]
    first = {dim: 0 for dim in array.dims if dim != f"r_{axis}"}
    values, error = array.isel(first).values, error_of(data, array)
    draw_curve(ax, data[f"r_{axis}"].values, values, Look(color, STYLES[axis]), label)
    band = None if error is None else error[tuple(0 for _ in first)]
    draw_band(ax, data[f"r_{axis}"].values, values, band, color)

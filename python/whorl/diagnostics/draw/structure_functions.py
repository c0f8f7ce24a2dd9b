"""Structure functions over the separation, and the balances of the third order."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from whorl.diagnostics.draw.base import (
    DASH_OF_AXIS,
    HEIGHT,
    LAW,
    WIDTH,
    Look,
    axes_of_separations,
    draw_bars,
    draw_curve,
    error_of,
    legend,
    short,
    tell_left_out,
    tell_separations,
)
from whorl.pictures.style import COLORS


class MomentGraph(NamedTuple):
    """Moments of increments: the name of their arrays, the axis of the quantity, the symbol, the quantity."""

    name: str
    kind: str
    symbol: str
    quantity: str


class BalanceGraph(NamedTuple):
    """A balance: the name of its arrays, the axis of the quantity, its law, its formula, the quantity."""

    name: str
    kind: str
    law: float
    label: str
    quantity: str


LEGEND = 9.5  # points: formulas have small letters
# Formulas of the balances.
OF_CUBES = r"$(6\kappa\langle \delta f_L^2 \rangle' - \langle \delta f_L^3 \rangle)/(\varepsilon r)$"
OF_FLUX = (
    r"$(2\kappa\langle |\delta f|^2 \rangle' - \langle \delta u_L |\delta f|^2 \rangle)/(\varepsilon r)$"
)


def draw_structure_functions(figure: Figure, data: xr.Dataset) -> None:
    """Absolute moments of the first vector, along and across, and of the first number, on logarithmic axes.

    The last graph has their balances, or else the signed moments of the first, if `data` has either.
    """
    axes = axes_of_separations(data)
    parts, balances = _parts(data), _balances(data, axes[0])
    beside = bool(balances) or f"signed_{parts[0].name}_{axes[0]}" in data
    graphs = len(parts) + beside
    # A report is 10 inches wide: a wider figure is drawn smaller there, with its text.
    figure.set_size_inches(max(0.9, 0.1 + 0.6 * graphs) * WIDTH, HEIGHT)
    *left, last = figure.subplots(1, graphs, squeeze=False)[0]
    for ax, part in zip([*left, last], parts, strict=False):
        _moments(ax, data, axes, part)
    if balances:
        _draw_balances(last, data, axes, balances)
    elif beside:
        _signed(last, data, axes, parts[0])
    for ax in figure.axes:
        tell_separations(ax, axes)
        legend(ax, many=5, size=LEGEND)
        ax.set(xscale="log")
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_formatter(NullFormatter())
    drawn = {part.kind for part in parts}
    tell_left_out(figure, sum(data.sizes[kind] - 1 for kind in drawn))


def _parts(data: xr.Dataset) -> list[MomentGraph]:
    """The increments to draw, those of the first vector and of the first number."""
    kinds = (
        ("longitudinal", "vector", r"\delta f_L"),
        ("transverse", "vector", r"\delta f_T"),
        ("scalar", "number", r"\delta f"),
    )
    return [MomentGraph(*one, str(data[one[1]].values[0])) for one in kinds if one[1] in data.dims]


def _balances(data: xr.Dataset, axis: str) -> list[BalanceGraph]:
    """The balances of the drawn increments, if they have numbers."""
    cubic, flux = ("cubic_balance", "vector", 4 / 5, OF_CUBES), ("flux_balance", "quantity", 4 / 3, OF_FLUX)
    of_part = {"longitudinal": (cubic, flux), "scalar": (flux,)}
    known = [BalanceGraph(*one, part.quantity) for part in _parts(data) for one in of_part.get(part.name, ())]
    return [
        one
        for one in known
        if f"{one.name}_{axis}" in data
        and np.isfinite(data[f"{one.name}_{axis}"].sel({one.kind: one.quantity})).any()
    ]


def _draw_balances(ax: Axes, data: xr.Dataset, axes: Sequence[str], balances: Sequence[BalanceGraph]) -> None:
    several = len({one.quantity for one in balances}) > 1
    for law in {one.law for one in balances}:
        ax.axhline(law, **LAW)
    for one, color in zip(balances, COLORS, strict=False):
        label = one.label + (f",  f = {short(one.quantity, 12)}" if several else "")
        for axis in axes:
            of_first = label if axis == axes[0] else ""
            _line(ax, data, f"{one.name}_{axis}", {one.kind: one.quantity}, color, of_first)
    ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]))
    ax.set_title("balances of the third order, 4/5 and 4/3")


def _signed(ax: Axes, data: xr.Dataset, axes: Sequence[str], part: MomentGraph) -> None:
    """The third moments with their signs."""
    ax.axhline(0, **LAW)
    for axis in axes:
        where = {part.kind: part.quantity, "odd_order": data["odd_order"].values[0]}
        _line(ax, data, f"signed_{part.name}_{axis}", where, COLORS[0], "")
    told = rf"$\langle {part.symbol}^3 \rangle$"
    ax.set(ylabel=f"{told},   f = {short(part.quantity)}", title="signed moments, third order")


def _moments(ax: Axes, data: xr.Dataset, axes: Sequence[str], part: MomentGraph) -> None:
    """The moments of even orders, with a colour for each."""
    positive = any((data[f"{part.name}_{axis}"].sel({part.kind: part.quantity}) > 0).any() for axis in axes)
    even = [order for order in data["order"].values if order % 2 == 0]
    ax.set_yscale("log" if positive else "linear")
    for axis in axes:
        for order, color in zip(even, COLORS, strict=False):
            label = f"n = {order:.0f}" if axis == axes[0] else ""
            where = {part.kind: part.quantity, "order": order}
            _line(ax, data, f"{part.name}_{axis}", where, color, label)
    told = rf"$\langle |{part.symbol}|^n \rangle$"
    ax.set(ylabel=f"{told},   f = {short(part.quantity)}", title=f"{part.name} moments")


def _line(
    ax: Axes,
    data: xr.Dataset,
    name: str,
    where: dict[str, object],
    color: str,
    label: str,
) -> None:
    """The curve of one quantity along the axis that ends the name of the array, with its errors."""
    axis = name[-1]
    r, one = data[f"r_{axis}"].values, data[name].sel(where)
    draw_curve(ax, r, one.values, Look(color, DASH_OF_AXIS[axis]), label)
    draw_bars(ax, r, one.values, error_of(data, one), color, axis)

"""Standardised moments over their order, with those of a Gaussian quantity."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.special import factorial2

from whorl.diagnostics.draw.base import HEIGHT, LAW, WIDTH, curves, error_of, legend

LABEL = "⟨((f − ⟨f⟩)/σ)ⁿ⟩"
ASIDE, MOST_ASIDE = 0.08, 0.8  # spacing of the points of one order, and the most for all of them


def draw_moments(figure: Figure, data: xr.Dataset) -> None:
    """Even moments on a logarithmic scale; odd ones on one that is linear up to 1 and logarithmic beyond."""
    order = data["order"].values
    of_even = order[order % 2 == 0]
    if not of_even.size:
        figure.set_size_inches(WIDTH, HEIGHT)
        ax = figure.subplots()
        _draw_odd(ax, data)
        ax.set_ylabel(LABEL)
        legend(ax)
        return
    figure.set_size_inches(1.4 * WIDTH, HEIGHT)
    even, odd = figure.subplots(1, 2)
    even.plot(of_even, factorial2(of_even.astype(int) - 1), label="Gaussian", **LAW)
    _points(even, data, order % 2 == 0)
    even.set(yscale="log", ylabel=LABEL, title="even orders")
    _draw_odd(odd, data)
    legend(even)


def _draw_odd(ax: Axes, data: xr.Dataset) -> None:
    ax.axhline(0, **LAW)
    _points(ax, data, data["order"].values % 2 == 1)
    ax.set_yscale("symlog", linthresh=1.0)
    ax.set_title("odd orders")


def _points(ax: Axes, data: xr.Dataset, wanted: np.ndarray) -> None:
    """The moments of some orders, those of one order side by side."""
    style = {"marker": "o", "markersize": 4, "linewidth": 0.9, "elinewidth": 1.6, "capsize": 2}
    order, all_curves = data["order"].values[wanted], list(curves(data["moment"]))
    step = min(ASIDE, MOST_ASIDE / len(all_curves))
    for n, (name, one, look) in enumerate(all_curves):
        aside, error = step * (n - (len(all_curves) - 1) / 2), error_of(data, one)
        bars = None if error is None else error[wanted]
        ax.errorbar(order + aside, one.values[wanted], bars, **look.line | style, label=name)
    ax.set(xlabel="order n", xticks=order)
    ax.margins(0.12)

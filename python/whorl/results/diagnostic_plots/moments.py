"""Standardised moments over their order, beside those of a Gaussian quantity."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.special import factorial2

from whorl.results.diagnostic_plots.base import HEIGHT, LAW, WIDTH, curves, error_of, legend


def draw_moments(figure: Figure, data: xr.Dataset) -> None:
    """Even moments, logarithmic upwards, and odd ones, linear about zero and logarithmic beyond one."""
    figure.set_size_inches(1.4 * WIDTH, HEIGHT)
    even, odd = figure.subplots(1, 2)
    order = data["order"].values
    of_even = order[order % 2 == 0]
    if of_even.size:
        even.plot(of_even, factorial2(of_even.astype(int) - 1), label="Gaussian", **LAW)
    odd.axhline(0, **LAW)
    for ax, rest, title in ((even, 0, "even orders"), (odd, 1, "odd orders")):
        _points(ax, data, order % 2 == rest)
        ax.set(title=title, xlabel="order n", xticks=order[order % 2 == rest])
        ax.margins(0.12)
    even.set(yscale="log", ylabel="⟨((f − ⟨f⟩)/σ)ⁿ⟩")
    odd.set_yscale("symlog", linthresh=1.0)
    legend(even)


def _points(ax: Axes, data: xr.Dataset, wanted: np.ndarray) -> None:
    """The moments of some orders, those of one order side by side."""
    style = {"fmt": "o-", "markersize": 4, "linewidth": 0.9, "elinewidth": 1.6, "capsize": 2}
    order, all_curves = data["order"].values[wanted], list(curves(data["moment"]))
    for n, (name, one, color) in enumerate(all_curves):
        aside, error = 0.08 * (n - (len(all_curves) - 1) / 2), error_of(data, one)
        bars = None if error is None else error[wanted]
        ax.errorbar(order + aside, one.values[wanted], bars, color=color, label=name, **style)

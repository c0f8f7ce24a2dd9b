"""Transfers between the modes of triads, with a row for each triad."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from whorl.diagnostics.draw.base import WIDTH, error_of, few_ticks, label_of, look, tell_left_out

MOST, ROW = 16, 0.34  # triads, and the height of one in inches
PAIRS = (("k|p|q", "p gives k"), ("k|q|p", "q gives k"), ("p|q|k", "q gives p"))


def draw_triads(figure: Figure, data: xr.Dataset) -> None:
    """The transfer between each pair of modes in one direction; the other has the opposite sign."""
    transfer = data["transfer"]
    names, count = transfer["quantity"].values, min(transfer.sizes["triad"], MOST)
    figure.set_size_inches(WIDTH * (0.6 + 0.4 * len(names)), 1.6 + ROW * count)
    axes = figure.subplots(1, len(names), sharey=True, squeeze=False)[0]
    rows = np.arange(count)
    for ax, name in zip(axes, names, strict=True):
        for n, (order, label) in enumerate(PAIRS):
            one = transfer.sel(quantity=name, order=order)
            error = error_of(data, one)
            style = {"color": look(n).color, "label": label, "markersize": 5}
            bars = None if error is None else error[:count]
            ax.errorbar(one.values[:count], rows + 0.2 * (n - 1), xerr=bars, fmt="o", elinewidth=1, **style)
        ax.axvline(0, color="0.5", linewidth=0.6)
        ax.set_title(str(name), fontsize=10)
        ax.set_xlabel(label_of(transfer))
        few_ticks(ax)
    axes[0].set_yticks(rows, [str(one) for one in transfer["triad"].values[:count]], fontsize=8)
    axes[0].invert_yaxis()
    axes[-1].legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    tell_left_out(figure, transfer.sizes["triad"] - count)

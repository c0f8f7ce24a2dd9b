"""Averages over a window in the graphs over time of a run: the window and the means in it."""

import numpy as np
from matplotlib.axes import Axes

from whorl.results.averages import Averages, told
from whorl.results.picture_style import BAND, HALO

WINDOW = "0.5"


def draw_window(ax: Axes, averages: Averages, colors: dict[str, str]) -> None:
    """Shade the window and draw the mean of each column with a band of its error, over it and as text.

    `colors` has the column names of the graph, in the order from above.
    """
    first, last = averages.start, averages.end
    ax.axvspan(first, last, color=WINDOW, alpha=0.10, linewidth=0, zorder=0)
    shown = [(name, color) for name, color in colors.items() if name in averages.means]
    for line, (name, color) in enumerate(reversed(shown)):
        one = averages[name]
        ax.hlines(one.mean, first, last, color="0.15", linewidth=1.1, linestyles=(0, (5, 2)), zorder=3)
        if np.isfinite(one.error):
            ax.fill_between(
                [first, last], one.mean - one.error, one.mean + one.error, color=color, alpha=BAND
            )
        ax.text(
            *(0.97, 0.05 + 0.075 * line, f"mean  {told(one)}"),
            transform=ax.transAxes, ha="right", color=color, fontsize=9, fontweight="bold",
            **HALO,
        )  # fmt: skip

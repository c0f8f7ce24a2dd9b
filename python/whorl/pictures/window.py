"""Averages over a window in the graphs over time of a run: the window and the means in it."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import same_color

from whorl.pictures.style import BAND, HALO
from whorl.results.as_text import told
from whorl.results.averages import Averages

WINDOW = "0.5"


def draw_window(ax: Axes, averages: Averages, colors: dict[str, str]) -> None:
    """Shade the window and draw the mean of each column with a band of its error, over it and as text.

    A graph with a legend shows the means there, where they cover no curve. `colors` has the colours of the
    columns of the graph by name.
    """
    first, last = averages.start, averages.end
    ax.axvspan(first, last, color=WINDOW, alpha=0.10, linewidth=0, zorder=0)
    shown = [(name, color) for name, color in colors.items() if name in averages.means]
    for name, color in shown:
        one = averages[name]
        ax.hlines(one.mean, first, last, color="0.15", linewidth=1.1, linestyles=(0, (5, 2)), zorder=3)
        if np.isfinite(one.error):
            ax.fill_between(
                [first, last], one.mean - one.error, one.mean + one.error, color=color, alpha=BAND
            )
        if ax.get_legend() is None:
            ax.text(
                *(0.97, 0.05, f"mean  {told(one)}"),
                transform=ax.transAxes, ha="right", color=color, fontsize=9, fontweight="bold", **HALO,
            )  # fmt: skip
    for name, color in shown:
        _tell_in_legend(ax, color, told(averages[name]))


def _tell_in_legend(ax: Axes, color: str, mean: str) -> None:
    """Append a mean to the label of the curve of its colour, if the graph has a legend."""
    if legend := ax.get_legend():
        for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=True):
            if handle is not None and same_color(handle.get_color(), color):
                text.set_text(f"{text.get_text()},  mean {mean}")

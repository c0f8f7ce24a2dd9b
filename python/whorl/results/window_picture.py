"""Averages over a window in the picture of a run: the window, the means in it and the mean spectrum."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from whorl.output.means import ENOUGH
from whorl.results.averages import Averages, told

BAND = 0.3  # opacity of an error
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
            path_effects=[withStroke(linewidth=3, foreground="white", alpha=0.8)],
        )  # fmt: skip


def doubtful(averages: Averages, name: str, most: float) -> bool:
    """Whether errors of a mean spectrum up to a wavenumber are not reliable."""
    k, samples, error = (averages.spectra[of].values for of in ("k", f"{name}_samples", f"{name}_error"))
    return bool(((k > 0) & (k <= most) & (error != 0) & ~(samples >= ENOUGH)).any())


def states_of(averages: Averages) -> xr.Dataset:
    """The mean spectra as a table of one state, at the end of the window."""
    return averages.spectra.expand_dims(time=[averages.end])


def draw_errors(ax: Axes, averages: Averages, colors: dict[str, str], most: float) -> None:
    """Draw bands of the errors of mean spectra up to a wavenumber; `colors` has the names of the spectra."""
    k, (bottom, _) = averages.spectra["k"].values, ax.get_ylim()
    for name, color in colors.items():
        mean, error = (averages.spectra[f"{name}{end}"].values for end in ("", "_error"))
        seen = (k > 0) & (k <= most) & (mean > 0) & np.isfinite(error)
        low = np.maximum(mean - error, bottom)
        ax.fill_between(k[seen], low[seen], (mean + error)[seen], color=color, alpha=BAND, linewidth=0)

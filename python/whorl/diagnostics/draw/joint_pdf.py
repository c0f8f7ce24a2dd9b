"""Joint densities of two quantities, as a map."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatterSciNotation, LogLocator

from whorl.diagnostics.draw.base import populated, say, scaled, short

CLEAR = 20  # times the density of the emptiest bin: lower contours would not be lines


def draw_joint_pdf(figure: Figure, data: xr.Dataset) -> None:
    """The density in logarithmic colours, with a contour each decade."""
    figure.set_size_inches(6.0, 4.9)
    draw_joint_density(figure.subplots(), data, "pdf", [str(name) for name in data["quantity"].values])


def draw_joint_density(ax: Axes, data: xr.Dataset, array: str, names: Sequence[str]) -> None:
    """The joint density of two quantities with these names, as `draw_joint_pdf` does."""
    density = data[array].transpose("second", "first").values
    ax.grid(False)
    places = [populated((density > 0).any(axis=axis)) for axis in (0, 1)]
    first, second = (
        data[name].values[place] for name, place in zip(("first", "second"), places, strict=True)
    )
    density = density[places[1], places[0]]
    seen = density[density > 0]
    if seen.size:
        norm = LogNorm(seen.min(), max(seen.max(), seen.min() * 1.001))
        shown = np.where(density > 0, density, np.nan)
        image = ax.pcolormesh(first, second, shown, norm=norm, cmap="viridis", rasterized=True)
        decades = 10.0 ** np.arange(np.ceil(np.log10(CLEAR * seen.min())), np.log10(seen.max()))
        if decades.size and min(density.shape) > 1:
            ax.contour(first, second, density, decades, colors="white", linewidths=0.7, alpha=0.8)
        bar = ax.figure.colorbar(image, ax=ax, label="joint density")
        bar.ax.yaxis.set_major_locator(LogLocator())
        bar.ax.yaxis.set_major_formatter(LogFormatterSciNotation())
        bar.outline.set_visible(False)
    else:
        say(ax, "no points")
    for axis, of, name in zip((ax.xaxis, ax.yaxis), ("first", "second"), names, strict=True):
        axis.set_label_text(f"{scaled(data, of)},   f = {short(name, 44)}")
    for draw_line in (ax.axhline, ax.axvline):
        draw_line(0, color="0.5", linewidth=0.6)

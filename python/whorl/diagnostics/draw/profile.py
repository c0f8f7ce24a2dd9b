"""Profiles: means and variances over planes, along the axis across them; means over lines as maps."""

import xarray as xr
from matplotlib.figure import Figure

from whorl.diagnostics.draw.base import (
    HEIGHT,
    WIDTH,
    coordinates_of,
    curves,
    draw_upright_curve,
    error_of,
    few_ticks,
    label_of,
    legend,
)
from whorl.diagnostics.draw.slice import draw_maps


def draw_profile(figure: Figure, data: xr.Dataset) -> None:
    """Means over planes and their variances, or means over lines."""
    axes = sorted(coordinates_of(data["profile"]))
    if len(axes) == 1:
        _draw_curves(figure, data, axes[0])
    else:
        across, up = axes
        (along,) = {"x", "y", "z"} - set(axes)
        draw_maps(figure, data["profile"], (up, across), f"mean along {along}")


def _draw_curves(figure: Figure, data: xr.Dataset, axis: str) -> None:
    """Means and variances across the page, the position of the planes up the page."""
    figure.set_size_inches(1.3 * WIDTH, HEIGHT)
    left, right = figure.subplots(1, 2, sharey=True)
    for ax, array in ((left, "profile"), (right, "variance")):
        for name, one, look in curves(data[array]):
            draw_upright_curve(ax, one.values, data[axis].values, error_of(data, one), look, name)
        few_ticks(ax)
        ax.set_xlabel("mean over the plane" if array == "profile" else "variance in the plane")
    left.set_ylabel(label_of(data[axis]))
    legend(left)

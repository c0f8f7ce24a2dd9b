"""Conditional means over the value of the condition."""

import xarray as xr
from matplotlib.figure import Figure

from whorl.diagnostics.draw.base import WIDTH, draw_curves, legend, options_of, populated, scaled, short


def draw_conditional(figure: Figure, data: xr.Dataset) -> None:
    """Conditional means with their errors, above the fraction of the points in each bin."""
    figure.set_size_inches(WIDTH, 5.0)
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    count = data["count"].values
    shown = populated(count > 0)
    bins, given = data["bin"].values[shown], short(options_of(data).get("given", "f"))
    means = data.isel(bin=shown)
    draw_curves(top, bins, means, means["conditional_mean"])
    top.set_ylabel(f"mean, given {given}")
    legend(top)
    part = count[shown] / max(count.sum() + data["outside"].values.sum(), 1)
    bottom.bar(bins, part, width=bins[1] - bins[0] if len(bins) > 1 else 1.0, color="0.75")
    bottom.set(
        yscale="log" if part.any() else "linear",
        ylabel="part of points",
        xlabel=f"{scaled(data, 'bin')},   f = {given}",
    )

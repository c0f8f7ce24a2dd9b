"""Conditional means over the value of the condition."""

import xarray as xr
from matplotlib.figure import Figure

from whorl.results.diagnostic_plots.base import (
    WIDTH,
    curves,
    draw_band,
    draw_curve,
    error_of,
    legend,
    options_of,
    populated,
    scaled,
    short,
)


def draw_conditional(figure: Figure, data: xr.Dataset) -> None:
    """Conditional means with their errors, above the part of the points in each bin."""
    figure.set_size_inches(WIDTH, 5.0)
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    count = data["count"].values
    shown = populated(count > 0)
    bins, given = data["bin"].values[shown], short(options_of(data).get("given", "f"))
    for name, one, look in curves(data["conditional_mean"]):
        values, error = one.values[shown], error_of(data, one)
        draw_curve(top, bins, values, look, name)
        draw_band(top, bins, values, None if error is None else error[shown], look.color)
    top.set_ylabel(f"mean, given {given}")
    legend(top)
    part = count[shown] / max(count.sum() + data["outside"].values.sum(), 1)
    bottom.bar(bins, part, width=bins[1] - bins[0] if len(bins) > 1 else 1.0, color="0.75")
    bottom.set(
        yscale="log" if part.any() else "linear",
        ylabel="part of points",
        xlabel=f"{scaled(data, 'bin')},   f = {given}",
    )

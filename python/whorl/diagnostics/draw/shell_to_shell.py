"""Transfers between shells: a matrix for each exchange, and the flux of all of them."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from whorl.diagnostics.draw.base import (
    ZERO,
    curves,
    draw_curves,
    error_of,
    label_of,
    legend,
    say,
    tell_left_out,
)
from whorl.diagnostics.draw.binned import about_zero, draw_bins, edges_of, graphs, mark_doubtful, tell_bins

MOST = 8  # matrices


def draw_shell_to_shell(figure: Figure, data: xr.Dataset) -> None:
    """Matrices with the receiving shell up, the giving shell across and their own colours; then fluxes."""
    parts = list(curves(data["transfer"]))
    tell_left_out(figure, len(parts) - MOST)
    *matrices, last = graphs(figure, len(parts[:MOST]) + 1)
    for role in ("lower", "upper"):
        data = data.assign({f"receiver_k_{role}": ("receiver_k", data[f"giver_k_{role}"].values)})
    for ax, (name, values, _) in zip(matrices, parts, strict=False):
        _draw_matrix(ax, data, values, name)
    _draw_fluxes(last, data)


def _draw_matrix(ax: Axes, data: xr.Dataset, values: xr.DataArray, name: str) -> None:
    ax.set_title(label_of(data["transfer"], name), fontsize=10)
    found = values.values
    if not np.nan_to_num(found).any():
        say(ax, "it is zero")
        return
    draw_bins(ax, data, values.transpose("receiver_k", "giver_k"), **about_zero(found))
    ax.axline((1, 1), (10, 10), color="0.4", linewidth=0.7, linestyle=(0, (4, 3)))
    ax.set_box_aspect(1)
    k = data["giver_k"].values
    mark_doubtful(ax, k, k, found, error_of(data, values))


def _draw_fluxes(ax: Axes, data: xr.Dataset) -> None:
    """The flux from the shells up to a wavenumber to those beyond it."""
    edges = edges_of(data, "giver_k")
    draw_curves(ax, edges[1:], data, data["flux"])
    ax.axhline(0, **ZERO)
    ax.set_title("flux to the shells beyond k", fontsize=10)
    tell_bins(ax.xaxis, data, "giver_k", edges[1:])
    ax.set(xlabel="k  [1/length]", ylabel=label_of(data["flux"]))
    legend(ax)

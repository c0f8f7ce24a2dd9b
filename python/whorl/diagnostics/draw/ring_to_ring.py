"""Transfers between rings: from all rings to each of them, and from the ring that exchanges most."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.projections.polar import PolarAxes

from whorl.diagnostics.draw.base import curves, error_of, label_of, options_of, say, tell_left_out
from whorl.diagnostics.draw.binned import (
    OF_PI,
    about_zero,
    colour_bar,
    drawn_edges,
    edges_of,
    mark_doubtful,
    ticks_between,
)

MOST = 4  # exchanges, a row each
SIDE = 4.2  # of a graph, in inches
FINE = 12  # parts of the arc of a ring
HOLE = 0.35  # radius of the hole in the middle, over the range of ln k


def draw_ring_to_ring(figure: Figure, data: xr.Dataset) -> None:
    """Quarters of a disc: the logarithm of k along the radius, the angle from the axis at the top."""
    parts = list(curves(data["received"]))
    tell_left_out(figure, len(parts) - MOST)
    parts = parts[:MOST]
    figure.set_size_inches(2.4 * SIDE, SIDE * len(parts))
    figure.set_layout_engine("constrained", w_pad=0.2)  # room for labels and colour bars
    for row, (name, received, _) in enumerate(parts):
        left, right = (figure.add_subplot(len(parts), 2, 2 * row + n, projection="polar") for n in (1, 2))
        transfer = data["transfer"].isel(quantity=row)
        _draw_rings(left, data, received.values, error_of(data, received))
        left.set_title(label_of(data["received"], f"{name}, of all rings"), fontsize=10)
        n, m = _strongest(transfer.values)
        error = error_of(data, transfer)
        _draw_rings(right, data, transfer.values[..., n, m], None if error is None else error[..., n, m])
        _mark(right, data, n, m)
        right.set_title(label_of(data["transfer"], f"{name}, of the ring with an outline"), fontsize=10)


def _strongest(transfer: np.ndarray) -> tuple[int, int]:
    """The shell and sector of the giving ring that exchanges most.

    `transfer` is [receiving shell, sector][giving shell, sector].
    """
    exchanged = np.abs(np.nan_to_num(transfer)).sum((0, 1))
    n, m = np.unravel_index(int(np.argmax(exchanged)), exchanged.shape)
    return int(n), int(m)


def _radii(data: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """The edges of the shells, and their radii in the graph."""
    edges = drawn_edges("giver_k", edges_of(data, "giver_k"))
    away = np.log(edges / edges[0])
    return edges, away + HOLE * away[-1]


def _draw_rings(ax: PolarAxes, data: xr.Dataset, values: np.ndarray, error: np.ndarray | None) -> None:
    """Values [shell][sector] with colours about zero; a dot marks a value smaller than its error."""
    edges, radii = _radii(data)
    angles = edges_of(data, "giver_angle")
    ax.set_theta_zero_location("N")
    ax.set_theta_direction(-1)
    ax.set(thetamin=0, thetamax=90, rlim=(0, radii[-1]))
    ax.grid(False)
    ticks = ticks_between(edges[0], edges[-1])
    ax.set_rgrids(np.interp(np.log(ticks), np.log(edges), radii), [f"{one:g}" for one in ticks], fontsize=8)
    ax.set_thetagrids(np.linspace(0, 90, len(OF_PI)), OF_PI)
    ax.tick_params(axis="y", labelleft=False, labelright=True)
    ax.set_xlabel(f"k  [1/length], θ from {options_of(data).get('axis', 'the axis')}", labelpad=16)
    if not np.nan_to_num(values).any():
        say(ax, "it is zero")
        return
    fine = np.interp(np.arange(FINE * (len(angles) - 1) + 1) / FINE, np.arange(len(angles)), angles)
    image = ax.pcolormesh(fine, radii, np.repeat(values, FINE, axis=1), rasterized=True, **about_zero(values))
    colour_bar(ax, image, shrink=0.75, pad=0.1)
    mark_doubtful(ax, data["giver_angle"].values, (radii[1:] + radii[:-1]) / 2, values, error)


def _mark(ax: PolarAxes, data: xr.Dataset, n: int, m: int) -> None:
    """The outline of a ring."""
    _, radii = _radii(data)
    start, end = edges_of(data, "giver_angle")[[m, m + 1]]
    arc = np.linspace(start, end, FINE + 1)
    angles = [*arc, *arc[::-1], start]
    ax.plot(
        angles, [radii[n]] * len(arc) + [radii[n + 1]] * len(arc) + [radii[n]], color="black", linewidth=1.4
    )

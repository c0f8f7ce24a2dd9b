"""Spectral balances: transfers of the terms and fluxes by wavenumber, a row for each balance."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from whorl.diagnostics.draw.base import (
    HEIGHT,
    LAW,
    WIDTH,
    ZERO,
    Look,
    coordinates_of,
    draw_band,
    draw_curve,
    error_of,
    label_of,
    legend,
    look,
    short,
    tell_left_out,
)
from whorl.diagnostics.draw.binned import (
    about_zero,
    draw_bins,
    edges_of,
    graphs,
    is_angle,
    tell_bins,
    with_modes,
)

MOST_ROWS, MOST_MAPS = 6, 9
LOSSES = ("viscous", "hyperviscous", "ohmic", "diffusion")  # at small scales


def draw_transfer(figure: Figure, data: xr.Dataset) -> None:
    """Transfers by bin next to fluxes, with the loss at small scales; maps over two coordinates."""
    if len(coordinates_of(data["transfer"])) == 2:
        _draw_maps(figure, data)
        return
    parts = _by_part(data)
    tell_left_out(figure, len(parts) - MOST_ROWS)
    rows = dict(list(parts.items())[:MOST_ROWS])
    figure.set_size_inches(1.6 * WIDTH, (1.0 if len(rows) == 1 else 0.8) * HEIGHT * len(rows))
    terms = list(dict.fromkeys(term for of_part in rows.values() for term in of_part))
    looks = {term: look(n) for n, term in enumerate(terms)}
    axes = figure.subplots(len(rows), 2, squeeze=False)
    for pair, (part, of_part) in zip(axes, rows.items(), strict=True):
        _draw_row(pair, data, part, of_part, looks)


def _by_part(data: xr.Dataset) -> dict[str, dict[str, int]]:
    """The number of the quantity by balance, or component of it, and by term."""
    parts: dict[str, dict[str, int]] = {}
    for n, label in enumerate(data["quantity"].values):
        part, _, term = str(label).partition(" ")
        parts.setdefault(part, {})[term] = n
    return parts


def _draw_row(
    pair: np.ndarray, data: xr.Dataset, part: str, of_part: dict[str, int], looks: dict[str, Look]
) -> None:
    """T over the width of the bin, so that areas are transfers, and the flux at the upper end of the bin.

    Both leave out a wavenumber bin that begins at k = 0, and bins after the last one with modes.
    """
    left, right = pair
    (name,) = coordinates_of(data["transfer"])
    edges = edges_of(data, name)
    with np.errstate(divide="ignore"):
        widths = np.diff(edges) if is_angle(name) else np.diff(np.log(edges))
    there = np.flatnonzero(data["modes"].values > 0)
    last = int(there[-1]) + 1 if there.size else len(widths)
    shown = np.isfinite(widths) & (np.arange(len(widths)) < last)
    for term, number in of_part.items():
        _draw_curve(left, data, "transfer", number, data[name].values, widths, shown, looks[term], term)
        _draw_curve(right, data, "flux", number, edges[1:], np.ones(len(widths)), shown, looks[term], term)
    lossy = [term for term in LOSSES if term in of_part]
    if lossy:
        total = float(data["flux"].values[[of_part[term] for term in lossy], -1].sum())
        right.axhline(total, **LAW, label=f"whole loss, {' + '.join(lossy)}")
    per = "Δθ" if is_angle(name) else f"Δ ln {name}"
    for ax, array, what in ((left, "transfer", f"T / {per}"), (right, "flux", "Π")):
        ax.axhline(0, **ZERO)
        ax.set(ylabel=label_of(data[array], what), title=f"{short(part)}: {array}")
        seen = data[name].values[shown] if array == "transfer" else edges[1:][shown]
        tell_bins(ax.xaxis, data, name, seen if seen.size else edges[1:])
    legend(left)
    _tell_law(right)


def _tell_law(ax: Axes) -> None:
    """A legend of the broken line only; the curves are those of the graph on the left."""
    if lines := [one for one in ax.lines if str(one.get_label()).startswith("whole loss")]:
        ax.legend(
            handles=lines,
            frameon=False,
            fontsize=8.5,
            loc="lower right",
            bbox_to_anchor=(1, 1),
            borderaxespad=0,
        )


def _draw_curve(
    ax: Axes,
    data: xr.Dataset,
    array: str,
    number: int,
    place: np.ndarray,
    widths: np.ndarray,
    shown: np.ndarray,
    style: Look,
    label: str,
) -> None:
    one = data[array].isel(quantity=number)
    values, error = one.values[shown] / widths[shown], error_of(data, one)
    draw_curve(ax, place[shown], values, style, label)
    draw_band(ax, place[shown], values, None if error is None else error[shown] / widths[shown], style.color)


def _draw_maps(figure: Figure, data: xr.Dataset) -> None:
    """A map for each term, with one scale for those of a balance."""
    data = with_modes(data, "transfer")
    transfer = data["transfer"]
    wanted = [(part, term, n) for part, terms in _by_part(data).items() for term, n in terms.items()]
    tell_left_out(figure, len(wanted) - MOST_MAPS)
    wanted = wanted[:MOST_MAPS]
    scales = {
        part: about_zero(transfer.values[list(terms.values())]) for part, terms in _by_part(data).items()
    }
    for ax, (part, term, n) in zip(graphs(figure, len(wanted)), wanted, strict=True):
        draw_bins(ax, data, transfer.isel(quantity=n).T, **scales[part])
        ax.set_title(f"{short(part)}: {term}", fontsize=10)
    figure.supylabel(label_of(data["transfer"], "T, sum over the bin"), fontsize=9, color="0.3")

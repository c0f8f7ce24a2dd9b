"""The picture of compensated spectra and structure functions, with the constants of Kolmogorov's laws."""

from typing import NamedTuple

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from whorl.diagnostics.draw.base import (
    HEIGHT,
    LAW,
    WIDTH,
    draw_band,
    draw_curve,
    legend,
    look,
    plain_ticks,
)
from whorl.pictures.slices import Tell, silent
from whorl.pictures.style import draw_title, title_of
from whorl.results.compensated import SPECTRUM, Compensated, compensated
from whorl.results.runs import RunResults


class Law(NamedTuple):
    """A constant that curves are compared with, and its label."""

    value: float
    label: str


# The spectrum: K. R. Sreenivasan, Phys. Fluids 7, 2778 (1995). The second order: Monin and Yaglom (1975),
# section 21. The third: Kolmogorov, exactly, at separations between those of force and viscosity.
SPECTRAL, SECOND, THIRD = Law(1.62, "C = 1.62"), Law(2.1, "C$_2$ = 2.1, 4/3 C$_2$"), Law(0.8, "4/5")


def compensated_picture(
    run: RunResults,
    *,
    name: str | None = None,
    start: float | None = None,
    end: float | None = None,
    tell: Tell = silent,
) -> Figure:
    """Return the figure of the compensated spectrum and structure functions over a window, with errors.

    `name` is "spectrum", or the name of a diagnostic of kind structure-functions; all are drawn by
    default. The window is by default that of `RunResults.average`. `tell` is called with sentences on
    scales and window. Raises CaseError as `whorl.results.compensated.compensated` does.
    """
    found = compensated(run, name or (), start, end)
    for remark in found.remarks(of_table=False):
        tell(remark)
    return draw_compensated(found, title_of(run.directory, f"t = {found.start:.4g} to {found.end:.4g}"))


def draw_compensated(found: Compensated, title: str = "") -> Figure:
    """Return the figure of compensated means: a graph of the spectrum, two of structure functions."""
    sets = [(name, data) for name, data in found.items() if name != SPECTRUM]
    graphs = (SPECTRUM in found) + 2 * len(sets)
    figure = Figure(figsize=(0.85 * WIDTH * graphs, HEIGHT), layout="constrained")
    draw_title(figure, title)
    axes = list(figure.subplots(1, graphs, squeeze=False)[0])
    if SPECTRUM in found:
        _spectrum(axes.pop(0), found[SPECTRUM])
    for n, (name, data) in enumerate(sets):
        _increments(axes[2 * n], axes[2 * n + 1], data, name if len(sets) > 1 else "")
    return figure


def _spectrum(ax: Axes, data: xr.Dataset) -> None:
    _curves(ax, data, "k_eta", {"energy": ""})
    ax.axhline(SPECTRAL.value, **LAW, label=SPECTRAL.label)
    ax.set(xlabel="kη", ylabel="k$^{5/3}$ ε$^{-2/3}$ E(k)", title="Compensated spectrum", yscale="log")
    plain_ticks(ax.yaxis)
    legend(ax)


def _increments(second: Axes, third: Axes, data: xr.Dataset, name: str) -> None:
    of = f", {name}" if name else ""
    moments = {
        "longitudinal_second": "D$_{LL}$, longitudinal",
        "transverse_second": "D$_{NN}$, transverse",
    }
    _curves(second, data, "r_eta", moments)
    for n, value in enumerate((SECOND.value, 4 / 3 * SECOND.value)):
        second.axhline(value, **LAW, label="" if n else SECOND.label)
    second.set(xlabel="r/η", ylabel="D/(ε r)$^{2/3}$", title=f"Second order{of}")
    second.set_ylim(bottom=0)
    legend(second)
    _curves(third, data, "r_eta", {"longitudinal_third": ""}, sign=-1)
    third.axhline(THIRD.value, **LAW, label=THIRD.label)
    third.set(xlabel="r/η", ylabel="−D$_{LLL}$/(ε r)", title=f"Third order{of}")
    third.set_ylim(min(0.0, third.get_ylim()[0]), 1.05 * max(THIRD.value, third.get_ylim()[1]))
    legend(third)


def _curves(ax: Axes, data: xr.Dataset, axis: str, names: dict[str, str], sign: int = 1) -> None:
    """Curves with bands of their errors, over a logarithmic axis."""
    place = data[axis].values
    for n, (name, label) in enumerate(names.items()):
        if name not in data:
            continue
        values, error = sign * data[name].values, data[f"{name}_error"].values
        draw_curve(ax, place, values, look(n), label, marker=".", markersize=4)
        floor = 0.3 * np.nanmin(values[values > 0], initial=np.inf) if axis == "k_eta" else -np.inf
        draw_band(ax, place, values, error, look(n).color, floor)
    ax.set_xscale("log")
    plain_ticks(ax.xaxis)

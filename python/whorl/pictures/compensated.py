"""The picture of compensated spectra and structure functions, beside the constants of Kolmogorov's laws."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray as xr
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from whorl.base.files import check_picture
from whorl.base.text import spelled
from whorl.diagnostics.draw.base import HEIGHT, LAW, WIDTH, draw_band, draw_curve, legend, look
from whorl.pictures.slices import Tell, silent
from whorl.pictures.style import STYLE, draw_title, save_picture
from whorl.results.compensated import SPECTRUM, Compensated, compensated
from whorl.results.runs import open_run


class Law(NamedTuple):
    """A constant that curves are compared with, and what it is."""

    value: float
    label: str


# Of the spectrum K. R. Sreenivasan, Phys. Fluids 7, 2778 (1995); of the second order Monin and Yaglom (1975),
# section 21; of the third Kolmogorov, exactly, at separations between those of force and viscosity.
SPECTRAL, SECOND, THIRD = Law(1.62, "C = 1.62"), Law(2.1, "C$_2$ = 2.1, 4/3 C$_2$"), Law(0.8, "4/5")


def plot_compensated(
    directory: str | Path,
    name: str | None = None,
    output: str | Path | None = None,
    *,
    start: float | None = None,
    end: float | None = None,
    tell: Tell = silent,
) -> Path:
    """Draw the compensated spectrum and structure functions of a run over a window, with errors.

    Parameters
    ----------
    directory : str or Path
        The output directory of the run.
    name : str, optional
        "spectrum", or the name of a diagnostic of kind structure-functions; all that there are by default.
    output : str or Path, optional
        The picture, a PNG, PDF or SVG by its ending; compensated.png in `directory` by default.
    start, end : float, optional
        The window, which begins and ends by default as that of `RunResults.average`.
    tell : callable, optional
        Called with sentences on scales and window.

    Returns
    -------
    Path
        The path of the picture.

    Raises
    ------
    CaseError
        If there is no such run, or if the picture cannot have this path; and as from
        `whorl.results.compensated.compensated`.
    """
    path = Path(output) if output else Path(directory) / "compensated.png"
    run = open_run(directory)
    check_picture(path)
    found = compensated(run, name or (), start, end)
    for remark in found.remarks(of_table=False):
        tell(remark)
    with rc_context(STYLE):
        when = f"t = {found.start:.4g} to {found.end:.4g}"
        save_picture(draw_compensated(found, f"{spelled(Path(directory).resolve().name)}   ·   {when}"), path)
    return path


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
    _plain_ticks(ax.yaxis)
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
    _plain_ticks(ax.xaxis)


def _plain_ticks(axis: Axis) -> None:
    """Numbers at 1, 2 and 5 of each decade."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())

"""The picture of a run, from its files alone: a slice of a snapshot, two graphs over time, spectra."""

import math
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib import colormaps, rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from whorl.base.files import check_picture
from whorl.base.text import spelled
from whorl.config.case import Case, Grid
from whorl.config.dealiasing import LARGEST_KEPT
from whorl.config.expressions import snapshot_entry
from whorl.config.models.base import KOLMOGOROV, Curves, Picture, Slice
from whorl.output.directory import RunDirectory
from whorl.results.averages import Averages, told
from whorl.results.picture_style import STYLE, save_picture
from whorl.results.runs import RunResults, open_run
from whorl.results.slices import Tell, Wanted, choose, draw_slice, silent
from whorl.results.window_picture import doubtful, draw_errors, draw_window, states_of

COLORS = ("#2b6cb0", "#c2410c", "#4d7c0f", "#7c3aed")
AT_REST = "the flow is at rest"
TIMES = colormaps["viridis_r"]
MOST_SPECTRA = 8
WIDE = 1.6  # ratio of width to height of a slice


def plot_run(
    directory: str | Path,
    output: str | Path | None = None,
    *,
    field: str | None = None,
    plane: str | None = None,
    time: float | None = None,
    start: float | None = None,
    end: float | None = None,
    tell: Tell = silent,
) -> Path:
    """Draw a run from its files: a slice of a snapshot, two graphs over time, and spectra.

    Parameters
    ----------
    directory : str or Path
        The output directory of the run.
    output : str or Path, optional
        The picture, a PNG, PDF or SVG by its ending; plot.png in `directory` by default.
    field : str, optional
        The field that the slice shows, such as "vorticity", or a component, such as "velocity.x"; the
        model's choice by default.
    plane : str, optional
        The plane of the slice: the axis normal to it, such as "z", or with its position, such as "z=pi/2".
        Without a position the liveliest of a few planes is drawn.
    time : float, optional
        The time of the snapshot; the nearest snapshot is drawn, by default the last.
    start, end : float, optional
        A window of time: its means with errors are drawn over it, and its mean spectrum, as
        `RunResults.average` returns them. By default no averages are drawn.
    tell : callable, optional
        Called with a sentence if the time of the drawn snapshot differs from `time`, and with what is to be
        said of the averages.

    Returns
    -------
    Path
        The path of the picture.

    Raises
    ------
    CaseError
        If `directory` is not that of a run of whorl or has no rows in series.csv yet, if the picture cannot
        have this path, or if there is no such field, plane, snapshot or window.

    Examples
    --------
    >>> plot_run("vortex", "u.pdf", field="velocity.x", plane="y=pi/2", time=1.0)
    PosixPath('u.pdf')
    """
    path = Path(output) if output else Path(directory) / "plot.png"
    run = open_run(directory)
    check_picture(path)
    run.rows()
    averages = None if start is None and end is None else run.average(start, end)
    for remark in averages.remarks() if averages else ():
        tell(remark)
    with rc_context(STYLE):
        name = spelled(Path(directory).resolve().name)
        save_picture(draw(run, name, Wanted(field, plane, time), tell, averages), path)
    return path


def draw(
    run: RunResults,
    name: str,
    wanted: Wanted | None = None,
    tell: Tell = silent,
    averages: Averages | None = None,
) -> Figure:
    """Return the figure of a run: a slice and curves, as the model's `picture` says.

    Parameters
    ----------
    run : RunResults
        The run, with rows in its series.
    name : str
        The name of the run in the title.
    wanted : Wanted, optional
        The slice to draw.
    tell : callable, optional
        Called with a sentence if the time of the snapshot differs from the one wanted.
    averages : Averages, optional
        Averages to draw.

    Returns
    -------
    Figure
        The figure, to be saved.

    Raises
    ------
    CaseError
        If there is no such slice.
    """
    series, picture = run.series, picture_of(run.case)
    span = float(series["time"][-1] - series["time"][0])
    plane = choose(run.snapshots, picture.slices, run.case.grid, wanted or Wanted(), tell)
    figure, of_slice, of_curves, of_spectra = page(plane.aspect if plane else 1.0)
    draw_slice(of_slice, plane, rounded(plane.time, span) if plane else "")
    colors = colors_of(picture)
    for ax, curves in zip(of_curves, picture.curves, strict=True):
        draw_curves(ax, series, curves, colors)
        if averages:
            draw_window(ax, averages, {name: colors[label or name] for name, label in curves.columns})
    most = resolved(run.case.grid)
    if averages and averages.spectra.data_vars:
        draw_mean_spectra(of_spectra, averages, picture, most)
    else:
        written = RunDirectory(run.directory).spectra.is_file()
        draw_spectra(of_spectra, run.spectra if written else None, picture, most, span)
    figure.suptitle(headline(run, series, name, span, averages), x=0.012, ha="left", fontsize=14)
    return figure


def page(aspect: float) -> tuple[Figure, Axes, list[Axes], Axes]:
    """Return a figure with axes of the slice, of two curves and of spectra.

    A slice with a large `aspect`, width over height, has the whole width, above the other axes.
    """
    if aspect > WIDE:
        height = min(5.5, 12.5 / aspect)
        figure = Figure(figsize=(14, height + 5), layout="constrained")
        top, bottom = figure.subfigures(2, 1, height_ratios=(height + 0.9, 4.1))
        curves = bottom.subplots(1, 3, width_ratios=(1, 1, 1.3))
        axes = (top.subplots(), list(curves[:2]), curves[2])
    else:
        figure = Figure(figsize=(14, 6.9), layout="constrained")
        left, right = figure.subfigures(1, 2, width_ratios=(max(0.5, min(1.0, aspect)), 1.1))
        curves = right.subplots(2, 2)
        for ax in curves[1]:
            ax.remove()
        axes = (left.subplots(), list(curves[0]), right.add_subplot(curves[1, 0].get_gridspec()[1, :]))
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.1)
    return figure, *axes


def rounded(time: float, span: float) -> str:
    """Return a time as short text, accurate to a fortieth of the time shown, or better."""
    decimals = max(0, math.ceil(-math.log10(span / 40))) if span > 0 else 4
    return f"{time:.{min(decimals, 12)}f}".rstrip("0").rstrip(".") if decimals else f"{time:.0f}"


def picture_of(case: Case) -> Picture:
    """Return the model's picture, with passive scalars if one is the first field of the snapshots."""
    picture, first = case.flow.picture, snapshot_entry(case.output.fields[0])[0]
    if picture.slope == KOLMOGOROV and 1 in case.grid.points:
        picture = replace(picture, slope=None)  # in a plane there is another range
    names = sorted((scalar.name for scalar in case.scalars), key=lambda name: name != first)
    slices = tuple(Slice(name, "θ", "value") for name in names)
    if first not in names:
        return replace(picture, slices=(*picture.slices, *slices))
    variances = tuple((f"{name}_variance", name) for name in names)
    return replace(
        picture,
        slices=(*slices, *picture.slices),
        curves=(picture.curves[0], Curves("Scalar variance  ½⟨θ²⟩", variances)),
        spectra=(picture.spectra[0], *variances),
        spectra_title="Spectra of energy and scalar variance",
    )


def colors_of(picture: Picture) -> dict[str, str]:
    """Return a colour for each label (or column without one), the same in all graphs.

    A column drawn alone in the first graph keeps its own colour.
    """
    first, second = ([label or name for name, label in curves.columns] for curves in picture.curves)
    spectra = [label for _, label in picture.spectra[1:]]
    own = 1 if len(first) == 1 else 0
    colors = dict(zip(first, cycle(COLORS), strict=False))
    for labels, palette in ((second, COLORS[own:]), (spectra, COLORS[1:])):
        for label, color in zip(labels, cycle(palette), strict=False):
            colors.setdefault(label, color)
    return colors


def headline(
    run: RunResults, series: xr.Dataset, name: str, span: float, averages: Averages | None = None
) -> str:
    """Return the title of the figure: the run's name, points, parameters, times, and Rλ if it has one.

    It is the mean Rλ of averages, or else the last.
    """
    points = run.case.grid.points
    size = f"{points[0]}³" if len(set(points)) == 1 else " × ".join(str(n) for n in points if n > 1)
    last = series.isel(time=-1)
    text = (
        f"{name}   ·   {size}   ·   {run.case.flow.headline()}   ·   t {_reach(series['time'].values, span)}"
    )
    reynolds = np.nan if 1 in points else float(last.get("R_lambda", np.nan))  # a number of three dimensions
    if not np.isfinite(reynolds):
        return text
    mean = averages.means.get("R_lambda") if averages else None
    return f"{text}   ·   Rλ = {told(mean) if mean else f'{reynolds:.0f}'}"


def _reach(times: np.ndarray, span: float) -> str:
    """The times of the curves, or the one time of a slice, as text."""
    first, last = (rounded(float(time), span) for time in times[[0, -1]])
    return f"= {last}" if first == last else f"= {first} to {last}"


def draw_curves(ax: Axes, series: xr.Dataset, curves: Curves, colors: dict[str, str]) -> None:
    """Draw columns over time, from zero up, or from below zero if they are negative."""
    time = series["time"].values
    shown = [(name, label) for name, label in curves.columns if np.isfinite(series[name].values).any()]
    for name, label in shown:
        values, color = series[name].values, colors[label or name]
        ax.plot(time, values, color=color, label=label)
        ax.plot(time[-1:], values[-1:], "o", color=color, markersize=5)
        if len(shown) == 1:
            ax.fill_between(time, values, color=color, alpha=0.10, linewidth=0)
    ax.set(title=curves.title, xlabel="t")
    ax.margins(x=0.02)
    lowest = min(np.nanmin(series[name], initial=0) for name, _ in shown) if shown else 0.0
    ax.set_ylim(bottom=0 if lowest >= 0 else None)
    if len(shown) > 1:
        ax.legend(frameon=False, fontsize=8.5)


def resolved(grid: Grid) -> float:
    """Return the largest wavenumber kept along every axis; shells beyond are corners of the box of modes."""
    axes = zip(grid.points, grid.lengths, strict=True)
    return LARGEST_KEPT[grid.dealias] * np.pi * min(n / length for n, length in axes if n > 1)


def draw_mean_spectra(ax: Axes, averages: Averages, picture: Picture, most: float) -> None:
    """Draw mean spectra of a window with bands of their errors, as `draw_spectra` draws a state."""
    span = averages.end - averages.start
    first, last = (rounded(time, span) for time in (averages.start, averages.end))
    (main, _), *others = picture.spectra
    named = f"mean of t = {first} to {last}"
    if any(doubtful(averages, name, most) for name, _ in picture.spectra):
        named += ", error not reliable"
    draw_spectra(ax, states_of(averages), picture, most, named=named)
    colors = {main: TIMES(1.0)} | {name: colors_of(picture)[label] for name, label in others}
    draw_errors(ax, averages, colors, most)


def draw_spectra(
    ax: Axes,
    spectra: xr.Dataset | None,
    picture: Picture,
    most: float,
    span: float = 0.0,
    named: str | None = None,
) -> None:
    """Draw the model's first spectrum at a few times, the last the darkest, and the others at the last time.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    spectra : Dataset or None
        The spectra of the run over (time, k), if it has any.
    picture : Picture
        The spectra to draw, their labels and the slope beside them.
    most : float
        The wavenumber up to which shells are drawn.
    span : float, default 0.0
        The time over which the run is drawn; times are rounded for it.
    named : str, optional
        What the last state is called instead of by its time.
    """
    ax.set_title(picture.spectra_title)
    if spectra is None or spectra.sizes["time"] == 0:
        ax.text(0.5, 0.5, "no spectra yet", transform=ax.transAxes, ha="center", color="0.5")
        return
    k = spectra["k"].values
    spectra = spectra.isel(k=(k > 0) & (k <= max(most, k[1])))
    (main, label), *others = picture.spectra
    if not any((spectra[name].values[-1] > 0).any() for name, _ in picture.spectra):
        ax.text(0.5, 0.5, AT_REST, transform=ax.transAxes, ha="center", color="0.5")
        return
    k, top = spectra["k"].values, max(float(spectra[name].max()) for name, _ in picture.spectra)
    bottom = 0.3 * min(_smallest(spectra[name].values[-1], top) for name, _ in picture.spectra)
    _draw_times(ax, spectra, main, bottom, span, (f"{label}, " if others else "", named))
    for name, own in others:
        values = spectra[name].values[-1]
        shown = np.where(values > 1e-16 * top, values, np.nan)
        few = np.isfinite(shown).sum() < 5
        ax.plot(k, shown, "s" if few else "--", markersize=4, color=colors_of(picture)[own], label=own)
    if picture.slope is not None:
        last = spectra.isel(time=-1)
        _slope(ax, k, np.maximum.reduce([last[name].values for name, _ in picture.spectra]), picture.slope)
    ax.set(xscale="log", yscale="log", xlabel="k")
    ax.set_ylim(bottom=bottom)
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.legend(
        frameon=False, fontsize=8.5, ncols=4, loc="upper center", bbox_to_anchor=(0.5, 0), borderaxespad=3.8
    )


def _draw_times(
    ax: Axes, spectra: xr.Dataset, name: str, bottom: float, span: float, last_label: tuple[str, str | None]
) -> None:
    """Draw the part of a spectrum above `bottom` at a few times, labelled at the last."""
    label, named = last_label
    count = spectra.sizes["time"]
    chosen = sorted(set(np.linspace(0, count - 1, min(count, MOST_SPECTRA)).round().astype(int)))
    for index in chosen:
        state = spectra.isel(time=index)
        values = np.where(state[name] > bottom, state[name], np.nan)
        if np.isnan(values).all():
            continue
        shade = TIMES(0.2 + 0.8 * (index / (count - 1)) if count > 1 else 1.0)
        few = np.isfinite(values).sum() < 5
        last = index == chosen[-1]
        at = f"t = {rounded(float(state['time']), span)}"
        name_of = f"{label}{named or at}" if last else at
        style = {"color": shade, "linewidth": 2.4 if last else 1.3, "markersize": 4}
        ax.plot(spectra["k"], values, "o" if few else "-", label=name_of, **style)


def _smallest(energy: np.ndarray, top: float) -> float:
    """The smallest energy to show."""
    real = energy[energy > 1e-14 * top]
    return float(real.min()) if real.size else 1e-14 * top


def _slope(ax: Axes, k: np.ndarray, energy: np.ndarray, slope: tuple[float, str]) -> None:
    """Draw a power of k over the first decade, just above `energy`, the spectrum at the last time."""
    power, label = slope
    decade = k <= 10 * k[0]
    law = k[decade] ** power
    law *= 1.6 * np.max(energy[decade] / law)
    ax.plot(k[decade], law, "--", color="0.45", linewidth=1.1)
    middle = len(law) // 2
    ax.annotate(label, (k[decade][middle], law[middle]), (4, 4), textcoords="offset points", color="0.35")

"""The picture of a run, from its files alone: a slice of a snapshot, two graphs over time, spectra."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.figure import Figure, SubFigure
from matplotlib.gridspec import SubplotSpec

from whorl.config.case import Case, Grid
from whorl.config.dealiasing import LARGEST_KEPT
from whorl.expressions.case import snapshot_entry
from whorl.models.base import KOLMOGOROV, Curves, Picture, PictureSlice
from whorl.output.directory import RunDirectory
from whorl.pictures.slices import Tell, Wanted, choose, draw_slice, silent
from whorl.pictures.spectra import colors_of, draw_mean_spectra, draw_spectra, forced_band
from whorl.pictures.style import BAND, HALO, draw_title, rounded, title_of, units_of, with_unit
from whorl.results.as_text import told
from whorl.results.averages import Averages
from whorl.results.runs import RunResults

WIDE = 1.6  # ratio of width to height of a slice
TITLE = 14.0  # points
STRIP = (3, 1)  # heights of mean spectra and their errors
# A curve is lost in a linear graph where it is below LOST times the largest 95th percentile (USUAL) of all
# curves; values below ROUNDING times that are rounding. The graph is logarithmic if a curve is lost for more
# than SHARE of the time.
LOST, USUAL, ROUNDING, SHARE = 1 / 25, 95, 1e-12, 0.2
LEAST_REYNOLDS = 30.0  # Rλ from which some shells are near Kolmogorov's law
NO_SLICE = "the run has no snapshot, so no slice is drawn: output.snapshot_every says when they are written"


def run_picture(
    run: RunResults,
    *,
    field: str | None = None,
    plane: str | None = None,
    time: float | None = None,
    start: float | None = None,
    end: float | None = None,
    tell: Tell = silent,
) -> Figure:
    """Return the figure of a run: a slice of a snapshot, two graphs over time, and spectra.

    Parameters
    ----------
    run : RunResults
        The run, with rows in series.csv.
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
        Called with a sentence if the run has no snapshot or its time differs from `time`, and with sentences
        on the averages.

    Raises
    ------
    CaseError
        If the run has no rows in series.csv yet, or if it has no such field, plane, snapshot or window.
    """
    run.rows()
    averages = None if start is None and end is None else run.average(start, end)
    for remark in averages.remarks() if averages else ():
        tell(remark)
    return draw(run, title_of(run.directory), Wanted(field, plane, time), tell, averages)


def draw(
    run: RunResults,
    name: str,
    wanted: Wanted | None = None,
    tell: Tell = silent,
    averages: Averages | None = None,
) -> Figure:
    """Return the figure of a run: a slice and curves, as the model's `picture` says.

    The run has rows in its series, and `name` is its name in the title. `tell` is called with a sentence
    if the run has no snapshot, and if its time differs from the one wanted. Raises CaseError if the slice
    does not exist.
    """
    series, picture = run.series, picture_of(run.case)
    span = float(series["time"][-1] - series["time"][0])
    plane = choose(run.snapshots, picture.slices, run.case.grid, wanted or Wanted(), tell)
    of_means = averages is not None and bool(averages.spectra.data_vars)
    figure, of_slice, of_curves, of_spectra = page(plane.aspect if plane else None, of_means)
    if plane and of_slice:
        draw_slice(of_slice, plane, rounded(plane.time, span))
    elif not run.snapshots.sizes["time"]:
        tell(NO_SLICE)
    colors = colors_of(picture)
    for ax, curves in zip(of_curves, picture.curves, strict=True):
        draw_curves(ax, series, curves, colors)
        if averages:
            draw_window(ax, averages, {name: colors[label or name] for name, label in curves.columns})
    most, forced = resolved(run.case.grid), forced_band(run.case)
    picture = compared(picture, reynolds_of(run.case, series, averages))
    if averages and of_means:
        draw_mean_spectra(of_spectra[0], of_spectra[1], averages, picture, most, forced)
    else:
        written = RunDirectory(run.directory).spectra.is_file()
        draw_spectra(*of_spectra, run.spectra if written else None, picture, most, span, forced)  # type: ignore[call-arg]
    draw_title(figure, headline(run, series, name, span, averages), TITLE)
    return figure


def page(aspect: float | None, of_means: bool = False) -> tuple[Figure, Axes | None, list[Axes], list[Axes]]:
    """Return a figure with axes of the slice, of two curves and of spectra, `of_means` with a strip below.

    A slice with a large `aspect`, width over height, has the whole width, above the other axes. Without a
    slice, `aspect` is None, and the other axes fill the figure.
    """
    axes: tuple[Axes | None, list[Axes], list[Axes]]
    if aspect is None:
        figure = Figure(figsize=(14, 5.2), layout="constrained")
        axes = (None, *_in_a_row(figure, of_means))
    elif aspect > WIDE:
        height = min(5.5, 12.5 / aspect)
        figure = Figure(figsize=(14, height + 5), layout="constrained")
        top, bottom = figure.subfigures(2, 1, height_ratios=(height + 0.9, 4.1))
        axes = (top.subplots(), *_in_a_row(bottom, of_means))
    else:
        figure = Figure(figsize=(14, 6.9), layout="constrained")
        left, right = figure.subfigures(1, 2, width_ratios=(max(0.5, min(1.0, aspect)), 1.1))
        curves = right.subplots(2, 2, height_ratios=(1, 1.4 if of_means else 1))
        for ax in curves[1]:
            ax.remove()
        place = curves[1, 0].get_gridspec()[1, :]
        axes = (left.subplots(), list(curves[0]), _of_spectra(right, place, of_means))
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.1)
    return figure, *axes


def _in_a_row(figure: Figure | SubFigure, of_means: bool) -> tuple[list[Axes], list[Axes]]:
    """The axes of two curves and of spectra, next to each other."""
    curves = figure.subplots(1, 3, width_ratios=(1, 1, 1.3))
    curves[2].remove()
    return list(curves[:2]), _of_spectra(figure, curves[0].get_gridspec()[2], of_means)


def _of_spectra(figure: Figure | SubFigure, place: SubplotSpec, of_means: bool) -> list[Axes]:
    """The axes of spectra, and of the relative errors of means."""
    if not of_means:
        return [figure.add_subplot(place)]
    above, below = place.subgridspec(2, 1, height_ratios=STRIP, hspace=0.05)
    ax = figure.add_subplot(above)
    return [ax, figure.add_subplot(below, sharex=ax)]


def picture_of(case: Case) -> Picture:
    """Return the model's picture, with passive scalars if one is the first field of the snapshots."""
    picture, first = case.flow.picture, snapshot_entry(case.output.fields[0])[0]
    if picture.slope == KOLMOGOROV and 1 in case.grid.points:
        picture = replace(picture, slope=None)  # plane flow follows another law
    names = sorted((scalar.name for scalar in case.scalars), key=lambda name: name != first)
    slices = tuple(PictureSlice(name, "θ", "value") for name in names)
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


def reynolds_of(case: Case, series: xr.Dataset, averages: Averages | None = None) -> float:
    """The mean Rλ of averages, or else the last; NaN without one, as in flow of two dimensions."""
    if 1 in case.grid.points:
        return np.nan
    if averages and (mean := averages.means.get("R_lambda")):
        return mean.mean
    return float(series.isel(time=-1).get("R_lambda", np.nan))


def compared(picture: Picture, reynolds: float) -> Picture:
    """The picture without Kolmogorov's law where Rλ is below LEAST_REYNOLDS, so that no shells follow it.

    A flow without an Rλ, such as one with hyperviscosity, keeps the law.
    """
    far = picture.slope == KOLMOGOROV and reynolds < LEAST_REYNOLDS
    return replace(picture, slope=None) if far else picture


def headline(
    run: RunResults, series: xr.Dataset, name: str, span: float, averages: Averages | None = None
) -> str:
    """Return the title of the figure: the run's name, points, parameters, times, and Rλ if it has one.

    It is the mean Rλ of averages, or else the last.
    """
    points = run.case.grid.points
    size = f"{points[0]}³" if len(set(points)) == 1 else " × ".join(str(n) for n in points if n > 1)
    reach = f"t {_reach(series['time'].values, span)}"
    text = "   ·   ".join(filter(None, (name, size, run.case.flow.headline(), reach)))
    reynolds = reynolds_of(run.case, series, averages)
    if not np.isfinite(reynolds):
        return text
    mean = averages.means.get("R_lambda") if averages else None
    return f"{text}   ·   Rλ = {told(mean) if mean else f'{reynolds:.0f}'}"


def _reach(times: np.ndarray, span: float) -> str:
    """The times of the curves, or the one time of a slice, as text."""
    first, last = (rounded(float(time), span) for time in times[[0, -1]])
    return f"= {last}" if first == last else f"= {first} to {last}"


def draw_curves(ax: Axes, series: xr.Dataset, curves: Curves, colors: dict[str, str]) -> None:
    """Draw columns over time, from zero up, or from below zero if they are negative.

    The graph is logarithmic where a curve would otherwise lie on its lower edge for long.
    """
    time = series["time"].values
    shown = [(name, label) for name, label in curves.columns if np.isfinite(series[name].values).any()]
    unit, of_each = units_of([series[name] for name, _ in shown])
    floor = _floor(time, [series[name].values for name, _ in shown])
    for name, label in shown:
        values, color = series[name].values, colors[label or name]
        if floor is not None:
            values = np.where(values > floor, values, np.nan)
        ax.plot(time, values, color=color, label=f"{label}{of_each[name]}")
        ax.plot(time[-1:], values[-1:], "o", color=color, markersize=5)
        if len(shown) == 1 and floor is None:
            ax.fill_between(time, values, color=color, alpha=0.10, linewidth=0)
    ax.set(title=curves.title, xlabel="t  [time]", ylabel=with_unit("", unit) or curves.symbol)
    ax.margins(x=0.02)
    if floor is not None:
        ax.set_yscale("log")
    else:
        lowest = min(np.nanmin(series[name], initial=0) for name, _ in shown) if shown else 0.0
        ax.set_ylim(bottom=0 if lowest >= 0 else None)
    if len(shown) > 1:
        ax.legend(frameon=False, fontsize=8.5)


def _floor(time: np.ndarray, curves: Sequence[np.ndarray]) -> float | None:
    """The value below which curves are rounding, in a logarithmic graph; None for a linear graph."""
    known = [np.nan_to_num(values) for values in curves]
    top = max((float(np.percentile(values, USUAL)) for values in known), default=0.0)
    if len(time) < 2 or not top > 0 or any((values < 0).any() for values in known):
        return None
    floor, weights = ROUNDING * top, np.gradient(time) / (time[-1] - time[0])
    lost = [((values > floor) & (values < LOST * top)) @ weights for values in known]
    return floor if max(lost) > SHARE else None


def resolved(grid: Grid) -> float:
    """Return the largest wavenumber kept along every axis; shells beyond are corners of the box of modes."""
    axes = zip(grid.points, grid.lengths, strict=True)
    return LARGEST_KEPT[grid.dealias] * np.pi * min(n / length for n, length in axes if n > 1)


WINDOW = "0.5"


def draw_window(ax: Axes, averages: Averages, colors: dict[str, str]) -> None:
    """Shade the window and draw the mean of each column with a band of its error, over it and as text.

    A graph with a legend shows the means there, where they cover no curve. `colors` has the colours of the
    columns of the graph by name.
    """
    first, last = averages.start, averages.end
    ax.axvspan(first, last, color=WINDOW, alpha=0.10, linewidth=0, zorder=0)
    shown = [(name, color) for name, color in colors.items() if name in averages.means]
    for name, color in shown:
        one = averages[name]
        ax.hlines(one.mean, first, last, color="0.15", linewidth=1.1, linestyles=(0, (5, 2)), zorder=3)
        if np.isfinite(one.error):
            ax.fill_between(
                [first, last], one.mean - one.error, one.mean + one.error, color=color, alpha=BAND
            )
        if ax.get_legend() is None:
            ax.text(
                *(0.97, 0.05, f"mean  {told(one)}"),
                transform=ax.transAxes, ha="right", color=color, fontsize=9, fontweight="bold", **HALO,
            )  # fmt: skip
    for name, color in shown:
        _tell_in_legend(ax, color, told(averages[name]))


def _tell_in_legend(ax: Axes, color: str, mean: str) -> None:
    """Append a mean to the label of the curve of its colour, if the graph has a legend."""
    if legend := ax.get_legend():
        for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=True):
            if handle is not None and same_color(handle.get_color(), color):
                text.set_text(f"{text.get_text()},  mean {mean}")

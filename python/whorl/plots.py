"""One picture of a run, from its files alone: a slice of the last snapshot, two graphs over time, spectra."""

from dataclasses import replace
from itertools import cycle
from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib import colormaps, rc_context
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.ticker import LogLocator, NullFormatter

from whorl.case import Case, Grid
from whorl.directory import RunDirectory
from whorl.errors import CaseError
from whorl.files import check_picture, whole_file
from whorl.models.base import KOLMOGOROV, Curves, Picture, Slice
from whorl.output import RunResults, open_run
from whorl.picture_style import STYLE
from whorl.schemes import LARGEST_KEPT
from whorl.text import spelled

COLORS = ("#2b6cb0", "#c2410c", "#4d7c0f", "#7c3aed")
AT_REST = "the flow is at rest"
TIMES = colormaps["viridis_r"]
MOST_SPECTRA = 8
PLANES = 16


def plot_run(directory: str | Path, output: str | Path | None = None) -> Path:
    """Draws the run in `directory` to a PNG, DIR/plot.png by default; returns its path. Raises CaseError."""
    path = Path(output) if output else Path(directory) / "plot.png"
    run = open_run(directory)
    check_picture(path)
    if not RunDirectory(directory).series.is_file() or run.series.sizes["time"] == 0:
        raise CaseError(f"{directory} has no rows in series.csv yet; wait for the first ones.")
    with rc_context(STYLE):
        figure = draw(run, spelled(Path(directory).resolve().name))
        FigureCanvasAgg(figure)
        with whole_file(path) as beside:
            figure.savefig(beside, format="png", dpi=150)
    return path


def draw(run: RunResults, name: str) -> Figure:
    """The figure: the slice on the left, curves on the right; the model's `picture` says of what."""
    series, picture = run.series, picture_of(run.case)
    figure = Figure(figsize=(14, 6.9), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.1)
    left, right = figure.subfigures(1, 2, width_ratios=(1, 1.1))
    axes = right.subplots(2, 2)
    for ax in axes[1]:
        ax.remove()
    spectrum = right.add_subplot(axes[1, 0].get_gridspec()[1, :])
    draw_slice(left.subplots(), run)
    for ax, curves in zip(axes[0], picture.curves, strict=True):
        draw_curves(ax, series, curves, colors_of(picture))
    written = RunDirectory(run.directory).spectra.is_file()
    draw_spectra(spectrum, run.spectra if written else None, picture, resolved(run.case.grid))
    figure.suptitle(headline(run, series, name), x=0.012, ha="left", fontsize=14)
    return figure


def picture_of(case: Case) -> Picture:
    """The model's picture; of the passive scalars, too, where one is the first field of the snapshots."""
    picture, first = case.flow.picture, case.output.fields[0]
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
    """A colour for each label (or column without one), the same in all graphs.

    What is drawn alone in the first graph keeps its own.
    """
    first, second = ([label or name for name, label in curves.columns] for curves in picture.curves)
    spectra = [label for _, label in picture.spectra[1:]]
    own = 1 if len(first) == 1 else 0
    colors = dict(zip(first, cycle(COLORS), strict=False))
    for labels, palette in ((second, COLORS[own:]), (spectra, COLORS[1:])):
        for label, color in zip(labels, cycle(palette), strict=False):
            colors.setdefault(label, color)
    return colors


def headline(run: RunResults, series: xr.Dataset, name: str) -> str:
    points = run.case.grid.points
    size = f"{points[0]}³" if len(set(points)) == 1 else " × ".join(str(n) for n in points if n > 1)
    last = series.isel(time=-1)
    text = f"{name}   ·   {size}   ·   {run.case.flow.headline()}   ·   t = {float(last['time']):.4g}"
    reynolds = np.nan if 1 in points else float(last.get("R_lambda", np.nan))  # a number of three dimensions
    return f"{text}   ·   Rλ = {reynolds:.0f}" if np.isfinite(reynolds) else text


def draw_curves(ax: Axes, series: xr.Dataset, curves: Curves, colors: dict[str, str]) -> None:
    """Columns over time from zero up, or from below it where they are negative."""
    time = series["time"].values
    for name, label in curves.columns:
        values, color = series[name].values, colors[label or name]
        ax.plot(time, values, color=color, label=label)
        ax.plot(time[-1:], values[-1:], "o", color=color, markersize=5)
        if len(curves.columns) == 1:
            ax.fill_between(time, values, color=color, alpha=0.10, linewidth=0)
    ax.set(title=curves.title, xlabel="t")
    ax.margins(x=0.02)
    lowest = min(np.nanmin(series[name], initial=0) for name, _ in curves.columns)
    ax.set_ylim(bottom=0 if lowest >= 0 else None)
    if len(curves.columns) > 1:
        ax.legend(frameon=False, fontsize=8.5)


def resolved(grid: Grid) -> float:
    """The largest wavenumber kept along every axis: beyond it shells are corners of the box of modes."""
    axes = zip(grid.points, grid.lengths, strict=True)
    return LARGEST_KEPT[grid.dealias] * np.pi * min(n / length for n, length in axes if n > 1)


def draw_spectra(ax: Axes, spectra: xr.Dataset | None, picture: Picture, most: float) -> None:
    """The first of the model's spectra at a few times, the last the darkest; the others at the last.

    Of the shells up to the wavenumber `most`.
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
    _draw_times(ax, spectra, main, top, f"{label}, " if others else "")
    for name, own in others:
        values = spectra[name].values[-1]
        shown = np.where(values > 1e-16 * top, values, np.nan)
        few = np.isfinite(shown).sum() < 5
        ax.plot(k, shown, "s" if few else "--", markersize=4, color=colors_of(picture)[own], label=own)
    if picture.slope is not None:
        _slope(ax, k, np.maximum.reduce([spectra[name].values for name, _ in picture.spectra]), picture.slope)
    ax.set(xscale="log", yscale="log", xlabel="k")
    ax.set_ylim(bottom=0.3 * min(_smallest(spectra[name].values[-1], top) for name, _ in picture.spectra))
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.legend(
        frameon=False, fontsize=8.5, ncols=4, loc="upper center", bbox_to_anchor=(0.5, 0), borderaxespad=3.8
    )


def _draw_times(ax: Axes, spectra: xr.Dataset, name: str, top: float, label: str) -> None:
    """One spectrum at a few times, with its own label at the last."""
    count = spectra.sizes["time"]
    chosen = sorted(set(np.linspace(0, count - 1, min(count, MOST_SPECTRA)).round().astype(int)))
    for index in chosen:
        state = spectra.isel(time=index)
        values = np.where(state[name] > 1e-16 * top, state[name], np.nan)
        shade = TIMES(0.2 + 0.8 * (index / max(count - 1, 1)))
        few = np.isfinite(values).sum() < 5
        last = index == chosen[-1]
        ax.plot(
            spectra["k"], values, "o" if few else "-", markersize=4, color=shade,
            linewidth=2.4 if last else 1.3, label=f"{label if last else ''}t = {float(state['time']):.3g}",
        )  # fmt: skip


def _smallest(energy: np.ndarray, top: float) -> float:
    """The lowest energy worth showing."""
    real = energy[energy > 1e-14 * top]
    return float(real.min()) if real.size else 1e-14 * top


def _slope(ax: Axes, k: np.ndarray, energy: np.ndarray, slope: tuple[float, str]) -> None:
    """A power of k over the first decade, just above all of `energy` (time, k)."""
    power, label = slope
    decade = k <= 10 * k[0]
    law = k[decade] ** power
    law *= 1.6 * np.max(energy[:, decade] / law)
    ax.plot(k[decade], law, "--", color="0.45", linewidth=1.1)
    middle = len(law) // 2
    ax.annotate(label, (k[decade][middle], law[middle]), (4, 4), textcoords="offset points", color="0.35")


def draw_slice(ax: Axes, run: RunResults) -> None:
    """The first of the model's slices that the last snapshot holds, on the liveliest of some planes."""
    ax.grid(False)
    snapshots = run.snapshots
    last = snapshots.isel(time=-1) if snapshots.sizes["time"] else snapshots
    slices = [one for one in picture_of(run.case).slices if one.field in last]
    if not slices:
        ax.set_axis_off()
        ax.text(
            0.5, 0.5, "no snapshot\n(output.snapshot_every)", transform=ax.transAxes, ha="center", color="0.5"
        )
        return
    chosen, grid = slices[0], run.case.grid
    plane = plane_of(last[chosen.field], chosen, grid)
    across, up = (axis for axis in "xyz" if axis in plane.dims)
    signed = chosen.shows == "value" and not chosen.background
    limit = float(np.percentile(abs(plane), 99.7)) or 1.0
    lengths = dict(zip("xyz", grid.lengths, strict=True))
    image = ax.imshow(
        plane.transpose(up, across).values,
        origin="lower",
        extent=(*edges(plane[across]), *edges(plane[up])),
        cmap="RdBu_r" if chosen.shows == "value" else "inferno",
        norm=Normalize(-limit if signed else 0, limit),
        interpolation="bicubic",
    )
    ax.set(aspect="equal", xlabel=across, ylabel=up, xlim=(0, lengths[across]), ylim=(0, lengths[up]))
    normal = next(axis for axis in "xyz" if axis not in (across, up))
    where = f"{normal} = {float(plane[normal]):.3g}, t = {float(last['time']):.4g}"
    ax.set_title(f"{chosen.title}   at {where}")
    _ticks_of_pi(ax.xaxis, lengths[across])
    _ticks_of_pi(ax.yaxis, lengths[up])
    for spine in ax.spines.values():
        spine.set_visible(False)
    _bar(ax, image, below=lengths[across] > 2 * lengths[up], ends="both" if signed else "max")


def plane_of(field: xr.DataArray, chosen: Slice, grid: Grid) -> xr.DataArray:
    """The liveliest plane, closed along its periodic axes, with what the slice adds to it."""
    plane = liveliest_plane(field, normal_axis(chosen.normal, field), chosen.shows)
    for axis, basis in zip("xyz", reversed(grid.bases), strict=True):
        if axis in plane.dims and basis == "F":
            plane = closed(plane, axis, grid.lengths["xyz".index(axis)])
    if chosen.background:
        plane = plane + chosen.background[0] + chosen.background[1] * plane["z"]
    return plane


def closed(plane: xr.DataArray, axis: str, length: float) -> xr.DataArray:
    """The plane with the first points of a periodic axis once more at its end."""
    end = plane.isel({axis: [0]}).assign_coords({axis: [length]})
    return xr.concat([plane, end], axis)


def edges(points: xr.DataArray) -> tuple[float, float]:
    """Where the first pixel begins and the last ends, if their middles are at the points."""
    half = float(points[1] - points[0]) / 2
    return float(points[0]) - half, float(points[-1]) + half


def _bar(ax: Axes, image: AxesImage, *, below: bool, ends: str) -> None:
    """The scale of colours, beside the slice or below a long one."""
    place, orientation = ([0, -0.3, 1, 0.06], "horizontal") if below else ([1.025, 0, 0.028, 1], "vertical")
    bar = ax.figure.colorbar(image, cax=ax.inset_axes(place), extend=ends, orientation=orientation)
    bar.outline.set_visible(False)


def _ticks_of_pi(axis: Axis, length: float) -> None:
    if np.isclose(length, 2 * np.pi):
        axis.set_ticks(np.pi * np.arange(5) / 2, ["0", "π/2", "π", "3π/2", "2π"])


def normal_axis(wanted: str, field: xr.DataArray) -> str:
    """The axis to cut at: the one of a single point where the flow is flat, else the one wanted."""
    flat = [axis for axis in "xyz" if axis not in field.dims or field.sizes[axis] == 1]
    return flat[0] if flat else wanted


def liveliest_plane(field: xr.DataArray, normal: str = "z", shows: str = "magnitude") -> xr.DataArray:
    """|field|, the field or |field|² on the liveliest plane among a few spread over the box.

    That is the one of largest mean square, of a density the one where it varies most.
    """
    if normal not in field.dims:
        field = field.expand_dims({normal: [float(field.coords.get(normal, 0.0))]})
    depth = field.sizes[normal]
    indices = sorted(set(np.linspace(0, depth, min(depth, PLANES), endpoint=False).astype(int)))
    planes = [_shown(field.isel({normal: int(index)}).astype(float), shows) for index in indices]
    return max(planes, key=lambda plane: float(plane.var() if shows == "density" else (plane**2).mean()))


def _shown(plane: xr.DataArray, shows: str) -> xr.DataArray:
    if shows == "value":
        return plane
    last = [dimension for dimension in plane.dims if dimension not in ("x", "y", "z")]
    squares = (plane**2).sum(last)
    return squares if shows == "density" else np.sqrt(squares)

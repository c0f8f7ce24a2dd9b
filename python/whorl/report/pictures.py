"""The pictures of a report, drawn as `whorl plot` draws: PNG in base64, with captions."""

import base64
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from io import BytesIO

import numpy as np
import PIL.Image
import xarray as xr
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from whorl.base.errors import CaseError
from whorl.base.text import counted, sentence
from whorl.config.measures import growing_columns
from whorl.diagnostics.picture import draw_diagnostic, what_to_draw
from whorl.models.base import Curves
from whorl.particles.draw.paths import draw_particles, mean_square_displacement
from whorl.particles.draw.statistics import draw_particle_means
from whorl.particles.results.means import average_particles
from whorl.pictures.run import (
    STRIP,
    compared,
    draw_curves,
    draw_window,
    picture_of,
    resolved,
    reynolds_of,
)
from whorl.pictures.slices import Wanted, choose, draw_slice
from whorl.pictures.spectra import colors_of, draw_mean_spectra, draw_spectra, forced_band
from whorl.pictures.style import DOTS, STYLE, rounded
from whorl.probes.draw.correlation import draw_probe_correlation
from whorl.probes.draw.series import draw_probe
from whorl.results.averages import Averages
from whorl.results.runs import RunResults
from whorl.results.window import between

SMALL, LARGE = (4.4, 2.9), (5.4, 4.3)  # inches
SIDE = 4.4  # the largest width or height of a slice
SHOWN = 0.72  # pixels of a page per dot, so that text has the page's size; many screens have more
COLOURS = 256  # of a PNG, for small files
Failed = Callable[[str], None]  # called with a sentence on a missing picture and the reason
Window = tuple[float | None, float | None]


@dataclass(frozen=True)
class Image:
    """A PNG in base64, its size on a page, a text for readers who do not see it, and a caption."""

    data: str
    width: int
    height: int
    alt: str
    caption: str


def image_of(make: Callable[[], Figure], alt: str, caption: str = "") -> Image:
    """The image of a figure, made and saved in the style of all pictures."""
    raw = BytesIO()
    with rc_context(STYLE):
        figure = make()
        FigureCanvasAgg(figure)
        figure.savefig(raw, format="png", dpi=DOTS, bbox_inches="tight", pad_inches=0.08)
    few = {"method": PIL.Image.Quantize.MAXCOVERAGE, "kmeans": 2}  # keep the shades that many dots have
    picture = PIL.Image.open(raw).convert("RGB").quantize(COLOURS, **few)
    small = BytesIO()
    picture.save(small, format="png", optimize=True)
    width, height = (round(SHOWN * dots) for dots in picture.size)
    return Image(base64.b64encode(small.getvalue()).decode("ascii"), width, height, alt, caption)


def slices(run: RunResults, failed: Failed) -> Iterator[Image]:
    """A slice of each field of the last snapshot; the fields that the model shows come first."""
    try:
        snapshots = run.snapshots
        if not snapshots.sizes["time"]:
            return
        there = [str(name) for name in snapshots.isel(time=-1).data_vars]
        first = [one.field for one in picture_of(run.case).slices if one.field in there]
        for name in dict.fromkeys([*first, *there]):
            yield _slice(run, snapshots, name)
    except (CaseError, OSError, KeyError) as error:
        failed(f"slices of the last snapshot: {error}")


def _slice(run: RunResults, snapshots: xr.Dataset, name: str) -> Image:
    plane = choose(snapshots, picture_of(run.case).slices, run.case.grid, Wanted(field=name))
    assert plane is not None  # the snapshot has this field
    times = snapshots["time"].values
    when = rounded(plane.time, float(times[-1] - times[0]))
    width, height = SIDE * min(1.0, plane.aspect), SIDE * min(1.0, 1 / plane.aspect)

    def make() -> Figure:
        figure = Figure(figsize=(max(width, 3.2) + 1.3, height + 0.9), layout="constrained")
        draw_slice(figure.subplots(), plane, when)
        return figure

    low, high = (float(of(plane.values)) for of in (np.nanmin, np.nanmax))
    over, place = " and ".join(plane.axes), f" on a plane normal to {plane.normal}"
    alt = (
        f"{'Map' if len(plane.axes) > 1 else 'Graph'} of {plane.of.title} over {over}"
        f"{place if len(plane.axes) > 1 else ''} at t = {when}, with values from {low:.3g} to {high:.3g}."
    )
    return image_of(make, alt)


def main_curves(run: RunResults, series: xr.Dataset, averages: Averages | None) -> Iterator[Image]:
    """The graphs over time of the model's picture."""
    picture = picture_of(run.case)
    colors = colors_of(picture)
    for curves in picture.curves:
        if any(np.isfinite(series[name].values).any() for name, _ in curves.columns):
            yield _curves(series, curves, colors, averages)


def other_curves(run: RunResults, series: xr.Dataset, averages: Averages | None) -> Iterator[Image]:
    """A small graph of each column of the series that the model's picture does not show."""
    drawn = {name for curves in picture_of(run.case).curves for name, _ in curves.columns}
    for name in (str(name) for name in series.data_vars if str(name) not in {"step", *drawn}):
        if not np.isfinite(series[name].values).any():
            continue
        curves = Curves(name, ((name, ""),))
        of_window = None if name in growing_columns(run.case) else averages
        color = colors_of(picture_of(run.case))
        yield _curves(series, curves, {name: next(iter(color.values()))}, of_window)


def _curves(
    series: xr.Dataset, curves: Curves, colors: Mapping[str, str], averages: Averages | None
) -> Image:
    def make() -> Figure:
        figure = Figure(figsize=SMALL, layout="constrained")
        ax = figure.subplots()
        draw_curves(ax, series, curves, dict(colors))
        if averages:
            draw_window(ax, averages, {name: colors[label or name] for name, label in curves.columns})
        return figure

    told = "; ".join(_course(series, name) for name, _ in curves.columns)
    about = {
        f"{name}: {series[name].attrs['long_name']} [{series[name].attrs['units']}]"
        for name, _ in curves.columns
    }
    shaded = f" The window from t = {averages.start:.4g} to {averages.end:.4g} is shaded." if averages else ""
    return image_of(make, f"Graph over time. {told}.{shaded}", "; ".join(sorted(about)))


def _course(series: xr.Dataset, name: str) -> str:
    """The first, last, smallest and largest finite value of a column as text."""
    time, values = series["time"].values, series[name].values
    finite = np.isfinite(values)
    if not finite.any():
        return f"{name} has no finite value"
    time, values = time[finite], values[finite]
    return (
        f"{name} goes from {values[0]:.3g} at t = {time[0]:.4g} to {values[-1]:.3g} at t = {time[-1]:.4g}, "
        f"between {values.min():.3g} and {values.max():.3g}"
    )


def spectra_of(
    run: RunResults,
    spectra: xr.Dataset,
    series: xr.Dataset | None,
    averages: Averages | None,
    span: float,
) -> Iterator[Image]:
    """The model's spectra at some times, and their means over the window if `averages` has any.

    `series` tells the Rλ, below which Kolmogorov's law is left out (`compared` of whorl.pictures.run).
    """
    picture, most = picture_of(run.case), resolved(run.case.grid)
    if series is not None:
        picture = compared(picture, reynolds_of(run.case, series, averages))
    forced = forced_band(run.case)

    def at_times() -> Figure:
        figure = Figure(figsize=LARGE, layout="constrained")
        draw_spectra(figure.subplots(), spectra, picture, most, span, forced)
        return figure

    times = spectra["time"].values
    names = ", ".join(name for name, _ in picture.spectra)
    yield image_of(
        at_times,
        f"Spectra ({names}) on logarithmic axes over the wavenumber, up to k = {most:.4g}, at some times "
        f"from t = {times[0]:.4g} to {times[-1]:.4g}, the last the darkest.",
        f"Sums over shells, at times from t = {times[0]:.4g} to {times[-1]:.4g}.",
    )
    if averages is None or not averages.spectra.data_vars:
        return

    def of_window() -> Figure:
        figure = Figure(figsize=LARGE, layout="constrained")
        axes = figure.subplots(2, 1, sharex=True, height_ratios=STRIP)
        draw_mean_spectra(axes[0], axes[1], averages, picture, most, forced)
        return figure

    window = f"t = {averages.start:.4g} to {averages.end:.4g}"
    yield image_of(
        of_window,
        f"Mean spectra ({names}) of {window} on logarithmic axes, above their relative standard errors.",
        f"Means of {window}, and their standard errors.",
    )


def diagnostics(
    run: RunResults,
    states: Mapping[str, xr.Dataset],
    window: Window,
    averages: Averages | None,
    failed: Failed,
) -> Iterator[tuple[str, str, Image]]:
    """Name, description and picture of each diagnostic with a state.

    The captions do not repeat the remark on the window of `averages` that the page shows elsewhere.
    """
    verdict = averages.verdict if averages else ""
    for name, data in states.items():
        remarks: list[str] = []
        try:
            shown, when = what_to_draw(run, states, name, None, window, remarks.append)
            kind = str(data.attrs.get("kind", "diagnostic"))
            about = str(data.attrs.get("about", "")) or f"a diagnostic of kind {kind}"
            of = quantities(data)
            alt = f"Graphs of the diagnostic {name} ({kind}){' of ' + of if of else ''}: {about}; {when}."
            own = (one for one in remarks if one != verdict and _told_here(one))
            caption = " ".join(map(sentence, [when, *own]))
            drawn = image_of(lambda data=shown: draw_diagnostic(data), alt, caption)  # type: ignore[misc]
            yield name, about if name == kind else f"{kind}: {about}", drawn
        except (CaseError, OSError) as error:
            failed(f"diagnostic {name}: {error}")


def probes(
    run: RunResults, read: Mapping[str, xr.Dataset], averages: Averages | None, failed: Failed
) -> Iterator[tuple[str, str, Image]]:
    """Name, description and picture of each probe: series with spectra, then the correlation in time.

    Series at uneven steps are interpolated to even ones, and the caption says so.
    """
    for name, data in read.items():
        what = "modes" if "mode" in data.dims else "points"
        count = data.sizes.get("mode", data.sizes.get("point", 0))
        about = f"{quantities(data)} at {count} {what}"
        alt = f"Above the series that the probe {name} read, {about}; below their spectra."
        drawn = _even_or_resampled(partial(draw_probe, data, run.case), alt, "", f"probe {name}", failed)
        if drawn is not None:
            yield name, about, drawn
        window, when = data, "all rows"
        if averages is not None:
            window = between(data, averages.start, averages.end)
            when = f"t = {averages.start:.4g} to {averages.end:.4g}"
        alt = f"Correlations in time of what the probe {name} read, {about}, with bands of their errors."
        caption = f"Over {when}; bands are standard errors."
        drawn = _even_or_resampled(
            partial(draw_probe_correlation, window, run.case),
            alt,
            caption,
            f"correlation in time of probe {name}",
            failed,
        )
        if drawn is not None:
            yield f"{name}, correlation in time", about, drawn


def _even_or_resampled(
    draw: Callable[..., Figure], alt: str, caption: str, what: str, failed: Failed
) -> Image | None:
    """The image of series, interpolated to even times if steps differ; None if it cannot be drawn."""
    resampled = (
        "Before this was drawn the series was interpolated to even steps of time, which damps the highest "
        "frequencies."
    )
    for resample, told in ((False, caption), (True, f"{caption} {resampled}".strip())):
        try:
            return image_of(partial(draw, resample=resample), alt, told)
        except CaseError as error:
            if resample:
                failed(f"{what}: {error}")
    return None


def quantities(data: xr.Dataset) -> str:
    """The names of the measured quantities, if the data has any."""
    return ", ".join(map(str, data["quantity"].values)) if "quantity" in data.coords else ""


def _told_here(remark: str) -> bool:
    """Whether a remark of `what_to_draw` is for a report: not on options, and not in the caption already."""
    return not remark.startswith(("States in the window", "the last state is drawn;"))


def particles(
    run: RunResults,
    groups: Mapping[str, xr.Dataset],
    window: Window,
    averages: Averages | None,
    failed: Failed,
) -> Iterator[tuple[str, str, Image]]:
    """Name, description and picture: the paths of each group of particles, and statistics of a window.

    Paths at uneven times are interpolated to even ones for the statistics, and a caption says so.
    """
    for name, data in groups.items():
        reads = f", which read {quantities(data)}" if "quantity" in data.sizes else ""
        about = (
            f"{counted(data.sizes['particle'], 'particle')} of kind {data.attrs.get('kind', 'tracer')}{reads}"
        )
        try:
            moved, times = float(mean_square_displacement(data)[-1]), data["time"].values
            alt = (
                f"On the left the paths of the particles {name} in the box, t = {times[0]:.4g} to "
                f"{times[-1]:.4g}; on the right their mean square displacement on logarithmic axes, which "
                f"comes to {moved:.3g}."
            )
            yield name, about, image_of(partial(draw_particles, data, run.case), alt)
            yield from _statistics(run, name, window, averages)
        except (CaseError, OSError) as error:
            failed(f"particles {name}: {error}")


def _statistics(
    run: RunResults, name: str, window: Window, averages: Averages | None
) -> Iterator[tuple[str, str, Image]]:
    """A picture for each kind of statistics that the particles have."""
    try:
        found = average_particles(run, name, (), *window)
    except CaseError as error:
        if "resample" not in str(error):
            raise
        found = average_particles(run, name, (), *window, resample=True)
    verdict = averages.verdict if averages else ""
    remarks = " ".join(one for one in found.remarks(of_table=False) if one != verdict)
    for number, (kind, data) in enumerate(found.means.items()):
        when = f"Over t = {data.attrs['start']:.4g} to {data.attrs['end']:.4g}; bands are standard errors."
        alt = f"Graphs of the particles {name}, {data.attrs['about']}, with bands of errors."
        caption = f"{when} {remarks}" if number == 0 else when
        image = image_of(partial(draw_particle_means, kind, data), alt, caption)
        yield f"{name}, {kind}", data.attrs["about"], image

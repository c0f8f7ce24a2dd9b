"""Spectra in the picture of a run, those of a few times or means with errors, and slopes of known laws."""

import math
from itertools import cycle
from typing import Any

import numpy as np
import xarray as xr
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter

from whorl.config.case import Case
from whorl.config.wavenumbers import smallest_wavenumber
from whorl.models.base import Picture, Slope
from whorl.output.means import ENOUGH
from whorl.output.means import FEWEST as FEWEST_STATES
from whorl.pictures.style import COLORS, LAW, draw_band, rounded, units_of, with_unit
from whorl.results.averages import Averages
from whorl.results.estimate import Estimate

AT_REST = "the flow is at rest"
TIMES = colormaps["viridis_r"]
MOST_SPECTRA = 8
ABOVE = 1.6  # factor from the spectrum to the slope drawn over it
LEFT = 1 / 10  # of a slope: a spectrum below this share no longer follows it
FEWEST = 3  # fewest shells of a slope
ASIDE = 1.2  # factor from the outer shells to the ends of the graph
DOTTED = LAW | {"linestyle": (0, (1, 1.5))}
NOT_RELIABLE = f"open: not reliable, of fewer than {ENOUGH:.0f} independent samples"
NOT_KNOWN = f"errors need {FEWEST_STATES} states"
FORCED = ("velocity", "vorticity")  # fields whose forces set the wavenumbers at which energy enters


def forced_band(case: Case) -> tuple[float, float] | None:
    """The smallest and the largest wavenumber at which forces add energy; None if these are unknown."""
    unit, ends = smallest_wavenumber(case.grid), []
    for one in case.forcing:
        if one.field in FORCED:
            waves = getattr(getattr(one, "shape", None), "k_f", None)
            if waves:  # along y
                ends.append((waves * 2 * math.pi / case.grid.lengths[1],) * 2)
                continue
            band = one.ends()
            ends.append(band and (unit * band[0], unit * band[1]))
    if not ends or None in ends:
        return None
    return min(low for low, _ in ends), max(high for _, high in ends)


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


def draw_mean_spectra(
    ax: Axes,
    strip: Axes,
    averages: Averages,
    picture: Picture,
    most: float,
    forced: tuple[float, float] | None = None,
) -> None:
    """Draw mean spectra of a window, and in the strip below them their relative errors.

    The other arguments are those of `draw_spectra`; an error that is not reliable has an open point.
    """
    span = averages.end - averages.start
    first, last = (rounded(time, span) for time in (averages.start, averages.end))
    states = averages.spectra.expand_dims(time=[averages.end])
    draw_spectra(ax, states, picture, most, forced=forced, named=f"mean of t = {first} to {last}")
    strip.set(ylabel="error  [%]", xlabel=ax.get_xlabel())
    ax.set_xlabel("")
    ax.tick_params(labelbottom=False)
    bottom, own = ax.get_ylim()[0], colors_of(picture)
    for number, (name, label) in enumerate(picture.spectra):
        color = TIMES(1.0) if number == 0 else own[label]
        k, mean, error, reliable = _known(averages, name, most, bottom)
        draw_band(ax, k, mean, error, color, bottom)
        relative = 100 * error / mean
        strip.plot(k, relative, color=color, linewidth=1.3, markersize=3.5, marker="o")
        strip.plot(
            k[~reliable], relative[~reliable], "o", color=color, markersize=3.5, markerfacecolor="white"
        )
        if not reliable.all():
            strip.set_title(NOT_RELIABLE, loc="right", fontsize=8, fontweight="normal", pad=2)
    largest = max(float(np.nanmax(line.get_ydata(), initial=0.0)) for line in strip.lines)
    if not any(line.get_xdata().size for line in strip.lines):
        strip.text(0.5, 0.5, NOT_KNOWN, transform=strip.transAxes, ha="center", va="center", color="0.5")
    strip.set_ylim(0, 1.2 * largest or 1.0)


def _known(
    averages: Averages, name: str, most: float, bottom: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """k, mean, error and whether that is reliable, for the shells that are drawn and have an error."""
    k, number = averages.spectra["k"].values, Estimate.read(averages.spectra, name)
    seen = (k > 0) & (k <= most) & (number.value > bottom) & np.isfinite(number.error)
    return k[seen], number.value[seen], number.error[seen], number.reliable[seen]


def draw_spectra(
    ax: Axes,
    spectra: xr.Dataset | None,
    picture: Picture,
    most: float,
    span: float = 0.0,
    forced: tuple[float, float] | None = None,
    named: str | None = None,
) -> None:
    """Draw the model's first spectrum at a few times, the last the darkest, and the others at the last time.

    `spectra` are those of the run over (time, k), if it has any. Shells are drawn up to the wavenumber
    `most`. Times are rounded for the time `span` over which the run is drawn. `forced` has the smallest
    and the largest wavenumber that forces act on. `named` is the label of the last state in place of its
    time.
    """
    ax.set_title(picture.spectra_title)
    if spectra is None or spectra.sizes["time"] == 0:
        ax.text(0.5, 0.5, "no spectra yet", transform=ax.transAxes, ha="center", color="0.5")
        return
    k = spectra["k"].values
    spectra = spectra.isel(k=(k > 0) & (k <= max(most, k[1])))
    names = [name for name, _ in picture.spectra]
    if not any((spectra[name].values[-1] > 0).any() for name in names):
        ax.text(0.5, 0.5, AT_REST, transform=ax.transAxes, ha="center", color="0.5")
        return
    k, top = spectra["k"].values, max(float(spectra[name].max()) for name in names)
    bottom = 0.3 * min(_smallest(spectra[name].values[-1], top) for name in names)
    (main, label), *others = picture.spectra
    unit, of_each = units_of([spectra[name] for name in names])
    _draw_times(ax, spectra, main, bottom, span, (f"{label}{of_each[main]}, " if others else "", named))
    at = named or f"t = {rounded(float(spectra['time'][-1]), span)}"
    for name, own in others:
        values = spectra[name].values[-1]
        shown = np.where(values > 1e-16 * top, values, np.nan)
        few = np.isfinite(shown).sum() < 5
        style = {"markersize": 4, "color": colors_of(picture)[own], "label": f"{own}{of_each[name]}, {at}"}
        ax.plot(k, shown, "s" if few else "--", **style)
    last = spectra.isel(time=-1)
    ax.set(xscale="log", yscale="log", xlabel="k  [1/length]", ylabel=with_unit("", unit))
    _draw_slopes(ax, k, np.maximum.reduce([last[name].values for name in names]), picture, forced)
    ax.set(ylim=(bottom, None), xlim=(k[0] / ASIDE, ASIDE * k[-1]))
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())
    _tell(ax, below=named is None)


def _tell(ax: Axes, below: bool) -> None:
    """The legend, below the graph and its label, or where spectra leave most room."""
    place: dict[str, Any] = {"loc": "best"}
    if below:
        place = {"ncols": 4, "loc": "upper center", "bbox_to_anchor": (0.5, 0), "borderaxespad": 3.8}
    ax.legend(frameon=False, fontsize=8.5, **place)


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
        style = {"color": shade, "linewidth": 2.0 if last else 1.3, "markersize": 4}
        ax.plot(spectra["k"], values, "o" if few else "-", label=name_of, **style)


def _smallest(energy: np.ndarray, top: float) -> float:
    """The smallest energy to show."""
    real = energy[energy > 1e-14 * top]
    return float(real.min()) if real.size else 1e-14 * top


def _draw_slopes(
    ax: Axes, k: np.ndarray, energy: np.ndarray, picture: Picture, forced: tuple[float, float] | None
) -> None:
    """Powers of k over a decade at most on either side of the force, just above the last spectrum."""
    begins = forced[1] if forced else k[np.argmax(energy)]
    if picture.slope is not None:
        _draw_slope(ax, k, energy, picture.slope, (k >= begins) & (k <= 10 * begins), LAW)
    if picture.slope_below is not None and forced:
        _draw_slope(ax, k, energy, picture.slope_below, (k <= forced[0]) & (k >= forced[0] / 10), DOTTED)


def _draw_slope(
    ax: Axes, k: np.ndarray, energy: np.ndarray, slope: Slope, inside: np.ndarray, style: dict[str, Any]
) -> None:
    """A power of k as far as the spectrum follows it, with its name in the legend, clear of all curves."""
    power, label = slope
    law = k**power
    law *= ABOVE * np.max(energy[inside] / law[inside], initial=0.0)
    inside = inside & (energy > LEFT * law)
    if inside.sum() >= FEWEST:
        ax.plot(k[inside], law[inside], **style, label=label)

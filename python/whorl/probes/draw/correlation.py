"""The picture of the correlations in time of a probe: C(τ) with errors, and τ(k) for modes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from whorl.config.case import Case
from whorl.diagnostics.draw.base import (
    LAW,
    Look,
    draw_band,
    draw_curve,
    legend,
    plain_ticks,
    say,
    short,
    tell_empty,
)
from whorl.pictures.slices import Tell, silent
from whorl.pictures.style import COLORS, draw_notes, draw_title, title_of
from whorl.probes.results.correlation import chosen_probe, correlated, each, in_window, ways
from whorl.probes.results.spectra import finite_part
from whorl.results.estimate import Estimate
from whorl.results.runs import RunResults

MOST_CURVES = 5
FINE = 400  # lags of a curve
SHADES = (0.0, 0.85)  # of the map of colours, over curves in the order of |k|
MAP = "viridis"
PERIODS = 6  # periods of the fastest oscillation that are shown
SEEN = 0.06  # a correlation that stays below has ended
BEYOND = 1.25  # factor from the lag where the last one has ended to the last lag shown
LAWS = {"$k^{-1}$": -1.0, "$k^{-2/3}$": -2 / 3}  # sweeping, and the turnover of eddies
ABOVE = 1.2  # factor from the points to the laws drawn above them
ROOM = 0.16  # height of a line of a legend, in units of C
WAVE = {"color": "0.25", "linewidth": 0.9, "linestyle": (0, (2, 2)), "zorder": 3}


def correlation_picture(
    run: RunResults,
    *,
    name: str,
    start: float | None = None,
    end: float | None = None,
    resample: bool = False,
    remove_mean: bool | None = None,
    tell: Tell = silent,
) -> Figure:
    """Return the figure of the correlations in time of a probe: C(τ), and of several modes or shells τ(k).

    Parameters
    ----------
    run : RunResults
        The run.
    name : str
        The name of the probe.
    start, end : float, optional
        The window; by default that of `RunResults.average`.
    resample, remove_mean : bool
        As for `whorl.probes.results.correlation.correlate_probe`.
    tell : callable, optional
        Called with sentences on the window.

    Raises
    ------
    CaseError
        If the run has no such probe or window, if the window has too few rows, or if steps of time differ
        and `resample` is false.
    """
    data = chosen_probe(run.probes, name, str(run.directory))
    rows, notes, first, last, verdict = in_window(run, data, name, start, end)
    title = title_of(run.directory, name, f"t = {first:.4g} to {last:.4g}")
    figure = draw_probe_correlation(rows, run.case, title, resample=resample, remove_mean=remove_mean)
    for remark in (*notes, verdict):
        tell(remark)
    return figure


def draw_probe_correlation(
    data: xr.Dataset,
    case: Case,
    title: str = "",
    *,
    resample: bool = False,
    remove_mean: bool | None = None,
) -> Figure:
    """Return the figure of the correlations of a probe of a case, over all rows of `data`."""
    data, notes = finite_part(data)
    by = ways(data)[0]
    how: dict[str, Any] = {"resample": resample, "remove_mean": remove_mean}
    whole = correlated(data, by, lags=1, **how)
    chosen = _chosen(whole, by)
    drawn = _at_shown_lags(_part(data, whole, by, chosen), by, _fastest(whole, chosen), how)
    of_k = _wavenumbers(whole, by)
    several = of_k is not None and np.ptp(of_k) > 0
    figure = Figure(figsize=(10.5, 4.4) if several else (6.4, 4.4), layout="constrained")
    draw_title(figure, title)
    axes = figure.subplots(1, 2 if several else 1, squeeze=False)[0]
    colors = _colors(len(chosen), of_k is not None and by == "shell")
    _draw_curves(axes[0], drawn, colors, whole["mean_square"].size, case)
    if several:
        _draw_times(axes[1], whole, of_k, dict(zip(chosen, colors, strict=True)))
    tell_empty(figure)
    draw_notes(figure, notes)
    return figure


def _chosen(whole: xr.Dataset, by: str) -> list[int]:
    """The numbers of the curves to draw: shells of all sizes, else those with the largest mean squares."""
    squares = whole["mean_square"].values.ravel()
    if by == "shell":
        k = np.where(squares > 0, np.maximum(whole["k"].values, np.finfo(float).tiny), np.nan)
        if np.isnan(k).all():
            return list(range(min(MOST_CURVES, len(k))))
        few = np.geomspace(np.nanmin(k), np.nanmax(k), MOST_CURVES)
        return sorted({int(np.nanargmin(np.abs(np.log(k / one)))) for one in few})
    return sorted(np.argsort(-squares, kind="stable")[:MOST_CURVES].tolist())


def _part(data: xr.Dataset, whole: xr.Dataset, by: str, chosen: Sequence[int]) -> xr.Dataset:
    """The series of the curves to draw."""
    if by == "shell":
        lower = whole["k_lower"].values[list(chosen)]
        return data.isel(mode=np.isin(data["shell_lower"].values, lower))
    if by == "mode":
        return data.isel(mode=list(chosen))
    if by == "quantity":
        return data.isel(quantity=list(chosen))
    return data.isel(quantity=np.unique(np.array(chosen) // whole.sizes["point"]))


def _fastest(whole: xr.Dataset, chosen: Sequence[int]) -> float:
    """The time of PERIODS periods of the fastest oscillation by the first zeros; infinite without a zero."""
    zeros = whole["first_zero"].values.ravel()[list(chosen)]
    return 4 * PERIODS * float(np.nanmin(zeros)) if np.isfinite(zeros).any() else np.inf


def _at_shown_lags(data: xr.Dataset, by: str, most: float, how: dict[str, Any]) -> xr.Dataset:
    """The correlations up to the lag at which the last one has ended."""
    time = data["time"].values
    steps = len(time) - 1
    dt = (time[-1] - time[0]) / steps
    quarter = (steps + 1) // 4 * dt
    longest = max(min(quarter, most), 2 * dt)
    found = correlated(data, by, longest=longest, lags=FINE, **how)
    alive = (np.abs(found["correlation"]) > SEEN).transpose("lag", ...).values.reshape(found.sizes["lag"], -1)
    end = BEYOND * float(found["lag"][np.flatnonzero(alive.any(axis=1)).max(initial=1)])
    return correlated(data, by, longest=max(end, 2 * dt), lags=FINE, **how) if end < longest / 2 else found


def _wavenumbers(whole: xr.Dataset, by: str) -> np.ndarray | None:
    """|k| of each correlation, None for points."""
    if by == "shell":
        return whole["k"].values
    if by == "mode":
        return np.sqrt(sum(whole[f"k{axis}"].values ** 2 for axis in "xyz"))
    return None


def _colors(count: int, in_order: bool) -> list[Any]:
    """Colours of curves, shades of one map if they are in the order of |k|."""
    if not in_order:
        return [COLORS[n % len(COLORS)] for n in range(count)]
    return [colormaps[MAP](shade) for shade in np.linspace(*SHADES, count)]


def _draw_curves(ax: Axes, drawn: xr.Dataset, colors: Sequence[Any], every: int, case: Case) -> None:
    """C(τ), with bands of errors, and cos ωτ of the model's linear waves of single modes."""
    lag, waves = drawn["lag"].values, False
    for (label, one), color in zip(each(drawn), colors, strict=False):
        values, error = one["correlation"].values, one["correlation_error"].values
        draw_curve(ax, lag, values, Look(color, "-"), short(label, 40))
        draw_band(ax, lag, values, error, color)
        if "kx" in one.coords and "mode" in one.coords:
            k = np.array([[float(one[f"k{axis}"])] for axis in "xyz"])
            for omega in {round(abs(float(of[0])), 12) for of in case.flow.frequencies(k)}:
                fine = np.linspace(0, lag[-1], 2000)
                ax.plot(fine, np.cos(omega * fine), **WAVE)
                waves = True
    ax.axhline(0, **LAW | {"linewidth": 0.8, "linestyle": "-"})
    few = f" ({len(colors)} of {every})" if len(colors) < every else ""
    mean = ", without means" if drawn.attrs["mean"] == "removed" else ""
    dashed = ", linear waves dashed" if waves else ""
    ax.set(title=f"Correlation in time{few}{mean}{dashed}", xlabel="τ  [time]", ylabel="C(τ)")
    ax.set_xlim(0, lag[-1])
    if float(drawn["correlation"].min()) < -0.5:  # the curves leave no place for a legend
        ax.set_ylim(-1.1, 1.1 + ROOM * len(colors))
        ax.set_yticks(np.linspace(-1, 1, 5))
    legend(ax, many=MOST_CURVES, loc="upper right")


def _draw_times(ax: Axes, whole: xr.Dataset, k: np.ndarray, colors: dict[int, Any]) -> None:
    """The integral times over |k| with errors; points are open where these are not reliable."""
    number = Estimate.read(whole, "integral_time")
    time, error = number.value, number.error
    ax.set(title="Correlation time τ(k) = ∫ C dτ", xlabel="|k|  [1/length]", ylabel="τ(k)  [time]")
    seen = np.isfinite(time) & (time > 0) & (k > 0)
    if not seen.any():
        say(ax, "no correlation ends")
        return
    for n in np.flatnonzero(seen):
        color = colors.get(int(n), "0.55")
        fill = color if number.reliable[n] else "white"
        bar = error[n] if np.isfinite(error[n]) else 0.0
        low = min(bar, 0.9 * time[n])
        ax.errorbar(
            k[n], time[n], [[low], [bar]], fmt="o", color=color, markerfacecolor=fill, capsize=2, markersize=5
        )
    ax.set(xscale="log", yscale="log")
    for axis in (ax.xaxis, ax.yaxis):
        plain_ticks(axis)
    if "shell" in whole.dims:
        _draw_laws(ax, k[seen], time[seen])


def _draw_laws(ax: Axes, k: np.ndarray, time: np.ndarray) -> None:
    """Lines of the powers of k above the points, if these are over a range of k."""
    ends = np.array([k.min(), k.max()])
    if ends[1] < 2 * ends[0]:
        return
    for label, power in LAWS.items():
        size = ABOVE * np.max(time / k**power)
        line = size * ends**power
        ax.plot(ends, line, **LAW)
        ax.annotate(label, (ends[1], line[1]), (4, 0), textcoords="offset points", va="center", color="0.35")

"""The pictures of statistics of particles."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from whorl.base.errors import CaseError
from whorl.config.explain import did_you_mean
from whorl.diagnostics.draw.base import (
    DEEPEST,
    LAW,
    Look,
    draw_band,
    draw_curve,
    legend,
    look,
    plain_ticks,
    say,
    tell_empty,
)
from whorl.output.means import ENOUGH
from whorl.particles.draw.paths import draw_over_slice
from whorl.particles.results.means import KINDS, average_particles
from whorl.pictures.slices import Tell, silent
from whorl.pictures.style import COLORS, HALO, draw_title, title_of
from whorl.results.estimate import Estimate
from whorl.results.runs import RunResults

SIDE = 4.6  # of a graph, in inches
NOT_RELIABLE = f"?  of fewer than {ENOUGH:.0f} independent samples: not reliable"
MARGIN = 0.3  # share of the range that is shown: room for texts above and below
DOTTED = LAW | {"linestyle": (0, (1, 1.5))}
MEAN = Look(COLORS[6], "-")  # curves of all axes together


def statistics_picture(
    run: RunResults,
    *,
    name: str,
    statistics: str,
    start: float | None = None,
    end: float | None = None,
    resample: bool = False,
    tell: Tell = silent,
) -> Figure:
    """Return the figure of statistics of particles with errors and known limits, or of paths over a slice.

    `name` is that of the group, and `statistics` the kind, as `whorl.particles.results.means.KINDS` names
    them, or "paths". The window and `resample` are those of `average_particles`; paths are drawn up to
    `end`. `tell` is called with sentences on the numbers and on the window. Raises CaseError if the run
    has no such group, if the kind is unknown, and as `average_particles` does.
    """
    if statistics not in (known := (*DRAWN, "paths")):
        near = did_you_mean(statistics, known) or "."
        raise CaseError(f"{statistics} is no picture of particles{near} Known: {', '.join(known)}.")
    if statistics == "paths":
        return draw_over_slice(run, name, title_of(run.directory, name), end, tell)
    found = average_particles(run, name, statistics, start, end, resample=resample)
    data = found[statistics]
    title = title_of(run.directory, name, data.attrs["about"], _when(data))
    figure = draw_particle_means(statistics, data, title)
    for remark in found.remarks(of_table=False):
        tell(remark)
    return figure


def draw_particle_means(kind: str, data: xr.Dataset, title: str = "") -> Figure:
    """Return the figure of statistics of a kind, as `average_particles` returns them."""
    draw = DRAWN[kind]
    figure = Figure(figsize=(SIDE * len(draw) + (1.6 if len(draw) == 1 else 0), 4.4), layout="constrained")
    draw_title(figure, title)
    for ax, one in zip(figure.subplots(1, len(draw), squeeze=False)[0], draw, strict=True):
        one(ax, data)
    tell_empty(figure)
    if any("?" in one.get_text() for ax in figure.axes for one in ax.findobj(Text)):
        figure.supxlabel(NOT_RELIABLE, fontsize=8.5, color="0.4")
    return figure


def _when(data: xr.Dataset) -> str:
    return f"t = {data.attrs['start']:.4g} to {data.attrs['end']:.4g}"


def _told(data: xr.Dataset, name: str) -> str:
    """A number with its error; "" where it is not known."""
    number = Estimate.read(data, name)
    return str(number) if np.isfinite(number.value) else ""


def _curve(ax: Axes, place: np.ndarray, data: xr.Dataset, name: str, style: Look, label: str = "") -> None:
    """A curve with a band of its errors, which ends below the curve where the axis is logarithmic."""
    floor: Any = -np.inf
    number = Estimate.read(data, name)
    values = number.value
    if ax.get_yscale() == "log":
        values = np.where(values > 0, values, np.nan)
        floor = DEEPEST * values
    draw_curve(ax, place, values, style, label)
    draw_band(ax, place, values, number.error, style.color, floor)


def _by_axis(ax: Axes, data: xr.Dataset, name: str, place: np.ndarray, label: str) -> None:
    """A curve of each axis, and that of all together."""
    mean, single = f"mean_{name}", data.sizes["axis"] == 1
    for n, axis in enumerate(data["axis"].values if not single else ()):
        _curve(ax, place, data.sel(axis=axis), name, look(n), str(axis))
    _curve(ax, place, data, mean, MEAN, label)


def _dispersion(ax: Axes, data: xr.Dataset) -> None:
    lag = data["lag"].values
    ax.set(
        xscale="log", yscale="log", xlabel="τ  [time]", title="Dispersion ⟨(X(t₀ + τ) − X(t₀))²⟩  [length²]"
    )
    for n, axis in enumerate(data["axis"].values):
        _curve(ax, lag, data.sel(axis=axis), "displacement", look(n), str(axis))
    _curve(ax, lag, data, "total", MEAN, "all axes")
    total = data["total"].values
    for name, style, label in (("ballistic", LAW, "⟨v²⟩ τ²"), ("diffusive", DOTTED, "2 ⟨v²⟩ $T_L$ τ")):
        ax.plot(lag, data[name].values, **style, label=label)
    ax.set_ylim(0.3 * np.nanmin(data["displacement"].values[0]), 4 * np.nanmax(total))
    legend(ax, many=6, loc="upper left")


def _diffusivity(ax: Axes, data: xr.Dataset) -> None:
    lag, number = data["lag"].values, data.sizes["axis"]
    ax.set(xscale="log", xlabel="τ  [time]", title=f"Diffusivity ⟨|ΔX|²⟩/({2 * number} τ)  [length²/time]")
    _curve(ax, lag, data, "diffusivity", MEAN, "diffusivity")
    for name, style, label in (("ballistic", LAW, "ballistic"), ("diffusive", DOTTED, "⟨v²⟩ $T_L$/d")):
        ax.plot(lag, data[name].values / (2 * number * lag), **style, label=label)
    ax.set_ylim(0, 1.5 * float(np.nanmax(data["diffusivity"])))
    legend(ax, loc="upper left")


def _correlation(of: str) -> Callable[[Axes, xr.Dataset], None]:
    """The correlation in time of a velocity, with exp(−τ/T_L), or of an acceleration, with its zero."""

    def draw(ax: Axes, data: xr.Dataset) -> None:
        lag = data["lag"].values
        _by_axis(ax, data, "correlation", lag, "all axes")
        ax.axhline(0, **LAW | {"linewidth": 0.8, "linestyle": "-"})
        time = Estimate.read(data, "mean_integral_time").value
        alive = np.flatnonzero(np.abs(data["mean_correlation"].values) > 0.06)
        ax.set_xlim(0, min(lag[-1], 1.5 * lag[alive.max(initial=1)]))
        if np.isfinite(time):
            fine = np.linspace(0, lag[-1], 800)
            ax.plot(fine, np.exp(-fine / time), **LAW, label="$\\exp(-\\tau/T_L)$")
        number = _told(data, "mean_integral_time" if of == "v" else "mean_first_zero")
        what = "$T_L$ =" if of == "v" else "zero at"
        title = f"Correlation ρ(τ) of {of}"
        ax.set(title=f"{title},  {what} {number}" if number else title, xlabel="τ  [time]")
        legend(ax, many=6, loc="upper right")

    return draw


def _pdf(ax: Axes, data: xr.Dataset) -> None:
    place = data["bin"].values
    ax.set(yscale="log")
    _curve(ax, place, data, "pdf", MEAN, "all axes")
    seen = data["pdf"].values[data["pdf"].values > 0]
    fine = np.linspace(place[0], place[-1], 800)
    ax.plot(fine, np.exp(-(fine**2) / 2) / np.sqrt(2 * np.pi), **LAW, label="Gaussian")
    ax.set_ylim(0.4 * seen.min() if seen.size else 1e-6, 1.5)
    letter = "a" if "acceleration" in data.attrs else "v"
    number = _told(data, "mean_flatness")
    ax.set(title=f"PDF, flatness {number}", xlabel=f"({letter} − ⟨{letter}⟩)/σ")
    legend(ax, loc="lower center")


def _spectrum(ax: Axes, data: xr.Dataset) -> None:
    ax.set(xscale="log", yscale="log", xlabel="ω  [1/time]", title="Frequency spectrum  [length²/time]")
    if "spectrum" not in data:
        say(ax, "too few times for a spectrum")
        return
    inside = data["frequency"].values > 0
    omega, one = data["frequency"].values[inside], data.isel(frequency=inside)
    _curve(ax, omega, one, "spectrum", MEAN)
    values = one["spectrum"].values
    if (values > 0).all():
        at = int(np.argmax(omega**2 * values))
        law = values[at] * (omega / omega[at]) ** -2.0
        near = (omega > omega[at] / 6) & (omega < 4 * omega[at])
        ax.plot(omega[near], 1.6 * law[near], **LAW, label="ω⁻²")
        ax.set_ylim(max(values.min(), values.max() * 1e-9) / 2, 4 * values.max())
    legend(ax, loc="lower left")


def _structure(ax: Axes, data: xr.Dataset) -> None:
    lag = data["lag"].values
    ax.set(
        xscale="log",
        yscale="log",
        xlabel="τ  [time]",
        title="$D_n$ = ⟨|$v_i$(t + τ) − $v_i$(t)|ⁿ⟩  [(length/time)ⁿ]",
    )
    for n, order in enumerate(data["order"].values):
        _curve(ax, lag, data.sel(order=order), "mean_structure", look(n), f"n = {order}")
    legend(ax, loc="upper left")


def _compensated(ax: Axes, data: xr.Dataset) -> None:
    if "compensated" not in data:
        ax.set(title="D₂/(ε τ)")
        say(ax, "the dissipation is not known")
        return
    time = np.sqrt(data.attrs["viscosity"] / data.attrs["dissipation"])
    lag = data["lag"].values / time
    _curve(ax, lag, data, "compensated", MEAN)
    ax.plot(
        float(data["C0_lag_over_kolmogorov_time"]),
        float(data["C0"]),
        "o",
        color=COLORS[1],
        markersize=5,
        zorder=4,
    )
    ax.set(
        xscale="log",
        xlabel=r"$\tau/\tau_\eta$",
        title=f"D₂/(ε τ),  largest C₀ = {_told(data, 'C0')}",
        ylim=(0, None),
    )


def _flatness(ax: Axes, data: xr.Dataset) -> None:
    ax.set(xscale="log", xlabel="τ  [time]", title="Flatness D₄/D₂²")
    _curve(ax, data["lag"].values, data, "flatness", MEAN)
    ax.axhline(3, **LAW)
    ax.annotate("Gaussian", (data["lag"].values[0], 3), (0, 4), textcoords="offset points", color="0.35")
    ax.set_ylim(bottom=0)


def _separations(data: xr.Dataset) -> list[tuple[str, xr.Dataset, Look]]:
    return [
        (f"r₀ = {float(r0):.3g}", data.isel(separation=n), look(n))
        for n, r0 in enumerate(data["separation"].values)
    ]


def _change(ax: Axes, data: xr.Dataset) -> None:
    lag = data["lag"].values
    ax.set(xscale="log", yscale="log", xlabel="t − t₀  [time]", title="⟨|r − r₀|²⟩  [length²]")
    low, high = np.inf, 0.0
    for label, one, style in _separations(data):
        _curve(ax, lag, one, "mean_square_change", style, label)
        low = min(low, float(one["mean_square_change"][0]))
        high = max(high, float(one["mean_square_change"].max()))
        for name, law in (("ballistic", LAW), ("batchelor", DOTTED)):
            if name in one:
                ax.plot(lag, one[name].values, **law | {"color": style.color, "linewidth": 1.0})
    for name, law, label in (("ballistic", LAW, "⟨|δu|²⟩ τ²"), ("batchelor", DOTTED, "Batchelor's law")):
        if name in data:
            ax.plot([], [], **law, label=label)
    ax.set_ylim(0.2 * low, 5 * high)
    legend(ax, many=6, loc="upper left")


def _growth(name: str, title: str) -> Callable[[Axes, xr.Dataset], None]:
    """A number that grows after the release, a curve for each separation."""

    def draw(ax: Axes, data: xr.Dataset) -> None:
        ax.set(xscale="log", yscale="log", xlabel="t − t₀  [time]", title=title)
        for label, one, style in _separations(data):
            _curve(ax, data["lag"].values, one, name, style, label)
        legend(ax, many=6, loc="upper left")

    return draw


def _richardson(ax: Axes, data: xr.Dataset) -> None:
    """Richardson's g by the exit times that 95 % of the pairs have."""
    ax.set(title="Richardson's g by exit times", xlabel="r  [length]")
    if "exit_richardson" not in data:
        say(ax, "the dissipation is not known")
        return
    ax.set(xscale="log")
    for label, one, style in _separations(data):
        r = one["exit_separation"].where(one["exit_share"] > 0.95).values
        _curve(ax, r, one, "exit_richardson", style, label)
    ax.axhline(0.5, **LAW, label="g = 0.5")
    plain_ticks(ax.xaxis)
    ax.set_ylim(0, None)
    legend(ax, many=6)


def _shape(ax: Axes, data: xr.Dataset) -> None:
    ax.set(xscale="log", xlabel="t − t₀  [time]", title="Shape I₁ ≥ I₂ ≥ I₃, ⟨g_i/R²⟩", ylim=(0, 1))
    for label, one, style in _separations(data):
        for n, eigenvalue in enumerate(data["eigenvalue"].values):
            of = one.sel(eigenvalue=eigenvalue)
            _curve(ax, data["lag"].values, of, "shape", style, label if n == 0 else "")
    for value in (0.75, 0.222, 0.028):
        ax.axhline(value, **DOTTED)
    legend(ax, many=6, loc="upper left")


def _radial(ax: Axes, data: xr.Dataset) -> None:
    title = f"Radial distribution g(r),  D₂ = {_told(data, 'dimension')}"
    ax.set(xscale="log", xlabel="r  [length]", title=title)
    _curve(ax, data["r"].values, data, "radial_distribution", MEAN)
    ax.axhline(1, **LAW)
    ax.axvspan(data.attrs["from_r"], data.attrs["to_r"], color="0.5", alpha=0.1, linewidth=0, zorder=0)
    ax.annotate(
        "D₂ fitted here",
        (np.sqrt(data.attrs["from_r"] * data.attrs["to_r"]), 0.02),
        xycoords=ax.get_xaxis_transform(),
        ha="center",
        color="0.35",
        fontsize=8.5,
    )
    found, error = data["radial_distribution"].values, np.nan_to_num(data["radial_distribution_error"])
    _show(ax, np.nanmin(found - error), np.nanmax(found + error), 1.0)
    plain_ticks(ax.xaxis)
    if cells := _told(data, "voronoi_variance"):
        random = f"Voronoï cells: variance {cells}\n(random particles {data.attrs['voronoi_random']:g})"
        ax.text(0.03, 0.97, random, transform=ax.transAxes, va="top", fontsize=8.5, color="0.3")


def _show(ax: Axes, low: float, high: float, law: float) -> None:
    """Show the range of two values and a law, with room for texts above and below."""
    low, high = min(low, law), max(high, law)
    room = MARGIN * ((high - low) or abs(law) or 1.0)
    ax.set_ylim(max(0.0, low - room), high + room)


def _uniform(ax: Axes, data: xr.Dataset) -> None:
    time, freedom, chi_squared = data["time"].values, data.attrs["freedom"], data["chi_squared"].values
    spread = 2 * np.sqrt(2 * freedom)
    ax.axhline(freedom, **LAW, label=f"random particles: {freedom}")
    ax.axhspan(freedom - spread, freedom + spread, color="0.5", alpha=0.12, linewidth=0, label="2σ of these")
    ax.plot(time, chi_squared, "o", color=COLORS[0])
    for t, chi, p in zip(time, chi_squared, data["probability"].values, strict=True):
        above = chi >= freedom  # away from the line of the mean
        place = {"xytext": (0, 7 if above else -7), "va": "bottom" if above else "top", "ha": "center"}
        ax.annotate(f"p = {p:.2g}", (t, chi), **place, textcoords="offset points", fontsize=8, **HALO)
    ax.margins(x=0.12)
    _show(ax, min(chi_squared.min(), freedom - spread), max(chi_squared.max(), freedom + spread), freedom)
    ax.set(xlabel="t  [time]", title=f"χ² in {data.attrs['cells']} cells")
    legend(ax, loc="upper right")


PAIRS = (_change, _growth("mean_square", "⟨|r|²⟩  [length²]"), _richardson)
DRAWN: dict[str, Sequence[Callable[[Axes, xr.Dataset], None]]] = {
    "dispersion": (_dispersion, _diffusivity),
    "velocity": (_correlation("v"), _pdf, _spectrum),
    "acceleration": (_correlation("a"), _pdf),
    "structure-functions": (_structure, _compensated, _flatness),
    "pairs": PAIRS,
    "nearest-pairs": PAIRS,
    "tetrahedra": (
        _growth("mean_square_radius", "⟨R²⟩  [length²]"),
        _shape,
        _growth("volume", "Mean volume  [length³]"),
    ),
    "clustering": (_radial,),
    "uniformity": (_uniform,),
}
assert set(DRAWN) == set(KINDS)

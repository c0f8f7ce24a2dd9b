"""One picture of a run, from its files alone: a slice of the last snapshot, energy, dissipation, spectra."""

from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib import colormaps, rc_context
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from whorl.directory import RunDirectory
from whorl.errors import CaseError
from whorl.files import whole_file
from whorl.output import RunResults, open_run

STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.labelcolor": "0.3",
    "axes.edgecolor": "0.6",
    "xtick.color": "0.35",
    "ytick.color": "0.35",
    "axes.grid": True,
    "grid.color": "0.92",
    "axes.axisbelow": True,
    "lines.linewidth": 2,
}
ENERGY, DISSIPATION = "#2b6cb0", "#c2410c"
TIMES = colormaps["viridis_r"]
MOST_SPECTRA = 8
PLANES = 16


def plot_run(directory: str | Path, output: str | Path | None = None) -> Path:
    """Draws the run in `directory` to a PNG, DIR/plot.png by default; returns its path. Raises CaseError."""
    run = open_run(directory)
    if not RunDirectory(directory).series.is_file() or run.series.sizes["time"] == 0:
        raise CaseError(f"{directory} has no rows in series.csv yet; wait for the first ones.")
    path = Path(output) if output else Path(directory) / "plot.png"
    with rc_context(STYLE):
        figure = draw(run, Path(directory).resolve().name)
        FigureCanvasAgg(figure)
        with whole_file(path) as beside:
            figure.savefig(beside, format="png", dpi=150)
    return path


def draw(run: RunResults, name: str) -> Figure:
    """The figure: the slice on the left, curves on the right."""
    series = run.series
    figure = Figure(figsize=(14, 6.9), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.1)
    picture, curves = figure.subfigures(1, 2, width_ratios=(1, 1.1))
    (energy, dissipation), (spectrum, _) = axes = curves.subplots(2, 2)
    for ax in axes[1]:
        ax.remove()
    spectrum = curves.add_subplot(axes[1, 0].get_gridspec()[1, :])
    draw_slice(picture.subplots(), run)
    draw_curve(energy, series, "energy", "Kinetic energy  ½⟨u²⟩", ENERGY)
    draw_curve(dissipation, series, "dissipation", "Dissipation  ε", DISSIPATION)
    draw_spectra(spectrum, run)
    figure.suptitle(headline(run, series, name), x=0.012, ha="left", fontsize=14)
    return figure


def headline(run: RunResults, series: xr.Dataset, name: str) -> str:
    points = run.case.grid.points
    size = f"{points[0]}³" if len(set(points)) == 1 else " × ".join(str(n) for n in points if n > 1)
    last = series.isel(time=-1)
    text = f"{name}   ·   {size}   ·   ν = {run.case.flow.viscosity:g}   ·   t = {float(last['time']):.4g}"
    reynolds = float(last["R_lambda"])
    return f"{text}   ·   Rλ = {reynolds:.0f}" if np.isfinite(reynolds) else text


def draw_curve(ax: Axes, series: xr.Dataset, name: str, title: str, color: str) -> None:
    time, values = series["time"].values, series[name].values
    ax.plot(time, values, color=color)
    ax.fill_between(time, values, color=color, alpha=0.10, linewidth=0)
    ax.plot(time[-1:], values[-1:], "o", color=color, markersize=5)
    ax.set(title=title, xlabel="t")
    ax.margins(x=0.02)
    ax.set_ylim(bottom=0)


def draw_spectra(ax: Axes, run: RunResults) -> None:
    """E(k) at a few times, the last the darkest, and a slope of −5/3."""
    ax.set_title("Energy spectrum  E(k)")
    if not RunDirectory(run.directory).spectra.is_file():
        ax.text(0.5, 0.5, "no spectra yet", transform=ax.transAxes, ha="center", color="0.5")
        return
    spectra = run.spectra.isel(k=slice(1, None))
    if not (spectra["energy"].values[-1] > 0).any():
        ax.text(0.5, 0.5, "the flow is at rest", transform=ax.transAxes, ha="center", color="0.5")
        return
    count = spectra.sizes["time"]
    chosen = sorted(set(np.linspace(0, count - 1, min(count, MOST_SPECTRA)).round().astype(int)))
    k, top = spectra["k"].values, float(spectra["energy"].max())
    for index in chosen:
        state = spectra.isel(time=index)
        energy = np.where(state["energy"] > 1e-16 * top, state["energy"], np.nan)
        shade = TIMES(0.05 + 0.95 * (index / max(count - 1, 1)))
        few = np.isfinite(energy).sum() < 5
        last = index == chosen[-1]
        ax.plot(
            k, energy, "o" if few else "-", markersize=4, color=shade, linewidth=2.4 if last else 1.3,
            label=f"t = {float(state['time']):.3g}",
        )  # fmt: skip
    _slope(ax, k, spectra["energy"].values)
    ax.set(xscale="log", yscale="log", xlabel="k")
    ax.set_ylim(bottom=0.3 * _smallest(spectra["energy"].values[-1], top))
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.legend(frameon=False, fontsize=8.5, ncols=2, loc="lower left")


def _smallest(energy: np.ndarray, top: float) -> float:
    """The lowest energy worth showing."""
    real = energy[energy > 1e-14 * top]
    return float(real.min()) if real.size else 1e-14 * top


def _slope(ax: Axes, k: np.ndarray, energy: np.ndarray) -> None:
    """k^(−5/3) over the first decade, just above all of `energy` (time, k)."""
    decade = k <= 10 * k[0]
    law = k[decade] ** (-5 / 3)
    law *= 1.6 * np.max(energy[:, decade] / law)
    ax.plot(k[decade], law, "--", color="0.45", linewidth=1.1)
    middle = len(law) // 2
    ax.annotate(
        "k$^{-5/3}$", (k[decade][middle], law[middle]), (4, 4), textcoords="offset points", color="0.35"
    )


def draw_slice(ax: Axes, run: RunResults) -> None:
    """|ω|, or |u| without it, on the liveliest of some planes of the last snapshot."""
    ax.set(aspect="equal", xlabel="x", ylabel="y")
    ax.grid(False)
    snapshots = run.snapshots
    if not snapshots:
        ax.set_axis_off()
        ax.text(
            0.5, 0.5, "no snapshot\n(output.snapshot_every)", transform=ax.transAxes, ha="center", color="0.5"
        )
        return
    name = "vorticity" if "vorticity" in snapshots[-1] else "velocity"
    plane = liveliest_plane(snapshots[-1][name])
    lx, ly, _ = run.case.grid.lengths
    limit = float(np.percentile(plane, 99.7)) or 1.0
    image = ax.imshow(
        plane.values,
        origin="lower",
        extent=(0, lx, 0, ly),
        cmap="inferno",
        norm=Normalize(0, limit),
        interpolation="bicubic",
    )
    symbol = "|ω|" if name == "vorticity" else "|u|"
    where = f"z = {float(plane['z']):.3g}, t = {float(snapshots[-1]['time']):.4g}"
    ax.set_title(f"{name.capitalize()}  {symbol}   at {where}")
    _ticks_of_pi(ax.xaxis, lx)
    _ticks_of_pi(ax.yaxis, ly)
    for spine in ax.spines.values():
        spine.set_visible(False)
    bar = ax.figure.colorbar(image, cax=ax.inset_axes([1.025, 0, 0.028, 1]), extend="max")
    bar.outline.set_visible(False)


def _ticks_of_pi(axis: Axis, length: float) -> None:
    if np.isclose(length, 2 * np.pi):
        axis.set_ticks(np.pi * np.arange(5) / 2, ["0", "π/2", "π", "3π/2", "2π"])


def liveliest_plane(field: xr.DataArray) -> xr.DataArray:
    """|field| on the plane z = constant of largest mean square, among a few spread over the box."""
    if "z" not in field.dims:
        field = field.expand_dims(z=[0.0])  # two-dimensional flow
    depth = field.sizes["z"]
    indices = sorted(set(np.linspace(0, depth, min(depth, PLANES), endpoint=False).astype(int)))
    planes = [np.sqrt((field.isel(z=int(i)).astype(float) ** 2).sum("component")) for i in indices]
    return max(planes, key=lambda plane: float((plane**2).mean()))

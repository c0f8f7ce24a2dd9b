"""The pictures of transfers.py, docs/figures/validation-NAME.png."""

from collections.abc import Callable

import numpy as np
import transfers_judges as judges
import transfers_measures as measures
from comparison import picture
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from whorl.diagnostics.draw.binned import about_zero, colour_bar, ticks_between
from whorl.pictures.style import COLORS

ZERO = {"color": "0.5", "linewidth": 0.8}


def save(
    name: str,
    title: str,
    draw: Callable[[Figure, "measures.Window"], None],
    window: "measures.Window",
) -> None:
    with picture(name, title) as figure:
        draw(figure, window)


def band(ax: Axes, x: np.ndarray, y: np.ndarray, error: np.ndarray, color: str, label: str) -> None:
    ax.plot(x, y, color=color, label=label)
    ax.fill_between(x, y - error, y + error, color=color, alpha=0.2, linewidth=0)


def draw_matrix(ax: Axes, found: measures.Matrix, title: str, scale: float = 1.0) -> None:
    """Draw T between logarithmic shells, the receiver on the vertical axis."""
    values, edges = found.mean / scale, found.edges
    image = ax.pcolormesh(edges, edges, values, rasterized=True, **about_zero(values))
    ax.grid(False)
    ax.set(xscale="log", yscale="log", xlabel="Q, which gives", ylabel="K, which receives", title=title)
    ticks = ticks_between(edges[0], edges[-1])
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(ticks, [f"{one:g}" for one in ticks])
        axis.set_ticks([], minor=True)
    ax.set_box_aspect(1)
    colour_bar(ax, image, shrink=0.8)


def draw_turbulent(figure: Figure, window: "measures.Window") -> None:
    """Draw Π over ε, the matrix, and T/Π from a shell to those above it."""
    flux, matrix, further = figure.subplots(1, 3)
    found = measures.budget_of(window)
    k = found.k * window.averages["kolmogorov_length"].mean
    band(flux, k, found.flux, found.error, COLORS[0], "Π/ε")
    flux.plot(k, found.loss, color=COLORS[1], label="loss below k")
    flux.plot(k, found.flux + found.loss + found.growth, color=COLORS[6], label="Π, loss and growth", lw=1)
    flux.axvline(judges.FORCED * k[0] / found.k[0], color="0.6", linestyle=":")
    flux.axhline(found.power, **ZERO)
    flux.set(xscale="log", xlabel="kη", ylim=(0, 1.3), title="Energy flux over dissipation")
    flux.legend(frameon=False, loc="upper left", ncols=3)
    four = measures.matrix(window.means["shells-4"], measures.VELOCITY)
    draw_matrix(matrix, four, "T(K, Q)/ε", window.averages["dissipation"].mean)
    givers, fluxes = four.between(*judges.INERTIAL), four.flux()
    for color, giver in zip(np.linspace(0.15, 0.85, givers.size), givers, strict=True):
        n = np.arange(1, 9)
        further.plot(n, four.mean[giver + n, giver] / fluxes[giver], "o-", color=str(color), lw=1, ms=3)
    mean, _, curve = measures.to_next(four, *judges.INERTIAL)
    further.plot(np.arange(1, 9), curve, "o-", color=COLORS[0], label=f"mean, {mean:.2f} to the next")
    further.axhline(judges.PUBLISHED_NEXT, color=COLORS[1], linestyle="--", label="published, to the next")
    further.set(xlabel="shells of 2$^{1/4}$ further on", title="T/Π from a shell to those above it")
    further.legend(frameon=False)


def draw_steps(figure: Figure, window: "measures.Window") -> None:
    """Draw T over K − Q for some K, the matrix, and the step over K."""
    curves, matrix, step = figure.subplots(1, 3)
    found = measures.matrix(window.means["shells"], measures.VELOCITY)
    forced, middle = measures.forced_by(window), (found.edges[1:] + found.edges[:-1]) / 2
    size = np.abs(found.mean).max()
    receivers = found.between(3 * forced - 0.5, judges.LARGEST)[:: 4 if forced < 5 else 3]
    for color, n in zip(np.linspace(0.15, 0.85, receivers.size), receivers, strict=True):
        whole = found.mean[n] / found.mean[n].max()
        curves.plot(middle[n] - middle, whole, color=str(color), lw=1.2, label=f"K = {middle[n]:g}")
    for one in (-forced, forced):
        curves.axvline(one, color=COLORS[1], linestyle="--")
    curves.set(xlabel="K − Q", xlim=(-3 * forced, 3 * forced), title="T(K, Q) over its largest value at K")
    curves.legend(frameon=False, fontsize=8)
    matrix.pcolormesh(
        found.edges, found.edges, found.mean / size, cmap="RdBu_r", vmin=-0.3, vmax=0.3, rasterized=True
    )
    matrix.grid(False)
    matrix.set(xlabel="Q, which gives", ylabel="K, which receives", title="T(K, Q)")
    matrix.set_box_aspect(1)
    k, where = measures.steps(found, 3 * forced - 0.5, judges.LARGEST)
    step.plot(k, where / forced, "o-", color=COLORS[0], lw=1, ms=4)
    step.axhspan(0.5, 1.0, color="0.92", zorder=0)
    step.axhline(1, color=COLORS[1], linestyle="--")
    step.set(xlabel="K", ylim=(0, 1.5), title="Step to K from below, over k$_F$")


def draw_plane(figure: Figure, window: "measures.Window") -> None:
    """Draw both fluxes, the matrix of u, and the energy flux by the distance of shells."""
    fluxes, matrix, apart = figure.subplots(1, 3)
    of = window.means["transfer"]
    for name, color in (("energy", COLORS[0]), ("enstrophy", COLORS[1])):
        power = -of["flux"].sel(quantity=f"{name} forcing").values[-1]
        flux, error = (of[one].sel(quantity=f"{name} advection").values for one in ("flux", "flux_error"))
        band(fluxes, of["k_upper"].values, flux / power, error / power, color, name)
    fluxes.axhline(0, **ZERO)
    fluxes.axvline(measures.forced_ring(window), color="0.6", linestyle=":")
    fluxes.set(xscale="log", xlabel="k", title="Flux over the power of the force")
    fluxes.legend(frameon=False)
    found = measures.matrix(window.means["shells"], measures.VELOCITY)
    power = -float(of["flux"].sel(quantity="energy forcing").values[-1])
    draw_matrix(matrix, found, "T(K, Q) of u over the power", power)
    mean, error = measures.flux_by_distance(
        window.states("shells"), measures.VELOCITY, *judges.INVERSE, judges.FARTHEST
    )
    n = np.arange(1, mean.size + 1)
    apart.bar(n, mean / power, yerr=error / power, color=np.where(mean > 0, COLORS[1], COLORS[0]))
    apart.axhline(0, **ZERO)
    apart.set(xlabel="shells of 2$^{1/4}$ apart", title="Flux below the force, by distance")


def draw_magnetic(figure: Figure, window: "measures.Window") -> None:
    """Draw the three matrices, and their shares of transfers by the distance of shells."""
    *axes, reach = figure.subplots(1, 4, width_ratios=(1.2, 1.2, 1.2, 1))
    for ax, name, color in zip(axes, ("u to u", "b to b", "u to b"), COLORS, strict=False):
        found = measures.matrix(window.means["shells-2"], name)
        draw_matrix(ax, found, f"T(K, Q), {name}")
        shares = found.reach()
        reach.plot(np.arange(shares.size), shares, "o-", color=color, lw=1.2, ms=4, label=name)
    reach.set(xlabel="shells of 2$^{1/2}$ apart", title="Share of all |T|", xlim=(-0.3, 7.3))
    reach.legend(frameon=False)

"""Measures of transfers.py: matrices of transfers between shells, budgets, steps and exchanges.

In a matrix T(K, Q) the shell K receives and Q gives, as in docs/diagnostics/shell-to-shell.md.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from whorl.output.means import mean_of, means_of

VELOCITY = "u to u"
SURE = 3.0  # standard errors from zero at which a sign counts as shown


@dataclass(frozen=True)
class Window:
    """A run, the averages of its series and the means of its diagnostics between two times."""

    results: Any
    averages: Any
    means: Any
    start: float
    end: float

    def states(self, name: str) -> xr.Dataset:
        """The states of a diagnostic in the window."""
        return self.results.diagnostics[name].sel(time=slice(self.start - 1e-9, self.end + 1e-9))


@dataclass(frozen=True)
class Matrix:
    """Means of T [receiver, giver] between the same shells, with standard errors."""

    edges: np.ndarray
    mean: np.ndarray
    error: np.ndarray

    def between(self, first: float, last: float) -> np.ndarray:
        """The shells that lie between two wavenumbers."""
        near = 1e-6 * last
        return np.flatnonzero((self.edges[:-1] >= first - near) & (self.edges[1:] <= last + near))

    def flux(self) -> np.ndarray:
        """The flux from the shells up to each one to those beyond it."""
        return np.array([self.mean[n + 1 :, : n + 1].sum() for n in range(len(self.mean))])

    def reach(self) -> np.ndarray:
        """The share of shells that are n apart in the sum of all |T|, for each n."""
        size, count = np.abs(self.mean), len(self.mean)
        apart = np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
        return np.array([size[apart == n].sum() for n in range(count)]) / size.sum()


def matrix(data: xr.Dataset, quantity: str) -> Matrix:
    """The matrix of the means of a `shell-to-shell`."""
    edges = np.append(data["giver_k_lower"].values, data["giver_k_upper"].values[-1])
    of = data.sel(quantity=quantity).transpose("receiver_k", "giver_k", ...)
    return Matrix(edges, of["transfer"].values, of["transfer_error"].values)


def of_each(states: xr.Dataset, quantity: str) -> Matrix:
    """The matrix of the states of a decay, which are no samples: a sign is shown if every state has it.

    The error is the largest deviation of a state from the mean, on the side of zero, over `SURE`.
    """
    edges = np.append(states["giver_k_lower"].values[0], states["giver_k_upper"].values[0, -1])
    of = states["transfer"].sel(quantity=quantity).transpose("time", "receiver_k", "giver_k").values
    mean = of.mean(axis=0)
    return Matrix(edges, mean, _towards_zero(of) / SURE)


def _towards_zero(states: np.ndarray) -> np.ndarray:
    """The largest deviation of states [time, …] from their mean over time, on the side of zero."""
    mean = states.mean(axis=0)
    return np.abs(mean) - (np.sign(mean) * states).min(axis=0)


def to_next(found: Matrix, first: float, last: float) -> tuple[float, float, np.ndarray]:
    """T(K, Q)/Π over the givers: mean and standard deviation for the next shell, means for the next eight."""
    givers = found.between(first, last)
    flux = found.flux()
    further = np.array([[found.mean[g + n, g] / flux[g] for n in range(1, 9)] for g in givers])
    return float(further[:, 0].mean()), float(further[:, 0].std()), further.mean(axis=0)


@dataclass(frozen=True)
class Budget:
    """Energy up to the upper edges k of shells: rates over a window, all over the mean dissipation.

    `flux` is Π of advection with its error, `loss` the viscous dissipation below k, `growth` the change of
    the energy there, and `power` that of the forces on all modes.
    """

    k: np.ndarray
    flux: np.ndarray
    error: np.ndarray
    loss: np.ndarray
    growth: np.ndarray
    power: float

    def excess(self) -> np.ndarray:
        """The remainder Π + loss + growth − power, which vanishes beyond the force in an exact balance."""
        return self.flux + self.loss + self.growth - self.power

    def range_within(self, part: float, first: float) -> tuple[float, float]:
        """The widest range of k from `first` on in which |Π/ε − 1| is below `part`; zeros if none."""
        good = (np.abs(self.flux - 1) < part) & (self.k >= first - 1e-9)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], good.astype(int), [0]])))
        ranges = [(self.k[a], self.k[b - 1]) for a, b in zip(edges[::2], edges[1::2], strict=True)]
        return max(ranges, key=lambda one: one[1] / one[0], default=(0.0, 0.0))


def budget(states: xr.Dataset, means: xr.Dataset, dissipation: float, power: float) -> Budget:
    """The budget of the states of a `transfer` in a window and of their means."""
    flux, error = (means[name].sel(quantity="energy advection").values for name in ("flux", "flux_error"))
    loss = means["flux"].sel(quantity="energy viscous").values
    content = states["content"].sel(content_quantity="energy").transpose("time", "k").values
    time = states["time"].values
    growth = np.cumsum(content[-1] - content[0]) / (time[-1] - time[0])
    of = (one / dissipation for one in (flux, error, loss, growth))
    return Budget(means["k_upper"].values, *of, power / dissipation)


def budget_of(window: Window) -> Budget:
    means = {name: window.averages[name].mean for name in ("dissipation", "constant-power_power")}
    return budget(window.states("transfer"), window.means["transfer"], *means.values())


def steps(found: Matrix, first: float, last: float) -> tuple[np.ndarray, np.ndarray]:
    """K between two wavenumbers, of linear shells, and the K − Q at which most energy comes from below.

    The step is that of the parabola through the largest T(K, Q) over Q < K and its two neighbours.
    """
    middle, width = (found.edges[1:] + found.edges[:-1]) / 2, np.diff(found.edges)[0]
    receivers, where = found.between(first, last), []
    for receiver in receivers:
        below = found.mean[receiver, : receiver + 1][::-1]  # from K itself, by 0, 1, 2, … shells
        peak = int(np.argmax(below[:-1]))
        if peak == 0:
            where.append(0.0)
            continue
        before, top, behind = below[peak - 1 : peak + 2]
        where.append(peak + (before - behind) / (before - 2 * top + behind) / 2)
    return middle[receivers], width * np.array(where)


def flux_by_distance(
    states: xr.Dataset, quantity: str, first: float, last: float, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """Flux to larger k through the edges between two wavenumbers, by the distance of its shells.

    Means over the edges with standard errors, for 1, 2, … and `most` shells.
    """
    edges = states["giver_k_lower"].values[0]
    of = states["transfer"].sel(quantity=quantity).transpose("time", "receiver_k", "giver_k").values
    crossed = np.flatnonzero((edges >= first) & (edges <= last))
    fluxes = []
    for apart in range(1, most + 1):
        givers = np.arange(edges.size - apart)
        times = [np.count_nonzero((crossed > one) & (crossed <= one + apart)) for one in givers]
        fluxes.append(of[:, givers + apart, givers] @ times / crossed.size)
    mean, error, _ = means_of(states["time"].values, np.array(fluxes).T)
    return mean, error


def exchange(states: xr.Dataset, each: bool = False) -> tuple[float, float, float]:
    """Σ T of "u to b", its standard error, and its largest difference from −"b to u" of a pair, relative.

    With `each` mean and error are as those of `of_each`.
    """
    of = {
        one: states["transfer"].sel(quantity=one).transpose("time", "receiver_k", "giver_k").values
        for one in ("u to b", "b to u")
    }
    differ = float(np.abs(of["u to b"] + of["b to u"].swapaxes(1, 2)).max() / np.abs(of["u to b"]).max())
    total = of["u to b"].sum((1, 2))
    if each:
        return float(total.mean()), float(_towards_zero(total)) / SURE, differ
    whole = mean_of(states["time"].values, total)
    return whole.mean, whole.error, differ


def forced_by(window: Window) -> float:
    """The wavenumber of the ABC force, at which its runs begin."""
    return float(window.results.case.initial.k0)


def forced_ring(window: Window) -> float:
    """The middle of the ring of forced wavenumbers."""
    of_force = window.results.case.forcing[0]
    return (of_force.k_min + of_force.k_max) / 2

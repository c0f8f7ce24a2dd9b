"""Judges of transfers.py: each compares means of transfers and returns a list of errors.

A sign counts as shown where the mean is beyond `SURE` of its standard errors.
"""

import numpy as np
from comparison import UNCHECKED, Error
from forced_judges import balance, told_of
from transfers_measures import (
    SURE,
    VELOCITY,
    Budget,
    Matrix,
    Window,
    budget_of,
    exchange,
    flux_by_distance,
    forced_by,
    forced_ring,
    matrix,
    of_each,
    steps,
    to_next,
)

NONE = 1.0  # limit of a count that must be zero
FORCED = 2.5  # the end of the force of transfers-192
INERTIAL = (4.5, 13.1)  # where its flux is within 20 % of the dissipation
INVERSE = (10.9, 46.0)  # between drag and force of transfers-2d
EARLY = 1.6  # time until which energy goes from u to b at first
FARTHEST = 12  # shells of 2^(1/4) apart
LARGEST = 32.6  # largest K of the steps
PUBLISHED_NEXT = 0.18  # T/Π to the next of shells of 2^(1/4): Verma et al., Pramana 65, 297 (2005)


def span(shells: np.ndarray, matrix: Matrix) -> str:
    return f"{matrix.edges[shells[0]]:.3g} ≤ k ≤ {matrix.edges[shells[-1] + 1]:.3g}"


def cascade(name: str, found: Matrix, first: float, last: float, most: bool = True) -> list[Error]:
    """Each shell between two wavenumbers gets from the one before and gives to the next, with `most` most."""
    givers = found.between(first, last)
    up, down = found.mean[givers + 1, givers], found.mean[givers - 1, givers]
    up_error, down_error = found.error[givers + 1, givers], found.error[givers - 1, givers]
    best = np.array([int(np.argmax(found.mean[:, giver])) for giver in givers])
    of = f"{name}: of {givers.size} shells, {span(givers, found)}, those that do not"
    least, largest = (up / up_error).min(), (down / down_error).max()
    errors = [
        Error(f"{of} give to the next, least by {least:.0f} errors", count(up <= SURE * up_error), NONE),
        Error(
            f"{of} take of the one below, least by {-largest:.0f} errors",
            count(down >= -SURE * down_error),
            NONE,
        ),
    ]
    if most:
        errors.append(Error(f"{of} give most to the next", count(best != givers + 1), NONE))
    return errors


def count(which: np.ndarray) -> float:
    return float(np.count_nonzero(which))


def constant_flux(found: Budget, forced: float, kolmogorov: float) -> list[Error]:
    """Π = ε between force and dissipation, and the balance of all modes below each k beyond the force."""
    beyond = np.flatnonzero(found.k >= forced - 1e-9)
    top = beyond[int(np.argmax(found.flux[beyond]))]
    start = beyond[0]
    told = []
    for part in (0.05, 0.1, 0.2):
        first, last = found.range_within(part, forced)
        ratio = last / first if first else 0.0
        where = f"{first:g} ≤ k ≤ {last:g} ({first * kolmogorov:.3f} ≤ kη ≤ {last * kolmogorov:.3f})"
        told.append(
            Error(
                f"|Π/ε − 1| < {100 * part:g} % {f'for {where}' if first else 'nowhere'}: ratio of its ends",
                ratio,
            )
        )
    return [
        Error(
            f"Π/ε = {found.flux[start]:.3f} ± {found.error[start]:.2g} at the end of the force, k = "
            f"{found.k[start]:g}, from 1",
            abs(found.flux[start] - 1),
            0.05,
        ),
        Error(
            f"largest Π/ε = {found.flux[top]:.3f} ± {found.error[top]:.2g}, at k = {found.k[top]:g}, from 1",
            abs(found.flux[top] - 1),
            0.05,
        ),
        Error(
            "Π + loss and growth below k − power, over ε, largest for k beyond the force",
            float(np.abs(found.excess()[beyond]).max()),
            0.03,
        ),
        *told,
    ]


def is_turbulent(window: Window) -> list[Error]:
    """Π = ε, and a forward cascade from each shell to the next."""
    averages = window.averages
    four, two = (matrix(window.means[name], VELOCITY) for name in ("shells-4", "shells-2"))
    mean, spread, _ = to_next(four, *INERTIAL)
    return [
        Error(f"R_λ = {told_of(averages, 'R_lambda')}", averages["R_lambda"].mean),
        *balance(window.results, averages),
        *constant_flux(budget_of(window), FORCED, averages["kolmogorov_length"].mean),
        *cascade("shells of 2^(1/4)", four, 4.5, 22.1),
        *cascade("shells of 2^(1/2)", two, 3.5, 20.1),
        Error(
            f"T/Π to the next of shells of 2^(1/4) = {mean:.3f} ± {spread:.2g} over the shells, "
            f"{span(four.between(*INERTIAL), four)}, from {PUBLISHED_NEXT} ({UNCHECKED})",
            abs(mean - PUBLISHED_NEXT),
        ),
    ]


def is_stepwise(found: Matrix, forced: float, last: float) -> list[Error]:
    """Energy goes up in steps of the size of the forced wavenumber, at every wavenumber."""
    k, size = steps(found, 3 * forced - 0.5, last)
    slope, _ = np.polyfit(k, size, 1)
    mean = size.mean()
    of = f"step K − Q at which a shell gets most, {k[0]:g} ≤ K ≤ {k[-1]:g}"
    return [
        Error(
            f"{of}: {mean:.2f} = {mean / forced:.2f} k_F, from 1 k_F ({UNCHECKED}), over k_F",
            abs(mean / forced - 1),
        ),
        Error(
            f"{of}: change over this range by a line, from 0 ({UNCHECKED}), over k_F",
            abs(slope) * (k[-1] - k[0]) / forced,
        ),
        Error(
            f"{of}: largest deviation of one from the mean, over k_F",
            float(np.abs(size - mean).max()) / forced,
        ),
    ]


def is_forced_by_abc(window: Window) -> list[Error]:
    """Steps of the size of the force (A. Alexakis et al., Phys. Rev. Lett. 95, 264503 (2005))."""
    found = matrix(window.means["shells"], VELOCITY)
    return [
        Error(f"R_λ = {told_of(window.averages, 'R_lambda')}", window.averages["R_lambda"].mean),
        *balance(window.results, window.averages),
        *is_stepwise(found, forced_by(window), LARGEST),
    ]


def goes_near_and_far(mean: np.ndarray, error: np.ndarray, near: int, far: int) -> list[Error]:
    """The flux goes up between shells at most `near` apart, and down between shells at least `far` apart."""
    signs = mean / error
    what = "flux of energy between shells of 2^(1/4) that are"
    return [
        Error(
            f"{what} 1 to {near} apart, {mean[:near].sum():.2f}: those of which it is not up, least by "
            f"{signs[:near].min():.0f} errors",
            count(signs[:near] <= SURE),
            NONE,
        ),
        Error(
            f"{what} {far} to {mean.size} apart, {mean[far - 1 :].sum():.2f}: those of which it is not down, "
            f"least by {-signs[far - 1 :].max():.0f} errors",
            count(signs[far - 1 :] >= -SURE),
            NONE,
        ),
    ]


def dual_cascade(
    k: np.ndarray, energy: np.ndarray, enstrophy: np.ndarray, drag: float, forced: float, end: float
) -> list[Error]:
    """Π of energy and of enstrophy, each over its power, below and above the forced wavenumbers."""
    below = (k >= drag) & (k <= 0.9 * forced)
    above = (k >= 1.1 * forced) & (k <= end)
    low, high = (f"{k[one][0]:g} ≤ k ≤ {k[one][-1]:g}" for one in (below, above))
    return [
        Error(f"Π of energy over its power, largest for {low}", float(energy[below].max()), -0.5),
        Error(
            f"|Π| of enstrophy over its power, largest for {low}", float(np.abs(enstrophy[below]).max()), 0.2
        ),
        Error(f"−Π of enstrophy over its power, largest for {high}", float(-enstrophy[above].min()), -0.5),
        Error(f"|Π| of energy over its power, largest for {high}", float(np.abs(energy[above]).max()), 0.2),
    ]


def is_plane(window: Window) -> list[Error]:
    """Energy goes to larger scales, enstrophy to smaller ones; near and far shells (Verma et al. (2005))."""
    means, states = window.means["transfer"], window.states("shells")
    energy, enstrophy = (
        means["flux"].sel(quantity=f"{one} advection").values
        / -means["flux"].sel(quantity=f"{one} forcing").values[-1]
        for one in ("energy", "enstrophy")
    )
    below = flux_by_distance(states, VELOCITY, *INVERSE, FARTHEST)
    found = matrix(window.means["shells"], "omega to omega")
    return [
        *balance(window.results, window.averages),
        *dual_cascade(means["k_upper"].values, energy, enstrophy, INVERSE[0], forced_ring(window), 90.0),
        *goes_near_and_far(*below, near=2, far=4),
        *cascade("enstrophy", found, 52.0, 90.0),
    ]


def is_exchanged(
    whole: tuple[float, float, float], found: dict[str, Matrix], first: float, last: float
) -> list[Error]:
    """Energy goes from u to b; within each to the next shells, and from u to b also to distant ones."""
    total, error, differ = whole
    far = {name: 1 - float(one.reach()[:2].sum()) for name, one in found.items()}
    within = max(far[VELOCITY], far["b to b"])
    return [
        Error(f"energy from b to u, −{total:.4g} ± {error:.2g}, in standard errors", -total / error, -SURE),
        Error("T of u to b (K, Q) + T of b to u (Q, K), of any state, over the largest", differ, 1e-12),
        *cascade("u to u", found[VELOCITY], first, last),
        *cascade("b to b", found["b to b"], first, last),
        Error(
            f"share of |T| between shells more than one apart, {far[VELOCITY]:.2f} of u to u and "
            f"{far['b to b']:.2f} of b to b: the larger one less {far['u to b']:.2f} of u to b",
            within - far["u to b"],
            0.0,
        ),
    ]


def is_given_at_large_scales(found: Matrix, first: float, last: float) -> list[Error]:
    """The forced shells of u give to the magnetic field of each smaller scale, near or distant."""
    receivers, givers = found.between(first, last), found.between(0.0, FORCED)
    given, error = (one[receivers][:, givers] for one in (found.mean, found.error))
    what = f"of {given.size} pairs of magnetic shells, {span(receivers, found)}, and forced ones of u"
    return [
        Error(
            f"{what}, those where b gets none, least by {(given / error).min():.0f} errors",
            count(given <= SURE * error),
            NONE,
        )
    ]


def is_dynamo(window: Window) -> list[Error]:
    """The exchanges of u and b (Alexakis, Mininni and Pouquet, Phys. Rev. E 72, 046301 (2005))."""
    lost = window.averages["ohmic_dissipation"].mean
    whole = exchange(window.states("shells-2"))
    total = whole[0]
    found = {name: matrix(window.means["shells-2"], name) for name in (VELOCITY, "b to b", "u to b")}
    return [
        *balance(window.results, window.averages),
        Error(
            f"energy from u to b, {total:.4g}, from the loss of b, {lost:.4g}, relative",
            abs(total / lost - 1),
            0.05,
        ),
        *is_exchanged(whole, found, 3.5, 20.1),
        *is_given_at_large_scales(found["u to b"], 2.5, 29.0),
    ]


def is_insulating(window: Window) -> list[Error]:
    """The exchanges of u and b in each state of a decay; in its first states energy goes from u to b, too."""
    states = window.states("shells-2")
    whole = window.results.diagnostics["shells-2"]
    first = whole["transfer"].sel(quantity="u to b", time=slice(0.1, EARLY)).sum(("receiver_k", "giver_k"))
    found = {name: of_each(states, name) for name in (VELOCITY, "b to b", "u to b")}
    return [
        Error(
            f"energy from b to u for 0 < t ≤ {EARLY:g}, largest of {first.sizes['time']} states",
            -float(first.min()),
            0.0,
        ),
        *is_exchanged(exchange(states, each=True), found, 5.0, 28.4),
    ]

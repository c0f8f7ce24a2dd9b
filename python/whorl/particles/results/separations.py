"""Statistics of pairs and of tetrahedra of particles since their release: separation, exit times, shape.

Means are over the pairs from one origin of time. Their errors are only those of the spread of blocks of
pairs, and do not include fluctuations common to all pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import xarray as xr
from scipy.spatial import cKDTree

from whorl.base.errors import CaseError
from whorl.particles.results.lagrangian import LAGS, lag_steps
from whorl.particles.results.path_means import Blocks
from whorl.particles.results.path_series import Tracks
from whorl.results.estimate import Estimate, gathered

KOLMOGOROV = 2.1  # C₂ of ⟨δu²⟩ = C₂ (ε r)^{2/3}, longitudinal
RATIO = 1.25  # of successive separations of exits
MOST_PAIRS = 100_000
LENGTH2 = "length²"
SEPARATION = {"units": "length", "long_name": "separation at the release"}
MEMBERS = "next to each other, the separations one after another"


@dataclass(frozen=True)
class Sets:
    """Sets of particles with one separation at the release: their numbers [set, member]."""

    separation: float
    members: np.ndarray


def pairs(
    tracks: Tracks,
    *,
    separations: Sequence[float] | None = None,
    nearest: bool = False,
    between: Sequence[float] | None = None,
    ratio: float = RATIO,
    lags: int = LAGS,
) -> xr.Dataset:
    """Separation of pairs of particles since the first time.

    Parameters
    ----------
    tracks : Tracks
        The paths, from the release on.
    separations : sequence of float, optional
        The separations of pairs (0, 1), (2, 3), …, equally many for each, one after another; by default those
        of the particles in the case.
    nearest : bool, default False
        Whether to use each particle with its nearest one at the first time instead, each pair once.
    between : sequence of float, optional
        Rising edges, in units of length. All pairs whose separation at the first time is between two of them
        are used instead, at most 100 000 of each, evenly chosen.
    ratio : float, default 1.25
        The ratio of successive separations of exits.
    lags : int, default 60
        The most lags, with even ratios.

    Returns
    -------
    Dataset
        Over `separation`, r₀, and `lag`, the time since the release: `mean_square`, ⟨|r|²⟩, and
        `mean_square_change`, ⟨|r − r₀|²⟩. With a velocity read, also `ballistic`, ⟨|δu|²⟩ τ² by the
        velocities at the release. With the dissipation, also `batchelor`, (11/3) C₂ (ε r₀)^{2/3} τ² with
        C₂ = 2.1, and `richardson`, ⟨|r|²⟩/(ε τ³).
        Over `exit`: `exit_separation`, r, and `exit_time`, the mean time T in which |r| first grows from r to
        `ratio` r, of the pairs that do. `exit_share` is the share of these pairs. `exit_richardson` is their
        g by Richardson's diffusion, (143/81) (ratio^{2/3} − 1)³ r²/(ε T³).

    Raises
    ------
    CaseError
        If the particles have no such pairs.

    References
    ----------
    G. K. Batchelor, Q. J. R. Meteorol. Soc. 76, 133 (1950); G. Boffetta and I. M. Sokolov, Phys. Rev. Lett.
    88, 094501 (2002), for exit times.
    """
    if nearest:
        sets = [_nearest(tracks)]
    elif between is not None:
        sets = _between(tracks, between)
    else:
        sets = released(tracks, "pairs", 2, separations)
    steps = lag_steps(tracks, None, lags, 1.0)
    found = [_separated(tracks, one, steps) | _exits(tracks, one, ratio) for one in sets]
    return _over_separations(tracks, sets, found, steps).assign_attrs(ratio=ratio)


def tetrahedra(tracks: Tracks, *, separations: Sequence[float] | None = None, lags: int = LAGS) -> xr.Dataset:
    """Size and shape of tetrahedra of particles since the first time.

    Parameters
    ----------
    tracks : Tracks
        The paths, from the release on.
    separations : sequence of float, optional
        The edges of tetrahedra (0, 1, 2, 3), (4, 5, 6, 7), …, equally many for each, one after another; by
        default those of the particles in the case.
    lags : int, default 60
        The most lags, with even ratios.

    Returns
    -------
    Dataset
        Over `separation` and `lag`: `mean_square_radius`, ⟨R²⟩ with R² = g₁ + g₂ + g₃; `shape` by
        `eigenvalue`, ⟨I_i⟩ with I_i = g_i/R²; `volume`, the mean volume. Here g₁ ≥ g₂ ≥ g₃ are the
        eigenvalues of Σ ρ ρᵀ of the three reduced separations.

    Raises
    ------
    CaseError
        If the particles are not released in tetrahedra, or the flow is plane.

    Notes
    -----
    ρ₁ = (x₁ − x₂)/√2, ρ₂ = (x₁ + x₂ − 2x₃)/√6, ρ₃ = (x₁ + x₂ + x₃ − 3x₄)/√12. A regular
    tetrahedron has I_i = 1/3, points in a plane I₃ = 0, on a line I₂ = I₃ = 0, Gaussian clouds I₂ ≈ 0.22 and
    I₃ ≈ 0.03.

    References
    ----------
    M. Chertkov, A. Pumir and B. I. Shraiman, Phys. Fluids 11, 2394 (1999); L. Biferale et al., Phys. Fluids
    17, 111701 (2005).
    """
    if len(tracks.axes) < 3:
        raise CaseError("tetrahedra have a volume in three dimensions; this flow is plane.")
    sets = released(tracks, "tetrahedra", 4, separations)
    steps = lag_steps(tracks, None, lags, 1.0)
    found = [_shapes(tracks, one, steps) for one in sets]
    return _over_separations(tracks, sets, found, steps).assign_coords(eigenvalue=[1, 2, 3])


def released(
    tracks: Tracks, kind: str, members: int, separations: Sequence[float] | None = None
) -> list[Sets]:
    """Sets of particles next to each other, `members` each, for each separation in the case.

    Raises CaseError if the particles are not released in such sets.
    """
    given = getattr(tracks.group, kind, None) if separations is None else separations
    if not given:
        other = ", or take nearest pairs" if kind == "pairs" else ""
        raise CaseError(
            f"the particles are not released in {kind}: particles.{kind} has their separations{other}."
        )
    each, rest = divmod(tracks.count, members * len(given))
    if rest or not each:
        raise CaseError(
            f"{tracks.count} particles are not as many {kind} of each of {len(given)} separations: they are "
            f"{MEMBERS}."
        )
    numbers = np.arange(tracks.count).reshape(len(given), each, members)
    return [Sets(float(one), of) for one, of in zip(given, numbers, strict=True)]


def wrapped_tree(tracks: Tracks, row: int, chosen: slice | np.ndarray = slice(None)) -> cKDTree:
    """The tree of particles at a time, in the box, which is periodic except between walls."""
    columns = tracks.columns
    lengths = np.where(tracks.periodic, tracks.lengths, 0.0)[columns]
    place = tracks.position[row][chosen][:, columns]
    period = np.where(lengths > 0, lengths, 1.0)
    inside = np.where(lengths > 0, place - period * np.floor(place / period), place)
    inside = np.where((lengths > 0) & (inside >= lengths), 0.0, inside)
    return cKDTree(inside, boxsize=lengths if lengths.any() else None)


def _nearest(tracks: Tracks) -> Sets:
    if tracks.count < 2:
        raise CaseError(f"pairs need at least two particles, not {tracks.count}.")
    tree = wrapped_tree(tracks, 0)
    apart, other = tree.query(tree.data, 2)
    found = np.sort(np.stack([np.arange(tracks.count), other[:, 1]], axis=1), axis=1)
    members, first = np.unique(found, axis=0, return_index=True)
    return Sets(float(apart[first, 1].mean()), members)


def _between(tracks: Tracks, edges: Sequence[float]) -> list[Sets]:
    given = np.asarray(edges, float)
    if given.ndim != 1 or len(given) < 2 or not (np.diff(given) > 0).all() or not np.isfinite(given).all():
        raise CaseError("the edges of separations are two numbers at least, which rise.")
    tree = wrapped_tree(tracks, 0)
    members = tree.query_pairs(given[-1], output_type="ndarray")
    members = members[np.lexsort(members.T[::-1])]
    apart = np.sqrt((_between_members(tracks, members)[0] ** 2).sum(axis=-1))
    sets = []
    for low, high in pairwise(given):
        inside = np.flatnonzero((apart >= low) & (apart < high))
        if inside.size:
            few = inside[:: -(-inside.size // MOST_PAIRS)]
            sets.append(Sets(float(apart[few].mean()), members[few]))
    if not sets:
        raise CaseError(f"no two particles are {given[0]:g} to {given[-1]:g} apart at the first time.")
    return sets


def _between_members(tracks: Tracks, members: np.ndarray) -> np.ndarray:
    """The vectors [time, pair, axis] from the first to the second member, the shortest at the first time."""
    place = tracks.position[..., tracks.columns]
    apart = place[:, members[:, 1]] - place[:, members[:, 0]]
    lengths = np.where(tracks.periodic, tracks.lengths, 0.0)[tracks.columns]
    period = np.where(lengths > 0, lengths, 1.0)
    return apart - np.where(lengths > 0, period * np.rint(apart[0] / period), 0.0)


def _mean(values: np.ndarray) -> Estimate:
    """The mean over pairs of values [pair, …]; nan without pairs."""
    if not len(values):
        return Estimate.known(*(np.nan,) * 3)
    blocks = Blocks.of(len(values))
    return blocks.mean(values[None])


def _means(values: np.ndarray) -> Estimate:
    """The means over pairs of values [lag, pair, …]."""
    return gathered([_mean(one) for one in values])


def _separated(tracks: Tracks, one: Sets, steps: np.ndarray) -> dict[str, tuple]:
    """The numbers of one separation over `lag`."""
    apart = _between_members(tracks, one.members)
    lag = tracks.dt * steps
    square = _means((apart[steps] ** 2).sum(axis=-1))
    change = _means(((apart[steps] - apart[0]) ** 2).sum(axis=-1))
    found = square.variables("mean_square", ("lag",), LENGTH2, "⟨|r|²⟩")
    found |= change.variables("mean_square_change", ("lag",), LENGTH2, "⟨|r − r₀|²⟩")
    if tracks.has_velocity:
        jump = tracks.velocity[0][one.members[:, 1]] - tracks.velocity[0][one.members[:, 0]]
        square_jump = (jump**2).sum(axis=-1).mean()
        found["ballistic"] = ("lag", square_jump * lag**2, told(LENGTH2, "⟨|δu|²⟩ τ² at the release"))
    if (small := tracks.small_scales) is not None:
        law = 11 / 3 * KOLMOGOROV * (small.epsilon * one.separation) ** (2 / 3) * lag**2
        found["batchelor"] = ("lag", law, told(LENGTH2, "(11/3) C₂ (ε r₀)^{2/3} τ², C₂ = 2.1"))
        scaled = square / (small.epsilon * lag**3)
        found |= scaled.variables("richardson", ("lag",), "1", "⟨|r|²⟩/(ε τ³)")
    return found


def _exits(tracks: Tracks, one: Sets, ratio: float) -> dict[str, tuple]:
    """Exit times of one separation over `exit`, up to half of the box, or to the largest separation."""
    apart = np.sqrt((_between_members(tracks, one.members) ** 2).sum(axis=-1))
    start = apart[0].mean()
    lengths = tracks.lengths[tracks.columns]
    most = lengths.min() / 2 if (lengths > 0).all() else apart.max()
    count = int(np.log(max(most / start, 1.0)) / np.log(ratio) * (1 + 1e-12))
    radii = start * ratio ** np.arange(count + 1)
    times = first_passages(apart, tracks.time - tracks.time[0], radii)
    spent, exit_of = np.diff(times, axis=1), radii[:-1]
    share = np.isfinite(spent).mean(axis=0) if count else np.empty(0)
    means = [_mean(column[np.isfinite(column)]) for column in spent.T]
    found = {
        "exit_separation": ("exit", exit_of, told("length", "r from which the separation grows")),
        "exit_share": ("exit", share, told("1", "share of the pairs that get to ratio r in the window")),
    }
    time = gathered(means) if means else Estimate.known(*(np.empty(0),) * 3)
    found |= time.variables("exit_time", ("exit",), "time", "mean time from r to ratio r")
    if (small := tracks.small_scales) is not None:
        g = 143 / 81 * (ratio ** (2 / 3) - 1) ** 3 * exit_of**2 / small.epsilon / time**3
        found |= g.variables("exit_richardson", ("exit",), "1", "Richardson's g by exit times")
    return found


def first_passages(apart: np.ndarray, time: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """The times when separations [time, pair] first reach rising radii, [pair, radius], on straight lines.

    A radius that is not reached has nan, and one already passed at the first time has that time.
    """
    largest = np.maximum.accumulate(apart, axis=0)
    found = np.full((apart.shape[1], len(radii)), np.nan)
    for pair, course in enumerate(largest.T):
        after = np.searchsorted(course, radii)
        inside = after < len(course)
        at, before = after[inside], np.maximum(after[inside] - 1, 0)
        rise = course[at] - course[before]
        part = np.where(rise > 0, (radii[inside] - course[before]) / np.where(rise > 0, rise, 1.0), 0.0)
        found[pair, inside] = time[before] + np.clip(part, 0.0, 1.0) * (time[at] - time[before])
    return found


def _shapes(tracks: Tracks, one: Sets, steps: np.ndarray) -> dict[str, tuple]:
    """Size and shape of one separation over `lag`."""
    first = one.members[:, 0]
    edges = [
        _between_members(tracks, np.stack([first, one.members[:, n]], axis=1)) for n in (1, 2, 3)
    ]  # from the first member
    b, c, d = (each[steps] for each in edges)
    reduced = np.stack([-b / np.sqrt(2), (b - 2 * c) / np.sqrt(6), (b + c - 3 * d) / np.sqrt(12)], axis=-1)
    tensor = reduced @ np.swapaxes(reduced, -1, -2)
    eigenvalues = np.maximum(np.linalg.eigvalsh(tensor)[..., ::-1], 0.0)
    square = eigenvalues.sum(axis=-1)
    shape = eigenvalues / np.where(square > 0, square, 1.0)[..., None]
    volume = np.abs(np.linalg.det(reduced)) / 3
    return (
        _means(square).variables("mean_square_radius", ("lag",), LENGTH2, "⟨R²⟩, R² = g₁ + g₂ + g₃")
        | _means(shape).variables("shape", ("lag", "eigenvalue"), "1", "⟨g_i/R²⟩")
        | _means(volume).variables("volume", ("lag",), "length³", "mean volume")
    )


def _over_separations(
    tracks: Tracks, sets: list[Sets], found: list[dict[str, tuple]], steps: np.ndarray
) -> xr.Dataset:
    """The numbers of all separations, nan where one has fewer exits than others."""
    lag = ("lag", tracks.dt * steps, {"units": "time", "long_name": "time since the release"})
    whole = xr.concat([xr.Dataset(one, {"lag": lag}) for one in _padded(found)], "separation")
    count = ("separation", [len(one.members) for one in sets], told("1", "number of sets of particles"))
    apart = ("separation", [one.separation for one in sets], SEPARATION)
    about = {"particles": tracks.count, "states": len(tracks.time)}
    if "exit" in whole.dims:
        whole = whole.assign_coords(exit=np.arange(whole.sizes["exit"]))
    return whole.assign_coords(separation=apart, sets=count).assign_attrs(about)


def _padded(found: list[dict[str, tuple]]) -> list[dict[str, tuple]]:
    """The numbers with equally many exits for each separation, filled up with nan."""
    most = max((len(one["exit_time"][1]) for one in found if "exit_time" in one), default=0)
    whole = []
    for one in found:
        changed = {}
        for name, (dims, values, about) in one.items():
            lacking = most - len(values) if name.startswith("exit") else 0
            wide = np.pad(values.astype(float), (0, lacking), constant_values=np.nan) if lacking else values
            changed[name] = (dims, wide, about)
        whole.append(changed)
    return whole


def told(unit: str, meaning: str) -> dict[str, str]:
    return {"units": unit, "long_name": meaning}

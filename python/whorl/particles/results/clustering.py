"""Clustering of particles: radial distribution, correlation dimension, Voronoï cells, uniformity."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from scipy.spatial import ConvexHull, Voronoi, cKDTree
from scipy.special import chdtrc, gamma

from whorl.base.errors import CaseError
from whorl.particles.results.path_means import Blocks
from whorl.particles.results.path_series import Tracks
from whorl.particles.results.separations import wrapped_tree
from whorl.results.estimate import Estimate

STATES, FEW_STATES = 24, 5
RADII = 32
FITTED = 8  # radii of the fit of the dimension
CLOSE, APART, WIDE = 0.2, 1.0, 4.0  # mean spacings: the ends of the fit, and the largest radius
MOST_CELLS, CELLS = 100_000, 20_000  # most Voronoï cells of one time; of all times, if one has fewer
FEWEST = 32  # particles
EXPECTED = 10.0  # least mean number of particles in a cell, unless an axis has only two cells
MOST_ALONG = 16  # cells along an axis
RANDOM = {1: 0.5, 2: 0.280, 3: 0.179}  # the variance of Voronoï cells of random points, by dimension
FACES = 6  # mean spacings: the first margin around the box in which images are added


def clustering(
    tracks: Tracks,
    *,
    states: int = STATES,
    between: Sequence[float] | None = None,
    voronoi: bool = True,
) -> xr.Dataset:
    """Radial distribution g(r), correlation dimension D₂ and variance of Voronoï cells of particles.

    Parameters
    ----------
    tracks : Tracks
        The paths.
    states : int, default 24
        The number of times, evenly chosen; all times if the paths have fewer.
    between : sequence of float, optional
        The separations between which D₂ is fitted; 0.2 to 1 mean spacing (V/N)^{1/d} by default.
    voronoi : bool, default True
        Whether to compute Voronoï cells. More than 100 000 particles have none, and many have them at fewer
        times.

    Returns
    -------
    Dataset
        Over `r`: `radial_distribution`, the number of pairs with separations about r over that of uniformly
        random particles. `dimension` is D₂, the slope of ln N(< r) over ln r, with N(< r) the number of
        pairs closer than r; it is fitted by least squares at eight r between `from_r` and `to_r`.
        `voronoi_variance` is the variance of the volumes of cells over their mean; the attribute
        `voronoi_random` is that of random particles.

    Raises
    ------
    CaseError
        If the box is unknown or has walls, if it has fewer than 32 particles, or if `between` does not rise
        or ends beyond half of the box.

    Notes
    -----
    A pair is in the counts of two particles. The errors by the spread of blocks of particles are therefore
    multiplied by √2.

    References
    ----------
    P. Grassberger and I. Procaccia, Physica D 9, 189 (1983); J.-S. Ferenc and Z. Néda, Physica A 385, 518
    (2007), for random cells.
    """
    dimension, volume = _box(tracks)
    spacing = (volume / tracks.count) ** (1 / dimension)
    shortest = tracks.lengths[tracks.columns].min()
    low, high = (CLOSE * spacing, APART * spacing) if between is None else between
    if not 0 < low < high <= shortest / 2:
        raise CaseError(
            f"D₂ cannot be fitted between {low:g} and {high:g}: give two separations that rise, at most half "
            f"of the box, {shortest / 2:g}."
        )
    edges = np.geomspace(min(low, CLOSE * spacing), min(WIDE * spacing, shortest / 2), RADII + 1)
    fitted = np.geomspace(low, high, FITTED)
    rows = _rows(tracks, states)
    closer = np.stack([_closer(tracks, row, np.append(edges, fitted)) for row in rows])
    ball = np.pi ** (dimension / 2) / gamma(dimension / 2 + 1) * edges**dimension
    random = (tracks.count - 1) * np.diff(ball) / volume
    ratio = _pairs(np.diff(closer[..., : RADII + 1], axis=-1) / random, tracks.blocks)
    found = ratio.variables("radial_distribution", ("r",), "1", "g(r), pairs over those of random particles")
    slope = _slope(_pairs(closer[..., RADII + 1 :], tracks.blocks), fitted)
    found |= slope.variables("dimension", (), "1", "D₂, slope of ln N(< r) over ln r")
    if voronoi:
        found |= _voronoi(tracks, rows[:: -(-len(rows) * tracks.count // CELLS)], dimension)
    r = ("r", np.sqrt(edges[1:] * edges[:-1]), {"units": "length", "long_name": "separation"})
    about = {"particles": tracks.count, "states": len(rows), "from_r": low, "to_r": high}
    about |= {"voronoi_random": RANDOM[dimension]}
    return xr.Dataset(found, {"r": r}, about)


def uniformity(tracks: Tracks, *, states: int = FEW_STATES) -> xr.Dataset:
    """Whether particles are uniform in the box: χ² of their numbers in cells, and its probability.

    Parameters
    ----------
    tracks : Tracks
        The paths.
    states : int, default 5
        The number of times, evenly chosen; all times if the paths have fewer.

    Returns
    -------
    Dataset
        Over `time`: `chi_squared`, Σ (n − m)²/m over equal cells with n particles each, whose mean m is 10 or
        more unless an axis has only two cells; `probability`, the chance p that uniformly random particles
        have this χ² or more. The attribute `cells` is the number of cells, and `freedom` is one less.

    Raises
    ------
    CaseError
        If the box is unknown, or if it has fewer than 32 particles.

    Notes
    -----
    The times are not independent. Particles released on a lattice are at first more even than random ones.
    """
    dimension, _ = _box(tracks, walls=True)
    along = int(max(2, min(MOST_ALONG, (tracks.count / EXPECTED) ** (1 / dimension))))
    rows = _rows(tracks, states)
    lengths, cells = tracks.lengths[tracks.columns], along**dimension
    place = tracks.position[np.ix_(rows, np.arange(tracks.count), tracks.columns)]  # type: ignore[arg-type]
    part = place / lengths
    number = np.minimum((along * (part - np.floor(part))).astype(int), along - 1)
    cell = number @ (along ** np.arange(dimension))
    mean = tracks.count / cells
    found = [float(((np.bincount(row, minlength=cells) - mean) ** 2).sum() / mean) for row in cell]
    arrays = {
        "chi_squared": (
            "time",
            found,
            {
                "units": "1",
                "long_name": f"χ² of numbers in {cells} cells; random ones have about {cells - 1}",
            },
        ),
        "probability": (
            "time",
            chdtrc(cells - 1, found),
            {"units": "1", "long_name": "that uniformly random particles have this χ² or more"},
        ),
    }
    about = {"particles": tracks.count, "states": len(rows), "cells": cells, "freedom": cells - 1}
    time = ("time", tracks.time[rows], {"units": "time", "long_name": "time"})
    return xr.Dataset(arrays, {"time": time}, about)


def _box(tracks: Tracks, walls: bool = False) -> tuple[int, float]:
    """The number of dimensions, and the volume of the box in them. Raises CaseError."""
    lengths = tracks.lengths[tracks.columns]
    if not (lengths > 0).all():
        raise CaseError(
            "these paths have no lengths of the box, which clustering and uniformity need; give `tracks` the "
            "lengths, or read the paths by `tracks_of`."
        )
    if not walls and not tracks.periodic[tracks.columns].all():
        raise CaseError(
            "g(r), D₂ and Voronoï cells need a periodic box: near the walls of this one particles have fewer "
            "neighbours; compute `uniformity` instead."
        )
    if tracks.count < FEWEST:
        raise CaseError(f"{tracks.count} particles are too few: clustering and uniformity need {FEWEST}.")
    return len(lengths), float(np.prod(lengths))


def _rows(tracks: Tracks, states: int) -> np.ndarray:
    count = len(tracks.time)
    return np.unique(np.rint(np.linspace(0, count - 1, max(1, min(states, count)))).astype(int))


def _closer(tracks: Tracks, row: int, radii: np.ndarray) -> np.ndarray:
    """The mean numbers of neighbours closer than radii, [block, radius]."""
    order = np.argsort(radii)
    tree, found = wrapped_tree(tracks, row), []
    for first, size in zip(tracks.blocks.starts, tracks.blocks.sizes, strict=True):
        block = cKDTree(tree.data[first : first + size], boxsize=tree.boxsize)
        counts = np.empty(len(radii))
        counts[order] = block.count_neighbors(tree, radii[order])
        found.append(counts / size - 1)
    return np.array(found)


def _pairs(numbers: np.ndarray, blocks: Blocks) -> Estimate:
    """The mean of numbers of neighbours [time, block, …], in which each pair counts for two particles."""
    mean = blocks.estimate(numbers)
    of_times, of_blocks = mean.shares
    return Estimate(mean.value, (of_times, np.sqrt(2) * of_blocks), mean.rule)


def _slope(closer: Estimate, radii: np.ndarray) -> Estimate:
    """The slope of ln N over ln r by least squares; nan if it is infinite."""
    x = np.log(radii) - np.log(radii).mean()
    slope = (closer.log() * x).sum() / (x @ x)
    return slope + np.where(np.isfinite(slope.value), 0.0, np.nan)


def _voronoi(tracks: Tracks, rows: np.ndarray, dimension: int) -> dict[str, tuple]:
    if tracks.count > MOST_CELLS:
        return {}
    volumes = np.stack([cell_volumes(tracks, int(row)) for row in rows])
    variance = tracks.blocks.mean((volumes / volumes.mean() - 1) ** 2)
    return variance.variables("voronoi_variance", (), "1", "variance of cells over their mean")


def cell_volumes(tracks: Tracks, row: int) -> np.ndarray:
    """The volumes of the Voronoï cells of particles at a time, [particle], in the periodic box.

    The cells are computed among the particles and their images nearby; their sum is the volume of the box.
    """
    lengths = tracks.lengths[tracks.columns]
    place = np.asarray(wrapped_tree(tracks, row).data)
    count, dimension = place.shape
    if dimension == 1:
        ordered = np.argsort(place[:, 0])
        x = place[ordered, 0]
        sizes = np.empty(count)
        sizes[ordered] = (np.roll(x, -1) - np.roll(x, 1)) % lengths[0] / 2
        return sizes
    margin = FACES * (np.prod(lengths) / count) ** (1 / dimension)
    for _ in range(8):
        points = _with_images(place, lengths, min(margin, lengths.max()))
        cells = Voronoi(points)
        regions = [cells.regions[cells.point_region[n]] for n in range(count)]
        if all(region and -1 not in region for region in regions):
            volumes = np.array([ConvexHull(cells.vertices[region]).volume for region in regions])
            if abs(volumes.sum() / np.prod(lengths) - 1) < 1e-9:
                return volumes
        margin *= 2
    raise CaseError("the Voronoï cells of the particles do not fill the box; some of them are in one place.")


def _with_images(place: np.ndarray, lengths: np.ndarray, margin: float) -> np.ndarray:
    """The particles, followed by their images closer to the box than a margin."""
    points = place
    for axis, length in enumerate(lengths):
        shift = np.zeros(len(lengths))
        shift[axis] = length
        below, above = points[points[:, axis] < margin], points[points[:, axis] > length - margin]
        points = np.concatenate([points, below + shift, above - shift])
    return points

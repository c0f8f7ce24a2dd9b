"""The picture of particles: their paths in the box, and their mean square displacement."""

from itertools import pairwise

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from whorl.base.errors import CaseError
from whorl.config.case import Case, Grid
from whorl.particles.results.path_series import chosen_particles
from whorl.pictures.slices import Tell, silent
from whorl.pictures.style import COLORS, draw_title, title_of
from whorl.results.runs import RunResults

MOST_PATHS = 300
MOST_LENGTH = 150.0  # of all paths together, in lengths of the box
FEWEST_PATHS = 10
SLOPES = "0.45"


def paths_picture(run: RunResults, *, name: str, tell: Tell = silent) -> Figure:
    """Return the figure of the paths of particles, projected on two axes, and of their displacement.

    Parameters
    ----------
    run : RunResults
        The run.
    name : str
        The name of the group of particles.
    tell : callable, optional
        Not called: the picture has no remarks.

    Raises
    ------
    CaseError
        If the run has no such group, or one time of it alone.
    """
    return draw_particles(chosen_particles(run, name), run.case, title_of(run.directory, name))


def draw_particles(data: xr.Dataset, case: Case, title: str = "") -> Figure:
    """Return the figure of particles, as `RunResults.particles` returns them, in a case. Raises CaseError."""
    if data.sizes["time"] < 2:
        raise CaseError(
            f"a picture of paths needs two times, and {data.sizes['time']} has been written; lower "
            "particles.every."
        )
    figure = Figure(figsize=(11, 5), layout="constrained")
    if title:
        draw_title(figure, title)
    left, right = figure.subplots(1, 2)
    _draw_paths(left, data, case.grid)
    _draw_displacement(right, data)
    return figure


def mean_square_displacement(data: xr.Dataset) -> xr.DataArray:
    """Return ⟨|X(t) − X(t0)|²⟩ of particles, as `RunResults.particles` returns them, with t0 the first time.

    Parameters
    ----------
    data : Dataset
        The paths of a group of particles.

    Returns
    -------
    DataArray
        The mean over all particles, over `time`, in units of length².
    """
    moved = data["position"] - data["position"].isel(time=0)
    found = (moved**2).sum("axis").mean("particle").drop_vars("step", errors="ignore")
    return found.assign_attrs({"units": "length²", "long_name": "mean square displacement"})


def wrapped(position: np.ndarray, grid: Grid, axes: tuple[int, int]) -> list[np.ndarray]:
    """Pieces [point][axis] of a path [time][axis] in the box, cut where the path crosses its edges.

    `position` has all three axes. A piece ends where the path leaves the periodic box, and the next goes on
    at the opposite side. The points at the edges are on the straight line between two times.
    """
    lengths = np.array([grid.lengths[axis] for axis in axes])
    periodic = np.array([grid.bases[2 - axis] == "F" for axis in axes])
    path = position[:, list(axes)]
    pieces: list[np.ndarray] = []
    piece, cell = [path[0]], np.full(2, np.nan)
    for start, end in pairwise(path):
        for share, next_share in pairwise([0.0, *_crossings(start, end, lengths, periodic), 1.0]):
            at = start + share * (end - start)
            inside = start + (share + next_share) / 2 * (end - start)
            there = np.where(periodic, np.floor(inside / lengths), 0)
            if (there != cell).any():
                pieces += [np.array([*piece, at]) - cell * lengths] if np.isfinite(cell).all() else []
                piece, cell = [at], there
        piece.append(end)
    return [*pieces, np.array(piece) - np.nan_to_num(cell) * lengths]


def _crossings(start: np.ndarray, end: np.ndarray, lengths: np.ndarray, periodic: np.ndarray) -> list[float]:
    """The rising shares of the length of a line at which it crosses edges of periodic boxes."""
    shares: list[float] = []
    for one, other, length in zip(start[periodic], end[periodic], lengths[periodic], strict=True):
        low, high = sorted((one, other))
        edges = np.arange(np.floor(low / length) + 1, np.ceil(high / length)) * length
        shares += ((edges - one) / (other - one)).tolist() if other != one else []
    return sorted(shares)


def _chosen_paths(position: np.ndarray, grid: Grid, along: tuple[int, int]) -> np.ndarray:
    """Numbers of the particles to draw, few enough to distinguish their paths [time][particle][axis]."""
    count = position.shape[1]
    some = np.unique(np.linspace(0, count - 1, min(count, MOST_PATHS)).astype(int))
    moved = np.diff(position[:, some], axis=0) / np.array([grid.lengths[axis] for axis in along])
    length = float(np.nansum(np.linalg.norm(moved, axis=-1)))
    drawn = len(some) if length <= MOST_LENGTH else int(len(some) * MOST_LENGTH / length)
    return some[
        np.unique(np.linspace(0, len(some) - 1, min(len(some), max(drawn, FEWEST_PATHS))).astype(int))
    ]


def _draw_paths(axes: Axes, data: xr.Dataset, grid: Grid) -> None:
    long_axes = [axis for axis in range(3) if grid.points[axis] > 1]
    along = (long_axes[0], long_axes[1])
    count = data.sizes["particle"]
    chosen = _chosen_paths(
        data["position"].transpose("time", "particle", "axis").values[..., along], grid, along
    )
    for number, one in enumerate(chosen):
        path = data["position"].isel(particle=int(one)).values
        pieces = wrapped(path[np.isfinite(path).all(axis=1)], grid, along)
        axes.add_collection(
            LineCollection(pieces, colors=COLORS[number % len(COLORS)], linewidths=0.7, alpha=0.8)
        )
        axes.plot(*pieces[-1][-1], ".", color=COLORS[number % len(COLORS)], markersize=3)
    first, second = ("xyz"[axis] for axis in along)
    few = f", {len(chosen)} of {count}" if len(chosen) < count else ""
    axes.set(
        title=f"Paths{few}; a dot at the end of each",
        xlabel=first,
        ylabel=second,
        xlim=(0, grid.lengths[along[0]]),
        ylim=(0, grid.lengths[along[1]]),
        aspect="equal",
    )
    axes.grid(False)


def _draw_displacement(axes: Axes, data: xr.Dataset) -> None:
    squares = mean_square_displacement(data).values[1:]
    time = (data["time"] - data["time"][0]).values[1:]
    known = np.isfinite(squares) & (squares > 0)
    axes.set(title="Mean square displacement ⟨|X(t) − X(t₀)|²⟩  [length²]", xlabel="t − t₀  [time]")
    if not known.any():
        axes.text(0.5, 0.5, "no particle has moved", transform=axes.transAxes, ha="center", color=SLOPES)
        return
    time, squares = time[known], squares[known]
    axes.loglog(time, squares, "o-" if len(time) < 20 else "-", color=COLORS[0], markersize=4)
    ends = {"t²": (2, 0, "--"), "t": (1, -1, ":")}
    for label, (power, at, style) in ends.items():
        axes.plot(
            time, squares[at] * (time / time[at]) ** power, style, color=SLOPES, linewidth=1, label=label
        )
    low, high = squares.min(), squares.max()
    axes.set_ylim(low / 3, high * 3)
    axes.legend(frameon=False, loc="upper left")

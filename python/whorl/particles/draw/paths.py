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
from whorl.pictures.run import picture_of
from whorl.pictures.slices import PlaneValues, Tell, Wanted, choose, draw_slice, silent
from whorl.pictures.style import COLORS, draw_title, rounded, title_of
from whorl.results.runs import RunResults

MOST_PATHS = 300
MOST_LENGTH = 150.0  # of all paths together, in lengths of the box
FEWEST_PATHS = 10
SLOPES = "0.45"


def paths_picture(run: RunResults, *, name: str, tell: Tell = silent) -> Figure:
    """Return the figure of the paths of particles, projected on two axes, and of their displacement.

    `tell` is not called, since the picture has no remarks. Raises CaseError if the run has no such group,
    or only one time of it.
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

    The mean over all particles is over `time`, in units of length².
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


DEEP = 1 / 16  # of the box: the largest distance from a slice of the paths over it
TRAIL = 30  # last rows of a path that are drawn
PATHS = {"colors": "#7dd3fc", "linewidths": 0.9, "alpha": 0.85, "zorder": 3}
END = {"color": "white", "markersize": 2.6, "markeredgecolor": "0.2", "markeredgewidth": 0.4, "zorder": 4}


def draw_over_slice(
    run: RunResults, name: str, title: str = "", time: float | None = None, tell: Tell = silent
) -> Figure:
    """Return the figure of paths that end near a plane of the last snapshot, or of the one nearest to a time.

    It has the last 30 rows, up to the time of the snapshot, of the paths of particles within a sixteenth
    of the box of the plane. `tell` is called with a sentence if the time of the snapshot differs from the
    one wanted. Raises CaseError if the run has no particles of this name, no snapshot, or fewer than two
    rows of paths up to its time.
    """
    data = chosen_particles(run, name)
    plane = choose(run.snapshots, picture_of(run.case).slices, run.case.grid, Wanted(time=time), tell)
    if plane is None:
        raise CaseError(
            "the run has no snapshot to draw paths over: output.snapshot_every says when they are written."
        )
    times = data["time"].values
    last = int(np.searchsorted(times, plane.time + 1e-9 * abs(plane.time), side="right"))
    if last < 2:
        raise CaseError(f"the paths have fewer than two rows up to the snapshot of t = {plane.time:.6g}.")
    rows = data["position"].isel(time=slice(max(0, last - TRAIL), last))
    near = _near(rows.values[-1], plane, run.case.grid)
    figure = Figure(figsize=(6.9, 6.1 / min(plane.aspect, 2.0) + 0.3), layout="constrained")
    draw_title(figure, title)
    ax, span = figure.subplots(), float(times[-1] - times[0])
    draw_slice(ax, plane, rounded(plane.time, span))
    _draw_paths_over(ax, rows.isel(particle=near), plane, run.case.grid)
    since = rounded(float(rows["time"][0]), span)
    depth = run.case.grid.lengths["xyz".index(plane.normal)] * DEEP
    where = f"within {depth:.2g} of the plane" if _is_deep(plane, run.case.grid) else "in the plane"
    told = f"Paths since t = {since} of the {len(near)} particles {where}; a dot at the end of each"
    figure.supxlabel(told, fontsize=9, color="0.35")
    return figure


def _is_deep(plane: PlaneValues, grid: Grid) -> bool:
    return grid.points["xyz".index(plane.normal)] > 1


def _near(place: np.ndarray, plane: PlaneValues, grid: Grid) -> np.ndarray:
    """The numbers of the particles, at places [particle, axis], near a plane; all of them in plane flow."""
    if not _is_deep(plane, grid):
        return np.arange(len(place))
    normal = "xyz".index(plane.normal)
    length = grid.lengths[normal]
    off = place[:, normal] - float(plane.values[plane.normal])
    if grid.bases[2 - normal] == "F":
        off = off - length * np.rint(off / length)
    return np.flatnonzero(np.abs(off) <= DEEP * length)


def _draw_paths_over(ax: Axes, rows: xr.DataArray, plane: PlaneValues, grid: Grid) -> None:
    across, up = ("xyz".index(axis) for axis in plane.axes)
    for path in rows.transpose("particle", "time", "axis").values:
        if not np.isfinite(path).all():
            continue
        pieces = wrapped(path, grid, (across, up))
        ax.add_collection(LineCollection(pieces, **PATHS))
        ax.plot(*pieces[-1][-1], "o", **END)

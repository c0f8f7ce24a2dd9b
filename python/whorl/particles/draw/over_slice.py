"""The picture of the last paths of particles over a slice of a field."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from whorl.base.errors import CaseError
from whorl.config.case import Grid
from whorl.particles.draw.paths import wrapped
from whorl.particles.results.path_series import chosen_particles
from whorl.pictures.run import picture_of
from whorl.pictures.slices import PlaneValues, Tell, Wanted, choose, draw_slice, silent
from whorl.pictures.style import draw_title, rounded
from whorl.results.runs import RunResults

DEEP = 1 / 16  # of the box: the largest distance from a slice of the paths over it
TRAIL = 30  # last rows of a path that are drawn
PATHS = {"colors": "#7dd3fc", "linewidths": 0.9, "alpha": 0.85, "zorder": 3}
END = {"color": "white", "markersize": 2.6, "markeredgecolor": "0.2", "markeredgewidth": 0.4, "zorder": 4}


def draw_over_slice(
    run: RunResults, name: str, title: str = "", time: float | None = None, tell: Tell = silent
) -> Figure:
    """Return the figure of paths that end near a plane of the last snapshot, or of one near a time.

    Parameters
    ----------
    run : RunResults
        The run, with a snapshot.
    name : str
        The name of the group of particles.
    title : str, optional
        The title of the figure.
    time : float, optional
        The time of the snapshot; the nearest one is drawn, or by default the last.
    tell : callable, optional
        Called with a sentence if the time of the snapshot differs from the one wanted.

    Returns
    -------
    Figure
        The last 30 rows of the paths of particles within a sixteenth of the box of the plane, up to its time.

    Raises
    ------
    CaseError
        If the run has no particles of this name, no snapshot, or fewer than two rows of paths up to its time.
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
    _draw_paths(ax, rows.isel(particle=near), plane, run.case.grid)
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


def _draw_paths(ax: Axes, rows: xr.DataArray, plane: PlaneValues, grid: Grid) -> None:
    across, up = ("xyz".index(axis) for axis in plane.axes)
    for path in rows.transpose("particle", "time", "axis").values:
        if not np.isfinite(path).all():
            continue
        pieces = wrapped(path, grid, (across, up))
        ax.add_collection(LineCollection(pieces, **PATHS))
        ax.plot(*pieces[-1][-1], "o", **END)

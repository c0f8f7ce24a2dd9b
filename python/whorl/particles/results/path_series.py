"""Paths of particles as series: positions, velocities, accelerations, and scales of the flow."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr
from scipy.interpolate import CubicSpline

from whorl.base.errors import CaseError
from whorl.base.text import counted
from whorl.config.explain import did_you_mean
from whorl.config.outputs import FILES
from whorl.particles.results.path_means import Blocks
from whorl.particles.results.path_rows import ACCELERATION, FEWEST, OWN, finite_rows
from whorl.probes.results.spectra import EVEN, even_series, without_short_end
from whorl.results.averages import window_of
from whorl.results.runs import RunResults
from whorl.results.window import around, between, check_order, lacking, missing

DIFFERENCES = 4  # the order of differences in time
BESIDE = 2  # times on either side that these need


@dataclass(frozen=True)
class Scales:
    """Small scales of the flow: viscosity, and dissipation and mean kinetic energy at the times of the paths.

    `dissipation` is 2νZ, that by viscosity only. It and `energy` may be None. `notes` name rows left out.
    """

    viscosity: float
    dissipation: np.ndarray | None = None
    energy: np.ndarray | None = None
    notes: tuple[str, ...] = ()

    @property
    def epsilon(self) -> float:
        """The mean dissipation."""
        return float(self.dissipation.mean())

    @property
    def time(self) -> float:
        """τ_η = (ν/ε)^½."""
        return (self.viscosity / self.epsilon) ** 0.5

    @property
    def length(self) -> float:
        """η = (ν³/ε)^¼."""
        return (self.viscosity**3 / self.epsilon) ** 0.25


@dataclass(frozen=True)
class Tracks:
    """Paths of particles at even times; see `tracks`.

    Attributes
    ----------
    time : array
        The times, `dt` apart.
    position : array
        Unwrapped positions [time, particle, axis].
    lengths, periodic : array
        The lengths of the box along x, y, z, 0 if unknown, and whether it is periodic there.
    axes : tuple of str
        The axes along which the box has more than one point.
    read : dict of str to array
        The quantities read that are finite at all times, [time, particle], by name. Particles with a velocity
        of their own also have `own velocity.x`, ….
    scales : Scales or None
        Small scales of the flow, if the series has them.
    group : object or None
        The options of the particles in the case.
    frame : tuple of float
        The mean velocity U, which carries the flow. Positions and velocities of particles include it; u does
        not.
    notes : tuple of str
        Sentences on missing rows, and on rows and quantities left out.
    """

    time: np.ndarray
    dt: float
    position: np.ndarray
    lengths: np.ndarray
    periodic: np.ndarray
    axes: tuple[str, ...] = ("x", "y", "z")
    read: dict[str, np.ndarray] = field(default_factory=dict)
    scales: Scales | None = None
    group: Any = None
    frame: tuple[float, float, float] = (0.0, 0.0, 0.0)
    notes: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """The number of particles."""
        return self.position.shape[1]

    @property
    def columns(self) -> list[int]:
        """The numbers of `axes`."""
        return ["xyz".index(axis) for axis in self.axes]

    @cached_property
    def blocks(self) -> Blocks:
        """Blocks of particles, for errors."""
        return Blocks.of(self.count)

    @property
    def small_scales(self) -> Scales | None:
        """The scales of flow in three dimensions with a dissipation by viscosity, or None."""
        known = self.scales is not None and self.scales.dissipation is not None and len(self.axes) == 3
        return self.scales if known and self.scales.viscosity > 0 and self.scales.epsilon > 0 else None

    @cached_property
    def velocity(self) -> np.ndarray:
        """Velocities [time, particle, axis] along `axes`, as read or as differences of the positions."""
        if self.has_velocity:
            name = OWN if self.has_own_velocity else "u"
            return np.stack([self.read[f"{name}.{axis}"] for axis in self.axes], axis=-1)
        return differences(self.position[..., self.columns], self.dt)

    @property
    def velocity_in_frame(self) -> np.ndarray:
        """Velocities without the mean velocity of the frame, as the velocity of the flow is."""
        if self.has_velocity and not self.has_own_velocity:
            return self.velocity
        return self.velocity - np.array(self.frame)[self.columns]

    @property
    def has_own_velocity(self) -> bool:
        """Whether the particles have a velocity of their own, which is not that of the flow."""
        return f"{OWN}.x" in self.read

    @property
    def has_velocity(self) -> bool:
        """Whether the velocity is known without differences: their own, or u as read."""
        return self.has_own_velocity or all(f"u.{axis}" in self.read for axis in self.axes)

    @cached_property
    def acceleration(self) -> np.ndarray:
        """Accelerations [time, particle, axis] along `axes`, as read or as differences of the velocity."""
        if self.has_acceleration:
            return np.stack([self.read[f"{ACCELERATION}.{axis}"] for axis in self.axes], axis=-1)
        return differences(self.velocity, self.dt)

    @property
    def has_acceleration(self) -> bool:
        """Whether the acceleration was read, which is that of the flow."""
        return not self.has_own_velocity and all(f"{ACCELERATION}.{axis}" in self.read for axis in self.axes)

    @property
    def velocity_from(self) -> str:
        """The source of the velocity, in words."""
        if self.has_own_velocity:
            return "that of the particles"
        return "u as read" if self.has_velocity else "differences of positions, of fourth order in time"

    @property
    def acceleration_from(self) -> str:
        """The source of the acceleration, in words."""
        if self.has_acceleration:
            return f"{ACCELERATION} as read"
        return "differences of the velocity along the paths, of fourth order in time"

    def at_times_of(self, values: np.ndarray, of: np.ndarray) -> np.ndarray:
        """The part of a series at the times of a shorter one, which lacks equally many at both ends."""
        lacking = (len(values) - len(of)) // 2
        return values[lacking : len(values) - lacking] if lacking else values


def differences(values: np.ndarray, dt: float) -> np.ndarray:
    """Derivatives in time by differences of fourth order, without the two times at either end."""
    near = values[3:-1] - values[1:-3]
    far = values[4:] - values[:-4]
    return (8 * near - far) / (12 * dt)


def tracks(
    data: xr.Dataset,
    lengths: np.ndarray | None = None,
    periodic: np.ndarray | None = None,
    *,
    axes: tuple[str, ...] = ("x", "y", "z"),
    scales: Callable[[np.ndarray], Scales] | None = None,
    group: Any = None,
    frame: tuple[float, float, float] = (0.0, 0.0, 0.0),
    resample: bool = False,
    notes: tuple[str, ...] = (),
) -> Tracks:
    """Paths as series at even times.

    Parameters
    ----------
    data : Dataset
        The paths of a group of particles, as `RunResults.particles` returns them.
    lengths, periodic : array, optional
        The lengths of the box along x, y, z, and whether it is periodic there; unknown by default.
    axes : tuple of str, default all
        The axes along which particles move.
    scales : callable, optional
        A function that returns the scales of the flow at given times [time].
    group : object, optional
        The options of the particles in the case.
    frame : tuple of float, optional
        The mean velocity that carries the flow.
    resample : bool, default False
        Whether to interpolate paths at uneven times to as many even ones, by cubic splines in time.
    notes : tuple of str, optional
        Sentences on missing rows.

    Returns
    -------
    Tracks
        The paths without the first and last times at which the velocity or the acceleration is not finite.
        One of these that is not finite in between is left out. The notes report both.

    Raises
    ------
    CaseError
        If fewer than 8 times are left, if a position in between is not finite, or if steps of time differ
        and `resample` is false.
    """
    rows, left_out = finite_rows(data, axes)
    kept = without_short_end(rows)
    even, dt = even_series(_even(kept, resample), False)
    time = kept["time"].values[0] + dt * np.arange(len(even))
    known = lengths is not None
    return Tracks(
        time,
        dt,
        even[..., :3],
        np.array(lengths if known else np.zeros(3), float),
        np.array(periodic if known else np.zeros(3), bool),
        axes,
        {str(name): even[..., 3 + n] for n, name in enumerate(rows["of"].values[3:])},
        scales(time) if scales else None,
        group,
        frame,
        (*notes, *left_out),
    )


def _even(data: xr.DataArray, resample: bool) -> xr.DataArray:
    """The data at as many even times, by cubic splines. Raises CaseError if uneven without `resample`."""
    time = data["time"].values
    steps = np.diff(time)
    if np.abs(steps - steps.mean()).max() <= EVEN * steps.mean() or not np.isfinite(data.values).all():
        return data
    if not resample:
        first_alone = np.ptp(steps[1:]) <= EVEN * steps[1:].mean()
        begin = f"begin at the second row (--from {time[1]:.6g})"
        raise CaseError(
            f"the steps of time between rows of paths differ, from {steps.min():.6g} to {steps.max():.6g}; "
            f"{begin if first_alone else 'run with a fixed time.dt'}, or interpolate paths by cubic splines: "
            "--resample, or resample = true."
        )
    even = np.linspace(time[0], time[-1], len(time))
    return data.copy(data=CubicSpline(time, data.values, axis=0)(even)).assign_coords(time=even)


def chosen_particles(run: RunResults, name: str) -> xr.Dataset:
    """The paths of a group of particles of a run. Raises CaseError if the run has none."""
    groups = run.particles
    if name not in groups:
        near = did_you_mean(name, groups) or "."
        told = ", ".join(groups)
        raise CaseError(f"the run {run.directory} has no particles {name}{near} Particles: {told}.")
    return groups[name]


def tracks_of(
    run: RunResults,
    name: str,
    start: float | None = None,
    end: float | None = None,
    *,
    resample: bool = False,
    from_release: bool = False,
) -> tuple[Tracks, str]:
    """Paths of a run in a window of time, and the verdict on the window. Raises CaseError.

    The window is by default that of `RunResults.average`; with `from_release` it begins at the first row of
    the particles.
    """
    data = chosen_particles(run, name)
    file = f"particles.h5, {name}"
    check_order(data, file)
    if from_release and start is None:
        start = float(data["time"].values[0])
    first, last, verdict = window_of(run.rows_of_window(start), run.case, start, end)
    rows = between(data, first, last)
    if rows.sizes["time"] < FEWEST:
        raise CaseError(
            f"{file} has {counted(rows.sizes['time'], 'row')} in the window, and statistics need "
            f"{FEWEST}. {verdict}"
        )
    grid = run.case.grid
    found = tracks(
        rows,
        np.array(grid.lengths),
        np.array([grid.bases[2 - axis] == "F" for axis in range(3)]),
        axes=tuple(axis for axis, points in zip("xyz", grid.points, strict=True) if points > 1),
        scales=_scales(run),
        group=next((one for one in run.case.particles if one.label == name), None),
        frame=tuple(getattr(run.case.flow, "mean_velocity", (0.0, 0.0, 0.0))),
        resample=resample,
        notes=tuple(missing(rows, file)),
    )
    return found, verdict


def _scales(run: RunResults) -> Callable[[np.ndarray], Scales] | None:
    """A function of times that returns the scales of a run by its series; None without a series."""
    viscosity = run.case.flow.constants().get("viscosity", 0.0)
    series = run.rows_of_window(None)
    if series is None:
        return None

    def at(time: np.ndarray) -> Scales:
        rows = around(series, time)
        with np.errstate(divide="ignore"):
            loss = viscosity / rows["kolmogorov_time"] ** 2 if "kolmogorov_time" in rows else None
        (dissipation, notes), (energy, others) = (
            _at_times(values, name, time)
            for values, name in ((loss, "dissipation by viscosity, 2νZ"), (rows.get("energy"), "energy"))
        )
        return Scales(viscosity, dissipation, energy, (*notes, *others))

    return at


def _at_times(
    values: xr.DataArray | None, name: str, time: np.ndarray
) -> tuple[np.ndarray | None, list[str]]:
    """Values interpolated between finite rows, None for fewer than two, and a note on rows left out."""
    if values is None:
        return None, []
    finite = np.isfinite(values.values)
    notes = lacking(finite, name, FILES["series"].file)
    if finite.sum() < 2:
        return None, notes
    return np.interp(time, values["time"].values[finite], values.values[finite]), notes

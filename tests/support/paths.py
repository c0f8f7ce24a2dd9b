"""Paths of particles that are made up: exact stochastic processes, and any positions as `Tracks`."""

import numpy as np
import xarray as xr
from whorl.particles.results.path_series import Scales, Tracks, tracks

BOX = 2 * np.pi


def dataset(position, dt=0.1, value=None, names=("u.x", "u.y", "u.z"), times=None) -> xr.Dataset:
    """As `RunResults.particles` returns them, of positions [time, particle, axis] and what was read."""
    time = dt * np.arange(len(position)) if times is None else np.asarray(times, float)
    data = {"position": (("time", "particle", "axis"), np.asarray(position, float))}
    coordinates = {"time": time, "axis": list("xyz"), "step": ("time", np.arange(len(time)))}
    if value is not None:
        data["value"] = (("time", "particle", "quantity"), np.asarray(value, float))
        coordinates["quantity"] = list(names)
    return xr.Dataset(data, coordinates)


def made(position, dt=0.1, value=None, *, scales=None, periodic=True, group=None, **more) -> Tracks:
    """In a box of 2π. `scales` are ν, ε and E, constant in time."""
    of = (
        None
        if scales is None
        else lambda time: Scales(scales[0], *(np.full(len(time), x) for x in scales[1:]))
    )
    data = dataset(position, dt, value, **more)
    return tracks(data, np.full(3, BOX), np.full(3, periodic), scales=of, group=group)


def ornstein_uhlenbeck(count, times, dt, memory, speed=1.0, seed=0):
    """Positions and velocities [time, particle, axis] of the exact process, dv = −v dt/T + …, dx = v dt."""
    rng = np.random.default_rng(seed)
    kept = np.exp(-dt / memory)
    # The joint Gaussian of the changes of v and x in a step.
    of_v = speed**2 * (1 - kept**2)
    of_x = speed**2 * memory**2 * (2 * dt / memory - 3 + 4 * kept - kept**2)
    of_both = speed**2 * memory * (1 - kept) ** 2
    slope = of_both / of_v
    rest = np.sqrt(max(of_x - slope * of_both, 0.0))
    v = np.empty((times, count, 3))
    x = np.empty((times, count, 3))
    v[0], x[0] = speed * rng.standard_normal((count, 3)), rng.uniform(0, BOX, (count, 3))
    for n in range(1, times):
        push = np.sqrt(of_v) * rng.standard_normal((count, 3))
        v[n] = kept * v[n - 1] + push
        x[n] = (
            x[n - 1] + memory * (1 - kept) * v[n - 1] + slope * push + rest * rng.standard_normal((count, 3))
        )
    return x, v


def brownian(count, times, dt, diffusivity, seed=0):
    """Positions [time, particle, axis] with ⟨ΔX_i²⟩ = 2 κ t."""
    rng = np.random.default_rng(seed)
    steps = np.sqrt(2 * diffusivity * dt) * rng.standard_normal((times - 1, count, 3))
    start = rng.uniform(0, BOX, (1, count, 3))
    return np.concatenate([start, start + np.cumsum(steps, axis=0)])


def random_points(count, states=8, seed=0):
    """Positions [time, particle, axis] that are uniform and independent at each time."""
    return np.random.default_rng(seed).uniform(0, BOX, (states, count, 3))

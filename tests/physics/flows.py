"""Flows with a closed form and random ones, short runs of them, and what is measured on the fields.

Velocity fields are functions of x, y, z (arrays that broadcast to [z][y][x]) and t; arrays have shape
(3, nz, ny, nx).
"""

import math
from collections.abc import Callable
from itertools import permutations

import numpy as np
from support import devices
from whorl.config import schemes
from whorl.config.case import Case
from whorl.run.simulation import Simulation

TAU = 2 * math.pi
AXES = tuple(permutations(range(3)))
SHIFT = (0.37, 1.91, 4.03)  # no multiple of any grid spacing
# Every truncation, by the options that select it; the exact ones first.
EXACT = ({"dealias": "2/3"}, {"dealias": "2/3", "shape": "sphere"}, {"dealias": "phase-shift-exact"})
TRUNCATIONS = (*EXACT, {"dealias": "phase-shift"}, {"dealias": "none"})
SCHEMES = {name: scheme.order for name, scheme in schemes.SCHEMES.items()}  # orders
EXPONENTIAL = {name for name, scheme in schemes.SCHEMES.items() if scheme.exponential}
# By their orders, with how they take linear terms.
LINEARS = [
    (name, order, linear)
    for name, order in SCHEMES.items()
    for linear in ("explicit", "exact")
    if not (linear == "exact" and name in EXPONENTIAL)
]

Velocity = Callable[..., tuple]


def names(truncations: tuple[dict, ...] = TRUNCATIONS) -> list[str]:
    """Names for pytest."""
    return [" ".join(options.values()) for options in truncations]


def make_case(
    points=16, viscosity=0.0, *, scheme="rk4", dt=0.01, steps=10**6, precision="double", time=None, **grid
) -> Case:
    """A case without initial field and output; `time` replaces dt and steps, the rest goes to [grid]."""
    return Case(
        grid={"points": points, **grid},
        flow={"viscosity": viscosity},
        time={"scheme": scheme, **(time or {"dt": dt, "steps": steps})},
        run={"precision": precision, "threads": 1, "device": devices.current()},
    )


def run(case: Case, initial, steps: int) -> Simulation:
    """The flow after `steps` steps from a field: a function of x, y, z or of x, y, z, t, or an array."""
    simulation = Simulation(case, initial)
    for _ in range(steps):
        simulation.step()
    return simulation


def sample(simulation: Simulation, velocity: Velocity, t: float) -> np.ndarray:
    """A velocity function at the grid points and time t."""
    x, y, z = simulation.coordinates
    components = velocity(x[None, None, :], y[None, :, None], z[:, None, None], t)
    shape = (z.size, y.size, x.size)
    return np.stack([np.broadcast_to(component, shape) for component in components])


def error(simulation: Simulation, exact: Velocity) -> float:
    """Largest deviation from an exact solution, relative to the size it began with."""
    expected = sample(simulation, exact, simulation.time)
    scale = np.abs(sample(simulation, exact, 0.0)).max()
    return float(np.abs(simulation.velocity() - expected).max() / scale)


def distance(a: np.ndarray, b: np.ndarray) -> float:
    """Root mean square difference of two fields relative to the size of the second."""
    return float(np.sqrt(((a - b) ** 2).mean() / (b**2).mean()))


def slope(steps: list[float], errors: list[float]) -> float:
    """Exponent p of errors ∝ steps^p, by least squares."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


# Closed forms


def planar_vortices(nu: float, mean=(0.0, 0.0, 0.0), lengths=(TAU, TAU, TAU)) -> Velocity:
    """Taylor–Green vortices in a plane, carried by a mean flow; exact in any box."""
    a, b = TAU / lengths[0], TAU / lengths[1]
    U, V, W = mean

    def velocity(x, y, z, t=0.0):
        decay = math.exp(-nu * (a * a + b * b) * t)
        X, Y = a * (x - U * t), b * (y - V * t)
        return U + np.sin(X) * np.cos(Y) * decay, V - a / b * np.cos(X) * np.sin(Y) * decay, W + 0 * z

    return velocity


def beltrami(nu: float, A=1.0, B=0.7, C=0.43) -> Velocity:
    """ABC flow: the curl of the velocity is the velocity."""

    def velocity(x, y, z, t=0.0):
        decay = math.exp(-nu * t)
        return (
            decay * (A * np.sin(z) + C * np.cos(y)),
            decay * (B * np.sin(x) + A * np.cos(z)),
            decay * (C * np.sin(y) + B * np.cos(x)),
        )

    return velocity


def plane_wave(nu: float, k=(2, 1, -1), direction=(1, 0, 2)) -> Velocity:
    """A transverse wave, which does not carry itself along."""
    assert np.dot(k, direction) == 0
    rate = nu * np.dot(k, k)

    def velocity(x, y, z, t=0.0):
        wave = math.exp(-rate * t) * np.sin(k[0] * x + k[1] * y + k[2] * z)
        return tuple(part * wave for part in direction)

    return velocity


def turned(velocity: Velocity, axes: tuple[int, int, int]) -> Velocity:
    """The same flow with old axis i along the new axis axes[i]."""

    def moved(x, y, z, t=0.0):
        at = (x, y, z)
        components = velocity(*(at[axis] for axis in axes), t)
        return tuple(components[axes.index(axis)] for axis in range(3))

    return moved


def shifted(velocity: Velocity, by=SHIFT) -> Velocity:
    """The same flow elsewhere in the box."""
    return lambda x, y, z, t=0.0: velocity(x - by[0], y - by[1], z - by[2], t)


# Random fields


def noise(points, seed=0, reach=None, size=1.0) -> np.ndarray:
    """Random numbers of all wavenumbers, or of integer wavenumbers up to `reach`; not free of divergence."""
    nx, ny, nz = points if isinstance(points, tuple) else (points,) * 3
    field = np.random.default_rng(seed).standard_normal((3, nz, ny, nx))
    if reach is not None:
        lines = (np.abs(np.fft.fftfreq(n, 1 / n)) <= reach for n in (nz, ny, nx))
        kept = np.ix_(*lines)
        modes = np.fft.fftn(field, axes=(1, 2, 3))
        low = np.zeros_like(modes)
        low[(slice(None), *kept)] = modes[(slice(None), *kept)]
        field = np.fft.ifftn(low, axes=(1, 2, 3)).real
    return size * field / np.sqrt((field**2).mean())


def gradient(field: np.ndarray, lengths=(TAU, TAU, TAU)) -> np.ndarray:
    """A[i, j] = ∂u_i/∂x_j at the points of a field in a box, by numpy.fft."""
    modes = np.fft.fftn(field, axes=(1, 2, 3))
    slopes = []
    for axis, length in enumerate(lengths):
        n = field.shape[3 - axis]
        k = TAU * np.fft.fftfreq(n, length / n)
        along = k.reshape([-1 if place == 3 - axis else 1 for place in range(4)])
        slopes.append(np.fft.ifftn(1j * along * modes, axes=(1, 2, 3)).real)
    return np.stack(slopes, axis=1)


def curl(A: np.ndarray) -> np.ndarray:
    """∇ × u of a gradient A[i, j] = ∂u_i/∂x_j."""
    return np.stack([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])


def on_twice_the_points(field: np.ndarray) -> np.ndarray:
    """The same modes on a finer grid, where their products have room; the field has none at Nyquist."""
    modes = np.fft.fftshift(np.fft.fftn(field, axes=(1, 2, 3), norm="forward"), axes=(1, 2, 3))
    wide = np.pad(modes, [(0, 0), *((n // 2, n // 2) for n in field.shape[1:])])
    return np.fft.ifftn(np.fft.ifftshift(wide, axes=(1, 2, 3)), axes=(1, 2, 3), norm="forward").real

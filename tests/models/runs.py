"""Short runs of any model, and what is measured on their fields by numpy alone.

Fields are functions of x, y, z, t (arrays that broadcast to [z][y][x]) returning as many components as the
field has; arrays have shape (components, nz, ny, nx).
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from support import devices
from whorl.config.case import Case
from whorl.run.simulation import Simulation

TAU = 2 * math.pi
EPSILON = {"double": float(np.finfo("f8").eps), "single": float(np.finfo("f4").eps)}
Function = Callable[..., tuple]


def make_case(
    model: str, points=16, *, scheme="rk4", dt=0.01, time=None, grid=None, run=None, **flow
) -> Case:
    """A case without initial field and output. `time` replaces the step; `scalars` is its own section."""
    scalars = flow.pop("scalars", ())
    return Case(
        grid={"points": points, **(grid or {})},
        flow={"model": model, **flow},
        time={"scheme": scheme, "steps": 10**6, **(time or {"dt": dt})},
        scalars=list(scalars),
        run={"threads": 1, "device": devices.current(), **(run or {})},
    )


def advance(case: Case, initial: dict[str, Any], steps: int) -> Simulation:
    """The flow after some steps from fields by name: arrays, or functions of x, y, z, t."""
    simulation = Simulation(case, {name: at_start(field) for name, field in initial.items()})
    for _ in range(steps):
        simulation.step()
    return simulation


def at_start(field: Any) -> Any:
    return (lambda x, y, z: field(x, y, z, 0.0)) if callable(field) else field


def sample(simulation: Simulation, function: Function, t: float) -> np.ndarray:
    """A function at the grid points."""
    x, y, z = simulation.coordinates
    components = function(x[None, None, :], y[None, :, None], z[:, None, None], t)
    shape = (z.size, y.size, x.size)
    return np.stack([np.broadcast_to(component, shape) for component in components])


def error(simulation: Simulation, field: str, exact: Function) -> float:
    """Largest deviation of a field from an exact solution, relative to the largest value there."""
    expected = sample(simulation, exact, simulation.time)
    return float(np.abs(simulation.field(field) - expected).max() / np.abs(expected).max())


def distance(a: np.ndarray, b: np.ndarray) -> float:
    """Root mean square difference of two fields relative to the size of the second."""
    return float(np.sqrt(((a - b) ** 2).mean() / (b**2).mean()))


def slope(steps: list[float], errors: list[float]) -> float:
    """Exponent p of errors ∝ steps^p, by least squares."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


def per_time(case: Case, initial: dict[str, Any], names: list[str], dt: float = 1e-3) -> dict[str, float]:
    """d/dt of statistics after two steps of dt, by a centred difference of order four."""
    simulation = advance(case.updated([f"time.dt={dt!r}"]), initial, 0)
    rows = [simulation.statistics()]
    for _ in range(4):
        simulation.step()
        rows.append(simulation.statistics())
    weights = np.array([1, -8, 0, 8, -1]) / (12 * dt)
    return {name: float(weights @ [row[name] for row in rows]) for name in names}


# Waves


def transverse(k: tuple, seed: int) -> np.ndarray:
    """A random unit vector across k."""
    vector = np.cross(k, np.random.default_rng(seed).standard_normal(3))
    return vector / np.linalg.norm(vector)


def helical(k: tuple, sign: int, seed: int) -> np.ndarray:
    """A complex vector h, |h| = 1, whose wave h exp(i k·x) has the curl sign |k| times itself."""
    first = transverse(k, seed)
    second = np.cross(np.array(k) / np.linalg.norm(k), first)
    return (first + 1j * sign * second) / math.sqrt(2)


def wave(k: tuple, amplitude: np.ndarray, s: complex = 0.0) -> Function:
    """Re[amplitude exp(i k·x + s t)]."""

    def function(x, y, z, t):
        turning = np.exp(1j * (k[0] * x + k[1] * y + k[2] * z) + s * t)
        return tuple((part * turning).real for part in amplitude)

    return function


def abc(A=1.0, B=0.7, C=0.43, *, rate=0.0) -> Function:
    """ABC flow, whose curl it is, decaying."""

    def function(x, y, z, t):
        decay = math.exp(-rate * t)
        return (
            decay * (A * np.sin(z) + C * np.cos(y)),
            decay * (B * np.sin(x) + A * np.cos(z)),
            decay * (C * np.sin(y) + B * np.cos(x)),
        )

    return function


def taylor_green(x, y, z, t):
    return np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z), 0.0


# Modes by numpy


class Modes:
    """Fourier modes of whole fields in a periodic box: u(x) = Σ a(k) exp(i k·x)."""

    def __init__(self, case: Case):
        points, lengths = case.grid.points, case.grid.lengths
        kx, ky, kz = (TAU * np.fft.fftfreq(n, length / n) for n, length in zip(points, lengths, strict=True))
        self.k = np.stack(np.broadcast_arrays(kx[None, None, :], ky[None, :, None], kz[:, None, None]))
        self.k2 = (self.k**2).sum(0)
        self.inverse_k2 = 1 / np.where(self.k2 > 0, self.k2, np.inf)
        self.smallest = min(TAU / length for length, n in zip(lengths, points, strict=True) if n > 1)

    def of(self, field: np.ndarray) -> np.ndarray:
        return np.fft.fftn(np.asarray(field, float), axes=(-3, -2, -1), norm="forward")

    def points(self, a: np.ndarray) -> np.ndarray:
        return np.fft.ifftn(a, axes=(-3, -2, -1), norm="forward").real

    def curl(self, a: np.ndarray) -> np.ndarray:
        return 1j * np.cross(self.k, a, axis=0)

    def gradient(self, a: np.ndarray) -> np.ndarray:
        """i k a of a scalar."""
        return 1j * self.k * a

    def divergence(self, a: np.ndarray) -> np.ndarray:
        return 1j * (self.k * a).sum(0)

    def solenoidal(self, a: np.ndarray) -> np.ndarray:
        return a - self.k * (self.k * a).sum(0) * self.inverse_k2

    def by_shell(self, values: np.ndarray) -> np.ndarray:
        """Sums over the shells n − ½ ≤ |k|/k_min < n + ½."""
        shell = np.floor(np.sqrt(self.k2) / self.smallest + 0.5 + 1e-9).astype(int)
        return np.bincount(shell.ravel(), values.ravel())


def inner(a: np.ndarray, b: np.ndarray) -> float:
    """⟨a·b⟩ of two fields from their modes."""
    return float((a.conj() * b).sum().real)


def check_spectrum(mine: np.ndarray, expected: np.ndarray, precision: str = "double") -> None:
    """The same numbers by shell, and nothing behind the last."""
    scale = np.abs(expected).max()
    count = max(len(mine), len(expected))
    wide = [np.pad(values, (0, count - len(values))) for values in (mine, expected)]
    assert np.abs(wide[0] - wide[1]).max() < 100 * EPSILON[precision] * scale


def noise(case: Case, components: int, seed: int, *, reach: int | None = None, size=1.0, mean=0.0):
    """Random numbers of integer wavenumbers up to `reach`, of all without it; not free of divergence."""
    nx, ny, nz = case.grid.points
    field = np.random.default_rng(seed).standard_normal((components, nz, ny, nx))
    if reach is not None:
        a = np.fft.fftn(field, axes=(1, 2, 3))
        for axis, n in zip((3, 2, 1), (nx, ny, nz), strict=True):
            beyond = np.abs(np.fft.fftfreq(n, 1 / n)) > reach
            a[(slice(None),) * axis + (beyond,)] = 0
        field = np.fft.ifftn(a, axes=(1, 2, 3)).real
    field -= field.mean(axis=(1, 2, 3), keepdims=True)
    field *= size / np.sqrt((field**2).mean())
    return field + np.reshape(np.broadcast_to(mean, components), (-1, 1, 1, 1))

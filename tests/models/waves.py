"""What tests of flow models share: cases, waves advanced by their matrix, measures by numpy.fft.

Fields are functions of x, y, z (arrays that broadcast to [z][y][x]) and t.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from mpi4py import MPI
from physics.flows import TAU, sample
from scipy.linalg import expm
from support import devices
from whorl.config.case import Case
from whorl.run.simulation import Simulation

ROUNDING = 3e-14
EPSILON = float(np.finfo(np.float32).eps)
ODD = ((12, 10, 14), (TAU, 0.8 * TAU, 1.3 * TAU))  # points and lengths with nothing in common


def case_of(
    model, points, flow, *, scheme="rk4", dt=0.01, precision="double", scalars=(), output=None, **grid
) -> Case:
    """A case without initial field and end; further keywords are of [grid]."""
    return Case(
        grid={"points": points, **grid},
        flow={"model": model, **flow},
        time={"scheme": scheme, "dt": dt, "steps": 10**6},
        scalars=list(scalars),
        output=output or {},
        run={"precision": precision, "threads": 1, "device": devices.current()},
    )


def state_error(simulation: Simulation, exact: dict) -> float:
    """Largest deviation of any field from its exact solution, relative to the largest value at t = 0."""
    now = {name: sample(simulation, f, simulation.time) for name, f in exact.items()}
    scale = max(np.abs(sample(simulation, f, 0.0)).max() for f in exact.values())
    return float(max(np.abs(simulation.field(name) - now[name]).max() for name in exact) / scale)


@dataclass
class Wave:
    """A single wave vector of an incompressible, rotating flow with an active scalar θ, in closed form:

        du/dt = −∇p − 2 Ω×u + lift θ ẑ − rate u − (U·∇) u,   dθ/dt = lapse w − κ k² θ − (U·∇) θ

    It carries neither itself nor its θ along, so that it is a solution at any amplitude.
    """

    k: tuple
    omega: tuple = (0.0, 0.0, 0.0)
    mean: tuple = (0.0, 0.0, 0.0)
    rate: float = 0.0
    kappa: float = 0.0
    lift: float = 0.0
    lapse: float = 0.0
    start: np.ndarray = field(default=None)
    seed: int = 0

    def __post_init__(self):
        k = np.array(self.k, float)
        self.projection = np.eye(3) - np.outer(k, k) / (k @ k)
        if self.start is None:
            noise = np.random.default_rng(self.seed).standard_normal((2, 4))
            self.start = noise[0] + 1j * noise[1]
            if self.lapse == 0:
                self.start[3] = 0
        self.start = np.asarray(self.start, complex)
        self.start[:3] = self.projection @ self.start[:3]

    @property
    def matrix(self) -> np.ndarray:
        """Of u, v, w, θ: the amplitudes' rate of change."""
        k, (a, b, c) = np.array(self.k, float), self.omega
        turning = 2 * np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]])
        matrix = np.zeros((4, 4), complex)
        matrix[:3, :3] = -self.projection @ turning - self.rate * np.eye(3)
        matrix[:3, 3] = self.lift * self.projection[:, 2]
        matrix[3, 2] = self.lapse
        matrix[3, 3] = -self.kappa * (k @ k)
        return matrix - 1j * (k @ np.array(self.mean)) * np.eye(4)

    def _at(self, x, y, z, t):
        phase = np.exp(1j * (self.k[0] * x + self.k[1] * y + self.k[2] * z))
        return [(amplitude * phase).real for amplitude in expm(self.matrix * t) @ self.start]

    def velocity(self, x, y, z, t=0.0):
        return tuple(self._at(x, y, z, t)[:3])

    def temperature(self, x, y, z, t=0.0):
        return (self._at(x, y, z, t)[3],)


def at_start(exact: dict) -> dict:
    """The same as initial fields."""
    return {name: lambda x, y, z, f=f: f(x, y, z, 0.0) for name, f in exact.items()}


def of_box(numbers, lengths) -> tuple:
    """Integer wavenumbers in a periodic box."""
    return tuple(TAU / length * n for n, length in zip(numbers, lengths, strict=True))


def rates_of_change(simulation: Simulation, dt: float) -> tuple[dict, dict]:
    """Statistics in the middle of four further steps of dt, and their derivatives, of fourth order, there."""
    found = [simulation.statistics()]
    for _ in range(4):
        simulation.step()
        found.append(simulation.statistics())
    a, b, middle, c, d = found
    slopes = {name: (a[name] - 8 * b[name] + 8 * c[name] - d[name]) / (12 * dt) for name in middle}
    return middle, slopes


def spectral(values: np.ndarray, lengths) -> tuple[np.ndarray, list[np.ndarray]]:
    """Amplitudes of all modes, and kx, ky, kz that broadcast to them."""
    k = []
    for axis, length in enumerate(lengths):
        n = values.shape[3 - axis]
        shape = [-1 if place == 2 - axis else 1 for place in range(3)]
        k.append((TAU / length * np.fft.fftfreq(n, 1 / n)).reshape(shape))
    return np.fft.fftn(values, axes=(1, 2, 3), norm="forward"), k


def by_shell(density: np.ndarray, k: list[np.ndarray], unit: float, count: int) -> np.ndarray:
    """Sums over shells n − ½ ≤ |k|/unit < n + ½."""
    number = np.floor(np.sqrt(k[0] ** 2 + k[1] ** 2 + k[2] ** 2) / unit * (1 + 2e-7) + 0.5).astype(int)
    number = np.broadcast_to(number, density.shape)
    return np.bincount(np.minimum(number, count - 1).ravel(), density.ravel(), count)


def helical(k, sign: int, axis=(0.3, -0.7, 0.5)) -> np.ndarray:
    """Amplitude of a wave with ∇×u = sign k u: u = Re[(e1 + i sign e2) exp(i k·x)], e2 = k̂ × e1."""
    k = np.array(k, float)
    e1 = np.cross(k, axis)
    e1 /= np.linalg.norm(e1)
    e2 = np.cross(k / np.linalg.norm(k), e1)
    return np.append(e1 + 1j * sign * e2, 0.0)


def check_restart(whole: Simulation, *names: str) -> None:
    """A restart from the checkpoint of step 3 repeats a run of 5 steps bit for bit."""
    expected = {name: whole.field(name) for name in names}
    whole.close()
    again = Simulation.restart(whole.directory.path)
    assert again.step_number == 3
    for _ in range(2):
        again.step()
    for name, values in expected.items():
        assert np.array_equal(again.field(name), values)


def check_ranks(world, case: Case, initial) -> None:
    """Three steps on all ranks and on each alone end in the same fields and statistics, to rounding."""
    together, alone = (Simulation(case, initial, comm=comm) for comm in (world, MPI.COMM_SELF))
    for _ in range(3):
        together.step()
        alone.step()
    z0, z1, y0, y1 = together.block
    for name in case.flow.state:
        whole = alone.field(name)
        difference = np.abs(together.field(name) - whole[:, z0:z1, y0:y1])
        assert difference.max(initial=0) < 1e-12 * np.abs(whole).max(), name
    of_one = alone.statistics()
    size = max(of_one["energy"], of_one["enstrophy"])
    for name, value in together.statistics().items():
        if not math.isnan(of_one[name]):
            assert abs(value - of_one[name]) < 1e-11 * max(abs(of_one[name]), size), name

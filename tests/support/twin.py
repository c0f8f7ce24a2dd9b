"""An independent reference for the core: whole complex arrays, numpy.fft, nothing shared with the C++.

Fields are amplitudes a[component, z, y, x] of exp(i k.x) over all wavenumbers of numpy.fft, so that
u(x) = sum a exp(i k.x) and nothing is left out by symmetry.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from support.philox import shift_offset

SPACE = (-3, -2, -1)
# The points of a circle in the complex plane, on which no formula of phi cancels (Kassam and Trefethen, SIAM
# J. Sci. Comput. 26, 1214 (2005)).
CIRCLE = np.exp(2j * np.pi * (np.arange(64) + 0.5) / 64)
Array = np.ndarray

# Butcher tables (nodes, rows of the matrix, weights).
ROOT = np.sqrt(0.5)


def two_registers(A: tuple, B: tuple) -> tuple:
    """That of du <- A du + dt f, u <- u + B du: f of stage j is in u with B_j, A_{j+1} B_{j+1}, …"""
    count = len(A)
    share = np.zeros((count, count))  # of f of stage j in du of stage s
    for s in range(count):
        share[s] = A[s] * share[s - 1] if s else 0.0
        share[s, s] = 1.0
    sums = np.cumsum(np.array(B)[:, None] * share, axis=0)  # of f of stage j in u after stage s
    rows = [(), *(tuple(sums[s - 1, :s]) for s in range(1, count))]
    return tuple(sum(row) for row in rows), tuple(rows), tuple(sums[-1])


TABLES = {
    "rk2": ((0, 1), ((), (1,)), (1 / 2, 1 / 2)),
    "rk3": ((0, 1 / 3, 3 / 4), ((), (1 / 3,), (-3 / 16, 15 / 16)), (1 / 6, 3 / 10, 8 / 15)),
    "rk4": (
        (0, 1 / 2, 1 / 2, 1),
        ((), (1 / 2,), (0, 1 / 2), (0, 0, 1)),
        (1 / 6, 1 / 3, 1 / 3, 1 / 6),
    ),
    "rk4-gill": (
        (0, 1 / 2, 1 / 2, 1),
        ((), (1 / 2,), (ROOT - 1 / 2, 1 - ROOT), (0, -ROOT, 1 + ROOT)),
        (1 / 6, (1 - ROOT) / 3, (1 + ROOT) / 3, 1 / 6),
    ),
    "rk4-carpenter": two_registers(
        (
            0.0,
            -567301805773 / 1357537059087,
            -2404267990393 / 2016746695238,
            -3550918686646 / 2091501179385,
            -1275806237668 / 842570457699,
        ),
        (
            1432997174477 / 9575080441755,
            5161836677717 / 13612068292357,
            1720146321549 / 2090206949498,
            3134564353537 / 4481467310338,
            2277821191437 / 14882151754819,
        ),
    ),
}

# Adams–Bashforth: how many earlier steps are remembered, and what makes a step begin anew.
EARLIER = {"ab2": 1, "ab3": 2}
DIFFERENCED = {"etdrk2": 2, "etdrk4": 4}  # stages
LONGEST_GROWTH = 4.0


def phi(p: int, x: Array) -> Array:
    """phi_p(-x), the mean of its formula over a circle around each x."""
    c = CIRCLE - np.asarray(x, float)[..., None]
    formula = {
        1: np.expm1,
        2: lambda c: (np.expm1(c) - c) / c,
        3: lambda c: (np.expm1(c) - c - c**2 / 2) / c**2,
    }
    return (formula[p](c) / c).mean(-1).real


@dataclass(frozen=True)
class Twin:
    """A flow as whorl's options describe it; `points` and `lengths` are those of x, y, z."""

    points: tuple[int, int, int]
    lengths: tuple[float, float, float] = (2 * np.pi, 2 * np.pi, 2 * np.pi)
    dealias: str = "2/3"
    shape: str = "cube"
    viscosity: float = 0.0
    scheme: str = "rk2"
    shift_seed: int = 0

    @property
    def spacing(self) -> Array:
        return np.array(self.lengths) / self.points

    @cached_property
    def axes(self) -> list[int]:
        """0, 1, 2 for x, y, z; without z in two dimensions."""
        return [axis for axis in range(3) if self.points[axis] > 1]

    @cached_property
    def numbers(self) -> Array:
        """Integer wavenumbers n[axis, z, y, x]."""
        lines = [np.rint(np.fft.fftfreq(n, 1 / n)).astype(np.int64) for n in self.points]
        n_z, n_y, n_x = np.meshgrid(lines[2], lines[1], lines[0], indexing="ij")
        return np.stack([n_x, n_y, n_z])

    @cached_property
    def k(self) -> Array:
        unit = 2 * np.pi / np.array(self.lengths)
        return self.numbers * unit[:, None, None, None]

    @cached_property
    def k2(self) -> Array:
        return (self.k**2).sum(0)

    @cached_property
    def mask(self) -> Array:
        """True where a mode is kept; integers only, so that a boundary is decided exactly."""
        n, points = np.abs(self.numbers), self.points
        if self.dealias == "none":
            return np.logical_and.reduce([2 * n[axis] < points[axis] for axis in self.axes])
        if self.dealias == "2/3" and self.shape == "cube":
            return np.logical_and.reduce([3 * n[axis] < points[axis] for axis in self.axes])
        # sum (n_i / N_i)^2 < limit / 9, both sides times the product of all N_i^2
        whole = int(np.prod(np.array(points, dtype=object)) ** 2)
        limit = 1 if self.dealias == "2/3" else 2
        return sum(9 * n[axis] ** 2 * (whole // points[axis] ** 2) for axis in self.axes) < limit * whole

    @property
    def modes(self) -> int:
        """Kept modes with kx >= 0: the others are their conjugates."""
        return int(self.mask[:, :, self.numbers[0, 0, 0] >= 0].sum())

    @property
    def smallest_wavenumber(self) -> float:
        return min(2 * np.pi / self.lengths[axis] for axis in self.axes)

    @property
    def kmax(self) -> float:
        """Largest |k| kept along every axis."""
        return min(np.abs(self.k[axis])[self.mask].max() for axis in self.axes)

    # Fields

    def to_modes(self, u: Array) -> Array:
        return np.fft.fftn(u, axes=SPACE, norm="forward")

    def to_points(self, a: Array) -> Array:
        return np.fft.ifftn(a, axes=SPACE, norm="forward").real

    def project(self, a: Array) -> Array:
        """Without the part along k; the mean stays."""
        along = (self.k * a).sum(0) / np.where(self.k2 > 0, self.k2, 1)
        return a - self.k * along

    def load(self, u: Array, project: bool = True) -> Array:
        """The kept modes of values at the grid points."""
        a = self.to_modes(u) * self.mask
        return self.project(a) if project else a

    def curl(self, a: Array) -> Array:
        return 1j * np.cross(self.k, a, axis=0)

    def shift(self, cells: tuple[float, float, float]) -> Array:
        """exp(i k.d) of a grid displaced by `cells` of its cells along x, y, z."""
        d = np.array(cells) * self.spacing
        return np.exp(1j * np.einsum("izyx,i->zyx", self.k, d))

    # Equation of motion

    def on_grid(self, a: Array, cells: tuple[float, float, float] = (0, 0, 0)) -> Array:
        """P(-div(u u)) with the products taken at the points of a displaced grid; aliases included."""
        phase = self.shift(cells)
        u = self.to_points(a * phase)
        flux = self.to_modes(u[:, None] * u[None, :]) / phase
        return self.project(-1j * np.einsum("mzyx,jmzyx->jzyx", self.k, flux)) * self.mask

    def nonlinear(self, a: Array, cells: tuple[float, float, float] | None = None) -> Array:
        """As the core evaluates it: in a stage that lies on `cells`, else for the transfer."""
        half = (0.5, 0.5, 0.5 if 2 in self.axes else 0)
        if self.dealias == "phase-shift-exact" or (self.dealias == "phase-shift" and cells is None):
            return (self.on_grid(a) + self.on_grid(a, half)) / 2
        return self.on_grid(a, cells or (0, 0, 0))

    def stage_grid(self, stage: int, step_number: int) -> tuple[float, float, float]:
        """Where the points of a stage of a step lie, in cells.

        Two steps share an offset; the stages of the first lie on A, B, A, ..., of the second on B, A, B, ...
        """
        if self.dealias != "phase-shift":
            return (0, 0, 0)
        cells = [
            part + (stage + step_number) % 2 / 2 for part in shift_offset(self.shift_seed, step_number // 2)
        ]
        return (cells[0], cells[1], cells[2] if 2 in self.axes else 0)

    def alias_free(self, a: Array) -> Array:
        """The nonlinear term computed on twice the points, where no alias reaches a kept mode."""
        double = tuple(2 * n if n > 1 else 1 for n in self.points)
        fine = replace(self, points=double, dealias="none")
        places = np.ix_(range(3), *(self.numbers[axis].ravel()[self._line(axis)] for axis in (2, 1, 0)))
        wide = np.zeros((3, *double[::-1]), complex)
        wide[places] = a
        return fine.on_grid(wide)[places] * self.mask

    def _line(self, axis: int) -> slice:
        """The elements of one line along an axis in a raveled [z, y, x] array."""
        stride = int(np.prod(self.points[:axis]))
        return slice(0, stride * self.points[axis], stride)

    def step(self, a: Array, dt: float, step_number: int = 0, nonlinear=None) -> Array:
        """One step of the scheme for exp(nu k^2 t) a, whose linear decay is exact."""
        if self.scheme in DIFFERENCED:
            return self._differenced(a, dt, step_number, nonlinear or self.nonlinear)
        nodes, matrix, weights = TABLES[self.scheme]
        evaluate = nonlinear or self.nonlinear
        slopes: list[Array] = []
        for stage, row in enumerate(matrix):
            now = self._advance(a, dt, nodes[stage], row, slopes)
            slopes.append(evaluate(now, self.stage_grid(stage, step_number)))
        return self._advance(a, dt, 1, weights, slopes)

    def _differenced(self, a: Array, dt: float, step_number: int, nonlinear) -> Array:
        """A step of exponential time differencing as in Cox and Matthews, J. Comput. Phys. 176, 430."""
        stages = iter(range(4))

        def f(u: Array) -> Array:
            return nonlinear(u, self.stage_grid(next(stages), step_number))

        z = self.viscosity * self.k2 * dt
        whole, half = np.exp(-z), np.exp(-z / 2)
        phi_1, phi_2, phi_3 = (phi(p, z) for p in (1, 2, 3))
        of_a = f(a)
        if self.scheme == "etdrk2":
            first = whole * a + dt * phi_1 * of_a
            return first + dt * phi_2 * (f(first) - of_a)
        by = dt / 2 * phi(1, z / 2)
        first = half * a + by * of_a
        of_first = f(first)
        of_second = f(half * a + by * of_first)
        of_third = f(half * first + by * (2 * of_second - of_a))
        weights = phi_1 - 3 * phi_2 + 4 * phi_3, 2 * phi_2 - 4 * phi_3, 4 * phi_3 - phi_2
        return whole * a + dt * (
            weights[0] * of_a + weights[1] * (of_first + of_second) + weights[2] * of_third
        )

    def _advance(self, a: Array, dt: float, node: float, row: tuple, slopes: list[Array]) -> Array:
        """exp(-nu k^2 node dt) a + dt sum_j row_j exp(-nu k^2 (node - node_j) dt) slope_j."""
        nodes = TABLES[self.scheme][0]
        result = np.exp(-self.viscosity * self.k2 * node * dt) * a
        for weight, earlier, slope in zip(row, nodes, slopes, strict=False):
            result = result + dt * weight * np.exp(-self.viscosity * self.k2 * (node - earlier) * dt) * slope
        return result

    def multistep(self, a: Array, steps: list[float], first_number: int = 0) -> list[Array]:
        """The states after steps of Adams and Bashforth of these lengths, the first by Heun's scheme.

        The weights of the tendencies at the times -t_j integrate 1, t, t², … from 0 to dt exactly.
        """
        starting = replace(self, scheme="rk2")
        states, past = [], []  # the past: how long ago, and the tendency
        for number, dt in enumerate(steps):
            begins = number == 0 or dt > LONGEST_GROWTH * steps[number - 1]
            tendency = self.nonlinear(a, self.stage_grid(0, first_number + number))
            past = [(0.0, tendency), *([] if begins else past)][: 1 + EARLIER[self.scheme]]
            if begins:
                a = starting.step(a, dt, first_number + number)
            else:
                powers = np.arange(len(past))
                nodes = np.array([-ago for ago, _ in past])
                weights = np.linalg.solve(nodes ** powers[:, None], dt ** (powers + 1.0) / (powers + 1))
                a = np.exp(-self.viscosity * self.k2 * dt) * a
                for weight, (ago, earlier) in zip(weights, past, strict=True):
                    a = a + weight * np.exp(-self.viscosity * self.k2 * (dt + ago)) * earlier
            past = [(ago + dt, earlier) for ago, earlier in past]
            states.append(a)
        return states

    # Measures

    @cached_property
    def shell(self) -> Array:
        """Shell n holds n - 1/2 <= |k| / k_min < n + 1/2, whatever rounding makes of a tie."""
        return np.floor(np.sqrt(self.k2) / self.smallest_wavenumber + 0.5 + 1e-9).astype(int)

    def by_shell(self, values: Array) -> Array:
        """Sums over shells, up to the last with a kept mode."""
        shells = self.shell[self.mask].max() + 1
        return np.bincount(self.shell[self.mask], values[self.mask], shells)

    def energy_spectrum(self, a: Array) -> Array:
        return self.by_shell((np.abs(a) ** 2).sum(0) / 2)

    def helicity_spectrum(self, a: Array) -> Array:
        return self.by_shell((a.conj() * self.curl(a)).sum(0).real)

    def transfer(self, a: Array, tendency: Array) -> Array:
        return self.by_shell((a.conj() * tendency).sum(0).real)

    def statistics(self, a: Array) -> dict[str, float]:
        norm = (np.abs(a) ** 2).sum(0)
        enstrophy = (self.k2 * norm).sum() / 2
        return {
            "energy": norm.sum() / 2,
            "dissipation": 2 * self.viscosity * enstrophy,
            "enstrophy": enstrophy,
            "helicity": self.helicity_spectrum(a).sum(),
            "palinstrophy": (self.k2**2 * norm).sum() / 2,
            "energy_per_wavenumber": (norm[self.k2 > 0] / np.sqrt(self.k2[self.k2 > 0])).sum() / 2,
            "maximum_divergence": np.abs((self.k * a).sum(0)).max(),
        }

    def speeds(self, u: Array) -> tuple[float, float]:
        """Largest |u|/dx + |v|/dy + |w|/dz and largest |u| of values at points."""
        rate = sum(np.abs(u[axis]) / self.spacing[axis] for axis in self.axes)
        return float(rate.max()), float(np.sqrt((u**2).sum(0).max()))

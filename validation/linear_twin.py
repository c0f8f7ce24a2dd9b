"""Linearly forced turbulence by an independent NumPy program, compared with a run of forced.py.

    .venv/bin/python validation/linear_twin.py linear-32      after forced.py run linear-32; ten minutes
    .venv/bin/python validation/linear_twin.py linear-64      after forced.py run linear-64; forty minutes

It solves du/dt = u × curl u − grad p + ν ∇²u + A u for the same A, ν and number of points. It uses the
rotational form of the nonlinear term, truncation by 2/3, and the classical scheme of fourth order with an
integrating factor. The solver shares no line with whorl. The program compares E, and l = u'³/ε over the
length of the box. It writes validation/results/NAME-twin.json and the table in docs/validation.md, and exits
with 1 if they differ by more than three standard errors.
"""

import math
import sys

import numpy as np
from comparison import Error, show, write_page_table, write_result
from forced import VALIDATIONS
from forced_judges import mean_of
from kept_runs import kept_in
from scipy import fft
from whorl import open_run

RUNS = {"linear-32": (0.015, 60.0, 600.0), "linear-64": (0.02, 40.0, 400.0)}  # dt, where averages begin, end
AXES = (1, 2, 3)


class Twin:
    """Modes with kz ≥ 0 of three components; values at the points are their sums, without a factor."""

    def __init__(self, points: int, viscosity: float, rate: float, dt: float) -> None:
        self.points, self.viscosity, self.rate, self.dt = points, viscosity, rate, dt
        numbers = np.fft.fftfreq(points, 1 / points)
        self.k = np.array(np.meshgrid(numbers, numbers, np.arange(points // 2 + 1), indexing="ij"))
        self.k2 = (self.k**2).sum(axis=0)
        self.kept = (np.abs(self.k) < points / 3).all(axis=0) & (self.k2 > 0)
        self.weight = np.where(self.k[2] == 0, 1.0, 2.0)
        self.factor = np.exp(-viscosity * self.k2 * dt / 2)
        self.over_k2 = np.divide(1.0, self.k2, out=np.zeros_like(self.k2), where=self.k2 > 0)

    def to_points(self, modes: np.ndarray) -> np.ndarray:
        return fft.irfftn(modes, s=(self.points,) * 3, axes=AXES, norm="forward")

    def to_modes(self, values: np.ndarray) -> np.ndarray:
        """The solenoidal part of the kept modes."""
        modes = fft.rfftn(values, axes=AXES, norm="forward") * self.kept
        return modes - self.k * ((self.k * modes).sum(axis=0) * self.over_k2)

    def tendency(self, u: np.ndarray) -> np.ndarray:
        vorticity = 1j * np.cross(self.k, u, axis=0)
        return self.to_modes(np.cross(self.to_points(u), self.to_points(vorticity), axis=0)) + self.rate * u

    def step(self, u: np.ndarray) -> np.ndarray:
        dt, factor = self.dt, self.factor
        first = self.tendency(u)
        second = self.tendency(factor * (u + dt / 2 * first))
        third = self.tendency(factor * u + dt / 2 * second)
        fourth = self.tendency(factor**2 * u + dt * factor * third)
        return factor**2 * u + dt / 6 * (factor**2 * first + 2 * factor * (second + third) + fourth)

    def statistics(self, u: np.ndarray) -> tuple[float, float]:
        """Energy and dissipation."""
        squares = self.weight * (np.abs(u) ** 2).sum(axis=0)
        return 0.5 * float(squares.sum()), self.viscosity * float((self.k2 * squares).sum())

    def simulate(self, end: float) -> np.ndarray:
        """Rows of time, energy and dissipation."""
        u = self.to_modes(np.random.default_rng(1).standard_normal((3, *(self.points,) * 3)))
        u *= np.exp(-self.k2 / 8)
        u *= math.sqrt(0.6 / self.statistics(u)[0])
        rows = []
        for number in range(1, round(end / self.dt) + 1):
            u = self.step(u)
            if number % 20 == 0:
                rows.append((number * self.dt, *self.statistics(u)))
            if number % 200 == 0:
                u = self.to_modes(self.to_points(u))  # else modes of no real field grow from rounding
        return np.array(rows)


def measured(
    skipped: float, time: np.ndarray, energy: np.ndarray, dissipation: np.ndarray
) -> list[tuple[float, float]]:
    """The mean energy, and l over the length of the box, each with its standard error.

    The balance ε = 2AE of a stationary state gives l = u'/(3A), whose relative error is half the energy's.
    """
    later = time > skipped
    mean = mean_of(time[later], energy[later])
    length = (2 / 3 * mean.mean) ** 1.5 / mean_of(time[later], dissipation[later]).mean / (2 * math.pi)
    return [(mean.mean, mean.error), (length, length * mean.error / mean.mean / 2)]


def compared(what: str, own: tuple[float, float], twin: tuple[float, float]) -> Error:
    told = f"{what} = {own[0]:.4f} ± {own[1]:.2g}, of the twin {twin[0]:.4f} ± {twin[1]:.2g}"
    return Error(f"{told}, in standard errors", abs(own[0] - twin[0]) / math.hypot(own[1], twin[1]), 3.0)


def main(name: str) -> None:
    case, (dt, skipped, end) = VALIDATIONS[name].case, RUNS[name]
    points, viscosity, rate = case["grid"]["points"], case["flow"]["viscosity"], case["forcing"][0]["rate"]
    twin = measured(skipped, *Twin(points, viscosity, rate, dt).simulate(end).T)
    series = open_run(kept_in(name)).series
    own = measured(skipped, *(series[column].values for column in ("time", "energy", "dissipation")))
    errors = [compared(*each) for each in zip(("E", "l / L"), own, twin, strict=True)]
    title = f"Linear forcing at {points}³ and by NumPy"
    show(title, errors)
    run = {"points": points, "viscosity": viscosity, "rate": rate, "dt": dt, "end": end}
    write_result(f"{name}-twin", title, errors, run)
    write_page_table(f"{name}-twin", errors)
    if any(error.verdict == "FAILED" for error in errors):
        raise SystemExit(1)


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in RUNS:
        raise SystemExit(f"give the name of the run: {' or '.join(RUNS)}")
    main(sys.argv[1])

"""Linearly forced turbulence by an independent program of NumPy, beside the run linear-32 of forced.py.

    .venv/bin/python validation/linear_twin.py        after: forced.py run linear-32; ten minutes

It solves du/dt = u × curl u − grad p + ν ∇²u + A u for the same A, ν and 32³ points, with the rotational form
of the nonlinear term, truncation by 2/3, and the classical scheme of fourth order with an integrating factor,
and shares no line with whorl. It compares E, and l = u'³/ε over the length of the box, writes
validation/results/linear-twin.json and the table in docs/validation.md, and exits with 1 if they differ by
more than three standard errors, or five per cent.
"""

import math

import numpy as np
from comparison import Error, show, write_page_table, write_result
from forced import VALIDATIONS
from forced_judges import mean_of
from kept_runs import kept_in
from scipy import fft
from whorl import open_run

NAME, RUN = "linear-twin", "linear-32"
CASE = VALIDATIONS[RUN].case
POINTS, VISCOSITY = CASE["grid"]["points"], CASE["flow"]["viscosity"]
RATE = CASE["forcing"][0]["rate"]
DT, SKIPPED, END = 0.015, 60.0, 600.0
AXES = (1, 2, 3)

numbers = np.fft.fftfreq(POINTS, 1 / POINTS)
k = np.array(np.meshgrid(numbers, numbers, np.arange(POINTS // 2 + 1), indexing="ij"))
k2 = (k**2).sum(axis=0)
kept = (np.abs(k) < POINTS / 3).all(axis=0) & (k2 > 0)
weight = np.where(k[2] == 0, 1.0, 2.0) / POINTS**6
factor = np.exp(-VISCOSITY * k2 * DT / 2)


def to_points(modes: np.ndarray) -> np.ndarray:
    return fft.irfftn(modes, s=(POINTS,) * 3, axes=AXES)


def to_modes(values: np.ndarray) -> np.ndarray:
    """The solenoidal part of the kept modes."""
    modes = fft.rfftn(values, axes=AXES) * kept
    return modes - k * (k * modes).sum(axis=0) / np.where(k2 > 0, k2, 1.0)


def tendency(u: np.ndarray) -> np.ndarray:
    vorticity = 1j * np.cross(k, u, axis=0)
    return to_modes(np.cross(to_points(u), to_points(vorticity), axis=0)) + RATE * u


def step(u: np.ndarray) -> np.ndarray:
    first = tendency(u)
    second = tendency(factor * (u + DT / 2 * first))
    third = tendency(factor * u + DT / 2 * second)
    fourth = tendency(factor**2 * u + DT * factor * third)
    return factor**2 * u + DT / 6 * (factor**2 * first + 2 * factor * (second + third) + fourth)


def statistics(u: np.ndarray) -> tuple[float, float]:
    """Energy and dissipation."""
    squares = weight * (np.abs(u) ** 2).sum(axis=0)
    return 0.5 * float(squares.sum()), VISCOSITY * float((k2 * squares).sum())


def simulate() -> np.ndarray:
    """Rows of time, energy and dissipation."""
    u = to_modes(np.random.default_rng(1).standard_normal((3, POINTS, POINTS, POINTS))) * np.exp(-k2 / 8)
    u *= math.sqrt(0.6 / statistics(u)[0])
    rows = []
    for number in range(1, round(END / DT) + 1):
        u = step(u)
        if number % 20 == 0:
            rows.append((number * DT, *statistics(u)))
        if number % 200 == 0:
            u = to_modes(to_points(u))  # modes of no real field would grow out of rounding
    return np.array(rows)


def measured(time: np.ndarray, energy: np.ndarray, dissipation: np.ndarray) -> tuple[float, float, float]:
    """The mean energy, its standard error, and l over the length of the box."""
    later = time > SKIPPED
    mean = mean_of(time[later], energy[later])
    length = (2 / 3 * mean.mean) ** 1.5 / mean_of(time[later], dissipation[later]).mean
    return mean.mean, mean.error, length / (2 * math.pi)


def main() -> None:
    series = open_run(kept_in(RUN)).series
    own = measured(*(series[name].values for name in ("time", "energy", "dissipation")))
    twin = measured(*simulate().T)
    apart = abs(own[0] - twin[0]) / math.hypot(own[1], twin[1])
    told = f"E = {own[0]:.4f} ± {own[1]:.2g}, of the twin {twin[0]:.4f} ± {twin[1]:.2g}, in standard errors"
    lengths = f"l / L = {own[2]:.4f}, of the twin {twin[2]:.4f}, relative"
    errors = [Error(told, apart, 3.0), Error(lengths, abs(own[2] / twin[2] - 1), 0.05)]
    title = "Linear forcing at 32³ and by NumPy"
    show(title, errors)
    run = {"points": POINTS, "viscosity": VISCOSITY, "rate": RATE, "dt": DT, "end": END}
    write_result(NAME, title, errors, run)
    write_page_table(NAME, errors)
    if any(error.verdict == "FAILED" for error in errors):
        raise SystemExit(1)


if __name__ == "__main__":
    main()

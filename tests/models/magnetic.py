"""Cases of magnetohydrodynamics, their random fields, and the check of a single mode."""

import numpy as np
from models.runs import TAU, advance, error, make_case, noise, wave
from whorl.config.case import Case

NU, ETA = 0.03, 0.11
B0 = (0.3, 0.2, 1.1)
BOX = (12, 16, 10)
LENGTHS = (TAU, 1.2 * TAU, 0.9 * TAU)
GRID = {"lengths": LENGTHS}
FIELDS = ("velocity", "magnetic")


def mhd(points=8, *, viscosity=0.0, **options) -> Case:
    if "resistivity" not in options and "magnetic_prandtl" not in options:
        options["resistivity"] = viscosity
    return make_case("mhd", points, viscosity=viscosity, **options)


def check_wave(case: Case, k, u, b, s, steps: int, limit: float) -> None:
    """The mode (u, b) exp(i k·x + s t), alone, is a solution at any amplitude."""
    exact = {"velocity": wave(k, u, s), "magnetic": wave(k, b, s)}
    simulation = advance(case, exact, steps)
    for name, function in exact.items():
        assert error(simulation, name, function) < limit, name


def random_fields(case: Case, size=1.0) -> dict[str, np.ndarray]:
    return {name: noise(case, 3, 11 + n, size=size) for n, name in enumerate(FIELDS)}

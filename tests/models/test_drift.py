"""Single precision over 10⁴ steps: what each step rounds may add up at random, √n of it, and not one way."""

import math

import numpy as np
import pytest
from models import runs
from support.examples import examples

STEPS = examples(10_000)
LIMIT = math.sqrt(STEPS) * runs.EPSILON["single"]


def before_and_after(model, initial, conserved, points=8, **settings):
    """The sum of some statistics, in single precision, of the first state and of that STEPS steps later."""
    case = runs.make_case(model, points, run={"precision": "single"}, **settings)
    simulation = runs.advance(case, initial, 0)
    first = simulation.statistics()
    for _ in range(STEPS):
        simulation.step()
    last = simulation.statistics()
    return [math.fsum(row[name] for name in conserved) for row in (first, last)]


def crossed(x, y, z, t):
    """A velocity w(x, y) of waves of one length, which nothing carries."""
    return 0.0, 0.0, np.sin(x + 2 * y) + 0.3 * np.cos(2 * x - y)


@pytest.mark.parametrize(
    "scheme",
    ["rk2", "ab3", *(pytest.param(name, marks=pytest.mark.slow) for name in ("rk3", "rk4", "rk4-gill"))],
)
def test_what_decays_keeps_to_its_exponential(scheme):
    nu, dt = 0.0123, 1e-3
    flow = {"viscosity": nu, "scheme": scheme, "dt": dt}
    first, last = before_and_after("navier-stokes", {"velocity": crossed}, ["energy"], **flow)
    assert last == pytest.approx(first * math.exp(-2 * nu * 5 * STEPS * dt), rel=LIMIT, abs=0)


def noise(components, points=(8, 8, 8)):
    """So little that linear terms do all there is to do; no mean, which turns by nothing and rounds alike."""
    values = 1e-4 * np.random.default_rng(3).standard_normal((components, *reversed(points)))
    return values - values.mean(axis=(1, 2, 3), keepdims=True)


# Flows whose linear terms are taken exactly, and what these conserve. In a step the fastest turn by an angle
# of about one.
LOSSLESS = {"viscosity": 0.0, "linear": "exact"}
FLOWS = {
    "rotation": ("navier-stokes", ["energy"], {**LOSSLESS, "rotation": 0.6}),
    "mean velocity": ("navier-stokes", ["energy"], {**LOSSLESS, "mean_velocity": (0.4, 0.1, 0.2)}),
    "beta": ("navier-stokes-2d", ["enstrophy"], {**LOSSLESS, "beta": 1.1}),
    "buoyancy": (
        "boussinesq",
        ["energy", "potential_energy"],
        {**LOSSLESS, "diffusivity": 0.0, "buoyancy_frequency": 1.1, "rotation": 0.2},
    ),
    "whistlers": (
        "mhd",
        ["energy", "magnetic_energy"],
        {**LOSSLESS, "resistivity": 0.0, "mean_field": (0.1, 0.0, 0.3), "hall": 0.3},
    ),
    "condensate": (
        "gross-pitaevskii",
        ["mass"],
        {"linear": "exact", "sound_speed": 1e-3, "coherence_length": 300.0},
    ),
}
FIELDS = {
    "navier-stokes": {"velocity": noise(3)},
    "navier-stokes-2d": {"vorticity": noise(1, (8, 8, 1))},
    "boussinesq": {"velocity": noise(3), "temperature": noise(1)},
    "mhd": {"velocity": noise(3), "magnetic": noise(3)},
    "gross-pitaevskii": {"psi": noise(2)},
}


@pytest.mark.parametrize("name", FLOWS)
def test_what_turns_exactly_keeps_its_energy(name):
    model, conserved, flow = FLOWS[name]
    points = 8 if model != "navier-stokes-2d" else (8, 8, 1)
    first, last = before_and_after(model, FIELDS[model], conserved, points, scheme="rk2", dt=1.0, **flow)
    assert last == pytest.approx(first, rel=LIMIT, abs=0)

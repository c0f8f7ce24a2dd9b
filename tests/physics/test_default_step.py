"""The step that is taken where a case says nothing of scheme and Courant number."""

import numpy as np
import pytest
from support import devices
from whorl.case import Case
from whorl.simulation import Simulation

POINTS, STEPS = 32, 60


def growth(dealias: str, time: dict) -> float:
    """Of the energy of noise that a stream carries along x, without viscosity: after STEPS ÷ before."""
    case = Case(
        grid={"points": [POINTS, 4, 4], "dealias": dealias},
        flow={"viscosity": 0.0},
        time={"steps": STEPS, **time},
        run={"threads": 1, "device": devices.current()},
    )
    velocity = 1e-6 * np.random.default_rng(5).standard_normal((3, 4, 4, POINTS))
    velocity[0] += 1.0 - velocity[0].mean()
    simulation = Simulation(case, {"velocity": velocity})
    before = disturbance(simulation)
    while not simulation.finished:
        simulation.step()
    return disturbance(simulation) / before


def disturbance(simulation: Simulation) -> float:
    """Of the two components across the stream."""
    return float(np.square(simulation.velocity()[1:]).sum())


@pytest.mark.parametrize("dealias", ["2/3", "phase-shift", "none"])
def test_the_default_is_stable_without_viscosity(dealias):
    assert growth(dealias, {}) <= 1.0


@pytest.mark.parametrize("dealias", ["phase-shift", "none"])
def test_a_quarter_more_is_not(dealias):
    assert growth(dealias, {"courant": 1.15}) > 2.0

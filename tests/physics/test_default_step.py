"""The step that is taken where a case says nothing of scheme and Courant number."""

import numpy as np
import pytest
from support import devices
from whorl.config.case import Case
from whorl.config.schemes import SCHEMES, largest_courant
from whorl.run.simulation import Simulation

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


STABLE = [name for name, stability in SCHEMES.items() if stability.frequency]


def disturbance(simulation: Simulation) -> float:
    """Of the two components across the stream."""
    return float(np.square(simulation.velocity()[1:]).sum())


@pytest.mark.parametrize("dealias", ["2/3", "phase-shift", "none"])
def test_the_default_is_stable_without_viscosity(dealias):
    assert growth(dealias, {}) <= 1.0


@pytest.mark.parametrize("scheme", STABLE)
def test_so_is_that_of_every_scheme_which_can_be(scheme):
    assert growth("none", {"scheme": scheme}) <= 1.0


@pytest.mark.parametrize("dealias", ["2/3", "phase-shift", "none"])
@pytest.mark.parametrize("scheme", STABLE)
def test_beyond_the_limit_none_is(scheme, dealias):
    """Steps are of one length; the noise is of all wavenumbers that are kept."""
    limit = largest_courant(scheme, dealias)
    below, above = (growth(dealias, {"scheme": scheme, "courant": part * limit}) for part in (0.93, 1.2))
    assert below <= 1.0
    assert above > 2.0


GROWING = [name for name, stability in SCHEMES.items() if not stability.frequency]
FACTORS = {
    "rk2": lambda z: [1 + 1j * z - z**2 / 2],
    "etdrk2": lambda z: [1 + 1j * z - z**2 / 2],
    "ab2": lambda z: np.roots([1, -(1 + 1.5j * z), 0.5j * z]),
}


@pytest.mark.parametrize("scheme", GROWING)
def test_a_step_doubles_waves_at_the_limit_of_schemes_that_let_all_grow(scheme):
    """By what multiplies a mode in a step, and by the core: a wave across a stream has no other terms."""
    limit = SCHEMES[scheme].doubling
    assert largest_courant(scheme, "none") == pytest.approx(limit / np.pi)
    assert np.abs(FACTORS[scheme](limit)).max() == pytest.approx(2, rel=1e-5)
    n, points, begun = 5, 16, 12  # steps, after which ab2 has left its first one behind
    case = Case(
        grid={"points": [points, 4, 4]},
        flow={"viscosity": 0.0},
        time={"dt": limit / n, "steps": begun + 1, "scheme": scheme},
        run={"threads": 1, "device": devices.current()},
    )
    velocity = np.zeros((3, 4, 4, points))
    velocity[0] = 1.0
    velocity[1] = 1e-8 * np.cos(n * 2 * np.pi / points * np.arange(points))
    simulation = Simulation(case, {"velocity": velocity})
    while simulation.step_number < begun:
        simulation.step()
    before = disturbance(simulation)
    simulation.step()
    assert disturbance(simulation) / before == pytest.approx(4, rel=1e-4)


def test_every_scheme_has_a_default_and_a_limit_or_a_growth():
    for scheme, stability in SCHEMES.items():
        assert (stability.frequency is None) == (stability.growth > 0) == np.isfinite(stability.doubling)
        assert (
            Case(
                grid={"points": 8}, flow={"viscosity": 0.1}, time={"scheme": scheme, "steps": 1}
            ).time.courant
            == stability.courant
        )
        assert stability.courant <= largest_courant(scheme, "none")

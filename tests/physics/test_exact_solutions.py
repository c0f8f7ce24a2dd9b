"""Solutions in closed form, in every orientation and away from the grid's symmetries."""

import math

import numpy as np
import pytest
from physics.flows import (
    AXES,
    SCHEMES,
    TAU,
    TRUNCATIONS,
    beltrami,
    distance,
    error,
    make_case,
    names,
    noise,
    planar_vortices,
    plane_wave,
    run,
    shifted,
    slope,
    turned,
)

pytestmark = pytest.mark.every_device

NU = 0.05
ROUNDING = 2e-14
BOX = (12, 16, 18)


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("flow", [planar_vortices, beltrami, plane_wave])
def test_it_decays_as_known_in_every_orientation(flow, axes):
    exact = shifted(turned(flow(NU), axes))
    simulation = run(make_case(BOX, NU, dt=0.05), exact, 10)
    assert error(simulation, exact) < ROUNDING


@pytest.mark.turns
@pytest.mark.parametrize("truncation", TRUNCATIONS, ids=names())
@pytest.mark.parametrize("scheme", SCHEMES)
def test_it_decays_as_known_by_every_scheme_and_truncation(scheme, truncation):
    for exact in (shifted(beltrami(NU)), shifted(plane_wave(NU))):
        simulation = run(make_case(BOX, NU, scheme=scheme, dt=0.05, **truncation), exact, 10)
        assert error(simulation, exact) < ROUNDING


def test_vorticity_and_helicity_of_a_beltrami_flow():
    simulation = run(make_case(BOX, NU, dt=0.05), shifted(beltrami(NU)), 4)
    assert distance(simulation.vorticity(), simulation.velocity()) < ROUNDING
    is_now = simulation.statistics()
    energy = (1.0**2 + 0.7**2 + 0.43**2) / 2 * math.exp(-2 * NU * 0.2)
    assert is_now["energy"] == pytest.approx(energy, rel=ROUNDING)
    assert is_now["enstrophy"] == pytest.approx(energy, rel=ROUNDING)
    assert is_now["helicity"] == pytest.approx(2 * energy, rel=ROUNDING)
    assert is_now["dissipation"] == pytest.approx(2 * NU * energy, rel=ROUNDING)


@pytest.mark.parametrize("points", [(12, 18, 1), (12, 18, 10)], ids=["2D", "3D"])
def test_vortices_in_a_box_of_unequal_lengths(points):
    lengths = (3.0, 5.0, 0.7)
    exact = shifted(planar_vortices(NU, lengths=lengths))
    simulation = run(make_case(points, NU, dt=0.01, lengths=lengths), exact, 10)
    assert error(simulation, exact) < ROUNDING


@pytest.mark.parametrize("axes", AXES)
def test_carried_vortices(axes):
    """Rk4 at this step is off by 3e-9, the mean flow by nothing."""
    mean = (0.8, -0.5, 0.3)
    exact = shifted(turned(planar_vortices(NU, mean), axes))
    simulation = run(make_case(BOX, NU, dt=0.02), exact, 25)
    assert error(simulation, exact) < 1e-8
    drift = simulation.velocity().mean(axis=(1, 2, 3)) - [mean[axes.index(i)] for i in range(3)]
    assert np.abs(drift).max() < ROUNDING


@pytest.mark.parametrize(("scheme", "order"), SCHEMES.items())
def test_carried_vortices_converge_at_the_scheme_s_order(scheme, order):
    exact = planar_vortices(NU, (0.8, -0.5, 0.3))
    counts = [5, 10, 20, 40]
    cases = [make_case((12, 12, 6), NU, scheme=scheme, dt=1 / n) for n in counts]
    errors = [error(run(case, exact, n), exact) for case, n in zip(cases, counts, strict=True)]
    assert slope([1 / n for n in counts], errors) == pytest.approx(order, abs=0.1)


@pytest.mark.parametrize(("precision", "rounding"), [("double", 1e-14), ("single", 3e-6)])
def test_every_mode_decays_at_its_own_rate(precision, rounding):
    """A field too weak to interact, and steps in which the smallest scales lose all but a thousandth."""
    lengths = (TAU, 1.5 * TAU, 0.75 * TAU)
    case = make_case(BOX, 0.1, dt=0.5, precision=precision, lengths=lengths)
    simulation = run(case, noise(BOX, size=1e-15), 0)
    before = np.fft.fftn(simulation.velocity().astype(float), axes=(1, 2, 3))
    for _ in range(2):
        simulation.step()
    after = np.fft.fftn(simulation.velocity().astype(float), axes=(1, 2, 3))
    k = [TAU * np.fft.fftfreq(n, length / n) for n, length in zip(BOX, lengths, strict=True)]
    square = k[2][:, None, None] ** 2 + k[1][:, None] ** 2 + k[0] ** 2
    factor = np.broadcast_to(np.exp(-0.1 * square), before.shape)
    loud = np.abs(before) > 0.3 * np.abs(before).max()
    assert loud.sum() > 100
    assert factor[loud].min() < 0.02
    assert np.abs(after - factor * before)[loud].max() < rounding * np.abs(before).max()
    gentle = loud & (factor > 0.05)
    assert np.abs(after[gentle] / before[gentle] / factor[gentle] - 1).max() < rounding


def test_viscosity_without_bound_leaves_a_flow_at_rest():
    simulation = run(make_case(8, 1e6, dt=1.0), shifted(beltrami(0.0)), 2)
    assert np.abs(simulation.velocity()).max() < 1e-16


def test_a_uniform_flow_stays():
    simulation = run(make_case(BOX, NU, scheme="rk3"), lambda x, y, z: (1.5, -2.25, 0.5), 3)
    assert np.abs(simulation.velocity() - np.array([1.5, -2.25, 0.5])[:, None, None, None]).max() < ROUNDING

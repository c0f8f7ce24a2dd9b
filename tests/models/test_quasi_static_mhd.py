"""Quasi-static magnetohydrodynamics: Joule damping by angle, exact in time, its budget and its measure."""

import math
from itertools import permutations

import numpy as np
import pytest
from models.runs import (
    TAU,
    Modes,
    advance,
    check_spectrum,
    distance,
    error,
    helical,
    inner,
    make_case,
    noise,
    per_time,
    transverse,
    wave,
)

pytestmark = pytest.mark.every_device

NU, Q = 0.03, 2.4
BOX = (12, 16, 10)
GRID = {"lengths": (TAU, 1.2 * TAU, 0.9 * TAU)}
FIELD = (1.0, -2.0, 2.0)  # of length 3: only its direction counts
WAVES = (*permutations((1, 2, -2)), (2, 0, 0), (0, -1, 0), (0, 0, 2), (2, 1, 0))


def quasi_static(points=8, **options):
    return make_case("quasi-static-mhd", points, **{"viscosity": NU, "interaction": Q} | options)


def joule_rate(k) -> float:
    return Q * np.dot(k, FIELD) ** 2 / (np.dot(k, k) * np.dot(FIELD, FIELD))


@pytest.mark.parametrize("k", sorted(set(WAVES)), ids=str)
def test_joule_damping_by_angle(k):
    """u = ê sin(k·x) exp[−(ν k² + Q cos²θ) t], θ between k and the field, in one step of any length."""
    case = quasi_static(field_direction=FIELD, dt=1.7)
    exact = wave(k, transverse(k, seed=1) * np.exp(0.3j), -NU * np.dot(k, k) - joule_rate(k))
    assert error(advance(case, {"velocity": exact}, 2), "velocity", exact) < 1e-11


@pytest.mark.parametrize("linear", ["explicit", "exact"])
@pytest.mark.parametrize("handed", [1, -1])
def test_damped_inertial_wave(linear, handed):
    """Joule damping, viscosity and rotation at once: ω = −s 2Ω·k/k beside the decay."""
    omega = np.array([0.4, -0.9, 1.4])
    dt, steps, limit = (1.3, 2, 1e-11) if linear == "exact" else (0.005, 40, 1e-8)
    case = quasi_static(field_direction=FIELD, rotation=tuple(omega), linear=linear, dt=dt)
    for k in WAVES:
        turn = -handed * 2 * np.dot(omega, k) / math.sqrt(np.dot(k, k))
        exact = wave(k, helical(k, handed, 2), -NU * np.dot(k, k) - joule_rate(k) - 1j * turn)
        assert error(advance(case, {"velocity": exact}, steps), "velocity", exact) < limit


def test_the_mean_flow_is_not_damped():
    """No gradient along the field, no current."""
    case = quasi_static(dt=1.0)
    flow = np.full((3, 8, 8, 8), 0.7)
    assert np.abs(advance(case, {"velocity": flow}, 2).velocity() - flow).max() < 1e-15


def test_without_interaction_it_is_navier_stokes():
    field = noise(quasi_static(BOX, grid=GRID), 3, seed=2)
    ends = [
        advance(make_case(model, BOX, viscosity=NU, grid=GRID, **more), {"velocity": field}, 5).velocity()
        for model, more in (("quasi-static-mhd", {"interaction": 0.0}), ("navier-stokes", {}))
    ]
    assert distance(*ends) < 1e-14


def test_budget_and_statistics():
    """dE/dt = −ε with the Joule part Q⟨|∇⁻¹(e·∇)u|²⟩ in ε, and told beside it."""
    case = quasi_static(BOX, field_direction=FIELD, drag=0.2, grid=GRID, dt=2e-4)
    initial = {"velocity": noise(case, 3, seed=3)}
    rate = per_time(case, initial, ["energy"], dt=2e-4)["energy"]
    middle, modes = advance(case, initial, 2), Modes(case)
    u, measured = modes.of(middle.velocity()), middle.statistics()
    unit = np.array(FIELD) / np.linalg.norm(FIELD)
    across = np.tensordot(unit, modes.k, 1) * np.sqrt(modes.inverse_k2) * u
    joule, viscous = Q * inner(across, across), NU * inner(modes.curl(u), modes.curl(u))
    assert measured["joule_dissipation"] == pytest.approx(joule, rel=1e-12)
    assert measured["dissipation"] == pytest.approx(joule + viscous + 0.2 * inner(u, u), rel=1e-12)
    assert measured["dissipation"] == pytest.approx(-rate, abs=1e-7)
    assert joule > 0.1
    spectra = middle.flow.spectra()
    check_spectrum(spectra["energy"], modes.by_shell((np.abs(u) ** 2).sum(0) / 2))


def test_isotropic_flow_ends_with_as_much_energy_along_the_field_as_across():
    """Moffatt (1967): ⟨u∥²⟩/⟨u⊥²⟩ of weak isotropic flow goes from ½ to 1; by the integral over angles.

    ⟨u∥²⟩ ∝ ∫(1 − μ²) e^(−2Qμ²t) dμ and ⟨u⊥²⟩ ∝ ∫(1 + μ²) e^(−2Qμ²t) dμ, here the sums over the modes of a
    shell of which every orientation has the same energy.
    """
    case = quasi_static(24, viscosity=0.0, interaction=1.0, dt=1.5)
    modes = Modes(case)
    shell = (modes.k2 >= 5.5**2) & (modes.k2 < 7.5**2)
    mu2 = modes.k[2] ** 2 * modes.inverse_k2
    generator = np.random.default_rng(7)
    a = modes.of(generator.standard_normal((24, 24, 24)))
    # Equal energy in the two directions across k: along ẑ − k k_z/k² and across both.
    up = modes.solenoidal(np.stack([0 * mu2, 0 * mu2, 1 + 0 * mu2]))
    up /= np.where(mu2 < 1 - 1e-12, np.sqrt(np.abs(1 - mu2)), np.inf)
    side = 1j * np.cross(modes.k * np.sqrt(modes.inverse_k2), up, axis=0)
    isotropic = 1e-13 * np.where(shell, a / np.abs(a) * (up + side), 0)
    simulation = advance(case, {"velocity": modes.points(isotropic)}, 0)
    ratios = []
    for time in (0.0, 1.5, 3.0):
        while simulation.time < time - 1e-9:
            simulation.step()
        u = simulation.velocity()
        ratios.append((u[2] ** 2).mean() / (u[:2] ** 2).sum(0).mean())
        weight = np.where(shell & (mu2 < 1 - 1e-12), np.exp(-2 * mu2 * time), 0)
        expected = ((1 - mu2) * weight).sum() / ((1 + mu2) * weight).sum()
        assert ratios[-1] == pytest.approx(expected, rel=1e-10)
    assert ratios[0] == pytest.approx(0.5, abs=0.02)
    assert ratios[2] > 0.65

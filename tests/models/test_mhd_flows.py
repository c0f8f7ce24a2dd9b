"""Magnetohydrodynamics: the time step, published and independent numbers, kinematic dynamos."""

import math
import re

import numpy as np
import pytest
from models.magnetic import B0, BOX, FIELDS, GRID, LENGTHS, NU, check_wave, mhd, random_fields
from models.runs import TAU, Modes, abc, advance, distance, error, noise, taylor_green, transverse, wave
from support import devices
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

linears = pytest.mark.parametrize("linear", ["explicit", "exact"])


@pytest.mark.parametrize("hall", [0.0, 0.25])
def test_courant_number(hall):
    """Flow, electrons, and Alfvén and whistler waves along b and B0, whichever way they go."""
    case = mhd(BOX, viscosity=NU, mean_field=B0, hall=hall, grid=GRID, time={"courant": 0.4})
    simulation = advance(case, random_fields(case), 0)
    u, b, j = (simulation.field(name) for name in (*FIELDS, "current"))
    spacing = np.array([length / n for length, n in zip(LENGTHS, BOX, strict=True)])
    of_u, of_b, of_j = ((np.abs(f) / spacing[:, None, None, None]).sum(0) for f in (u, b, j))
    on_grid = TAU / 3 * np.linalg.norm(1 / spacing)
    local = of_u + of_b * (1 + hall * on_grid * TAU / 3) + hall * of_j
    kmax = np.array([(n - 1) // 3 * TAU / length for n, length in zip(BOX, LENGTHS, strict=True)])
    waves = np.dot(np.abs(B0), kmax) * (1 + hall * np.linalg.norm(kmax))
    unit = TAU / np.array(LENGTHS)
    largest = np.dot(np.abs(B0), unit) * (1 + hall * np.linalg.norm(unit))
    assert simulation.step().dt == pytest.approx(0.4 / (local.max() + max(waves, 5 * largest)), rel=1e-12)


def test_the_courant_number_keeps_whistlers_stable():
    """In a strong field that is no mean one, with an ion length of a third of the box: energy only falls."""

    def field(x, y, z, t):
        return 3 * np.cos(y) + 0.1 * np.cos(3 * z), 0.1 * np.cos(5 * x), 0.1 * np.sin(x + y)

    case = mhd(16, viscosity=1e-3, hall=2.0, scheme="rk3", time={"courant": 0.8})
    simulation = advance(case, {"velocity": abc(), "magnetic": field}, 0)
    energies = []
    for _ in range(150):
        now = simulation.statistics()
        energies.append(now["energy"] + now["magnetic_energy"])
        simulation.step()
    assert np.diff(energies).max() < 0


@pytest.mark.parametrize(("nu", "eta"), [(40.0, 0.1), (0.1, 40.0)])
@pytest.mark.parametrize(("precision", "limit"), [("double", 1e-10), ("single", 1e-4)])
def test_very_different_diffusivities_with_exact_terms(nu, eta, precision, limit):
    """Neither rate, times dt, need be small enough for exp(): here 160 and 640, in single 83 is the most."""
    k = (0, 0, 2)
    half, along = (nu - eta) * 2, np.dot(k, B0)
    s = -(nu + eta) * 2 + math.sqrt(half**2 - along**2)  # of the slow mode; the fast one is gone at once
    for dt in (1.0, 4.0):
        case = mhd(
            8,
            viscosity=nu,
            resistivity=eta,
            mean_field=B0,
            linear="exact",
            dt=dt,
            run={"precision": precision},
        )
        u = transverse(k, seed=1).astype(complex)
        b = 1j * along / (s + eta * 4) * u
        larger = max(1.0, np.abs(b).max() / np.abs(u).max())
        check_wave(case, k, u / larger, b / larger, s, 2, limit)


# Published and independent numbers


def field_of_class_s(x, y, z, t):
    return np.sin(x) * np.sin(y) * np.cos(z), np.cos(x) * np.cos(y) * np.cos(z), 0.0


def test_taylor_green_after_a_tenth():
    """Regression constants of spectralDNS, tests/TGMHD.py (835b01b1): ν = 1/1600, η = 0.01, Δt = 0.01."""
    case = mhd(16, viscosity=1 / 1600, resistivity=0.01, dt=0.01)
    found = advance(case, {"velocity": taylor_green, "magnetic": field_of_class_s}, 10).statistics()
    assert found["energy"] == pytest.approx(0.124565408177, abs=1e-7)
    assert found["magnetic_energy"] == pytest.approx(0.124637762143, abs=1e-7)
    # and of an independent code
    assert found["energy"] == pytest.approx(0.1245654082, abs=2e-10)
    assert found["magnetic_energy"] == pytest.approx(0.1246377621, abs=2e-10)


# An independent code at 192² (256² differs by 6e-9 in energies, 3e-7 in Z and J); ν = η = 0.01.
ORSZAG_TANG = {
    0.0: (0.5, 0.5, 0.5, 1.25, 0.3125, 0.5),
    0.5: (0.483476259, 0.66577509, 0.498106072, 1.40733302, 0.307531931, 0.495498444),
}


def test_orszag_tang():
    """Kinetic and magnetic energy, ½⟨ω²⟩, ½⟨j²⟩, ½⟨a²⟩ and ⟨u·b⟩ of the vortex."""
    case = Case(
        grid={"points": [96, 96, 1]},
        flow={"model": "mhd", "viscosity": 0.01},
        time={"scheme": "rk4", "dt": 0.01, "steps": 50},
        initial={"name": "orszag-tang", "magnetic": {"name": "orszag-tang"}},
        run={"threads": 1, "device": devices.current()},
    )
    simulation, modes = advance_ready(case, 0), Modes(case)
    for time, expected in ORSZAG_TANG.items():
        while simulation.time < time - 1e-9:
            simulation.step()
        found, b = simulation.statistics(), modes.of(simulation.field("magnetic"))
        names = ("energy", "enstrophy", "magnetic_energy", "mean_square_current")
        values = [found[name] for name in names] + [
            (0.5 * (np.abs(b) ** 2).sum(0) * modes.inverse_k2).sum(),
            found["cross_helicity"],
        ]
        assert values == pytest.approx(expected, rel=1e-6)


def advance_ready(case: Case, steps: int) -> Simulation:
    simulation = Simulation(case)
    for _ in range(steps):
        simulation.step()
    return simulation


# Kinematic dynamos


def growth(simulation, count: int) -> float:
    """½ d ln E_b/dt over the next steps."""
    start, first = simulation.time, simulation.statistics()["magnetic_energy"]
    for _ in range(count):
        simulation.step()
    return 0.5 * math.log(simulation.statistics()["magnetic_energy"] / first) / (simulation.time - start)


def test_roberts_dynamo():
    """Rm = 8, k_z = 1: growth at 0.0499421944 (an independent eigenvalue); the flow stays as it is."""
    case = Case(
        grid={"points": [20, 20, 8]},
        flow={"model": "mhd", "viscosity": 1.0, "resistivity": 0.125, "kinematic": True},
        time={"scheme": "rk4", "dt": 0.1, "steps": 10**6},
        initial={"name": "roberts", "magnetic": {"name": "random", "energy": 1e-6, "k0": 2.0}},
        run={"threads": 1, "device": devices.current()},
    )
    simulation = advance_ready(case, 0)
    flow = simulation.velocity()
    for _ in range(1200):
        simulation.step()
    assert growth(simulation, 100) == pytest.approx(0.0499421944, abs=1e-6)
    assert np.array_equal(simulation.velocity(), flow)


def test_induction_is_that_of_a_weak_field():
    """Kinematic and full equations agree where the flow is steady and the field too weak to push it."""
    common = {"viscosity": 0.02, "resistivity": 0.05, "mean_field": tuple(1e-9 * np.array(B0)), "dt": 0.02}
    case = mhd(16, **common)
    fields = {"velocity": abc(), "magnetic": noise(case, 3, seed=4, reach=3, size=1e-9)}
    prescribed = advance(mhd(16, kinematic=True, **common), fields, 20)
    # A flow that viscosity would slow down is kept by taking it away: ν = 0 and a Beltrami flow.
    full = advance(mhd(16, **common | {"viscosity": 0.0}), fields, 20)
    assert distance(prescribed.field("magnetic"), full.field("magnetic")) < 1e-11
    assert error(full, "velocity", abc()) < 1e-12


@linears
def test_kinematic_alfven_induction(linear):
    """A shear flow across B0 draws b = i (k·B0) t u out of it, η = 0."""
    k = (1, 2, -2)
    case = mhd(8, viscosity=1.0, resistivity=0.0, mean_field=B0, kinematic=True, linear=linear, dt=0.5)
    u = transverse(k, seed=6)
    simulation = advance(case, {"velocity": wave(k, u)}, 4)
    drawn = wave(k, 1j * np.dot(k, B0) * simulation.time * u)
    assert error(simulation, "magnetic", drawn) < 1e-12


@pytest.mark.parametrize(
    ("option", "shown"),
    [
        ({"hall": 0.1}, "flow.hall = 0.1"),
        ({"rotation": 2.0}, "flow.rotation = [0, 0, 2]"),
        ({"drag": 0.2}, "flow.drag = 0.2"),
        ({"hyperviscosity": 1e-3}, "flow.hyperviscosity = 0.001"),
        ({"hypoviscosity": 0.3, "drag": 0.2}, "flow.drag = 0.2 and flow.hypoviscosity = 0.3"),
    ],
    ids=str,
)
def test_nothing_acts_on_a_prescribed_flow(option, shown):
    with pytest.raises(CaseError, match=f"flow.kinematic = true .* {re.escape(shown)}; leave one"):
        mhd(8, kinematic=True, **option)
    mhd(8, **option)


def test_a_prescribed_flow_loses_nothing():
    """ν is there for the Prandtl and Schmidt numbers alone."""
    scalars = [{"name": "dye", "schmidt": 0.5}]
    case = mhd(8, viscosity=0.3, magnetic_prandtl=2.0, kinematic=True, mean_velocity=1.0, scalars=scalars)
    dye = wave((0, 1, 0), np.ones(1))
    simulation = advance(case, {"velocity": abc(), "magnetic": abc(), "dye": dye}, 1)
    now = simulation.statistics()
    assert now["dissipation"] == 0
    assert now["ohmic_dissipation"] == pytest.approx(0.15 * 2 * now["mean_square_current"], rel=1e-13)
    assert now["dye_dissipation"] == pytest.approx(0.6 * 2 * now["dye_variance"], rel=1e-3)

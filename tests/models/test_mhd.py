"""Magnetohydrodynamics: waves, the mean field, invariants, budgets and what is measured."""

import math
from itertools import permutations

import numpy as np
import pytest
from models.magnetic import B0, BOX, ETA, FIELDS, GRID, NU, check_wave, mhd, random_fields
from models.runs import (
    Modes,
    abc,
    advance,
    check_spectrum,
    distance,
    error,
    helical,
    inner,
    noise,
    per_time,
    transverse,
)

pytestmark = pytest.mark.every_device

OMEGA = (0.4, -0.9, 1.4)
WAVES = (*sorted(set(permutations((1, 2, -2)))), (2, 0, 0), (0, -1, 0), (0, 0, 2))

linears = pytest.mark.parametrize("linear", ["explicit", "exact"])


def step_of(linear: str) -> dict:
    """A step no scheme could make, or small ones; with the number of them and the error to expect."""
    return {"dt": 1.3} if linear == "exact" else {"dt": 0.005}


def outcome(linear: str) -> tuple[int, float]:
    return (2, 1e-12) if linear == "exact" else (40, 1e-8)


# Waves and decay in closed form


@linears
@pytest.mark.parametrize("sign", [1, -1])
def test_alfven_wave(linear, sign):
    """u = −b runs along B0, u = b against it: u ∝ cos(k·x ∓ k·B0 t) exp(−ν k² t)."""
    case = mhd(viscosity=NU, mean_field=B0, linear=linear, **step_of(linear))
    for k in WAVES:
        u = 1.7 * transverse(k, seed=1) * np.exp(0.6j)
        check_wave(case, k, u, -sign * u, -NU * np.dot(k, k) - 1j * sign * np.dot(k, B0), *outcome(linear))


@linears
@pytest.mark.parametrize("root", [1, -1])
def test_alfven_wave_of_two_diffusivities(linear, root):
    """(s + ν k²)(s + η k²) + (k·B0)² = 0, b/u = i k·B0/(s + η k²)."""
    case = mhd(viscosity=NU, resistivity=ETA, mean_field=B0, linear=linear, **step_of(linear))
    for k in WAVES:
        k2, along = np.dot(k, k), np.dot(k, B0)
        middle, half = -(NU + ETA) * k2 / 2, (NU - ETA) * k2 / 2
        s = middle + root * np.sqrt(complex(half**2 - along**2))
        u = transverse(k, seed=2) * np.exp(-1.1j)
        check_wave(case, k, u, 1j * along / (s + ETA * k2) * u, s, *outcome(linear))


def test_the_frequency_of_the_table():
    """k = (1, 2, 2), B0 = (.3, .2, 1.1), ν = .03, η = .11: s = −0.630000 + 2.877568 i."""
    k2, along = 9, np.dot((1, 2, 2), B0)
    s = -(NU + ETA) * k2 / 2 + 1j * math.sqrt(along**2 - ((NU - ETA) * k2 / 2) ** 2)
    assert s == pytest.approx(-0.63 + 2.877568j, abs=1e-6)


@linears
@pytest.mark.parametrize("handed", [1, -1])
@pytest.mark.parametrize("root", [1, -1])
def test_magneto_coriolis_wave(linear, handed, root):
    """Helical u exp(i k·x − i ω t), ω² + s (2Ω·k/k) ω − (k·B0)² = 0, b = −(k·B0/ω) u, with ν = η."""
    case = mhd(viscosity=NU, mean_field=B0, rotation=OMEGA, linear=linear, **step_of(linear))
    for k in WAVES:
        k2, along = np.dot(k, k), np.dot(k, B0)
        turn = handed * 2 * np.dot(OMEGA, k) / math.sqrt(k2)
        omega = -turn / 2 + root * math.hypot(turn / 2, along)
        u = helical(k, handed, seed=3)
        check_wave(case, k, u, -along / omega * u, -NU * k2 - 1j * omega, *outcome(linear))


def test_the_magneto_coriolis_frequencies_of_the_table():
    """k = (1, 2, 2), 2Ω = 3.4 ẑ, s = +1: ω = 1.98026, −4.24692."""
    turn, along = 3.4 * 2 / 3, np.dot((1, 2, 2), B0)
    assert -turn / 2 + math.hypot(turn / 2, along) == pytest.approx(1.98026, abs=1e-5)
    assert -turn / 2 - math.hypot(turn / 2, along) == pytest.approx(-4.24692, abs=1e-5)


@linears
@pytest.mark.parametrize("handed", [1, -1])
@pytest.mark.parametrize("root", [1, -1])
def test_whistler_and_ion_cyclotron_waves(linear, handed, root):
    """ω² − s d k (k·B0) ω − (k·B0)² = 0, u = −(k·B0/ω) b, of either handedness s."""
    d = 0.4
    case = mhd(viscosity=NU, mean_field=B0, hall=d, linear=linear, **step_of(linear))
    for k in WAVES:
        k2, along = np.dot(k, k), np.dot(k, B0)
        turn = handed * d * math.sqrt(k2) * along
        omega = turn / 2 + root * math.hypot(turn / 2, along)
        b = helical(k, handed, seed=4)
        check_wave(case, k, -along / omega * b, b, -NU * k2 - 1j * omega, *outcome(linear))


@linears
def test_a_mean_velocity_carries_both_fields(linear):
    k, U = (1, 2, -1), (0.7, -0.4, 1.3)
    case = mhd(viscosity=NU, mean_field=B0, mean_velocity=U, linear=linear, **step_of(linear))
    u = transverse(k, seed=5)
    s = -NU * np.dot(k, k) - 1j * (np.dot(k, B0) + np.dot(k, U))
    check_wave(case, k, u, -u, s, *outcome(linear))


def test_force_free_field_decays():
    """u = 0, b = ABC exp(−η t): no current across it; the helicity is 2 E_b."""
    case = mhd(viscosity=0.5, resistivity=ETA, dt=0.7)
    simulation = advance(case, {"magnetic": abc()}, 3)
    assert error(simulation, "magnetic", abc(rate=ETA)) < 1e-13
    assert np.abs(simulation.velocity()).max() < 1e-14
    measured = simulation.statistics()
    expected = (1 + 0.7**2 + 0.43**2) / 2 * math.exp(-2 * ETA * simulation.time)
    assert measured["magnetic_energy"] == pytest.approx(expected, rel=1e-12)
    assert measured["magnetic_helicity"] == pytest.approx(2 * expected, rel=1e-12)


def test_aligned_fields_do_not_interact():
    """u = b at ν = η and no B0: each term of one cancels the other's, whatever the field."""
    case = mhd(BOX, viscosity=0.02, grid=GRID)
    field = noise(case, 3, seed=3)
    simulation = advance(case, {"velocity": field, "magnetic": field}, 10)
    modes = Modes(case)
    start = modes.of(advance(case, {"velocity": field}, 0).velocity())
    decayed = modes.points(start * np.exp(-0.02 * modes.k2 * simulation.time))
    for name in FIELDS:
        assert distance(simulation.field(name), decayed) < 1e-13


# The mean field beside b, and in it


@pytest.mark.parametrize("options", [{}, {"hall": 0.3}, {"kinematic": True}], ids=str)
def test_a_mean_field_is_the_mean_of_b(options):
    """With explicit terms B0 as an option and as the mean of b are the same to rounding; U and ⟨u⟩ too."""
    U = (0.7, -0.4, 1.3)
    common = {"viscosity": 0.02, "resistivity": 0.03, "dt": 0.01, "grid": GRID} | options
    apart, within = mhd(BOX, mean_field=B0, mean_velocity=U, **common), mhd(BOX, **common)
    fields = {name: noise(apart, 3, seed) for seed, name in enumerate(FIELDS)}
    mean = {name: np.reshape(v, (3, 1, 1, 1)) for name, v in zip(FIELDS, (U, B0), strict=True)}
    one = advance(apart, fields, 5)
    other = advance(within, {name: fields[name] + mean[name] for name in FIELDS}, 5)
    for name in FIELDS:
        assert distance(one.field(name), other.field(name) - mean[name]) < 1e-13
    assert distance(one.field("magnetic"), fields["magnetic"]) > 0.1


# Invariants and budgets


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({}, ["energy", "cross_helicity", "magnetic_helicity"]),
        ({"mean_field": B0}, ["energy", "cross_helicity"]),
        ({"hall": 0.3}, ["energy", "magnetic_helicity"]),
        ({"hall": 0.3, "mean_field": B0}, ["energy"]),
        ({"rotation": OMEGA}, ["energy", "magnetic_helicity"]),
        (
            {"grid": GRID | {"dealias": "phase-shift-exact"}},
            ["energy", "cross_helicity", "magnetic_helicity"],
        ),
    ],
    ids=str,
)
def test_ideal_invariants(options, kept):
    """Of E_u + E_b, ⟨u·b⟩ and ⟨a·b⟩ those that the terms conserve, and only those."""
    case = mhd(BOX, **{"grid": GRID} | options)
    names = ["energy", "magnetic_energy", "cross_helicity", "magnetic_helicity"]
    rates = per_time(case, random_fields(case), names, dt=2e-4)
    rates["energy"] += rates.pop("magnetic_energy")
    for name, rate in rates.items():
        if name in kept:
            assert abs(rate) < 1e-8, name
        else:
            assert abs(rate) > 1e-3, name


def test_square_potential_is_conserved_in_a_plane():
    """½⟨a²⟩ with b = ∇×(a ẑ); only η takes of it: −2 η E_b."""
    for eta in (0.0, 0.02):
        case = mhd((16, 12, 1), viscosity=0.01, resistivity=eta, dt=1e-3)
        plane = np.array([1, 1, 0])[:, None, None, None]
        fields = {name: plane * field for name, field in random_fields(case).items()}
        simulation, modes, series = advance(case, fields, 0), Modes(case), []
        for _ in range(5):
            b = modes.of(simulation.field("magnetic"))
            series.append((0.5 * (np.abs(b) ** 2).sum(0) * modes.inverse_k2).sum())
            if len(series) == 3:
                lost = 2 * eta * simulation.statistics()["magnetic_energy"]
            simulation.step()
        rate = np.dot([1, -8, 0, 8, -1], series) / 12e-3
        assert rate == pytest.approx(-lost, abs=1e-9)
        assert series[0] > 0.01


@pytest.mark.parametrize(
    "options", [{}, {"hall": 0.2}, {"drag": 0.3, "hyperviscosity": 1e-4}, {"linear": "exact"}], ids=str
)
def test_budgets(options):
    """dE_u/dt = −ε + W, dE_b/dt = −2ηJ − W, W = ⟨u·(j×(B0 + b))⟩; also with what carries no energy."""
    case = mhd(
        BOX, viscosity=NU, resistivity=ETA, mean_field=B0, rotation=OMEGA, grid=GRID, dt=2e-4, **options
    )
    fields, names = random_fields(case), ["energy", "magnetic_energy"]
    rates = per_time(case, fields, names, dt=2e-4)
    middle = advance(case, fields, 2)
    now = middle.statistics()
    u, b, j = (middle.field(name) for name in ("velocity", "magnetic", "current"))
    work = 3 * (u * np.cross(j, b + np.reshape(B0, (3, 1, 1, 1)), axis=0)).mean()
    assert rates["energy"] == pytest.approx(work - now["dissipation"], abs=1e-7)
    assert rates["magnetic_energy"] == pytest.approx(-work - now["ohmic_dissipation"], abs=1e-7)
    assert now["lorentz_work"] == pytest.approx(work, rel=1e-11)
    assert abs(work) > 0.01


def test_lorentz_work_of_phase_shifts():
    """Free of aliases by its two grids: what ⟨u·(j×b)⟩ is on twice the points."""
    case = mhd(16, viscosity=NU, grid={"dealias": "phase-shift"})
    simulation = advance(case, random_fields(case), 0)
    fine = advance(mhd(32), {name: refined(simulation.field(name)) for name in FIELDS}, 0)
    u, b, j = (fine.field(name) for name in (*FIELDS, "current"))
    work = 3 * (u * np.cross(j, b, axis=0)).mean()
    assert simulation.statistics()["lorentz_work"] == pytest.approx(work, rel=1e-11)
    assert abs(work) > 1e-3


def refined(field: np.ndarray) -> np.ndarray:
    """The same modes on twice the points."""
    a = np.fft.fftshift(np.fft.fftn(field, axes=(1, 2, 3), norm="forward"), axes=(1, 2, 3))
    wide = np.pad(a, [(0, 0), *((n // 2, n // 2) for n in field.shape[1:])])
    return np.fft.ifftn(np.fft.ifftshift(wide, axes=(1, 2, 3)), axes=(1, 2, 3), norm="forward").real


def test_helicity_is_lost_to_currents():
    """d⟨a·b⟩/dt = −2 η⟨j·b⟩ without a mean field."""
    case = mhd(BOX, viscosity=NU, resistivity=ETA, grid=GRID, dt=2e-4)
    fields = random_fields(case)
    rate = per_time(case, fields, ["magnetic_helicity"], dt=2e-4)["magnetic_helicity"]
    middle, modes = advance(case, fields, 2), Modes(case)
    b = modes.of(middle.field("magnetic"))
    lost = 2 * ETA * inner(modes.curl(b), b)
    assert rate == pytest.approx(-lost, abs=1e-7)
    assert abs(lost) > 1e-3


# What is measured


@pytest.mark.parametrize("precision", ["double", "single"])
def test_statistics_are_their_definitions(precision):
    case = mhd(
        BOX, viscosity=NU, resistivity=ETA, hall=0.1, drag=0.2, grid=GRID, run={"precision": precision}
    )
    simulation, modes = advance(case, random_fields(case), 2), Modes(case)
    measured = simulation.statistics()
    u, b = (modes.of(simulation.field(name)) for name in FIELDS)
    j, omega, a = modes.curl(b), modes.curl(u), modes.inverse_k2 * modes.curl(b)
    expected = {
        "energy": inner(u, u) / 2,
        "dissipation": (NU * inner(omega, omega)) + 0.2 * inner(u, u),
        "enstrophy": inner(omega, omega) / 2,
        "helicity": inner(u, omega),
        "magnetic_energy": inner(b, b) / 2,
        "ohmic_dissipation": ETA * inner(j, j),
        "mean_square_current": inner(j, j) / 2,
        "cross_helicity": inner(u, b),
        "magnetic_helicity": inner(a, b),
    }
    rounding = {"double": 1e-13, "single": 1e-5}[precision]
    for name, value in expected.items():
        assert measured[name] == pytest.approx(value, rel=rounding, abs=rounding), name
    for name in ("maximum_divergence", "maximum_magnetic_divergence"):
        assert measured[name] < {"double": 1e-14, "single": 1e-5}[precision]
    assert distance(simulation.field("current"), modes.points(j)) < rounding
    assert distance(simulation.field("vorticity"), modes.points(omega)) < rounding


def test_spectra_are_their_definitions():
    case = mhd(BOX, viscosity=NU, resistivity=ETA, grid=GRID)
    simulation, modes = advance(case, random_fields(case), 2), Modes(case)
    u, b = (modes.of(simulation.field(name)) for name in FIELDS)
    spectra = simulation.flow.spectra()
    for name, values in {
        "energy": np.abs(u) ** 2 / 2,
        "helicity": (u.conj() * modes.curl(u)).real,
        "magnetic_energy": np.abs(b) ** 2 / 2,
        "cross_helicity": (u.conj() * b).real,
    }.items():
        check_spectrum(spectra[name], modes.by_shell(values.sum(0)))


@pytest.mark.parametrize("options", [{}, {"hall": 0.3}, {"mean_field": B0}], ids=str)
def test_transfers_of_both_fields_cancel(options):
    case = mhd(BOX, viscosity=NU, grid=GRID, **options)
    transfer = advance(case, random_fields(case), 1).flow.transfer()
    total = sum(sum(transfer[field]) for field in ("velocity", "magnetic"))
    assert abs(total) < 1e-11
    assert abs(sum(transfer["magnetic"])) > 1e-3

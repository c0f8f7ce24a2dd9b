"""Stratified, rotating flow: waves, exchange of kinetic and potential energy, published numbers."""

import math

import numpy as np
import pytest
from models.waves import (
    EPSILON,
    ODD,
    ROUNDING,
    Wave,
    at_start,
    by_shell,
    case_of,
    check_ranks,
    check_restart,
    of_box,
    rates_of_change,
    spectral,
    state_error,
)
from physics.flows import LINEARS, TAU, distance, noise, run, slope
from support.ranks import on_ranks
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

POINTS, LENGTHS = ODD
EVERYTHING = {
    "viscosity": 0.02,
    "diffusivity": 0.05,
    "buoyancy_frequency": 2.3,
    "hyperviscosity": 3e-4,
    "drag": 0.05,
    "hypoviscosity": 0.1,
    "rotation": (0.4, -0.7, 1.7),
    "mean_velocity": (0.7, 0.4, -0.6),
}


def make(points=POINTS, flow=None, **options):
    given = {"viscosity": 0.0, "diffusivity": 0.0, "buoyancy_frequency": 2.3} | (flow or {})
    return case_of("boussinesq", points, given, **options)


def both(wave):
    return {"velocity": wave.velocity, "temperature": wave.temperature}


def fields(points=POINTS, seed=0, reach=None, size=1.0):
    """Noise; θ has no mean, with which it is refused."""
    theta = noise(points, seed + 100, reach, size)[:1]
    return {
        "velocity": noise(points, seed, reach, size),
        "temperature": 0.8 * (theta - theta.mean()),
    }


# Waves


@pytest.mark.parametrize("numbers", [(2, 0, 1), (0, 2, -1), (1, -2, 3), (3, 0, 0)], ids=str)
def test_an_internal_gravity_wave(numbers):
    """u = a e2 cos φ, θ = a sin φ, φ = k·x − ω t, e2 = (kz k_h/k_h, −k_h)/k, ω = N k_h/k."""
    N, nu, amplitude = 2.3, 0.03, 1.7
    k = np.array(of_box(numbers, LENGTHS))
    horizontal, size = math.hypot(k[0], k[1]), np.linalg.norm(k)
    e2 = np.array([k[2] * k[0] / horizontal, k[2] * k[1] / horizontal, -horizontal]) / size

    def phase(x, y, z, t):
        return k[0] * x + k[1] * y + k[2] * z - N * horizontal / size * t + 0.6

    def velocity(x, y, z, t=0.0):
        wave = amplitude * math.exp(-nu * size**2 * t) * np.cos(phase(x, y, z, t))
        return tuple(component * wave for component in e2)

    def temperature(x, y, z, t=0.0):
        return (amplitude * math.exp(-nu * size**2 * t) * np.sin(phase(x, y, z, t)),)

    exact = {"velocity": velocity, "temperature": temperature}
    flow = {"viscosity": nu, "diffusivity": nu, "buoyancy_frequency": N, "linear": "exact"}
    simulation = run(make(flow=flow, dt=0.9, lengths=LENGTHS), at_start(exact), 3)
    assert state_error(simulation, exact) < ROUNDING


def frequency_of(case, wave):
    """The complex s of exp(st) that w obeys, from three times: w'' = 2 Re(s) w' − |s|² w, sampled."""
    simulation = run(case, at_start(both(wave)), 0)
    samples = [simulation.velocity()[2]]
    for _ in range(3):
        simulation.step()
        samples.append(simulation.velocity()[2])
    a, b, c, d = (s.ravel() for s in samples)
    # w_{n+1} = p w_n − q w_{n−1} with roots exp(s dt), exp(s* dt).
    (p, q), *_ = np.linalg.lstsq(
        np.concatenate([np.stack([b, -a], 1), np.stack([c, -b], 1)]), np.concatenate([c, d]), rcond=None
    )
    root = np.roots([1, -p, q]).astype(complex)
    return np.log(root[np.argmax(root.imag)]) / case.time.dt


def test_a_gravity_wave_with_unequal_diffusivities():
    """(s + νk²)(s + κk²) + N² k_h²/k² = 0 for k = (2, 0, 1), N = 2.3, ν = 0.03, κ = 0.05."""
    flow = {"viscosity": 0.03, "diffusivity": 0.05, "linear": "exact"}
    wave = Wave((2, 0, 1), rate=0.15, kappa=0.05, lift=-2.3, lapse=2.3, start=[1, 0, -2, 0.3j])
    s = frequency_of(make((8, 4, 8), flow, dt=0.3), wave)
    assert s == pytest.approx(-0.2 + 2.056575j, abs=1e-6)


def test_an_inertia_gravity_wave():
    """ω² = (N² k_h² + 4 Ω² k_z²)/k²: 2.716616 for k = (1, 1, 1), N = 2.3, Ω = 1.7."""
    flow = {"rotation": 1.7, "linear": "exact"}
    # Without the geostrophic part, which does not move: θ and the vertical vorticity in wave proportion.
    wave = Wave((1, 1, 1), omega=(0, 0, 1.7), lift=-2.3, lapse=2.3, start=[1, 1, -2, 0])
    moving = wave.matrix @ wave.start
    wave = Wave((1, 1, 1), omega=(0, 0, 1.7), lift=-2.3, lapse=2.3, start=moving)
    s = frequency_of(make((8, 8, 8), flow, dt=0.3), wave)
    assert s == pytest.approx(2.716616j, abs=1e-6)


def test_geostrophic_balance_stays():
    """The third mode: a streamfunction with 2Ω ∂v/∂z = −N ∂θ/∂x and the like does not move."""
    N, twice, k = 2.3, 3.4, np.array([1.0, 2.0, -1.0])

    def at(x, y, z):
        return k[0] * x + k[1] * y + k[2] * z

    def balanced(x, y, z, t=0.0):
        along = -np.sin(at(x, y, z))
        return -k[1] * along, k[0] * along, 0 * along

    # p = 2Ω ψ and ∂p/∂z = −N θ.
    def temperature(x, y, z, t=0.0):
        return (twice / N * k[2] * np.sin(at(x, y, z)),)

    exact = {"velocity": balanced, "temperature": temperature}
    flow = {"rotation": twice / 2, "buoyancy_frequency": N, "linear": "exact"}
    simulation = run(make((8, 10, 8), flow, dt=1.0), at_start(exact), 3)
    assert state_error(simulation, exact) < ROUNDING


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("linear", ["explicit", "exact"])
def test_a_wave_with_every_linear_term(seed, linear):
    """Against the exponential of its matrix: to rounding, or with explicit terms to the error of rk4."""
    generator = np.random.default_rng(seed)
    k = of_box(generator.integers([-3, -3, 1], [4, 4, 8]), LENGTHS)
    omega, mean = generator.standard_normal((2, 3))
    nu, kappa = generator.uniform(0, 0.1, 2)
    N = generator.uniform(1, 4)
    square = np.dot(k, k)
    rate = nu * square + 1e-4 * square**2 + 0.1
    wave = Wave(k, omega=omega, mean=mean, rate=rate, kappa=kappa, lift=-N, lapse=N, seed=seed)
    flow = {
        "viscosity": nu,
        "diffusivity": kappa,
        "buoyancy_frequency": N,
        "hyperviscosity": 1e-4,
        "drag": 0.1,
        "rotation": tuple(omega),
        "mean_velocity": tuple(mean),
        "linear": linear,
    }
    simulation = run(make((18, 18, 24), flow, dt=0.01, lengths=LENGTHS), at_start(both(wave)), 20)
    error = state_error(simulation, both(wave))
    assert error < (ROUNDING if linear == "exact" else 3e-6)
    assert (error > 1e-12) == (linear == "explicit")


@pytest.mark.parametrize(("nu", "kappa"), [(3.0, 0.001), (0.001, 3.0)], ids=["Pr = 3000", "Pr = 1/3000"])
def test_waves_of_very_unequal_diffusivities_at_long_steps(nu, kappa):
    wave = Wave((2, -1, 2), omega=(0, 0, 1.0), rate=9 * nu, kappa=kappa, lift=-2.3, lapse=2.3)
    flow = {"viscosity": nu, "diffusivity": kappa, "rotation": 1.0, "linear": "exact"}
    simulation = run(make((10, 10, 10), flow, dt=0.5), at_start(both(wave)), 2)
    assert state_error(simulation, both(wave)) < ROUNDING


def test_a_stiff_loss_does_not_overflow():
    """Rates of velocity and θ that differ by thousands a step: the velocity is gone, θ is diffused."""
    flow = {"viscosity": 400.0, "diffusivity": 0.1, "linear": "exact", "buoyancy_frequency": 0.0}
    start = {
        "velocity": lambda x, y, z: (np.sin(y), 0.0, 0.0),
        "temperature": lambda x, y, z: (np.cos(x) + 0 * y * z,),
    }
    simulation = run(make((8, 8, 8), flow, dt=1.0), start, 2)
    x, _, _ = simulation.coordinates
    assert np.abs(simulation.velocity()).max() < 1e-12
    expected = math.exp(-0.2) * np.cos(x)
    assert simulation.field("temperature")[0, 0, 0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("linear", ["explicit", "exact"])
def test_gravity_waves_in_a_plane(linear):
    """ny = 1: gravity acts in the plane x, z; v goes along with rotation."""
    wave = Wave((2, 0, -1), omega=(0, 0, 0.8), rate=0.1, kappa=0.03, lift=-2.3, lapse=2.3, seed=3)
    flow = {"viscosity": 0.02, "diffusivity": 0.03, "rotation": 0.8, "linear": linear}
    simulation = run(make((12, 1, 14), flow, dt=0.02), at_start(both(wave)), 20)
    assert state_error(simulation, both(wave)) < (ROUNDING if linear == "exact" else 1e-6)
    assert np.ptp(simulation.velocity()[1]) > 0.1


# Energy


@pytest.mark.parametrize("linear", ["explicit", "exact"])
def test_energies_change_by_dissipation_and_exchange(linear):
    """dE/dt = −ε − ⟨N w θ⟩ and dEp/dt = ⟨N w θ⟩ − κ⟨|∇θ|²⟩."""
    simulation = run(make(flow=EVERYTHING | {"linear": linear}, dt=0.002, lengths=LENGTHS), fields(seed=1), 3)
    now, slopes = rates_of_change(simulation, 0.002)
    flux = now["buoyancy_flux"]
    assert slopes["energy"] == pytest.approx(-now["dissipation"] - flux, rel=1e-7)
    assert slopes["potential_energy"] == pytest.approx(flux - now["potential_dissipation"], rel=1e-7)
    assert abs(flux) > 1e-3 * now["dissipation"]


@pytest.mark.parametrize("linear", ["explicit", "exact"])
def test_total_energy_is_kept_without_losses(linear):
    flow = {"rotation": (0.4, -0.7, 1.7), "mean_velocity": (0.7, 0.4, -0.6), "linear": linear}
    counts, changes = [24, 34, 48], []
    for n in counts:
        simulation = run(make(flow=flow, dt=1 / n, lengths=LENGTHS), fields(seed=2), 0)
        before = simulation.statistics()
        simulation.step()
        after = simulation.statistics()
        changes.append(abs(sum(after[e] - before[e] for e in ("energy", "potential_energy"))))
        assert abs(after["energy"] - before["energy"]) > 100 * changes[-1]
    assert slope([1 / n for n in counts], changes) > 4.6


@pytest.mark.parametrize("frequency", [0.0, 2.3])
def test_transfers_of_both_fields_sum_to_zero(frequency):
    """Alone, without stratification; together with it, where they are −⟨N w θ⟩ and its opposite."""
    simulation = run(make(flow={"buoyancy_frequency": frequency}, lengths=LENGTHS), fields(seed=3), 0)
    transfer = simulation.flow.transfer()
    size = np.abs(transfer["velocity"]).sum()
    flux = simulation.statistics()["buoyancy_flux"]
    assert abs(flux) > 1e-4 * size or frequency == 0
    assert abs(transfer["velocity"].sum() + flux) < 1e-13 * size
    assert abs(transfer["temperature"].sum() - flux) < 1e-13 * size


def test_measures_are_those_of_the_points():
    simulation = run(make(flow=EVERYTHING, dt=0.05, lengths=LENGTHS), fields(seed=4), 2)
    a, k = spectral(simulation.velocity(), LENGTHS)
    theta, _ = spectral(simulation.field("temperature"), LENGTHS)
    square = k[0] ** 2 + k[1] ** 2 + k[2] ** 2
    inverse = np.divide(1, square, out=np.zeros_like(square), where=square > 0)
    rate = 0.02 * square + 3e-4 * square**2 + 0.1 * inverse + 0.05
    norm, variance = (np.abs(a) ** 2).sum(0), np.abs(theta[0]) ** 2
    w, at_points = simulation.velocity()[2], simulation.field("temperature")[0]
    expected = {
        "energy": norm.sum() / 2,
        "dissipation": (rate * norm).sum(),
        "enstrophy": (square * norm).sum() / 2,
        "potential_energy": (at_points**2).mean() / 2,
        "potential_dissipation": 0.05 * (square * variance).sum(),
        "buoyancy_flux": 2.3 * (w * at_points).mean(),
    }
    found = simulation.statistics()
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-11), name
    spectra = simulation.flow.spectra()
    unit, count = TAU / max(LENGTHS), len(spectra["k"])
    for name, density in (("energy", norm / 2), ("potential_energy", variance / 2)):
        shells = by_shell(density, k, unit, count)
        assert np.abs(spectra[name] - shells).max() < 1e-12 * shells.max()


# Against other models


def test_without_stratification_it_is_a_passive_scalar():
    """And the other way round: a passive scalar with the mean gradient −N along z goes along with θ."""
    flow = {"viscosity": 0.02, "rotation": (0.4, -0.7, 1.7), "mean_velocity": (0.7, 0.4, -0.6)}
    start = fields(seed=5)
    carried = {"velocity": start["velocity"], "dye": start["temperature"]}
    scalar = {"name": "dye", "diffusivity": 0.05}
    alone = run(
        case_of("navier-stokes", POINTS, flow, dt=0.02, lengths=LENGTHS, scalars=[scalar]), carried, 5
    )
    loose = {"diffusivity": 0.05, "buoyancy_frequency": 0.0}
    simulation = run(make(flow=flow | loose, dt=0.02, lengths=LENGTHS), start, 5)
    assert distance(simulation.velocity(), alone.velocity()) < 1e-13
    assert distance(simulation.field("temperature"), alone.field("dye")) < 1e-13

    stratified = flow | {"diffusivity": 0.05, "buoyancy_frequency": 2.3}
    scalars = [scalar | {"gradient": [0.0, 0.0, -2.3]}]
    simulation = run(
        make(flow=stratified, dt=0.02, lengths=LENGTHS, scalars=scalars),
        start | {"dye": start["temperature"]},
        5,
    )
    assert distance(simulation.field("dye"), simulation.field("temperature")) < 1e-13
    assert distance(simulation.field("dye"), alone.field("dye")) > 0.05


# Taylor–Green velocity, θ = 0 at first, N = 2, ν = κ = 0.01: E, Z, ½⟨θ²⟩ and ⟨w θ⟩ of an independent 64³ RK4
# code, good to 1e-5.
STRATIFIED = {
    1.0: (0.115225042, 0.363063438, 0.002278738, 0.003658068),
    2.0: (0.101149392, 0.318082291, 0.008479215, 0.000922883),
}


def test_a_stratified_taylor_green_vortex():
    def vortex(x, y, z):
        return np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z), 0.0

    flow = {"viscosity": 0.01, "diffusivity": 0.01, "buoyancy_frequency": 2.0}
    simulation = Simulation(make((32,) * 3, flow, dt=0.05), vortex)
    for energy, enstrophy, potential, flux in STRATIFIED.values():
        for _ in range(20):
            simulation.step()
        now = simulation.statistics()
        assert now["energy"] == pytest.approx(energy, rel=1e-5)
        assert now["enstrophy"] == pytest.approx(enstrophy, rel=1e-4)
        assert now["potential_energy"] == pytest.approx(potential, rel=1e-5)
        assert now["buoyancy_flux"] == pytest.approx(2 * flux, abs=1e-7)


# Schemes, precision, restart


def end_state(scheme, count, linear, start):
    case = make((10, 12, 8), EVERYTHING | {"linear": linear}, scheme=scheme, dt=0.4 / count)
    simulation = run(case, start, count)
    return np.concatenate([simulation.velocity(), simulation.field("temperature")])


@pytest.fixture(scope="module")
def truth():
    start = fields((10, 12, 8), seed=6, reach=2, size=0.5)
    return start, end_state("rk4", 400, "exact", start)


@pytest.mark.parametrize(("scheme", "order", "linear"), LINEARS)
def test_both_ways_converge_to_the_same_at_the_scheme_s_order(scheme, order, linear, truth):
    counts = (12, 18, 27)
    errors = [distance(end_state(scheme, count, linear, truth[0]), truth[1]) for count in counts]
    assert slope([1 / n for n in counts], errors) == pytest.approx(order, abs=0.2)


@pytest.mark.parametrize("linear", ["explicit", "exact"])
def test_single_precision(linear):
    single, double = (
        run(make(flow=EVERYTHING | {"linear": linear}, precision=p, lengths=LENGTHS), fields(seed=7), 5)
        for p in ("single", "double")
    )
    for name in ("velocity", "temperature"):
        assert single.field(name).dtype == np.float32
        assert 0.05 * EPSILON < distance(single.field(name), double.field(name)) < 15 * EPSILON


@pytest.mark.parametrize("linear", ["explicit", "exact"])
def test_a_restart_repeats_the_run_bit_for_bit(tmp_path, linear):
    output = {"directory": str(tmp_path / "run"), "checkpoint_every": "3 steps"}
    case = make(flow=EVERYTHING | {"linear": linear}, dt=0.03, lengths=LENGTHS, output=output)
    whole = run(case, fields(seed=8), 5)
    check_restart(whole, "velocity", "temperature")


@on_ranks(2, 3)
@pytest.mark.parametrize("linear", ["explicit", "exact"])
def test_ranks_give_the_same(world, linear):
    case = make(flow=EVERYTHING | {"linear": linear}, dt=0.03, lengths=LENGTHS)
    check_ranks(world, case, fields(seed=9))

"""Navier–Stokes with rotation, hyper- and hypoviscosity, drag and a mean velocity, in 3D and 2D."""

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
    helical,
    of_box,
    rates_of_change,
    spectral,
    state_error,
)
from physics.flows import LINEARS, SCHEMES, TAU, distance, noise, run, slope
from support.ranks import on_ranks
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

POINTS, LENGTHS = ODD
EVERYTHING = {
    "viscosity": 0.02,
    "hyperviscosity": 3e-4,
    "hyperviscosity_power": 2,
    "hypoviscosity": 0.15,
    "hypoviscosity_power": 1,
    "drag": 0.05,
    "rotation": (0.9, -1.3, 2.1),
    "mean_velocity": (0.7, 0.4, -0.6),
}


def make(points=POINTS, flow=None, **options):
    return case_of("navier-stokes", points, {"viscosity": 0.0} | (flow or {}), **options)


def loss(k, nu=0.0, hyper=0.0, p=2, hypo=0.0, q=1, drag=0.0):
    square = float(np.dot(k, k))
    return nu * square + hyper * square**p + hypo / square**q + drag


# Waves


@pytest.mark.parametrize("omega", [(1.7, 0, 0), (0, 1.7, 0), (0, 0, 1.7), (0.4, -1.1, 0.9)], ids=str)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("numbers", [(2, 1, -1), (1, -2, 3), (0, 1, 2), (3, 0, 0)], ids=str)
def test_an_inertial_wave(numbers, sign, omega):
    """∇×u = s k u turns at ω = −2 s Ω·k/k, exactly at any step; the flow is nonlinear, of any amplitude."""
    k, nu = of_box(numbers, LENGTHS), 0.03
    frequency = -2 * sign * np.dot(omega, k) / np.linalg.norm(k)
    a = helical(k, sign)[:3] * np.exp(0.7j)

    def velocity(x, y, z, t=0.0):
        phase = np.exp(1j * (k[0] * x + k[1] * y + k[2] * z - frequency * t) - loss(k, nu) * t)
        return tuple((component * phase).real for component in a)

    case = make(flow={"viscosity": nu, "rotation": omega, "linear": "exact"}, dt=0.8, lengths=LENGTHS)
    simulation = run(case, velocity, 3)
    assert state_error(simulation, {"velocity": velocity}) < ROUNDING
    vorticity = math.copysign(np.linalg.norm(k), sign) * simulation.velocity()
    assert distance(simulation.vorticity(), vorticity) < ROUNDING


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("linear", ["explicit", "exact"])
def test_a_wave_with_every_linear_term(seed, linear):
    """Against the exponential of its matrix: to rounding, or with explicit terms to the error of rk4."""
    generator = np.random.default_rng(seed)
    k = of_box(generator.integers([-3, -3, 1], [4, 4, 8]), LENGTHS)
    omega, mean = generator.standard_normal((2, 3))
    rate = loss(k, 0.01, 1e-5, 3, 0.2, 2, 0.1)
    wave = Wave(k, omega=omega, mean=mean, rate=rate, seed=seed)
    flow = {
        "viscosity": 0.01,
        "hyperviscosity": 1e-5,
        "hyperviscosity_power": 3,
        "hypoviscosity": 0.2,
        "hypoviscosity_power": 2,
        "drag": 0.1,
        "rotation": tuple(omega),
        "mean_velocity": tuple(mean),
        "linear": linear,
    }
    points = (18, 18, 24)
    simulation = run(make(points, flow, dt=0.01, lengths=LENGTHS), wave.velocity, 20)
    error = state_error(simulation, {"velocity": wave.velocity})
    assert error < (ROUNDING if linear == "exact" else 3e-6)
    assert (error > 1e-12) == (linear == "explicit")


@pytest.mark.parametrize(("scheme", "order"), SCHEMES.items())
def test_explicit_waves_converge_at_the_scheme_s_order(scheme, order):
    wave = Wave((1, -2, 2), omega=(0.4, 0.9, -1.6), mean=(0.5, 0.2, 0.3), rate=0.2)
    flow = {"drag": 0.2, "rotation": wave.omega, "mean_velocity": wave.mean}
    counts = [16, 32, 64]
    errors = []
    for count in counts:
        case = make((10, 12, 14), flow, scheme=scheme, dt=1 / count)
        errors.append(state_error(run(case, wave.velocity, count), {"velocity": wave.velocity}))
    assert slope([1 / n for n in counts], errors) == pytest.approx(order, abs=0.1)


def test_the_mean_flow_turns_against_the_frame():
    """The mean of u has no pressure: du/dt = −2 Ω×u turns it by −2 Ω t about Ω; drag damps it."""
    omega, start, t = np.array([0.8, -0.5, 1.1]), np.array([1.0, 0.3, -0.4]), 0.9
    flow = {"viscosity": 0.3, "drag": 0.2, "rotation": tuple(omega), "linear": "exact"}
    simulation = run(make((4, 6, 4), flow, dt=0.3), lambda x, y, z: tuple(start), 3)
    n, angle = omega / np.linalg.norm(omega), -2 * np.linalg.norm(omega) * t
    turned = (
        start * math.cos(angle)
        + np.cross(n, start) * math.sin(angle)
        + n * (n @ start) * (1 - math.cos(angle))
    )
    expected = math.exp(-0.2 * t) * turned
    assert np.abs(simulation.velocity() - expected[:, None, None, None]).max() < ROUNDING


# Losses


@pytest.mark.parametrize("p", [1, 2, 3, 4, 8])
@pytest.mark.parametrize("q", [1, 2, 5])
def test_losses_by_powers_of_the_wavenumber(p, q):
    """A wave decays as exp −(ν k² + ν_h k^2p + μ k^−2q + α) t, in steps far longer than its life."""
    k = of_box((2, 1, -2), LENGTHS)
    hyper, hypo = 0.1 / np.dot(k, k) ** p, 0.2 * np.dot(k, k) ** q
    rate = loss(k, 0.01, hyper, p, hypo, q, 0.05)
    wave = Wave(k, rate=rate, seed=p)
    flow = {
        "viscosity": 0.01,
        "hyperviscosity": hyper,
        "hyperviscosity_power": p,
        "hypoviscosity": hypo,
        "hypoviscosity_power": q,
        "drag": 0.05,
    }
    simulation = run(make(flow=flow, dt=2.0, lengths=LENGTHS), wave.velocity, 1)
    assert state_error(simulation, {"velocity": wave.velocity}) < ROUNDING
    statistics = simulation.statistics()
    assert statistics["dissipation"] == pytest.approx(2 * rate * statistics["energy"], rel=1e-12)


def test_the_mean_flow_is_only_dragged():
    flow = {"viscosity": 1.0, "hyperviscosity": 1.0, "hypoviscosity": 1.0, "drag": 0.3}
    simulation = run(make((4, 4, 4), flow, dt=0.5), lambda x, y, z: (1.0, -2.0, 0.5), 2)
    expected = math.exp(-0.3) * np.array([1.0, -2.0, 0.5])
    assert np.abs(simulation.velocity() - expected[:, None, None, None]).max() < ROUNDING


# Frames


def test_a_mean_velocity_carries_the_flow_and_no_more():
    """Exactly integrated, the steps of the carried flow are those of the flow itself, elsewhere."""
    points, steps, dt = (12, 16, 10), 8, 0.05
    field = noise(points, seed=3, reach=3)
    cells = np.array([3, -2, 1])
    mean = tuple(cells * TAU / np.array(points) / (steps * dt))
    options = {"viscosity": 0.02, "rotation": (0.3, 0.2, 0.9), "linear": "exact"}
    alone = run(make(points, options, dt=dt), field, steps).velocity()
    carried = run(make(points, options | {"mean_velocity": mean}, dt=dt), field, steps).velocity()
    expected = np.roll(alone, tuple(cells), (3, 2, 1))
    assert distance(alone, expected) > 0.5
    assert distance(carried, expected) < 1e-12


@pytest.mark.parametrize("linear", ["explicit", "exact"])
def test_plane_flow_does_not_notice_rotation_about_its_normal(linear):
    """Pressure takes it all up (Taylor and Proudman)."""
    points = (16, 18, 1)
    field = noise(points, seed=4, reach=4)
    field -= field.mean(axis=(1, 2, 3), keepdims=True)
    alone, turned = (
        run(
            make(points, {"viscosity": 0.02, "rotation": rate, "linear": linear}, dt=0.05), field, 6
        ).velocity()
        for rate in (0.0, 7.0)
    )
    assert distance(turned, alone) < 1e-13


def test_plane_flow_turns_about_an_axis_in_its_plane():
    """nz = 1 with three components: Ω in the plane couples w to the others."""
    wave = Wave((2, -1, 0), omega=(0.8, 0.5, 0.3), mean=(0.3, 0.1, 5.0), rate=0.05 * 5, seed=2)
    flow = {"viscosity": 0.05, "rotation": wave.omega, "mean_velocity": wave.mean, "linear": "exact"}
    simulation = run(make((12, 10, 1), flow, dt=0.7), wave.velocity, 2)
    assert state_error(simulation, {"velocity": wave.velocity}) < ROUNDING
    assert np.ptp(simulation.velocity()[2]) > 0.1


# Budgets and invariants


@pytest.mark.parametrize("linear", ["explicit", "exact"])
def test_energy_changes_by_dissipation_alone(linear):
    simulation = run(
        make(flow=EVERYTHING | {"linear": linear}, dt=0.002, lengths=LENGTHS), noise(POINTS, 5), 3
    )
    middle, slopes = rates_of_change(simulation, 0.002)
    assert slopes["energy"] == pytest.approx(-middle["dissipation"], rel=1e-8)
    viscous = 2 * EVERYTHING["viscosity"] * middle["enstrophy"]
    assert middle["dissipation"] > 1.2 * viscous  # the other losses matter


@pytest.mark.parametrize("quantity", ["energy", "helicity"])
@pytest.mark.parametrize("linear", ["explicit", "exact"])
def test_rotation_and_mean_velocity_do_no_work(linear, quantity):
    """Energy and helicity drift by the scheme's error per step, ∝ dt⁵, alone."""
    flow = {"rotation": (0.9, -1.3, 2.1), "mean_velocity": (0.7, 0.4, -0.6), "linear": linear}
    counts = [24, 34, 48]
    changes = []
    for n in counts:
        simulation = run(make(flow=flow, dt=1 / n, lengths=LENGTHS), noise(POINTS, 6), 0)
        before = simulation.statistics()[quantity]
        simulation.step()
        changes.append(abs(simulation.statistics()[quantity] - before))
    assert slope([1 / n for n in counts], changes) > 4.6


def test_explicit_rotation_joins_the_transfer_and_sums_to_zero():
    flow = {"rotation": (0.9, -1.3, 2.1), "mean_velocity": (0.7, 0.4, -0.6)}
    simulation = run(make(flow=flow, lengths=LENGTHS), noise(POINTS, 7), 0)
    transfer = simulation.flow.transfer()["velocity"]
    assert abs(transfer.sum()) < 1e-13 * np.abs(transfer).sum()


def test_measures_are_those_of_the_points():
    """Every statistic and spectrum against numpy.fft of the velocity."""
    simulation = run(make(flow=EVERYTHING, dt=0.05, lengths=LENGTHS), noise(POINTS, 8), 2)
    a, k = spectral(simulation.velocity(), LENGTHS)
    omega, _ = spectral(simulation.vorticity(), LENGTHS)
    square = k[0] ** 2 + k[1] ** 2 + k[2] ** 2
    inverse = np.divide(1, square, out=np.zeros_like(square), where=square > 0)
    rate = 0.02 * square + 3e-4 * square**2 + 0.15 * inverse + 0.05
    norm, along = (np.abs(a) ** 2).sum(0), (a.conj() * omega).sum(0).real
    found = simulation.statistics()
    expected = {
        "energy": norm.sum() / 2,
        "dissipation": (rate * norm).sum(),
        "enstrophy": (square * norm).sum() / 2,
        "helicity": along.sum(),
        "palinstrophy": (square**2 * norm).sum() / 2,
        "energy_per_wavenumber": (np.sqrt(inverse) * norm).sum() / 2,
    }
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-11), name
    spectra = simulation.flow.spectra()
    unit, count = TAU / max(LENGTHS), len(spectra["k"])
    assert spectra["k"] == pytest.approx(unit * np.arange(count))
    for name, density in (("energy", norm / 2), ("helicity", along)):
        shells = by_shell(density, k, unit, count)
        assert np.abs(spectra[name] - shells).max() < 1e-12 * np.abs(shells).max()


# The two ways to advance linear terms


def end_state(scheme, count, linear, field):
    case = make((10, 12, 8), EVERYTHING | {"linear": linear}, scheme=scheme, dt=0.4 / count)
    return run(case, field, count).velocity()


@pytest.fixture(scope="module")
def truth():
    field = noise((10, 12, 8), seed=9, reach=2, size=0.5)
    return field, end_state("rk4", 400, "exact", field)


@pytest.mark.parametrize(("scheme", "order", "linear"), LINEARS)
def test_both_ways_converge_to_the_same_at_the_scheme_s_order(scheme, order, linear, truth):
    counts = (12, 18, 27)
    errors = [distance(end_state(scheme, count, linear, truth[0]), truth[1]) for count in counts]
    assert slope([1 / n for n in counts], errors) == pytest.approx(order, abs=0.2)


# Published and independent numbers

# Taylor–Green velocity turned by Ω = 1 about z, ν = 0.01: E, Z and ½⟨w²⟩ of an independent 64³ RK4 code, good
# to 1e-6 (E) and 1e-5 (Z).
ROTATING = {1.0: (0.117425048, 0.396778214, 0.058894076), 2.0: (0.109070851, 0.431856143, 0.038927037)}


def test_a_rotating_taylor_green_vortex():
    def vortex(x, y, z):
        return np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z), 0.0

    simulation = Simulation(make((32,) * 3, {"viscosity": 0.01, "rotation": 1.0}, dt=0.05), vortex)
    for steps, (energy, enstrophy, vertical) in zip((20, 20), ROTATING.values(), strict=True):
        for _ in range(steps):
            simulation.step()
        now = simulation.statistics()
        assert now["energy"] == pytest.approx(energy, rel=3e-6)
        assert now["enstrophy"] == pytest.approx(enstrophy, rel=1e-4)
        assert (simulation.velocity()[2] ** 2).mean() / 2 == pytest.approx(vertical, rel=1e-5)


# Scalars, precision, restart


def test_a_scalar_wave_in_a_mean_velocity():
    """θ = cos(k·x − k·U t) exp(−κ k² t); the fluid is at rest in its frame."""
    k, mean, kappa = of_box((2, -1, 3), LENGTHS), (0.7, 0.4, -0.6), 0.05

    def dye(x, y, z, t=0.0):
        phase = k[0] * (x - mean[0] * t) + k[1] * (y - mean[1] * t) + k[2] * (z - mean[2] * t)
        return (np.cos(phase + 0.3) * math.exp(-kappa * np.dot(k, k) * t),)

    flow = {"viscosity": 0.01, "mean_velocity": mean, "rotation": (1, 2, 3), "linear": "exact"}
    case = make(flow=flow, dt=0.6, lengths=LENGTHS, scalars=[{"name": "dye", "diffusivity": kappa}])
    simulation = run(case, at_start({"dye": dye}), 2)
    assert state_error(simulation, {"dye": dye}) < ROUNDING


def test_a_mean_gradient_in_a_shear():
    """θ = −(G U/κ k²)(1 − exp(−κ k² t)) sin(k y), kept in place by ν = 0."""
    gradient, speed, kappa, k = 0.8, 1.5, 0.1, 2.0

    def dye(x, y, z, t=0.0):
        return (
            -gradient * speed / (kappa * k**2) * (1 - math.exp(-kappa * k**2 * t)) * np.sin(k * y) + 0 * x,
        )

    scalars = [{"name": "dye", "diffusivity": kappa, "gradient": [gradient, 0, 0]}]
    case = make((8, 12, 8), dt=0.02, scalars=scalars)
    simulation = run(case, lambda x, y, z: (speed * np.sin(k * y), 0.0, 0.0), 50)
    expected = dye(*np.meshgrid(*simulation.coordinates, indexing="ij"), 1.0)[0].T
    assert np.abs(simulation.field("dye")[0] - expected).max() < 1e-9
    flux = (simulation.velocity()[0] * simulation.field("dye")[0]).mean()
    found = simulation.statistics()
    assert found["dye_production"] == pytest.approx(-gradient * flux, rel=1e-12)
    now, slopes = rates_of_change(simulation, 0.02)
    assert slopes["dye_variance"] == pytest.approx(now["dye_production"] - now["dye_dissipation"], rel=1e-7)


@pytest.mark.parametrize("linear", ["explicit", "exact"])
def test_single_precision(linear):
    single, double = (
        run(make(flow=EVERYTHING | {"linear": linear}, precision=p, lengths=LENGTHS), noise(POINTS, 10), 5)
        for p in ("single", "double")
    )
    assert single.velocity().dtype == np.float32
    assert 0.05 * EPSILON < distance(single.velocity(), double.velocity()) < 15 * EPSILON


@pytest.mark.parametrize("linear", ["explicit", "exact"])
def test_a_restart_repeats_the_run_bit_for_bit(tmp_path, linear):
    output = {"directory": str(tmp_path / "run"), "checkpoint_every": "3 steps"}
    case = make(flow=EVERYTHING | {"linear": linear}, dt=0.03, lengths=LENGTHS, output=output)
    whole = run(case, noise(POINTS, 11), 5)
    check_restart(whole, "velocity")


@on_ranks(2, 3)
@pytest.mark.parametrize("linear", ["explicit", "exact"])
@pytest.mark.parametrize("points", [POINTS, (16, 18, 1)], ids=["3D", "2D"])
def test_ranks_give_the_same(world, points, linear):
    scalars = [{"name": "dye", "gradient": [0.3, 0.2, 0.1]}]
    case = make(points, EVERYTHING | {"linear": linear}, dt=0.03, lengths=LENGTHS, scalars=scalars)
    check_ranks(world, case, noise(points, 12))


def test_a_rotating_flow_is_drawn_in_a_plane_along_the_axis():
    for rotation, normal in ((0.0, "z"), ((0, 0, 1), "y"), ((1, 0, 0), "y"), ((0, 1, 0), "x")):
        assert {one.normal for one in make(flow={"rotation": rotation}).flow.picture.slices} == {normal}

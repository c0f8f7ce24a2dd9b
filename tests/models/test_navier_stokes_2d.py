"""Two-dimensional flow by its vorticity: Rossby waves, invariants, and the same flow by its velocity."""

import math

import numpy as np
import pytest
from models.waves import (
    EPSILON,
    ROUNDING,
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
from physics.flows import LINEARS, SCHEMES, TAU, distance, noise, run, slope
from support.ranks import on_ranks
from whorl.base.errors import CaseError
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

POINTS, LENGTHS = (18, 14, 1), (TAU, 0.8 * TAU, 1.0)
LOSSES = {
    "viscosity": 0.02,
    "hyperviscosity": 3e-4,
    "hyperviscosity_power": 2,
    "hypoviscosity": 0.15,
    "hypoviscosity_power": 1,
    "drag": 0.05,
}


def make(points=POINTS, flow=None, **options):
    return case_of("navier-stokes-2d", points, {"viscosity": 0.0} | (flow or {}), **options)


def vorticity_noise(points=POINTS, seed=0, reach=None, size=1.0):
    """Of zero mean, as every vorticity is."""
    field = noise(points, seed, reach, size)[:1]
    return field - field.mean()


def rossby(numbers, beta, rate, lengths=LENGTHS, phase=0.8, size=1.0):
    """ψ = size cos(k·x − ω t) exp(−rate t), ω = −β k_x/k², with u = −ψ_y, v = ψ_x and ζ = −k² ψ."""
    k = of_box(numbers, lengths)
    square = np.dot(k, k)
    frequency = -beta * k[0] / square

    def psi_and_slope(x, y, t):
        angle = k[0] * x + k[1] * y - frequency * t + phase
        now = size * math.exp(-rate * t)
        return now * np.cos(angle), -now * np.sin(angle)

    def vorticity(x, y, z, t=0.0):
        return (-square * psi_and_slope(x, y, t)[0] + 0 * z,)

    def velocity(x, y, z, t=0.0):
        along = psi_and_slope(x, y, t)[1]
        return -k[1] * along + 0 * z, k[0] * along + 0 * z, 0 * z

    return {"vorticity": vorticity, "velocity": velocity}


# Closed forms


@pytest.mark.parametrize("numbers", [(1, 0), (0, 2), (2, 1), (-1, 3), (3, -2), (5, 4)], ids=str)
@pytest.mark.parametrize("beta", [3.7, -1.2])
def test_a_rossby_wave(numbers, beta):
    """Right at any step when exactly integrated; so long a step makes the rounding of fast flow grow."""
    k = of_box(numbers, LENGTHS[:2])
    wave = rossby((*numbers, 0), beta, 0.01 * np.dot(k, k), size=0.02)
    case = make(flow={"viscosity": 0.01, "beta": beta, "linear": "exact"}, dt=1.3, lengths=LENGTHS)
    simulation = run(case, at_start({"vorticity": wave["vorticity"]}), 3)
    assert state_error(simulation, wave) < ROUNDING


@pytest.mark.parametrize(("scheme", "order"), SCHEMES.items())
def test_explicit_rossby_waves_converge_at_the_scheme_s_order(scheme, order):
    wave, errors, counts = rossby((1, 2, 0), 9.0, 0.0), [], [16, 32, 64]
    for count in counts:
        case = make(flow={"beta": 9.0}, scheme=scheme, dt=1 / count, lengths=LENGTHS)
        errors.append(state_error(run(case, at_start({"vorticity": wave["vorticity"]}), count), wave))
    assert slope([1 / n for n in counts], errors) == pytest.approx(order, abs=0.1)


def test_waves_of_one_length_do_not_interact():
    """ζ = −k² ψ is carried along ψ, so that all modes of one k² are a solution, decaying as one."""
    generator = np.random.default_rng(1)
    numbers = [(n, m) for n in range(-5, 6) for m in range(-5, 6) if n * n + m * m == 25]
    a, b = generator.standard_normal((2, len(numbers)))

    def vorticity(x, y, z, t=0.0):
        angles = [n * x + m * y + phase for (n, m), phase in zip(numbers, b, strict=True)]
        waves = sum(size * np.cos(angle) for size, angle in zip(a, angles, strict=True))
        return (math.exp(-0.02 * 25 * t) * waves + 0 * z,)

    exact = {"vorticity": vorticity}
    simulation = run(make((20, 18, 1), {"viscosity": 0.02}, dt=0.2), at_start(exact), 5)
    assert state_error(simulation, exact) < ROUNDING


@pytest.mark.parametrize("p", [2, 4])
def test_losses_by_powers_of_the_wavenumber(p):
    k = of_box((2, 1, 0), LENGTHS)
    square = np.dot(k, k)
    flow = {
        "viscosity": 0.02,
        "hyperviscosity": 0.1 / square**p,
        "hyperviscosity_power": p,
        "hypoviscosity": 0.2 * square**3,
        "hypoviscosity_power": 3,
        "drag": 0.05,
    }
    wave = rossby((2, 1, 0), 0.0, 0.02 * square + 0.35)
    simulation = run(make(flow=flow, dt=1.0, lengths=LENGTHS), at_start({"vorticity": wave["vorticity"]}), 2)
    assert state_error(simulation, wave) < ROUNDING


# The same flow by its velocity


@pytest.mark.parametrize("scheme", SCHEMES)
def test_it_is_the_plane_flow_of_navier_stokes(scheme):
    """Both truncate the same equations, so that a step gives the same to rounding; a scalar with it."""
    points, scalars = (18, 14, 1), [{"name": "dye", "schmidt": 0.7, "gradient": [0.3, -0.5, 0.0]}]
    velocity, dye = noise(points, seed=2), noise(points, seed=3)[:1]
    velocity[2] = 0
    velocity -= velocity.mean(axis=(1, 2, 3), keepdims=True)
    ends = []
    for model in ("navier-stokes-2d", "navier-stokes"):
        case = case_of(model, points, LOSSES, scheme=scheme, dt=0.02, lengths=LENGTHS, scalars=scalars)
        by_velocity = run(case_of("navier-stokes", points, LOSSES, lengths=LENGTHS), velocity, 0)
        first = (
            {"vorticity": by_velocity.vorticity()[2:]}
            if model == "navier-stokes-2d"
            else {"velocity": by_velocity.velocity()}
        )
        ends.append(run(case, first | {"dye": dye}, 6))
    plane, whole = ends
    assert distance(plane.velocity()[:2], whole.velocity()[:2]) < 1e-13
    assert distance(plane.field("vorticity")[0], whole.vorticity()[2]) < 1e-13
    assert distance(plane.field("dye"), whole.field("dye")) < 1e-13
    for name in ("energy", "dissipation", "enstrophy", "palinstrophy", "dye_variance", "dye_production"):
        assert plane.statistics()[name] == pytest.approx(whole.statistics()[name], rel=1e-12), name


def test_a_velocity_sets_the_vorticity():
    wave = rossby((2, -1, 0), 0.0, 0.0)
    by_velocity = run(make(lengths=LENGTHS), wave["velocity"], 0)
    assert state_error(by_velocity, wave) < ROUNDING


# Budgets and invariants


@pytest.mark.parametrize("linear", ["explicit", "exact"])
def test_energy_and_enstrophy_change_by_their_losses_alone(linear):
    flow = LOSSES | {"beta": 4.0, "linear": linear}
    simulation = run(
        make(flow=flow, dt=0.002, lengths=LENGTHS), {"vorticity": 5 * vorticity_noise(seed=4)}, 3
    )
    middle, slopes = rates_of_change(simulation, 0.002)
    assert slopes["energy"] == pytest.approx(-middle["dissipation"], rel=1e-8)
    assert slopes["enstrophy"] == pytest.approx(-middle["enstrophy_dissipation"], rel=1e-8)


def test_viscosity_takes_enstrophy_by_palinstrophy():
    """dE/dt = −2 ν Z and dZ/dt = −2 ν P."""
    simulation = run(
        make(flow={"viscosity": 0.03}, lengths=LENGTHS), {"vorticity": vorticity_noise(seed=5)}, 2
    )
    now = simulation.statistics()
    assert now["dissipation"] == pytest.approx(2 * 0.03 * now["enstrophy"], rel=1e-13)
    assert now["enstrophy_dissipation"] == pytest.approx(2 * 0.03 * now["palinstrophy"], rel=1e-13)


@pytest.mark.parametrize("quantity", ["energy", "enstrophy"])
@pytest.mark.parametrize("linear", ["explicit", "exact"])
def test_energy_and_enstrophy_are_kept_without_losses(linear, quantity):
    """Noise of all wavenumbers on a β-plane: drift per step ∝ dt⁵."""
    counts, changes = [16, 23, 32], []
    for n in counts:
        case = make((30, 24, 1), {"beta": 5.0, "linear": linear}, dt=1 / n, lengths=LENGTHS)
        simulation = run(case, {"vorticity": 2 * vorticity_noise((30, 24, 1), 6)}, 0)
        before = simulation.statistics()[quantity]
        simulation.step()
        changes.append(abs(simulation.statistics()[quantity] - before))
    assert slope([1 / n for n in counts], changes) > 4.6


def test_transfer_of_enstrophy_sums_to_zero():
    flow = {"beta": 5.0}
    simulation = run(make(flow=flow, lengths=LENGTHS), {"vorticity": vorticity_noise(seed=7)}, 0)
    transfer = simulation.flow.transfer()["vorticity"]
    assert abs(transfer.sum()) < 1e-13 * np.abs(transfer).sum()


def test_measures_are_those_of_the_points():
    simulation = run(make(flow=LOSSES, lengths=LENGTHS), {"vorticity": vorticity_noise(seed=8)}, 2)
    u, k = spectral(simulation.velocity(), LENGTHS)
    zeta, _ = spectral(simulation.field("vorticity"), LENGTHS)
    square = k[0] ** 2 + k[1] ** 2 + k[2] ** 2
    inverse = np.divide(1, square, out=np.zeros_like(square), where=square > 0)
    rate = 0.02 * square + 3e-4 * square**2 + 0.15 * inverse + 0.05
    curl = 1j * (k[0] * u[1] - k[1] * u[0])
    assert np.abs(curl - zeta[0]).max() < 1e-14
    assert np.abs(k[0] * u[0] + k[1] * u[1]).max() < 1e-15
    norm, enstrophy = (np.abs(u) ** 2).sum(0), np.abs(zeta[0]) ** 2
    expected = {
        "energy": norm.sum() / 2,
        "dissipation": (rate * norm).sum(),
        "enstrophy": enstrophy.sum() / 2,
        "enstrophy_dissipation": (rate * enstrophy).sum(),
        "palinstrophy": (square * enstrophy).sum() / 2,
        "energy_per_wavenumber": (np.sqrt(inverse) * norm).sum() / 2,
    }
    found = simulation.statistics()
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-12), name
    spectra = simulation.flow.spectra()
    unit, count = 1.0, len(spectra["k"])
    for name, density in (("energy", norm / 2), ("enstrophy", enstrophy / 2)):
        shells = by_shell(density, k, unit, count)
        assert np.abs(spectra[name] - shells).max() < 1e-13 * shells.max()


@pytest.mark.parametrize("unit", [1.0, 0.5])
def test_a_random_field_has_the_energy_asked_for(unit):
    case = make((32, 32, 1), {"viscosity": 0.01}, lengths=(TAU / unit, TAU / unit, 1.0))
    case = case.model_copy(update={"initial": None})
    named = type(case)(**case.to_dict() | {"initial": {"name": "random", "k0": 3.0, "energy": 0.7}})
    assert Simulation(named).statistics()["energy"] == pytest.approx(0.7, rel=1e-12)


def test_each_shell_of_a_random_field_has_the_energy_asked_for():
    """To rounding; there is none beyond the largest wavenumber kept, √2·10, and none is asked for."""
    energy = [0.0, 0.0, 0.1, 0.2, 0.3, 0.1]
    initial = {"name": "random", "spectrum": [*energy, *[0.0] * 20]}
    case = make((32, 32, 1), {"viscosity": 0.01})
    found = Simulation(type(case)(**case.to_dict() | {"initial": initial})).flow.spectra()["energy"]
    assert found == pytest.approx(np.pad(energy, (0, len(found) - len(energy))), abs=1e-14)
    initial["spectrum"][-1] = 5.0
    with pytest.raises(CaseError, match=r"holds the energy 0\.7 instead of the 5\.7 of initial\.spectrum"):
        Simulation(type(case)(**case.to_dict() | {"initial": initial}))


# Schemes, precision, restart


def end_state(scheme, count, linear, field):
    flow = LOSSES | {"beta": 6.0, "linear": linear}
    case = make((16, 14, 1), flow, scheme=scheme, dt=0.5 / count, lengths=LENGTHS)
    return run(case, {"vorticity": field}, count).field("vorticity")


@pytest.fixture(scope="module")
def truth():
    field = vorticity_noise((16, 14, 1), seed=9, reach=3, size=2.0)
    return field, end_state("rk4", 600, "exact", field)


@pytest.mark.parametrize(("scheme", "order", "linear"), LINEARS)
def test_both_ways_converge_to_the_same_at_the_scheme_s_order(scheme, order, linear, truth):
    counts = (16, 24, 36)
    errors = [distance(end_state(scheme, count, linear, truth[0]), truth[1]) for count in counts]
    assert slope([1 / n for n in counts], errors) == pytest.approx(order, abs=0.2)


@pytest.mark.parametrize("linear", ["explicit", "exact"])
def test_single_precision(linear):
    flow = LOSSES | {"beta": 6.0, "linear": linear}
    single, double = (
        run(
            make(flow=flow, precision=precision, lengths=LENGTHS), {"vorticity": vorticity_noise(seed=10)}, 5
        ).field("vorticity")
        for precision in ("single", "double")
    )
    assert single.dtype == np.float32
    assert 0.05 * EPSILON < distance(single, double) < 15 * EPSILON


@pytest.mark.parametrize("linear", ["explicit", "exact"])
def test_a_restart_repeats_the_run_bit_for_bit(tmp_path, linear):
    output = {"directory": str(tmp_path / "run"), "checkpoint_every": "3 steps"}
    flow = LOSSES | {"beta": 6.0, "linear": linear}
    case = make(flow=flow, dt=0.03, lengths=LENGTHS, output=output)
    whole = run(case, {"vorticity": vorticity_noise(seed=11)}, 5)
    check_restart(whole, "vorticity")


@on_ranks(2, 3)
@pytest.mark.parametrize("linear", ["explicit", "exact"])
def test_ranks_give_the_same(world, linear):
    flow = LOSSES | {"beta": 6.0, "linear": linear}
    check_ranks(world, make(flow=flow, dt=0.03, lengths=LENGTHS), {"vorticity": vorticity_noise(seed=12)})


@pytest.mark.parametrize("precision", ["double", "single"])
def test_pressure_of_the_taylor_green_vortex(precision):
    """u = (cos x sin y, −sin x cos y) has p = −(cos 2x + cos 2y)/4, and balances it but for friction."""
    case = make((16, 12, 1), {"viscosity": 0.3}, lengths=(TAU, TAU, 1.0), precision=precision)
    simulation = Simulation(case, {"vorticity": lambda x, y, z: (-2 * np.cos(x) * np.cos(y) + 0 * z,)})
    x, y, _ = simulation.coordinates
    x, y = x[None, None, :], y[None, :, None]
    near = {"double": 1e-13, "single": 20 * EPSILON}[precision]
    assert np.abs(simulation.field("p") + (np.cos(2 * x) + np.cos(2 * y)) / 4).max() < near
    u, v = np.cos(x) * np.sin(y), -np.sin(x) * np.cos(y)
    wanted = np.stack([np.sin(2 * x) / -2 - 0.6 * u, np.sin(2 * y) / -2 - 0.6 * v, 0 * u])
    assert np.abs(simulation.field("acceleration") - wanted).max() < near


def test_pressure_of_noise():
    """p̂ = −k_i k_j (u_i u_j)^/k² of the modes that are kept, by NumPy; it makes −(u·∇)u solenoidal."""
    nx, ny, _ = POINTS
    simulation = Simulation(make(lengths=LENGTHS), {"vorticity": vorticity_noise(seed=3)})
    kx, ky = (np.fft.fftfreq(n, 1 / n) for n in (nx, ny))
    kept = (abs(kx) < nx / 3) & (abs(ky[:, None]) < ny / 3)
    k = np.stack(np.broadcast_arrays(kx * TAU / LENGTHS[0], (ky * TAU / LENGTHS[1])[:, None]))
    square = np.where((k**2).sum(0) > 0, (k**2).sum(0), 1)
    omega = np.fft.fft2(simulation.field("vorticity")[0, 0])
    u = np.fft.ifft2(np.stack([1j * k[1], -1j * k[0]]) * omega / square).real
    products = np.fft.fft2(u[:, None] * u)
    p = -np.einsum("iyx,jyx,ijyx->yx", k, k, products) / square * kept
    assert np.abs(simulation.field("p")[0, 0] - np.fft.ifft2(p).real).max() < 1e-13
    left = simulation.field("div(advection + pressure_acceleration)")
    assert np.abs(left).max() < 1e-12


def test_pressure_on_a_beta_plane_is_refused():
    simulation = Simulation(make(flow={"viscosity": 0.02, "beta": 1.0}), {"vorticity": vorticity_noise()})
    for text in ("p", "acceleration", "mean(pressure_acceleration.x)"):
        with pytest.raises(CaseError, match=r"is not known: with flow\.beta it balances a Coriolis force"):
            simulation.field(text)
    with pytest.raises(CaseError, match=r"with flow\.beta"):
        simulation.diagnose("pressure")
    assert np.isfinite(simulation.field("advection + viscous_acceleration")).all()

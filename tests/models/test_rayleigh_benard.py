"""Convection between free-slip plates: growth, steady rolls, Nusselt numbers, in every basis.

Times below are of diffusion where they are called κ units; a unit of free fall is √(Ra Pr) of the code's.
"""

import math

import numpy as np
import pytest
from models.convection import (
    CRITICAL,
    LENGTHS,
    POINTS,
    WALLS,
    diffusivities,
    doubled,
    make,
    modes_of,
    random_start,
)
from models.waves import (
    ROUNDING,
    at_start,
    by_shell,
    rates_of_change,
    state_error,
)
from mpi4py import MPI
from physics.flows import distance, run
from support import devices
from whorl import _core
from whorl.run.core_options import core_scheme

pytestmark = pytest.mark.every_device

# Growth


def growing_mode(rayleigh, prandtl, numbers, lengths, bases="SFF"):
    """σ of (σ + ν q²)(σ + κ q²) q² = k², the larger root, and its mode; all in free fall."""
    nu, kappa = diffusivities(rayleigh, prandtl)
    units = [(1 if axis in WALLS[bases] else 2) * math.pi / lengths[axis] for axis in range(3)]
    a, b, c = (unit * n for unit, n in zip(units, numbers, strict=True))
    horizontal = a * a + b * b
    square = horizontal + c * c
    roots = np.roots([1, (nu + kappa) * square, nu * kappa * square**2 - horizontal / square])
    sigma = float(roots.real.max())
    ratio = 1 / (sigma + kappa * square)

    def velocity(x, y, z, t=0.0):
        size = math.exp(sigma * t)
        u = -a * c / horizontal * np.sin(a * x) * np.cos(b * y) * np.cos(c * z)
        v = -b * c / horizontal * np.cos(a * x) * np.sin(b * y) * np.cos(c * z)
        return size * u, size * v, size * np.cos(a * x) * np.cos(b * y) * np.sin(c * z)

    def temperature(x, y, z, t=0.0):
        return (ratio * math.exp(sigma * t) * np.cos(a * x) * np.cos(b * y) * np.sin(c * z),)

    return sigma, {"velocity": velocity, "temperature": temperature}


def scaled(fields, by):
    """The same fields, times a number."""
    return {
        name: lambda x, y, z, t=0.0, f=f: tuple(by * part for part in f(x, y, z, t))
        for name, f in fields.items()
    }


FAINT = 1e-11
GROWTH = [(2000.0, 1.0, (1, 1, 1)), (5000.0, 0.7, (1, 0, 2)), (600.0, 7.0, (1, 2, 1)), (3e4, 6.0, (2, 1, 3))]


@pytest.mark.parametrize("bases", ["SFF", "SSF", "SSS"])
@pytest.mark.parametrize(("rayleigh", "prandtl", "numbers"), GROWTH, ids=str)
def test_linear_modes_grow_or_decay(rayleigh, prandtl, numbers, bases):
    sigma, mode = growing_mode(rayleigh, prandtl, numbers, LENGTHS, bases)
    faint = scaled(mode, FAINT)
    case = make(rayleigh=rayleigh, prandtl=prandtl, dt=0.01, bases=bases)
    simulation = run(case, at_start(faint), 100)
    assert state_error(simulation, faint) < 1e-8
    grown = np.abs(simulation.velocity()[2]).max() / np.abs(run(case, at_start(faint), 0).velocity()[2]).max()
    assert math.log(grown) / simulation.time == pytest.approx(sigma, abs=1e-7)
    if rayleigh < CRITICAL:
        assert sigma < 0


@pytest.mark.parametrize(
    ("rayleigh", "growth"), [(2000.0, 11.0154823731), (1000.0, 3.4530119819), (CRITICAL, 0.0)]
)
@pytest.mark.parametrize("bases", ["SFF", "SSF"])
def test_known_growth_rates(rayleigh, growth, bases):
    """k = π/√2, Pr = 1, in κ units; in SFF in the plane, in SSF between side walls."""
    plane = bases == "SFF"
    length = 2 * math.sqrt(2) if plane else math.sqrt(2)
    points, lengths = ((8, 1, 8), (length, 1.0, 1.0)) if plane else ((4, 8, 8), (1.0, length, 1.0))
    numbers = (1, 0, 1) if plane else (0, 1, 1)
    _, mode = growing_mode(rayleigh, 1.0, numbers, lengths, bases)
    case = make(points, rayleigh, dt=0.02, bases=bases, lengths=lengths)
    simulation = run(case, at_start(scaled(mode, FAINT)), 0)
    before = simulation.statistics()["energy"]
    for _ in range(100):
        simulation.step()
    found = math.log(simulation.statistics()["energy"] / before) / (2 * simulation.time)
    assert found * math.sqrt(rayleigh) == pytest.approx(growth, abs=2e-7)


# Ra(k) = [(k² + π²)³ + π² Ta]/k² at its minimum over k: Chandrasekhar (1961), chapter III.
ROTATING = [(1e3, 3.7104, 1676.118), (1e4, 5.6980, 5377.142), (1e5, 8.6261, 21309.00)]


@pytest.mark.parametrize(("taylor", "k", "rayleigh"), ROTATING)
@pytest.mark.parametrize("by", ["taylor", "rossby"])
def test_steady_onset_in_a_rotating_layer(taylor, k, rayleigh, by):
    """The marginal mode stays: v = f π W/(k ν q²) cos πz sin kx beside the roll itself."""
    square, prandtl = k * k + math.pi**2, 1.7
    exact = (square**3 + math.pi**2 * taylor) / k**2
    assert exact == pytest.approx(rayleigh, rel=1e-6)
    nu, kappa = diffusivities(exact, prandtl)
    turning = math.sqrt(taylor) * nu  # 2 Ω

    def velocity(x, y, z, t=0.0):
        u = -math.pi / k * np.sin(k * x) * np.cos(math.pi * z)
        v = turning * math.pi / (k * nu * square) * np.sin(k * x) * np.cos(math.pi * z)
        return u + 0 * y, v + 0 * y, np.cos(k * x) * np.sin(math.pi * z) + 0 * y

    def temperature(x, y, z, t=0.0):
        return (np.cos(k * x) * np.sin(math.pi * z) / (kappa * square) + 0 * y,)

    rotation = {"taylor": taylor} if by == "taylor" else {"rossby": math.sqrt(exact / (prandtl * taylor))}
    faint = scaled({"velocity": velocity, "temperature": temperature}, FAINT)
    case = make((8, 4, 8), exact, prandtl, rotation, dt=0.05, lengths=(2 * math.pi / k, 1.0, 1.0))
    assert state_error(run(case, at_start(faint), 40), faint) < 1e-7


@pytest.mark.parametrize("numbers", [(1, 0), (0, -1), (2, 1)], ids=str)
def test_an_elevator_without_plates(numbers):
    """FFF: (s + νk²)(s + κk²) = 1 for k_z = 0, at any amplitude; the basis in which nothing stops it."""
    nu, kappa = diffusivities(4000.0, 3.0)
    k = [2 * math.pi / length * n for length, n in zip(LENGTHS, numbers, strict=False)]
    square = np.dot(k, k)
    s = float(np.roots([1, (nu + kappa) * square, nu * kappa * square**2 - 1]).real.max())

    def velocity(x, y, z, t=0.0):
        w = 1.3 * math.exp(s * t) * np.cos(k[0] * x + k[1] * y + 0.4) + 0 * z
        return 0 * w, 0 * w, w

    def temperature(x, y, z, t=0.0):
        return ((s + nu * square) * velocity(x, y, z, t)[2],)

    exact = {"velocity": velocity, "temperature": temperature}
    simulation = run(make(rayleigh=4000.0, prandtl=3.0, dt=0.02, bases="FFF"), at_start(exact), 40)
    assert s > 0
    assert state_error(simulation, exact) < 1e-7
    found = simulation.statistics()
    flux = (simulation.velocity()[2] * simulation.field("temperature")[0]).mean()
    assert found["convective_flux"] == pytest.approx(flux, rel=1e-12)
    derived = simulation.case.flow.derived(found, 1.0)
    assert derived["nusselt_volume"] == pytest.approx(1 + flux / kappa, rel=1e-12)
    assert math.isnan(derived["nusselt_plates"])  # there are none


# Conduction


@pytest.mark.parametrize("bases", ["SFF", "SSF", "SSS"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_conduction_and_sliding_layers_decay(bases, n):
    """θ = sin nπz exp(−κ n²π² t) and, along z alone, u = cos nπz exp(−ν n²π² t)."""
    nu, kappa = diffusivities(500.0, 3.0)
    rate = (n * math.pi) ** 2
    sliding = [bases[2] == "F", bases[1] == "F"]

    def velocity(x, y, z, t=0.0):
        layer = math.exp(-nu * rate * t) * np.cos(n * math.pi * z) + 0 * x * y
        return sliding[0] * layer, -0.7 * sliding[1] * layer, 0 * layer

    def temperature(x, y, z, t=0.0):
        return (math.exp(-kappa * rate * t) * np.sin(n * math.pi * z) + 0 * x * y,)

    exact = {"velocity": velocity, "temperature": temperature}
    simulation = run(make(rayleigh=500.0, prandtl=3.0, dt=0.5, bases=bases), at_start(exact), 3)
    assert state_error(simulation, exact) < ROUNDING
    slope_there = n * math.pi * math.exp(-kappa * rate * simulation.time)
    mean = slope_there * (1 + (-1) ** n) / 2  # over both plates
    derived = simulation.case.flow.derived(simulation.statistics(), 1.0)
    assert derived["nusselt_plates"] == pytest.approx(1 - mean, abs=1e-12)
    assert derived["nusselt_volume"] == pytest.approx(1, abs=1e-12)


# In every basis it is the flow of the doubled periodic box


def core_flow(bases, points, lengths, **options):
    parameters = {"viscosity": 0.02, "diffusivity": 0.03, "rotation_z": 0.0}
    return _core.Flow(
        _core.Options(
            model="rayleigh-benard",
            parameters=parameters | options.pop("parameters", {}),
            scheme=core_scheme(options.pop("scheme", "rk4")),
            points=points,
            lengths=lengths,
            threads=1,
            device=devices.current(),
            **({} if bases == "FFF" else {"bases": bases}),
            **options,
        ),
        MPI.COMM_SELF.py2f(),
    )


def put(flow, fields):
    for name, values in fields.items():

        def fill(z0, z1, y0, y1, out, values=values):
            out[...] = values[:, z0:z1, y0:y1]

        flow.set_physical(fill, True, field=name)


def get(flow, name, components):
    nx, ny, nz = flow.options.points
    whole = np.empty((components, nz, ny, nx))

    def take(z0, z1, y0, y1, values):
        whole[:, z0:z1, y0:y1] = values

    flow.read_fields(name, take)
    return whole


@pytest.mark.parametrize("bases", ["SFF", "SSF", "SSS"])
@pytest.mark.parametrize("shape", ["cube", "sphere"])
def test_between_walls_it_is_the_doubled_box(bases, shape):
    rotation = {"rotation_z": 0.9 if bases == "SFF" else 0.0}
    for exact in (False, True):
        linear = "exact" if exact else "explicit"
        options = {"shape": shape, "linear": linear, "parameters": rotation, "scheme": "rk3"}
        here = core_flow(bases, POINTS, LENGTHS, **options)
        times = [2 if axis in WALLS[bases] else 1 for axis in range(3)]
        points = tuple(n * t for n, t in zip(POINTS, times, strict=True))
        lengths = tuple(n * t for n, t in zip(LENGTHS, times, strict=True))
        # Points of the doubled box may lie half a spacing further: its flow does not notice.
        there = core_flow("FFF", points, lengths, **options)
        start = random_start(POINTS, bases, 1)
        put(here, start)
        put(there, {name: doubled(field, name, bases) for name, field in start.items()})
        for step in range(3):
            here.step(0.05, step_number=step)
            there.step(0.05, step_number=step)
        for name, components in (("velocity", 3), ("vorticity", 3), ("temperature", 1)):
            expected = get(there, name, components)
            found = doubled(get(here, name, components), name, bases)
            assert distance(found, expected) < 1e-13, name
        for name in ("energy", "dissipation", "thermal_variance", "thermal_dissipation", "convective_flux"):
            assert here.statistics()[name] == pytest.approx(there.statistics()[name], rel=1e-12), name


# Measures and budgets


@pytest.mark.parametrize("bases", WALLS)
def test_measures_are_those_of_the_points(bases):
    simulation = run(
        make(rayleigh=3000.0, prandtl=2.0, dt=0.02, bases=bases), random_start(POINTS, bases, 2), 2
    )
    nu, kappa = diffusivities(3000.0, 2.0)
    a, k = modes_of(simulation, "velocity")
    theta, _ = modes_of(simulation, "temperature")
    square = k[0] ** 2 + k[1] ** 2 + k[2] ** 2
    norm, variance = (np.abs(a) ** 2).sum(0), np.abs(theta[0]) ** 2
    u, at_points = simulation.velocity(), simulation.field("temperature")[0]
    omega = simulation.vorticity()
    expected = {
        "energy": (u**2).sum(0).mean() / 2,
        "dissipation": nu * (square * norm).sum(),
        "enstrophy": (omega**2).sum(0).mean() / 2,
        "thermal_variance": (at_points**2).mean() / 2,
        "thermal_dissipation": kappa * (square * variance).sum(),
        "convective_flux": (u[2] * at_points).mean(),
    }
    found = simulation.statistics()
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-11), name
    spectra = simulation.flow.spectra()
    unit = min((1 if axis in WALLS[bases] else 2) * math.pi / LENGTHS[axis] for axis in range(3))
    count = len(spectra["k"])
    assert spectra["k"] == pytest.approx(unit * np.arange(count))
    for name, density in (("energy", norm / 2), ("thermal_variance", variance / 2)):
        shells = by_shell(density, k, unit, count)
        assert np.abs(spectra[name] - shells).max() < 1e-12 * shells.max()


@pytest.mark.parametrize("bases", ["SFF", "SSF", "SSS"])
def test_the_gradient_at_the_plates(bases):
    """From the modes of the horizontal mean, ∂θ/∂z = i k_z θ at z = 0 and z = 1."""
    simulation = run(make(bases=bases), random_start(POINTS, bases, 3), 1)
    theta, k = modes_of(simulation, "temperature")
    profile, kz = theta[0, :, 0, 0], k[2][:, 0, 0]
    plates = [(1j * kz * profile * np.exp(1j * kz * z)).sum().real for z in (0.0, 1.0)]
    assert abs(plates[0] - plates[1]) > 0.1 * abs(sum(plates))
    assert simulation.statistics()["plate_gradient"] == pytest.approx(sum(plates) / 2, rel=1e-10)


@pytest.mark.parametrize("bases", WALLS)
def test_energy_and_variance_change_as_they_should(bases):
    """dE/dt = ⟨w θ⟩ − ε and d½⟨θ²⟩/dt = ⟨w θ⟩ − κ⟨|∇θ|²⟩, rotation or not."""
    flow = {"rossby": 0.7} if bases in ("FFF", "SFF") else {}
    case = make(rayleigh=3000.0, prandtl=2.0, flow=flow, dt=0.001, bases=bases)
    simulation = run(case, random_start(POINTS, bases, 4, size=0.1), 3)
    now, slopes = rates_of_change(simulation, 0.001)
    flux = now["convective_flux"]
    assert slopes["energy"] == pytest.approx(flux - now["dissipation"], rel=1e-7)
    assert slopes["thermal_variance"] == pytest.approx(flux - now["thermal_dissipation"], rel=1e-7)
    assert abs(flux) > 1e-4 * now["dissipation"]


@pytest.mark.parametrize("bases", WALLS)
def test_the_nonlinear_terms_keep_energy_and_variance(bases):
    """Transfers, which hold the buoyancy too, sum to the flux of heat in both equations."""
    simulation = run(make(bases=bases), random_start(POINTS, bases, 5), 0)
    transfer = simulation.flow.transfer()
    flux, size = simulation.statistics()["convective_flux"], np.abs(transfer["velocity"]).sum()
    assert abs(transfer["velocity"].sum() - flux) < 1e-13 * size
    assert abs(transfer["temperature"].sum() - flux) < 1e-13 * np.abs(transfer["temperature"]).sum()


# Steady rolls


def steady_roll(rayleigh, points, dt, until):
    """From one roll pair without noise, in the plane; Pr = 1, L = 2√2, times in κ units."""
    length = 2 * math.sqrt(2)
    free_fall = math.sqrt(rayleigh)

    def temperature(x, y, z):
        return 0.1 * np.cos(2 * math.pi * x / length) * np.sin(math.pi * z) - 0.05 * np.sin(2 * math.pi * z)

    case = make((*points[:1], 1, points[1]), rayleigh, dt=dt, lengths=(length, 1.0, 1.0))
    simulation = run(case, {"temperature": temperature}, round(until * free_fall / dt))
    return simulation, simulation.case.flow.derived(simulation.statistics(), 1.0)


# Newton–Galerkin with 24 to 64 modes, plates and bulk equal to 1e-8: Nu and U = √⟨u²⟩ in κ units.
STEADY = [(1000.0, 1.7385935, 7.062242, (24, 16)), (2000.0, 2.6964746, 15.098010, (32, 20))]


@pytest.mark.cpu_by_default
@pytest.mark.parametrize(("rayleigh", "nusselt", "speed", "points"), STEADY)
def test_steady_rolls(rayleigh, nusselt, speed, points):
    """All three Nusselt numbers, and ⟨|∇u|²⟩ = Ra (Nu − 1) in κ units."""
    simulation, found = steady_roll(rayleigh, points, 0.1, 3.0)
    for name in ("nusselt_volume", "nusselt_plates", "nusselt_dissipation"):
        assert found[name] == pytest.approx(nusselt, rel=2e-6), name
    now = simulation.statistics()
    assert math.sqrt(2 * now["energy"] * rayleigh) == pytest.approx(speed, rel=2e-6)
    assert now["dissipation"] == pytest.approx((nusselt - 1) / math.sqrt(rayleigh), rel=5e-6)


def test_just_above_onset_it_is_lorenz():
    """Nu = 1 + 2 (1 − Ra_c/Ra) to leading order: 1.12268 against 1.1214 at Ra = 700."""
    _, found = steady_roll(700.0, (12, 8), 0.2, 16.0)
    assert found["nusselt_volume"] == pytest.approx(1.12268, abs=2e-5)
    assert found["nusselt_plates"] == pytest.approx(found["nusselt_volume"], rel=1e-5)


def test_below_onset_it_dies():
    simulation, found = steady_roll(600.0, (12, 8), 0.4, 5.0)
    assert found["nusselt_volume"] == pytest.approx(1, abs=1e-3)
    before = simulation.statistics()["energy"]
    simulation.step()
    assert simulation.statistics()["energy"] < before


def test_a_roll_between_side_walls_is_half_of_a_pair():
    """SSF: y from wall to wall holds half a period; the flow does not depend on x."""
    half = math.sqrt(2)

    def temperature(x, y, z):
        return 0.1 * np.cos(math.pi * y / half) * np.sin(math.pi * z) - 0.05 * np.sin(2 * math.pi * z) + 0 * x

    case = make((4, 16, 16), 1000.0, dt=0.1, bases="SSF", lengths=(1.0, half, 1.0))
    simulation = run(case, {"temperature": temperature}, round(3.0 * math.sqrt(1000.0) / 0.1))
    found = simulation.case.flow.derived(simulation.statistics(), 1.0)
    for name in ("nusselt_volume", "nusselt_plates", "nusselt_dissipation"):
        assert found[name] == pytest.approx(1.7385935, rel=2e-6), name

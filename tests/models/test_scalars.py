"""Passive scalars on every flow that carries them: closed forms, variance budget, measures."""

import math

import numpy as np
import pytest
from models.runs import (
    TAU,
    Modes,
    advance,
    check_spectrum,
    distance,
    error,
    inner,
    make_case,
    noise,
    slope,
    transverse,
    wave,
)

pytestmark = pytest.mark.every_device

KAPPA = 0.05
BOX = (12, 16, 10)
LENGTHS = (TAU, 1.2 * TAU, 0.9 * TAU)
GRID = {"lengths": LENGTHS}
GRADIENT = (0.7, -1.1, 0.4)
# Flows with what they need, on which scalars travel, and the field that holds their velocity.
FLOWS = {
    "navier-stokes": {},
    "boussinesq": {"buoyancy_frequency": 1.3},
    "mhd": {"mean_field": (0.3, 0.2, 1.1)},
    "mhd hall": {"hall": 0.2},
    "mhd kinematic": {"kinematic": True},
    "quasi-static-mhd": {"interaction": 0.7},
}
flows = pytest.mark.parametrize("name", FLOWS)
everywhere = pytest.mark.parametrize("name", [*FLOWS, "navier-stokes-2d"])
linears = pytest.mark.parametrize("linear", ["explicit", "exact"])


def carried(name: str, points=8, *, scalars=({},), viscosity=0.02, **options):
    """A case with scalars called s0, s1, …, of diffusivity KAPPA without another."""
    own = [
        {"name": f"s{n}", **({} if "schmidt" in one else {"diffusivity": KAPPA}), **one}
        for n, one in enumerate(scalars)
    ]
    if name == "navier-stokes-2d" and isinstance(points, tuple):
        points = (*points[:2], 1)
    options = {"viscosity": viscosity, **FLOWS.get(name, {}), **options, "scalars": own}
    return make_case(name.split()[0], points, **options)


def flow_of(case, seed=1, size=1.0, reach=None) -> dict[str, np.ndarray]:
    """A random state of the model without its scalars."""
    components = {field: about.components for field, about in case.flow.state.items()}
    return {
        field: noise(case, count, seed + n, size=size, reach=reach)
        for n, (field, count) in enumerate(components.items())
    }


# Closed forms


@linears
@pytest.mark.parametrize("name", ["navier-stokes", "boussinesq", "mhd", "quasi-static-mhd"])
def test_a_wave_in_a_uniform_flow(name, linear):
    """θ = cos(k·x − k·U t) exp(−κ k² t), along any direction."""
    U = (0.7, -0.4, 1.3)
    dt, steps, limit = (1.3, 2, 1e-12) if linear == "exact" else (0.005, 40, 1e-8)
    case = carried(name, mean_velocity=U, linear=linear, dt=dt)
    for k in ((1, 2, -2), (-2, 1, 2), (2, -2, 1), (2, 0, 0), (0, 0, -1)):
        exact = wave(k, np.array([np.exp(0.4j)]), -KAPPA * np.dot(k, k) - 1j * np.dot(k, U))
        assert error(advance(case, {"s0": exact}, steps), "s0", exact) < limit


@pytest.mark.parametrize("axes", [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1)])
def test_a_mean_gradient_in_a_shear(axes):
    """u = U sin(k y) x̂ kept by ν = 0: θ = −(G U/κk²)(1 − e^(−κk²t)) sin(k y), with flux and production."""
    along, across, _ = axes
    G, U, k = 1.7, 0.9, 2
    gradient = tuple(G if axis == along else 0.3 for axis in range(3))
    case = carried("navier-stokes", viscosity=0.0, scalars=[{"gradient": gradient}], dt=0.02)

    def shear(x, y, z, t):
        return tuple(U * np.sin(k * (x, y, z)[across] + 0.3) if axis == along else 0 for axis in range(3))

    def theta(x, y, z, t):
        rate = KAPPA * k * k
        return (-(G * U / rate) * -math.expm1(-rate * t) * np.sin(k * (x, y, z)[across] + 0.3),)

    simulation = advance(case, {"velocity": shear}, 30)
    assert error(simulation, "s0", theta) < 1e-9
    grown = -math.expm1(-KAPPA * k * k * simulation.time)
    production = G * G * U * U / (2 * KAPPA * k * k) * grown
    assert simulation.statistics()["s0_production"] == pytest.approx(production, rel=1e-9)
    assert np.abs(simulation.velocity() - shear_values(simulation, shear)).max() < 1e-13


def shear_values(simulation, shear):
    x, y, z = simulation.coordinates
    parts = shear(x[None, None, :], y[None, :, None], z[:, None, None], 0)
    return np.stack([np.broadcast_to(part, (z.size, y.size, x.size)) for part in parts])


@pytest.mark.parametrize("model", ["navier-stokes", "navier-stokes-2d"])
def test_a_shear_tilts_a_wave(model):
    """κ = 0, u = sin y x̂: θ = cos(x − t sin y); in three dimensions and in the plane."""
    case = carried(model, (32, 64, 1), viscosity=0.0, scalars=[{"diffusivity": 0.0}], dt=0.05)
    start = {"velocity": lambda x, y, z, t: (np.sin(y), 0, 0), "s0": lambda x, y, z, t: (np.cos(x),)}
    simulation = advance(case, start, 60)
    assert error(simulation, "s0", lambda x, y, z, t: (np.cos(x - t * np.sin(y)),)) < 3e-7


@pytest.mark.parametrize("model", ["navier-stokes", "navier-stokes-2d"])
def test_a_stream_function_is_not_carried(model):
    """θ ∝ ψ of decaying Taylor–Green vortices only diffuses, whatever the flow's strength."""
    case = carried(model, (16, 16, 1), viscosity=0.1, dt=0.1)

    def vortices(x, y, z, t):
        return 3 * np.sin(x) * np.cos(y), -3 * np.cos(x) * np.sin(y), 0

    def theta(x, y, z, t):
        return (math.exp(-2 * KAPPA * t) * np.sin(x) * np.sin(y),)

    assert error(advance(case, {"velocity": vortices, "s0": theta}, 10), "s0", theta) < 1e-13


# A scalar beside an equation of the flow that it obeys as well


def test_a_scalar_with_the_gradient_of_the_stratification_is_the_temperature():
    """∂θ/∂t + u·∇θ = N w + κ∇²θ is that of a scalar with g = −N ẑ, here through convection, on any grid."""
    N = 1.3
    case = carried(
        "boussinesq", BOX, diffusivity=KAPPA, buoyancy_frequency=N, scalars=[{"gradient": -N}], grid=GRID
    )
    fields = flow_of(case)
    simulation = advance(case, {**fields, "s0": fields["temperature"]}, 8)
    assert distance(simulation.field("s0"), simulation.field("temperature")) < 1e-13
    assert distance(simulation.field("s0"), fields["temperature"]) > 0.1


@everywhere
@linears
def test_the_same_scalar_whatever_is_beside_it(name, linear):
    """Others change nothing; a gradient is a scalar G·x that has been there all the time: sums are sums."""
    parts = [{"gradient": GRADIENT}, {}, {"schmidt": 0.1}]
    if name == "navier-stokes-2d":
        parts[0] = {"gradient": (*GRADIENT[:2], 0.0)}
    case = carried(name, BOX, scalars=parts, linear=linear, grid=GRID)
    theta = noise(case, 1, seed=9)
    fields = flow_of(case)
    simulation = advance(case, {**fields, "s0": 2 * theta, "s1": theta, "s2": theta}, 5)
    alone = advance(carried(name, BOX, scalars=parts[:1], linear=linear, grid=GRID), fields, 5)
    sum_of_both = 2 * simulation.field("s1") + alone.field("s0")
    assert distance(simulation.field("s0"), sum_of_both) < 1e-13
    assert distance(simulation.field("s2"), simulation.field("s1")) > 1e-3
    first = next(iter(case.flow.state))
    assert np.array_equal(simulation.field(first), alone.field(first))


@pytest.mark.parametrize("name", [name for name in FLOWS if "kinematic" not in name])
def test_a_mean_velocity_moves_flow_and_scalar_alike(name):
    """Galilean invariance: the same fields, moved by a whole number of cells."""
    U = tuple(2 * length / n for length, n in zip(LENGTHS, BOX, strict=True))
    case = carried(name, BOX, mean_velocity=U, linear="exact", grid=GRID, dt=0.02)
    fields = flow_of(case, size=0.3, reach=2) | {"s0": noise(case, 1, seed=9, reach=2)}
    moving = advance(case, fields, 50)
    still = advance(carried(name, BOX, linear="exact", grid=GRID, dt=0.02), fields, 50)
    moved = np.roll(still.field("s0"), (2, 2, 2), axis=(1, 2, 3))
    assert distance(moving.field("s0"), moved) < 1e-6


# Budgets and measures


@everywhere
def test_variance_budget(name):
    """½ d⟨θ²⟩/dt = −g·⟨uθ⟩ − κ⟨|∇θ|²⟩ with each number by numpy, whatever the flow."""
    gradient = (*GRADIENT[:2], 0.0) if name == "navier-stokes-2d" else GRADIENT
    case = carried(name, BOX, scalars=[{}, {"gradient": gradient, "schmidt": 0.3}], grid=GRID, dt=2e-4)
    fields = flow_of(case) | {"s1": noise(case, 1, seed=9)}
    simulation, rows = advance(case, fields, 0), []
    for step in range(5):
        rows.append(simulation.statistics())
        if step == 2:
            theta, u = simulation.field("s1"), simulation.velocity()
        simulation.step()
    rate = np.dot([1, -8, 0, 8, -1], [row["s1_variance"] for row in rows]) / (12 * 2e-4)
    now, modes = rows[2], Modes(case)
    a = modes.of(theta)[0]
    gradient_of = modes.gradient(a)
    assert now["s1_variance"] == pytest.approx((theta**2).mean() / 2, rel=1e-12)
    assert now["s1_dissipation"] == pytest.approx(0.02 / 0.3 * inner(gradient_of, gradient_of), rel=1e-12)
    production = -(np.tensordot(gradient, u, 1) * theta[0]).mean()
    assert now["s1_production"] == pytest.approx(production, rel=1e-11, abs=1e-13)
    assert rate == pytest.approx(now["s1_production"] - now["s1_dissipation"], abs=1e-7)
    assert abs(production) > 1e-3


@flows
def test_spectrum_and_transfer(name):
    """Variance by shell; what the flow moves between shells adds up to nothing."""
    case = carried(name, BOX, scalars=[{}, {"diffusivity": 0.0}], grid=GRID)
    simulation = advance(case, flow_of(case) | {"s1": noise(case, 1, seed=9)}, 2)
    modes = Modes(case)
    a = modes.of(simulation.field("s1"))[0]
    spectra, transfer = simulation.flow.spectra(), simulation.flow.transfer()
    check_spectrum(spectra["s1_variance"], modes.by_shell(np.abs(a) ** 2 / 2))
    moved = transfer["s1"]
    assert abs(moved.sum()) < 1e-12
    assert np.abs(moved).max() > 1e-3


@pytest.mark.parametrize("dealias", ["2/3", "phase-shift-exact"])
def test_variance_is_conserved_without_diffusion(dealias):
    """By the advection of kept modes, to the order of the scheme."""
    case = carried("navier-stokes", BOX, scalars=[{"diffusivity": 0.0}], grid=GRID | {"dealias": dealias})
    drift = []
    for dt in (0.02, 0.01):
        simulation = advance(
            case.updated([f"time.dt={dt}"]), flow_of(case) | {"s0": noise(case, 1, seed=9)}, round(0.2 / dt)
        )
        start = advance(case, {"s0": noise(case, 1, seed=9)}, 0).statistics()["s0_variance"]
        drift.append(abs(simulation.statistics()["s0_variance"] / start - 1))
    assert drift[1] < 1e-6
    assert slope([2, 1], drift) > 3.8


def test_a_wave_of_the_flow_carries_no_scalar_of_its_own_phase():
    """u and θ of the same k: u·∇θ = i k·u … = 0, exactly diffusion; any amplitude."""
    k = (1, 2, -1)
    case = carried("navier-stokes", dt=0.3)
    exact = wave(k, np.array([1.0 + 0.5j]), -KAPPA * 6)
    start = {"velocity": wave(k, 5 * transverse(k, 3)), "s0": exact}
    assert error(advance(case, start, 3), "s0", exact) < 1e-12

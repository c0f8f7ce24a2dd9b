"""Inertial, molecular and charged particles: paths that are known, and the orders of the schemes."""

import numpy as np
import pytest
from physics.test_tracers import flow_of, timed
from scipy.integrate import solve_ivp
from support.ranks import on_ranks
from whorl import _core
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.schemes import SCHEMES
from whorl.run.simulation import Simulation

REST = {"name": "zero"}
ORDERS = {"rk2": 2, "rk3": 3, "rk4": 4, "ab2": 2, "ab3": 3}
CUBE = (2 * np.pi,) * 3


def moved(state, steps: int, group) -> tuple[np.ndarray, np.ndarray]:
    for _ in range(steps):
        state.step()
    return group.positions(), group.velocities()


@pytest.mark.parametrize("share", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_relaxation_and_settling_are_exact(scheme, share):
    """In a uniform flow, with a last step that is shorter."""
    tau, g, U = 0.3, np.array([0.4, 0.0, -2.0]), np.array([0.7, -0.4, 0.2])
    dt, until = share * tau, 6.5 * share * tau
    time = {"dt": dt, "until": until, "scheme": scheme}
    start, v0 = np.array([[1.0, 0.4, 2.0], [3.0, 5.0, 1.0]]), np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 0.5]])
    flow = {"viscosity": 0.1, "mean_velocity": tuple(U)}
    with flow_of(8, time=time, initial=REST, flow=flow) as state:
        group = state.particles(start, kind="inertial", response_time=tau, gravity=tuple(g), velocity=v0)
        state.run(progress=False)
        x, v = group.positions(), group.velocities()
    last, decay = U + tau * g, np.exp(-until / tau)
    wanted = start + last * until + tau * (v0 - last) * -np.expm1(-until / tau)
    assert np.abs(v - (last + (v0 - last) * decay)).max() < 2e-14
    assert np.abs(x - wanted).max() < 1e-13 * (1 + np.abs(wanted).max())


def drag(tau: float, g: np.ndarray):
    """The right-hand side of an inertial particle in CELLS, for SciPy."""

    def rates(t, y):
        (x, z), v = y[:2], y[2:]
        u = np.array([np.sin(x) * np.cos(z), -np.cos(x) * np.sin(z)])
        return np.concatenate([v, (u - v) / tau + g])

    return rates


@pytest.mark.parametrize("scheme", ORDERS)
def test_inertial_particles_are_of_the_order_of_the_scheme(scheme):
    """In frozen cells, against SciPy, with steps shorter than the response time."""
    tau, until, g, v0 = 0.6, 2.4, np.array([0.3, -0.2]), np.array([0.5, -1.0])
    x0 = np.array([1.0, 0.4])
    found = solve_ivp(drag(tau, g), (0, until), [*x0, *v0], method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    errors = []
    for steps in (16, 32):
        with flow_of((48, 48, 1), time=timed(until, steps, scheme)) as state:
            options = {"response_time": tau, "gravity": (*g, 0.0), "velocity": (*v0, 0.0), "points": 8}
            group = state.particles([[*x0, 0.0]], kind="inertial", **options)
            x, v = moved(state, steps, group)
        errors.append(np.abs(np.concatenate([x[0, :2], v[0, :2]]) - found).max())
    assert errors[0] < 0.05
    assert np.log2(errors[0] / errors[1]) == pytest.approx(ORDERS[scheme], abs=0.4)


def test_inertial_particles_begin_with_the_flow_and_follow_it():
    """At rest in the flow at first, and with a short response time as tracers, to first order in it."""
    start, moved_by, tau = np.array([[1.0, 0.4, 0.0], [3.0, 5.0, 0.0]]), [], 0.02
    with flow_of((32, 32, 1), time=timed(1.0, 50)) as state:
        tracers = state.particles(start, points=8)
        groups = [state.particles(start, kind="inertial", response_time=t, points=8) for t in (tau, tau / 2)]
        np.testing.assert_allclose(groups[0].velocities(), tracers.sample("u"), atol=1e-12)
        state.run(progress=False)
        moved_by = [np.abs(group.positions() - tracers.positions()).max() for group in groups]
    assert moved_by[0] < tau
    assert moved_by[0] / moved_by[1] == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("scheme", ["rk4", "ab2", "ab3"])
def test_inertial_particles_bounce_off_walls(scheme):
    """Each step is the exact fall in a fluid at rest, and its mirror image if it ends beyond a wall."""
    tau, g, dt = 0.8, -2.0, 0.05
    case = Case(
        grid={"points": 8, "lengths": 1.0},
        flow={"model": "rayleigh-benard", "rayleigh": 1000.0, "prandtl": 1.0},
        time={"dt": dt, "until": 5.0, "scheme": scheme},
        initial=REST,
    )
    bounces = 0
    with Simulation(case, comm=MPI.COMM_SELF) as state:
        options = {"response_time": tau, "gravity": g, "velocity": (0.3, 0.0, 2.9)}
        group = state.particles([[0.5, 0.5, 0.3]], kind="inertial", **options)
        z, v = 0.3, 2.9
        for _ in range(60):
            state.step()
            away = v - tau * g
            z += tau * g * dt - tau * away * np.expm1(-dt / tau)
            v = tau * g + away * np.exp(-dt / tau)
            if not 0 <= z <= 1:
                z, v, bounces = -z if z < 0 else 2 - z, -v, bounces + 1
            assert group.positions()[0, 2] == pytest.approx(z, abs=1e-12)
            assert group.velocities()[0, 2] == pytest.approx(v, abs=1e-12)
    assert bounces > 2


def test_a_step_that_is_too_long_for_inertial_particles_is_told():
    time = {"courant": 0.5, "dt_max": 0.5, "until": 5.0}
    with flow_of(
        (16, 16, 1), time=time, initial={"name": "formula", "value": ["1e-3*sin(y)", "0", "0"]}
    ) as state:
        state.particles([[0.0, 0.0, 0.0]], kind="inertial", response_time=0.01)
        with pytest.raises(_core.Error, match=r"a time step of 0.5 is more than 10 response times of 0.01"):
            state.step()


def brownian(comm, threads=1, seed=3, count=400, steps=5, **options) -> np.ndarray | None:
    """How far particles of a fluid at rest have gone, on rank 0."""
    with flow_of((8, 12, 10), comm, time=timed(1.0, steps), initial=REST, run={"threads": threads}) as state:
        group = state.particles(count, kind="molecular", diffusivity=0.3, seed=seed, **options)
        start = group.positions()
        state.run(progress=False)
        end = group.positions()
    return None if comm.rank else end - start


@pytest.mark.parametrize("steps", [1, 10])
def test_brownian_motion_has_the_variance_2_D_t(steps):
    """Along each axis, normal, and independent from axis to axis and from particle to particle."""
    count, wanted = 40_000, 2 * 0.3 * 1.0
    gone = brownian(MPI.COMM_SELF, count=count, steps=steps)
    error = wanted * np.sqrt(2 / count)
    assert np.abs(gone.var(axis=0) - wanted).max() < 4 * error
    assert np.abs(gone.mean(axis=0)).max() < 4 * np.sqrt(wanted / count)
    assert np.abs((gone**4).mean(axis=0) / wanted**2 - 3).max() < 4 * np.sqrt(96 / count)
    others = [gone[:, 0] * gone[:, 1], gone[:, 1] * gone[:, 2], gone[:, 2] * gone[:, 0]]
    others += [gone[1:, 0] * gone[:-1, 0], gone[1:, 2] * gone[:-1, 2]]
    assert max(abs(one.mean()) for one in others) < 4 * wanted / np.sqrt(count)


def test_steps_are_independent_of_each_other():
    count = 20_000
    with flow_of(8, time=timed(1.0, 4), initial=REST) as state:
        group = state.particles(count, kind="molecular", diffusivity=0.3)
        places = [group.positions()]
        for _ in range(4):
            state.step()
            places.append(group.positions())
    jumps = np.diff(places, axis=0)
    one = 2 * 0.3 * 0.25
    for first, second in ((0, 1), (1, 2), (0, 3)):
        assert np.abs((jumps[first] * jumps[second]).mean(axis=0)).max() < 4 * one / np.sqrt(count)


def test_means_of_molecules_are_of_first_order():
    """In u = sin(y) along x, frozen, <X> is the sum of sin(y0) exp(-D n dt) dt instead of the integral."""
    count, D, until, errors = 40_000, 1.0, 1.0, []
    shear = {"name": "formula", "value": ["sin(y)", "0", "0"]}
    exact = (1 - np.exp(-D * until)) / D
    for steps in (2, 4):
        with flow_of((8, 32, 1), time=timed(until, steps), initial=shear) as state:
            plane = {"axis": "y", "position": np.pi / 2}
            group = state.particles(count, kind="molecular", diffusivity=D, points=8, seed=7, plane=plane)
            start = group.positions()
            state.run(progress=False)
            gone = group.positions() - start
        noise = 4 * gone[:, 0].std() / np.sqrt(count)
        errors.append(gone[:, 0].mean() - exact)
        wanted = np.exp(-D * until / steps * np.arange(steps)).sum() * until / steps
        assert gone[:, 0].mean() == pytest.approx(wanted, abs=noise)
    assert errors[0] > 4 * noise
    assert errors[0] / errors[1] == pytest.approx(2, abs=0.5)


@on_ranks(1, 2, 3, 4)
def test_noise_does_not_depend_on_ranks_or_threads_to_a_bit(world):
    alone = brownian(MPI.COMM_SELF)
    for threads in (1, 3):
        found = brownian(world, threads)
        if world.rank == 0:
            assert np.array_equal(found, alone)
    other = brownian(MPI.COMM_SELF, seed=4)
    assert np.abs(np.corrcoef(other[:, 0], alone[:, 0])[0, 1]) < 0.25


def test_molecules_stay_between_walls():
    """Reflected Brownian motion: the mean of cos(πz) decays as exp(-π² D t), and z is uniform at last."""
    flow = {"model": "rayleigh-benard", "rayleigh": 1000.0, "prandtl": 1.0}
    case = Case(
        grid={"points": 8, "lengths": 1.0},
        flow=flow,
        time={"dt": 0.1, "until": 5.0},
        initial={"name": "zero"},
    )
    count, D = 10_000, 0.4
    with Simulation(case, comm=MPI.COMM_SELF) as state:
        plane = {"axis": "z", "position": 0.2}
        group = state.particles(count, kind="molecular", diffusivity=D, plane=plane)
        assert np.ptp(group.positions()[:, 2]) == 0
        for step in range(1, 12):
            state.step()
            z = group.positions()[:, 2]
            assert 0 <= z.min() < z.max() <= 1
            wanted = np.cos(np.pi * 0.2) * np.exp(-(np.pi**2) * D * 0.1 * step)
            assert np.cos(np.pi * z).mean() == pytest.approx(wanted, abs=4 / np.sqrt(2 * count))
    held = np.histogram(z, bins=10, range=(0, 1))[0]
    assert np.abs(held - count / 10).max() < 5 * np.sqrt(count / 10)


def test_the_schmidt_number_is_that_of_the_flow():
    """Paths with ν/D are those with D, in a plane flow within the plane."""
    found = []
    for options in ({"schmidt_number": 4.0}, {"diffusivity": 0.05}):
        with flow_of((16, 16, 1), time=timed(0.5, 5), flow={"viscosity": 0.2}) as state:
            group = state.particles(50, kind="molecular", **options)
            state.run(progress=False)
            found.append(group.positions())
    assert np.array_equal(*found)
    assert np.abs(found[0][:, 2]).max() == 0


MHD = {"model": "mhd", "viscosity": 0.1, "resistivity": 0.2}
NONE = {"name": "zero", "magnetic": {"name": "zero"}}


@pytest.mark.parametrize("scheme", ORDERS)
def test_gyration_and_drift_are_of_the_order_of_the_scheme(scheme):
    """About a uniform B the velocity turns at alpha |B| about that of the field lines, U across B."""
    B, U, alpha, until = np.array([0.3, -0.4, 1.2]), np.array([0.5, 0.2, 0.1]), 2.0, 2.0
    flow = MHD | {"mean_field": tuple(B), "mean_velocity": tuple(U)}
    v0, b = np.array([1.0, 0.3, -0.7]), B / np.linalg.norm(B)
    across = v0 - U - np.dot(v0 - U, b) * b
    drift, omega = v0 - across, alpha * np.linalg.norm(B)
    turned = np.cos(omega * until) * across - np.sin(omega * until) * np.cross(b, across)
    path = np.sin(omega * until) * across - (1 - np.cos(omega * until)) * np.cross(b, across)
    errors = []
    for steps in (40, 80):
        with flow_of(8, time=timed(until, steps, scheme), flow=flow, initial=NONE) as state:
            group = state.particles(
                [[0.0, 1.0, 2.0]], kind="charged", charge_to_mass=alpha, velocity=tuple(v0)
            )
            x, v = moved(state, steps, group)
        wanted = drift * until + path / omega + [0.0, 1.0, 2.0]
        errors.append(max(np.abs(v[0] - drift - turned).max(), np.abs(x[0] - wanted).max()))
    assert errors[0] < 0.1
    assert np.log2(errors[0] / errors[1]) == pytest.approx(ORDERS[scheme], abs=0.4)


def test_a_charged_particle_in_a_decaying_field():
    """b = (sin z, cos z, 0) exp(-η t), its own curl, leaves a fluid at rest; E = η b accelerates along it."""
    eta, alpha, until = 0.2, 3.0, 1.5
    initial = {"name": "zero", "magnetic": {"name": "formula", "value": ["sin(z)", "cos(z)", "0"]}}
    x0, v0 = np.array([0.3, 1.0, 2.0]), np.array([0.4, -0.2, 0.5])

    def rates(t, y):
        b = np.exp(-eta * t) * np.array([np.sin(y[2]), np.cos(y[2]), 0.0])
        return np.concatenate([y[3:], alpha * (eta * b + np.cross(y[3:], b))])

    wanted = solve_ivp(rates, (0, until), [*x0, *v0], method="DOP853", rtol=1e-11, atol=1e-11).y[:, -1]
    with flow_of(32, time=timed(until, 60), flow=MHD, initial=initial) as state:
        group = state.particles([x0], kind="charged", charge_to_mass=alpha, velocity=tuple(v0), points=8)
        x, v = moved(state, 60, group)
    assert np.abs(np.concatenate([x[0], v[0]]) - wanted).max() < 1e-6


def test_the_electric_field_has_all_of_its_terms():
    """The first acceleration is that of u, U, b, B0, j and the Hall term at the particles."""
    B, U, d, eta, alpha, dt = np.array([0.3, -0.4, 1.2]), np.array([0.5, 0.2, 0.1]), 0.3, 0.2, 2.0, 1e-5
    flow = MHD | {"mean_field": tuple(B), "mean_velocity": tuple(U), "hall": d}
    initial = {"name": "random", "k0": 2, "magnetic": {"name": "random", "k0": 2}}
    with flow_of(16, time=timed(1.0, 100_000), flow=flow, initial=initial) as state:
        group = state.particles(30, kind="charged", charge_to_mass=alpha, velocity=(0.2, 0.1, -0.4))
        before = group.velocities()
        u, b, j = (group.sample(name) for name in ("u", "magnetic", "current"))
        state.step()
        rate = (group.velocities() - before) / dt
    E = -np.cross(u + U - d * j, b + B) + eta * j
    np.testing.assert_allclose(rate, alpha * (E + np.cross(before, b + B)), atol=2e-3)


@pytest.mark.parametrize("scheme", ["rk2", "ab2", "ab3"])
def test_the_core_refuses_particles_without_their_earlier_steps(scheme):
    """Behind steps that the scheme remembers; with their registers, as of a restart, they are taken."""
    velocity = [[_core.Term(field=n)] for n in range(3)]
    with flow_of((16, 16, 1), time=timed(1.0, 20, scheme)) as state:
        group = state.flow.particles(velocity, drift=[0.0, 0.0, 0.0], interpolation="spline", points=4)
        group.add(np.arange(2), np.ones((2, 3)))
        for _ in range(3):
            state.step()
        ids = np.arange(2, 4)
        if not scheme.startswith("ab"):
            group.add(ids, np.ones((2, 3)))
            return
        with pytest.raises(_core.Error, match="the time scheme remembers earlier steps"):
            group.add(ids, np.ones((2, 3)))
        group.add(ids, np.ones((2, 1 + SCHEMES[scheme].earlier, 1, 3)))
        assert group.count == 4

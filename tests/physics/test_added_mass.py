"""Added mass of inertial particles, and response times by Stokes numbers."""

import h5py
import numpy as np
import pytest
from physics.test_particle_kinds import ORDERS, REST
from physics.test_particle_runs import case_of, finished, same
from physics.test_tracers import CELLS, flow_of, timed
from scipy.integrate import solve_ivp
from support.build import needs
from support.devices import current
from support.ranks import on_ranks
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

ABC = {"name": "formula", "value": ["sin(z)+0.7*cos(y)", "1.2*sin(x)+cos(z)", "0.7*sin(y)+1.2*cos(x)"]}


def abc(x: np.ndarray) -> np.ndarray:
    """The velocity of ABC at positions [particle][axis]."""
    x, y, z = x.T
    return np.stack(
        [np.sin(z) + 0.7 * np.cos(y), 1.2 * np.sin(x) + np.cos(z), 0.7 * np.sin(y) + 1.2 * np.cos(x)], 1
    )


@pytest.mark.every_device
@pytest.mark.parametrize("beta", [0.4, 3.0])
@pytest.mark.parametrize("scheme", ["rk2", "rk4", "ab3"])
def test_settling_is_by_what_buoyancy_leaves(scheme, beta):
    """The last velocity is U + τ (1 − β) g, which light particles have upwards."""
    tau, g, U, until = 0.3, np.array([0.4, 0.0, -2.0]), np.array([0.7, -0.4, 0.2]), 1.95
    start, v0 = np.array([[1.0, 0.4, 2.0]]), np.array([[1.0, 2.0, 3.0]])
    flow = {"viscosity": 0.1, "mean_velocity": tuple(U)}
    with flow_of(8, time=timed(until, 13, scheme), initial=REST, flow=flow) as state:
        options = {"response_time": tau, "added_mass": beta, "gravity": tuple(g), "velocity": v0}
        group = state.particles(start, kind="inertial", **options)
        state.run(progress=False)
        x, v = group.positions(), group.velocities()
    last = U + tau * (1 - beta) * g
    np.testing.assert_allclose(v, last + (v0 - last) * np.exp(-until / tau), atol=2e-14)
    wanted = start + last * until - tau * (v0 - last) * np.expm1(-until / tau)
    np.testing.assert_allclose(x, wanted, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("scheme", ORDERS)
def test_particles_as_dense_as_the_fluid_stay_with_it(scheme):
    """v = u is a solution of β = 1, since Du/Dt = (u·∇)u in a steady flow is dv/dt along the path."""
    start, until = np.array([[1.0, 0.4, 2.0], [3.0, 5.0, 1.0], [0.3, 2.0, 4.0]]), 1.5
    path = solve_ivp(
        lambda t, x: abc(x.reshape(-1, 3)).ravel(), (0, until), start.ravel(), rtol=1e-11, atol=1e-11
    )
    errors = []
    for steps in (16, 32):
        with flow_of(24, time=timed(until, steps, scheme), initial=ABC) as state:
            options = {"response_time": 0.8, "added_mass": 1.0, "points": 8, "interpolation": "spline"}
            group = state.particles(start, kind="inertial", **options)
            state.run(progress=False)
            x, v = group.positions(), group.velocities()
        away = [np.abs(x - path.y[:, -1].reshape(-1, 3)).max(), np.abs(v - abc(x)).max()]
        errors.append(max(away))
    assert errors[0] < 0.05
    assert np.log2(errors[0] / errors[1]) == pytest.approx(ORDERS[scheme], abs=0.5)


def in_cells(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The velocity and Du/Dt = (u·∇)u of CELLS at positions [particle][axis]."""
    x, y, _ = x.T
    u = np.stack([np.sin(x) * np.cos(y), -np.cos(x) * np.sin(y), 0 * x], 1)
    return u, np.stack([np.sin(x) * np.cos(x), np.sin(y) * np.cos(y), 0 * x], 1)


@pytest.mark.every_device
@pytest.mark.parametrize("beta", [0.0, 3.0])
def test_bubbles_go_to_the_middle_of_a_vortex_and_heavy_particles_away(beta):
    """With v = u − τ (1 − β) Du/Dt + O(τ²)."""
    start, errors = np.array([[1.2, 1.5, 0.0], [2.0, 1.9, 0.0]]), []
    for tau in (0.04, 0.02):
        with flow_of((48, 48, 1), time=timed(0.6, 120)) as state:
            options = {"response_time": tau, "added_mass": beta, "points": 8, "interpolation": "spline"}
            group = state.particles(start, kind="inertial", **options)
            state.run(progress=False)
            x, v = group.positions(), group.velocities()
        u, rate = in_cells(x)
        errors.append(np.abs(v - u + tau * (1 - beta) * rate).max())
        # Psi = sin x sin y is 1 in the middle.
        away = np.prod(np.sin(start[:, :2]), 1) - np.prod(np.sin(x[:, :2]), 1)
        assert np.all(np.sign(away) == np.sign(1 - beta))
    assert errors[0] < 10 * 0.04**2
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.15)


def test_added_mass_by_a_flow_that_decays():
    """Of a shear u = exp(−νt) sin y along x, in which Du/Dt = ∂u/∂t = −νu alone acts."""
    nu, tau, beta, until, y = 0.5, 0.4, 2.5, 1.2, 0.7
    initial = {"name": "formula", "value": ["sin(y)", "0", "0"]}
    with flow_of((24, 24, 1), time=timed(until, 60), initial=initial, flow={"viscosity": nu}) as state:
        options = {"response_time": tau, "added_mass": beta, "points": 8, "interpolation": "spline"}
        group = state.particles([[1.0, y, 0.0]], kind="inertial", **options)
        state.run(progress=False)
        v = group.velocities()[0]
    # v = a exp(−νt) + (1 − a) exp(−t/τ), of v = u at first.
    a = (1 / tau - beta * nu) / (1 / tau - nu)
    wanted = np.sin(y) * (a * np.exp(-nu * until) + (1 - a) * np.exp(-until / tau))
    np.testing.assert_allclose(v, [wanted, 0, 0], atol=3e-7)


FORCES = {
    "oscillating": {
        "kind": "steady",
        "shape": {"name": "formula", "value": ["sin(y)", "0", "0"]},
        "amplitude": 0.5,
        "frequency": 1.5,
    },
    "stochastic": {"kind": "stochastic", "k_min": 1.0, "k_max": 1.5, "power": 0.3, "correlation_time": 2.0},
}


def forced(force: dict, steps: int, *groups: dict, scheme: str = "rk3"):
    """A flow with a force, and inertial particles."""
    flow = {"viscosity": 0.05}
    time = timed(1.0, steps, scheme)
    state = flow_of(12, time=time, flow=flow, initial=REST, forcing=[force])
    return state, [state.particles(6, kind="inertial", points=8, **one) for one in groups]


@pytest.mark.parametrize("name", FORCES)
def test_the_force_is_in_the_acceleration(name):
    """Particles as dense as the fluid go along with a flow that a force brings about, and others do not."""
    found = []
    for steps in (20, 40):
        groups = [{"response_time": 5.0, "added_mass": beta} for beta in (1.0, 0.0)]
        state, (dense, heavy) = forced(FORCES[name], steps, *groups)
        with state:
            state.run(progress=False)
            away = [np.abs(one.velocities() - one.sample("u")).max() for one in (dense, heavy)]
        found.append(away)
    share, ratio = {"oscillating": (1e-6, 7), "stochastic": (1e-3, 1.5)}[name]
    assert found[1][0] < share * found[1][1]
    assert found[0][0] > ratio * found[1][0]


def test_steps_resolve_the_correlation_time_of_a_force():
    """At n steps in it v is wrong by 1/(√12 n): the flow gets the mean of the force, particles what it is."""
    force = FORCES["stochastic"] | {"power": 1e-4, "correlation_time": 0.2}
    found = []
    for steps in (25, 50):
        group = {"response_time": 1e6, "added_mass": 1.0}
        state, (dense,) = forced(force, steps, group, scheme="rk2")
        with state:
            state.run(progress=False)
            u, v = dense.sample("u"), dense.velocities()
        found.append(np.sqrt(np.mean((v - u) ** 2) / np.mean(u**2)))
    assert found == pytest.approx([1 / np.sqrt(12) / 5, 1 / np.sqrt(12) / 10], rel=0.2)


@pytest.mark.every_device
@pytest.mark.parametrize("scheme", ["rk2", "rk4", "ab2"])
@pytest.mark.parametrize("name", FORCES)
def test_what_particles_ask_of_a_force_leaves_the_flow_alone(name, scheme):
    """No bit of the flow depends on them."""
    fields = []
    for groups in ([], [{"response_time": 0.5, "added_mass": 1.5}]):
        state, _ = forced(FORCES[name], 12, *groups, scheme=scheme)
        with state:
            state.run(progress=False)
            fields.append(state.field("velocity"))
    np.testing.assert_array_equal(*fields)


def bubbles_by(field: str, reads: bool) -> np.ndarray:
    """Velocities in a plane with a force on each field, of which a function gives one, and may read."""
    flow = []

    def force(t, modes):
        for one in flow if reads else ():
            one.mean("dx(u.x*u.y)*u.x")
        return 0.3 * modes

    other = {"velocity": "vorticity", "vorticity": "velocity"}[field]
    shape = {"velocity": ["sin(y)", "0", "0"], "vorticity": "cos(x)*sin(y)"}[other]
    steady = {"kind": "steady", "field": other, "shape": {"name": "formula", "value": shape}}
    case = case_of(**OF_PLANE, forcing=[steady], particles=[], time=timed(0.4, 8, "rk3"), initial=CELLS)
    with Simulation(case, forcing={field: force}) as state:
        flow.append(state)
        group = state.particles(6, kind="inertial", response_time=0.5, added_mass=2.0)
        state.run(progress=False)
        return group.velocities()


@pytest.mark.parametrize("field", ["velocity", "vorticity"])
def test_a_script_may_read_the_flow_where_particles_take_two_forces(field):
    """Means and products that it asks for do not change what particles feel."""
    np.testing.assert_array_equal(bubbles_by(field, True), bubbles_by(field, False))


@pytest.mark.every_device
@pytest.mark.parametrize(("scheme", "wanted"), [("rk3", 1 + 4 * 3), ("ab2", 1 + 2 + 3)])
def test_a_script_is_asked_for_its_force_once_a_stage(scheme, wanted):
    """Whoever asks: a force that counts its calls is the same with particles that feel it and without."""
    counts, fields = [], []
    for betas in ((), (1.0,), (0.5, 1.0, 3.0)):
        calls = []

        def force(t, modes, calls=calls):
            calls.append(t)
            return 0.01 * len(calls) * modes

        options = {"time": timed(0.4, 4, scheme), "initial": ABC, "flow": {"viscosity": 0.05}}
        with Simulation(
            Case(grid={"points": 12}, run={"device": current()}, **options), forcing=force
        ) as state:
            for beta in betas:
                state.particles(5, kind="inertial", response_time=0.5, added_mass=beta)
            state.run(progress=False)
            counts.append(len(calls))
            fields.append(state.field("velocity"))
            state.mean("velocity_force.x")  # between steps it is asked anew
            state.mean("velocity_force.x")
            assert len(calls) == counts[-1] + 2
    assert counts == [wanted] * 3  # and once at the beginning
    np.testing.assert_array_equal(fields[1], fields[0])
    np.testing.assert_array_equal(fields[2], fields[0])


@pytest.mark.every_device
def test_single_precision_makes_a_difference_of_rounding():
    found = []
    for precision in ("double", "single"):
        run = {"precision": precision}
        with flow_of(24, time=timed(1.0, 20, "rk3"), initial=ABC, flow={"viscosity": 0.1}, run=run) as state:
            group = state.particles(50, kind="inertial", response_time=0.1, added_mass=2.5, points=6)
            state.run(progress=False)
            found.append(np.stack([group.positions(), group.velocities()]))
    away = np.abs(found[1] - found[0]).max()
    assert 1e-9 < away < 2e-6


WITH_STOKES = [
    {"kind": "inertial", "name": "light", "count": 12, "stokes_number": 0.7, "added_mass": 3.0, "of": ["u"]},
    {"kind": "inertial", "name": "late", "count": 5, "stokes_number": 2.0, "release": 0.07},
]


def of_stokes(directory=None, **more):
    groups = [one | {"every": "1 step"} for one in WITH_STOKES]
    given = {"particles": groups, "time": {"dt": 0.02, "steps": 10, "scheme": "rk2"}} | more
    return case_of(directory, **given)


@needs("hdf5")
@pytest.mark.every_device
def test_a_stokes_number_is_of_the_flow_where_they_begin(tmp_path):
    """τ = St (ν/ε)^½ of that moment, in particles.h5, and a restart goes on with it, bit by bit."""
    enstrophy = {}
    with Simulation(of_stokes(tmp_path / "whole")) as simulation:
        for step in range(10):
            enstrophy[step] = float(simulation.mean("dot(curl(u), curl(u))"))
            simulation.step()
        whole = {name: one.found["response_time"] for name, one in simulation.tracers.items()}
    with Simulation(of_stokes(tmp_path / "parts")) as simulation:
        for _ in range(7):
            simulation.step()
    finished(tmp_path / "parts")
    assert whole == pytest.approx({"light": 0.7 / enstrophy[0] ** 0.5, "late": 2.0 / enstrophy[4] ** 0.5})
    found = {name: open_run(tmp_path / name).particles for name in ("whole", "parts")}
    same(found["whole"], found["parts"])
    for one in found.values():
        assert {name: data.attrs["response_time"] for name, data in one.items()} == whole
    with (
        flow_of(8, time=timed(1.0, 5), initial=REST) as state,
        pytest.raises(CaseError, match="nothing moves"),
    ):
        state.particles(3, kind="inertial", stokes_number=0.7)


@needs("hdf5")
@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda time: 1.01 * time, "its checksum is wrong"),
        (lambda _: np.nan, "light lacks response_time"),
        (lambda _: None, "light lacks response_time"),
    ],
)
def test_a_wrong_response_time_in_a_checkpoint_is_told(tmp_path, wrong, told):
    with Simulation(of_stokes(tmp_path / "run")) as simulation:
        for _ in range(9):
            simulation.step()
    with h5py.File(tmp_path / "run" / "checkpoints" / "00000008.particles.h5", "a") as file:
        assert set(file["light"].attrs) == {"count", "response_time"}
        found = wrong(file["light"].attrs.pop("response_time"))
        if found is not None:
            file["light"].attrs["response_time"] = found
    with pytest.raises(CaseError, match=rf"00000008\.particles\.h5, is damaged: {told}"):
        Simulation.restart(tmp_path / "run")


@needs("hdf5")
def test_a_step_is_short_enough_for_a_stokes_number(tmp_path):
    """Told where the response time is found, at the release, and by a restart with other steps."""
    late = {"kind": "inertial", "count": 5, "stokes_number": 1e-4, "release": 0.07}
    told = (
        r"time.dt = {} is more than 10 times the response time \S+ that "
        r"particles.inertial.stokes_number = {} comes to, .* take shorter steps, a larger Stokes number"
    )
    with Simulation(of_stokes(particles=[late])) as simulation:
        for _ in range(3):
            simulation.step()
        with pytest.raises(CaseError, match=told.format(0.02, 0.0001)):
            simulation.step()
    with (
        Simulation(of_stokes(particles=[])) as simulation,
        pytest.raises(CaseError, match=told.format(0.02, 1e-05)),
    ):
        simulation.particles(3, kind="inertial", stokes_number=1e-5)
    with Simulation(of_stokes(tmp_path / "run")) as simulation:
        for _ in range(9):
            simulation.step()
    with pytest.raises(CaseError, match=told.replace("inertial", "light").format(10, 0.7)):
        Simulation.restart(tmp_path / "run", settings=["time.dt=10", "time.steps=100"])


@on_ranks(1, 2, 4)
@pytest.mark.every_device
def test_ranks_make_a_difference_of_rounding(world):
    found = []
    for comm in (world, world.Split(world.rank)):
        with Simulation(of_stokes(), comm=comm) as simulation:
            simulation.run(progress=False)
            found.append({name: one.positions() for name, one in simulation.tracers.items()})
    if world.rank == 0:
        for name, positions in found[0].items():
            np.testing.assert_allclose(positions, found[1][name], atol=1e-11)


WRONG = [
    (
        {"response_time": 1.0, "stokes_number": 1.0},
        "takes either response_time or stokes_number; given: both",
    ),
    ({}, "takes either response_time or stokes_number; given: none"),
    ({"response_time": 1.0, "added_mass": 3.1}, "must be at most 3"),
    ({"stokes_number": -1.0}, "greater than 0"),
]


@pytest.mark.parametrize(("options", "told"), WRONG)
def test_what_a_case_may_not_ask(options, told):
    with pytest.raises(CaseError, match=told):
        case_of(particles=[{"kind": "inertial", "count": 3} | options])


WITH_MASS = {"kind": "inertial", "count": 3, "response_time": 1.0, "added_mass": 1.0}
WHITE = r"added_mass = 1 needs the acceleration of the fluid at each moment, and .* is white in time"
NOISE = {"kind": "noise", "power": 1.0, "interval": 1.0}
PROCESS = {"kind": "stochastic", "power": 1.0, "k_max": 2.0}
FAST = r"time.dt = 0.02 does not resolve .*correlation_time = 0.09 is less than 5 steps"
OF_PLANE = {"grid": {"points": (32, 32, 1)}, "flow": {"model": "navier-stokes-2d", "viscosity": 0.1}}


@pytest.mark.parametrize(
    ("force", "sections", "told"),
    [
        (None, {"flow": {"viscosity": 0.1, "rotation": [0.0, 0.0, 1.0]}}, "the Coriolis force on particles"),
        ({"kind": "alvelius", "power": 1.0, "k_f": 2.0}, {}, "needs the acceleration of the fluid where"),
        (NOISE, {}, WHITE),
        (NOISE | {"field": "vorticity"}, OF_PLANE, WHITE),
        ({"kind": "lindborg", "power": 1.0}, {}, WHITE),
        (PROCESS | {"correlation_time": 0.0}, {"time": {"until": 1.0}}, WHITE),
        (PROCESS | {"correlation_time": 0.09}, {}, FAST),
    ],
)
def test_where_there_is_no_added_mass(force, sections, told):
    given = {"grid": {"points": 32}, "forcing": [force] if force else []} | sections
    with pytest.raises(CaseError, match=told):
        case_of(particles=[WITH_MASS], **given)
    case_of(particles=[WITH_MASS | {"added_mass": 0.0}], **given)


@pytest.mark.parametrize(
    ("force", "sections"),
    [
        (PROCESS | {"correlation_time": 0.1}, {}),
        (PROCESS | {"correlation_time": 0.01}, {"time": {"until": 1.0}}),  # steps are not known
        (NOISE | {"field": "dye"}, {"scalars": [{"name": "dye", "diffusivity": 0.1}]}),
        (FORCES["oscillating"] | {"frequency": 100.0}, {}),
    ],
)
def test_forces_that_added_mass_may_take(force, sections):
    case_of(particles=[WITH_MASS], forcing=[force], **sections)


CUBE, LAYER = {"points": 32}, {"points": 24, "lengths": (2.0, 2.0, 1.0)}
LOSSES = {"hyperviscosity": 1e-3, "hypoviscosity": 2.0, "drag": 1.0}
STRATIFIED = {"model": "boussinesq", "viscosity": 0.05, "diffusivity": 0.1, "buoyancy_frequency": 2.0}
WARM = {"name": "formula", "value": "3*sin(x)*cos(y + z)"}
OF_LAYER = {"model": "rayleigh-benard", "rayleigh": 1e4, "prandtl": 1.0}
WARM_LAYER = {"name": "formula", "value": "3*cos(pi*x)*sin(pi*z)"}
BESIDE = {"model": "mhd", "viscosity": 0.05, "mean_field": [0.0, 0.5, 1.0]}
METAL = {"model": "quasi-static-mhd", "viscosity": 0.05, "interaction": 2.0, "field_direction": [0, 1, 1]}
# By the terms that act: sections of a case, and fields beside the velocity.
MODELS = {
    "a frame that moves": ({"flow": {"viscosity": 0.05, "mean_velocity": [0.5, 0.0, -0.3]}}, {}),
    "losses": ({"flow": {"viscosity": 0.05} | LOSSES}, {}),
    "a force in proportion": ({"forcing": [{"kind": "linear", "rate": 2.0}]}, {}),
    "plane": (OF_PLANE, {}),
    "buoyancy": ({"flow": STRATIFIED}, {"temperature": WARM}),
    "a magnetic field": ({"flow": BESIDE}, {"magnetic": {"name": "random", "k0": 2, "seed": 4}}),
    "Joule damping": ({"flow": METAL}, {}),
    "convection": (
        {"flow": OF_LAYER, "grid": LAYER, "time": {"dt": 2e-4, "steps": 20}},
        {"temperature": WARM_LAYER},
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_in_all_models_the_acceleration_is_that_of_the_fluid(name):
    """Particles as dense as the fluid that begin with it stay with it, but for what the truncation drops."""
    sections, beside = MODELS[name]
    group = {"kind": "inertial", "count": 100, "response_time": 1.0}
    group |= {"points": 8, "interpolation": "spline", "of": ["velocity"]}
    given = {
        "grid": CUBE,
        "flow": {"viscosity": 0.05},
        "initial": {"name": "random", "k0": 2, "seed": 3} | beside,
        "time": {"dt": 0.01, "steps": 20},
        "particles": [
            group | {"name": name, "added_mass": beta} for name, beta in (("dense", 1.0), ("heavy", 0.0))
        ],
    }
    case = case_of(**given | sections)
    U = np.array(getattr(case.flow, "mean_velocity", (0.0, 0.0, 0.0)))
    with Simulation(case) as simulation:
        simulation.run(progress=False)
        dense, heavy = (
            np.abs(one.velocities() - one.sample("velocity") - U).max() for one in simulation.tracers.values()
        )
    assert dense < 0.005 * heavy

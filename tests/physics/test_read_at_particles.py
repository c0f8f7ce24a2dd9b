"""What is read at particles of derivatives of products, of forces and of means, and their acceleration."""

import re

import numpy as np
import pytest
from core.test_particles import KINDS, LENGTHS, POINTS, interpolated, scattered, started
from models.runs import make_case, noise
from models.test_quantities import FLOWS
from support.ranks import on_ranks
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.expressions.answers import NOTHING, prepared
from whorl.expressions.faults import ExpressionError
from whorl.run.simulation import Simulation

FORCE = {"kind": "steady", "shape": {"name": "formula", "value": ["sin(2*pi*y/Ly)", "0", "0"]}}
# Fields of modes, which are interpolated as they are.
FIELDS = (
    "p",
    "grad(p)",
    "dx(u.x*u.y)",
    "lap(p)",
    "div(outer(u, u))",
    "filter(dot(u, u), 2)",
    "inv_lap(filter(dot(omega, omega), 3) + 1.0*u.x)",
    "dz(p*u.x)",
    "velocity_force",
    "acceleration",
    "material_acceleration",
)
LIMITS = {"double": 2e-12, "single": 2e-5}


def with_force(comm=MPI.COMM_SELF, **sections) -> Simulation:
    return started(comm, initial={"name": "random", "k0": 2}, forcing=[FORCE], **sections)


@pytest.mark.turns
@on_ranks(1, 2, 3)
@pytest.mark.every_device
@pytest.mark.parametrize("precision", LIMITS)
@pytest.mark.parametrize(("kind", "points"), [("spline", 4), ("lagrange", 6)])
def test_fields_of_products_are_interpolated_from_their_modes(world, precision, kind, points):
    positions = scattered(60)
    spacings = np.array(LENGTHS) / POINTS
    with with_force(world, run={"precision": precision}) as state:
        group = state.particles(positions, interpolation=kind, points=points)
        for text in FIELDS:
            there = state.comm.bcast(state.gather(text))
            found = group.sample(text)
            if world.rank == 0:
                field = np.asarray(there, float).reshape(-1, *there.shape[-3:])
                wanted = [interpolated(one, positions / spacings, kind, points) for one in field]
                limit = LIMITS[precision] * np.abs(field).max() * 10
                assert np.abs(found - np.transpose(wanted)).max() < limit, text


@on_ranks(1, 2)
@pytest.mark.every_device
def test_means_and_products_of_what_is_interpolated(world):
    with with_force(world) as state:
        group = state.particles(scattered(20), points=6)
        mean, largest = state.mean("p*dx(u.x*u.y)"), state.maximum("u.y")
        found = group.sample("p*u.x - 1.0*mean(p*dx(u.x*u.y)) + max(u.y)*t*p + x")
        alike = group.sample("mean(u.x**3)")
        p, u, x = (group.sample(text) for text in ("p", "u.x", "x"))
        if world.rank == 0:
            wanted = p * u - mean + largest * state.time * p + x
            np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)
            assert alike.shape == (20, 1)
            assert np.ptp(alike) == 0


def of_modes(field: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """The sum over the modes of a field [z][y][x] in a cube of 2 pi at positions."""
    modes = np.fft.fftn(field) / field.size
    k = [np.fft.fftfreq(n, 1 / n) for n in field.shape]
    waves = [np.exp(1j * np.outer(positions[:, 2 - axis], k[axis])) for axis in range(3)]
    return np.einsum("zyx,pz,py,px->p", modes, *waves, optimize=True).real


@pytest.mark.parametrize(("kind", "points"), [one for one in KINDS if one[1] < 8])
def test_the_error_of_the_pressure_is_of_the_order_of_the_points(kind, points):
    """Against the exact sum over the modes; the waves have k = 1, and their pressure up to 2."""
    waves = {"name": "formula", "value": ["sin(y) + cos(z)", "sin(z) + cos(x)", "sin(x) - cos(y)"]}
    positions, errors = scattered(200, (2 * np.pi,) * 3), []
    for n in (16, 32):
        with started(points=n, lengths=2 * np.pi, initial=waves) as state:
            group = state.particles(positions, interpolation=kind, points=points)
            field = state.field("p")[0]
            errors.append(np.abs(group.sample("p")[:, 0] - of_modes(field, positions)).max())
            assert np.abs(field).max() > 0.3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(points, abs=0.5)


def test_the_acceleration_in_a_decaying_beltrami_flow():
    """Du/Dt = grad(u**2/2) - nu u, and p = <u**2>/2 - u**2/2."""
    nu = 0.3
    with started(points=32, lengths=2 * np.pi, initial={"name": "abc"}, flow={"viscosity": nu}) as state:
        group = state.particles(50, points=8)
        for _ in range(5):
            state.step()
        x, y, z = group.positions().T
        a = np.exp(-nu * state.time)
        u = a * np.array([np.sin(z) + np.cos(y), np.sin(x) + np.cos(z), np.sin(y) + np.cos(x)])
        gradient = a * np.array(
            [
                [0 * x, -np.sin(y), np.cos(z)],
                [np.cos(x), 0 * y, -np.sin(z)],
                [-np.sin(x), np.cos(y), 0 * z],
            ]
        )
        wanted = np.einsum("ijp,ip->jp", gradient, u) - nu * u
        for text in ("acceleration", "material_acceleration"):
            assert np.abs(group.sample(text).T - wanted).max() < 1e-7
        p = 1.5 * a**2 - (u**2).sum(0) / 2
        assert np.abs(group.sample("p")[:, 0] - p).max() < 1e-7


def begin(case: Case) -> dict:
    """Fields of few modes; between walls along z sums of sines and cosines."""
    if case.grid.bases == "SFF":
        return {
            "velocity": lambda x, y, z: (
                np.sin(np.pi * x) * np.cos(np.pi * z) + 0.3 * np.cos(4 / 3 * np.pi * y),
                0.3 * np.cos(np.pi * x) * np.cos(np.pi * z),
                -np.cos(np.pi * x) * np.sin(np.pi * z),
            ),
            "temperature": lambda x, y, z: np.cos(np.pi * x) * np.sin(np.pi * z) * np.sin(4 / 3 * np.pi * y),
        }
    if case.grid.points[2] == 1:
        return {
            "velocity": lambda x, y, z: (
                -np.sin(x) * np.sin(y) + np.sin(x - y),
                -np.cos(x) * np.cos(y) + np.sin(x - y),
                0 * x,
            )
        }
    fields = case.flow.state.items()
    return {
        name: noise(case, about.components, n + 1, reach=1, size=0.5)
        for n, (name, about) in enumerate(fields)
    } | {scalar.name: noise(case, 1, 7, reach=2) for scalar in case.scalars}


@pytest.mark.every_device
@pytest.mark.parametrize("name", [name for name in FLOWS if name != "gross-pitaevskii"])
def test_the_acceleration_is_that_of_the_velocity_along_a_path(name):
    """By a centred difference of order four, halfway; with all losses and forces, in a frame that turns."""
    dt, own = 2.5e-4, dict(FLOWS[name])
    points = (48, 48, 1) if own.pop("points", (1, 1, 2))[2] == 1 else (32, 32, 32)
    own |= {"beta": 0.0} if "beta" in own else {}
    case = make_case(name.split()[0], points, dt=dt, **own)
    if not own.get("kinematic"):
        case = Case(**{key: one for key, one in case.to_dict().items() if key != "initial"}, forcing=[FORCE])
    with Simulation(case, begin(case)) as state:
        group = state.particles(20, points=8)
        if own.get("kinematic"):
            with pytest.raises(ExpressionError, match="material_acceleration is not known"):
                group.sample("material_acceleration")
            return
        velocities = [group.sample("u")]
        for step in range(1, 5):
            state.step()
            velocities.append(group.sample("u"))
            if step == 2:
                found = group.sample("material_acceleration")
                largest = np.abs(group.sample("p")).max()
    rate = np.tensordot(np.array([1, -8, 0, 8, -1]) / (12 * dt), velocities, 1)
    assert np.abs(rate).max() > 0.1
    assert largest > 0
    assert np.abs(found - rate).max() < 2e-4 * np.abs(rate).max()


@pytest.mark.parametrize(
    ("text", "told"),
    {
        "crul(p)": "did you mean curl?",
        "dx(x*u.x)": "x is not periodic",
    }.items(),
)
def test_what_cannot_be_read_is_told(text, told):
    with started(points=16) as state, pytest.raises(ExpressionError, match=told):
        state.particles(2).sample(text)
    with pytest.raises(CaseError, match=told):
        Case(
            grid={"points": 16},
            flow={"viscosity": 0.1},
            time={"dt": 0.1, "until": 1.0},
            particles=[{"kind": "tracer", "count": 2, "of": text}],
        )


BY_WHICH_NOTHING_MOVES = [
    "2*u.x*u.y",
    "mean(u.x)*u",
    "dx(t*u.y*u.y)",
    "dx(mean(u.x)*u.y*u.y)",
    "u + vector(1, 0, 0)",
]


@pytest.mark.parametrize("text", BY_WHICH_NOTHING_MOVES)
def test_particles_move_by_fields_and_products_alone(text):
    """What the core cannot work out in a step is told, and is not zero."""
    with with_force() as state:
        told = re.escape(f"\n  velocity, {text}\n")
        with pytest.raises(ExpressionError, match=f"particles move by fields(.|\n)*{told}"):
            prepared(state.case.planned.moving("velocity", text), f"velocity, {text}")
        assert len(prepared(state.case.planned.moving("p"), "p").samples) == 1


def test_the_component_across_a_plane_flow_is_zero():
    plane = Case(
        grid={"points": (16, 16, 1)},
        flow={"model": "navier-stokes-2d", "viscosity": 0.1},
        time={"dt": 0.1, "until": 1.0},
    )
    x, y, z = prepared(plane.planned.moving("velocity"), "velocity").samples
    assert z is NOTHING
    assert x is not NOTHING
    assert y is not NOTHING

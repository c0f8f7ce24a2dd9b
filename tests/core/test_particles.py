"""Particles: interpolation against other libraries, its order, the order of the schemes, and ranks."""

import numpy as np
import pytest
from scipy.interpolate import BarycentricInterpolator
from scipy.ndimage import map_coordinates
from support import devices
from support.particles import VELOCITY, at, everywhere, made, sampled
from support.ranks import on_ranks
from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.run.simulation import Simulation

POINTS, LENGTHS = (24, 20, 18), (2 * np.pi, 3.0, 5.0)
KINDS = [(kind, points) for kind in ("spline", "lagrange") for points in (4, 6, 8)]
LIMITS = {"double": 1e-13, "single": 2e-6}


def started(comm=MPI.COMM_SELF, points=POINTS, lengths=LENGTHS, **sections) -> Simulation:
    sections = {"time": {"dt": 0.01, "until": 1.0}, "initial": {"name": "random", "k0": 3}} | sections
    flow = {"viscosity": 0.05} | sections.pop("flow", {})
    grid = {"points": points, "lengths": lengths} | sections.pop("grid", {})
    run = {"device": devices.current()} | sections.pop("run", {})
    return Simulation(Case(grid=grid, flow=flow, run=run, **sections), comm=comm)


def scattered(count, lengths=LENGTHS, seed=1):
    """Positions in the box and some times its length beyond."""
    draw = np.random.default_rng(seed)
    return draw.uniform(-2, 3, (count, 3)) * lengths


def place(group, positions):
    group.add(np.arange(len(positions)), np.ascontiguousarray(positions))


def interpolated(field, places, kind, points):
    """Of periodic values [z][y][x] at places [particle][x, y, z] in spacings, by scipy."""
    if kind == "spline":
        return map_coordinates(field, places[:, ::-1].T, order=points - 1, mode="grid-wrap")
    found = []
    for place in places:
        first = np.floor(place).astype(int) - points // 2 + 1
        part = field
        for axis, (begin, where) in enumerate(zip(first[::-1], place[::-1], strict=True)):
            nodes = np.arange(begin, begin + points)
            part = np.take(part, nodes % field.shape[axis], axis=0)
            part = BarycentricInterpolator(nodes, part)(where)
        found.append(float(part))
    return np.array(found)


@on_ranks()
@pytest.mark.every_device
@pytest.mark.parametrize("precision", LIMITS)
def test_values_are_those_that_scipy_interpolates(world, precision):
    positions = scattered(60)
    with started(world, run={"precision": precision}) as state:
        u = np.asarray(state.comm.bcast(state.gather("velocity")), float)
        spacings = np.array(LENGTHS) / POINTS
        for kind, points in KINDS:
            if (kind, points) == ("spline", 8):
                continue  # scipy has none of degree 7
            group = made(state.flow, kind, points)
            place(group, positions)
            found = sampled(group, world)
            wanted = [interpolated(one, positions / spacings, kind, points) for one in u]
            assert np.abs(found - np.transpose(wanted)).max() < LIMITS[precision] * np.abs(u).max() * 10


@on_ranks(1, 2)
@pytest.mark.every_device
@pytest.mark.parametrize("grid", [(4, 4, 4), (4, 6, 8), (6, 4, 6), (8, 6, 4)], ids=str)
def test_values_on_grids_of_fewer_points_than_stencils(world, grid):
    """Stencils that go around the box, once or nearly twice, at places next to its ends."""
    ends = [(x, y, z) for x in (0.0, 0.99) for y in (0.01, 0.99) for z in (0.01, 0.5, 0.99)]
    positions = np.concatenate([scattered(40), np.array(ends) * LENGTHS])
    with started(world, points=grid, initial={"name": "random", "k0": 1}) as state:
        u = np.asarray(state.comm.bcast(state.gather("velocity")), float)
        assert np.abs(u).max() > 0.1
        spacings = np.array(LENGTHS) / grid
        for kind, points in [*KINDS, ("lagrange", 2)]:
            if (kind, points) == ("spline", 8):
                continue  # scipy has none of degree 7
            group = made(state.flow, kind, points)
            place(group, positions)
            wanted = [interpolated(one, positions / spacings, kind, points) for one in u]
            assert np.abs(sampled(group, world) - np.transpose(wanted)).max() < 1e-12 * np.abs(u).max()


def test_grids_have_half_as_many_points_as_the_widest_stencil_or_more():
    with pytest.raises(CaseError, match=r"grid.points.*the size along y must be 4 to"):
        started(points=(8, 2, 8))


@on_ranks(1, 2)
@pytest.mark.every_device
def test_particles_too_far_away_for_digits_are_somewhere_in_the_box(world):
    """As those come to be whose velocity grows without end."""
    draw = np.random.default_rng(1)
    positions = 10.0 ** draw.uniform(15, 300, (500, 3)) * draw.choice([-1, 1], (500, 3))
    with started(world) as state:
        largest = np.abs(state.comm.bcast(state.gather("velocity"))).max()
        for kind, points in (("spline", 4), ("lagrange", 4), ("lagrange", 8)):
            group = made(state.flow, kind, points)
            place(group, positions)
            assert np.abs(sampled(group, world)).max() < 3 * largest
            state.step()
            np.testing.assert_array_equal(everywhere(group, world)[1], positions)


WAVES = {"name": "formula", "value": ["sin(2*y) + cos(3*z)", "sin(3*z) + cos(x)", "sin(2*x) + cos(3*y)"]}
CUBE = (2 * np.pi,) * 3


@pytest.mark.parametrize(("kind", "points"), KINDS)
def test_the_error_is_of_the_order_of_the_points(kind, points):
    """Of waves up to k = 3, at half the spacing."""
    errors = []
    positions = scattered(300, CUBE)
    for n in (32, 64):
        with started(points=n, lengths=2 * np.pi, initial=WAVES) as state:
            group = made(state.flow, kind, points)
            place(group, positions)
            exact = at(state.flow, positions % (2 * np.pi))
            errors.append(np.abs(sampled(group, MPI.COMM_SELF) - exact).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(points, abs=0.35)


@on_ranks(1, 2, 3)
@pytest.mark.every_device
def test_identities_are_whole_numbers_of_32_bits(world):
    """Also where particles are thrown from rank to rank; others are refused on every rank."""
    ids = np.array([0, 2**31, 2**32 - 1, 7, 2**31 - 1])
    with started(world) as state:
        group = state.flow.particles(
            VELOCITY, drift=[300.0, 200.0, 100.0], interpolation="lagrange", points=4
        )
        group.add(ids, scattered(5))
        for wrong in (-1, 2**32):
            with pytest.raises(_core.Error, match=f"from 0 to 4294967295, not {wrong}; take several groups"):
                group.add(np.array([wrong]), np.zeros((1, 3)))
        for _ in range(3):
            state.step()
        found, positions = everywhere(group, world)
        order = np.argsort(ids)
        assert found.tolist() == ids[order].tolist()
        wanted = scattered(5)[order] + 0.03 * np.array([300.0, 200.0, 100.0])
        assert np.abs(positions - wanted).max() < 0.5


@on_ranks()
@pytest.mark.every_device
@pytest.mark.parametrize("batches", [1, 5])
def test_ranks_and_batches_make_no_difference(world, batches):
    """On process grids of each kind, in small boxes with stencils that reach across several ranks."""
    positions = scattered(200)
    with started(MPI.COMM_SELF) as alone:
        group = made(alone.flow, "spline", 8)
        place(group, positions)
        wanted = sampled(group, MPI.COMM_SELF)
    for rows in {1, world.size, 2 if world.size % 2 == 0 else 1}:
        run = {"process_grid": (rows, world.size // rows), "batches": batches}
        with started(world, run=run) as state:
            group = made(state.flow, "spline", 8)
            place(group, positions)
            ids, there = everywhere(group, world)
            assert np.array_equal(ids, np.arange(200))
            assert np.array_equal(there, positions)
            assert np.abs(sampled(group, world) - wanted).max() < 1e-13 * np.abs(wanted).max()


@pytest.mark.parametrize("kind", ["spline", "lagrange"])
def test_threads_make_no_difference_to_a_bit(kind):
    found = []
    for threads in (1, 2, 3):
        with started(run={"threads": threads}) as state:
            group = made(state.flow, kind, 6)
            place(group, scattered(100))
            for _ in range(3):
                state.step()
            found.append(everywhere(group, MPI.COMM_SELF)[1])
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


@pytest.mark.every_case  # all ranks are neighbours but of six, where particles go far
@on_ranks(2, 4, 6)
@pytest.mark.parametrize("far", [0.02, 40.0])
def test_particles_that_cross_ranks_are_neither_lost_nor_doubled(world, far):
    """Thrown about by a uniform velocity, a little or across many ranks in a step."""
    steps, dt = 12, 0.01
    drift = far / dt * np.array([0.3, -0.7, 1.1])
    positions = scattered(300)
    rows = 2 if world.size == 4 else 1
    run = {"process_grid": (rows, world.size // rows)}
    with started(world, initial={"name": "random", "energy": 1e-20}, run=run) as state:
        group = made(state.flow, drift=drift)
        place(group, positions)
        for step in range(1, steps + 1):
            state.step()
            ids, there = everywhere(group, world)
            assert np.array_equal(ids, np.arange(300))
            assert np.abs(there - positions - step * dt * drift).max() < 1e-9
        counts = world.allgather(group.count)
    assert sum(counts) == 300
    assert min(counts) > 0


SCHEMES = {"rk2": 2, "rk3": 3, "rk4": 4, "rk4-gill": 4, "ab2": 2, "ab3": 3}
# Decaying waves whose velocity is known: u = sin(y) exp(-nu t) along x, w = cos(y) exp(-nu t).
SHEAR = {"name": "formula", "value": ["sin(y)", "0", "cos(y)"]}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_paths_are_of_the_order_of_the_scheme(scheme):
    """A tracer in a decaying shear, x = x0 + sin(y0) (1 - exp(-nu t))/nu."""
    nu, until, errors = 0.9, 1.0, []
    positions = scattered(50, CUBE)
    for steps in (16, 32):
        time = {"dt": until / steps, "until": until, "scheme": scheme}
        with started(points=16, lengths=2 * np.pi, initial=SHEAR, time=time, flow={"viscosity": nu}) as state:
            group = made(state.flow, "lagrange", 8)
            place(group, positions)
            # The error of interpolation does not depend on time.
            first = sampled(group, MPI.COMM_SELF)
            for _ in range(steps):
                state.step()
            found = everywhere(group, MPI.COMM_SELF)[1]
            wanted = positions + first * (1 - np.exp(-nu * until)) / nu
            errors.append(np.abs(found - wanted).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(SCHEMES[scheme], abs=0.25)


CELLS = ["sin(pi*x)*cos(2*pi*z)", "0.3*cos(pi*x)*cos(3*pi*z)", "-cos(pi*x)*sin(2*pi*z)/2"]


@on_ranks(1, 3)
@pytest.mark.every_device
def test_walls_reflect_by_parity(world):
    """Between free-slip walls fields are sines and cosines to beyond the walls."""
    model = {"model": "rayleigh-benard", "rayleigh": 1e3, "prandtl": 1.0}
    case = Case(
        grid={"points": (16, 12, 20), "lengths": (2.0, 2.0, 1.0)},
        flow=model,
        time={"dt": 1e-3, "until": 1.0},
        initial={"name": "formula", "value": CELLS},
        run={"device": devices.current()},
    )
    errors = {}
    positions = np.random.default_rng(2).uniform(0, 1, (80, 3)) * (2.0, 2.0, 1.0)
    positions[:3, 2] = (0.0, 1.0, 0.001)
    with Simulation(case, comm=world) as state:
        exact = at(state.flow, positions)
        for points in (4, 8):
            group = made(state.flow, "spline", points)
            place(group, positions)
            found = sampled(group, world)
            errors[points] = np.abs(found - exact).max() / np.abs(exact).max()
            assert np.abs(found[:2, 2]).max() < 1e-12 * np.abs(exact).max()
    assert errors[4] < 2e-2
    assert errors[8] < 0.1 * errors[4]


def test_what_is_given_wrongly_is_told():
    with started() as state:
        with pytest.raises(_core.Error, match=r'interpolation = "cubic" is unknown; choose "?spline'):
            made(state.flow, "cubic")
        with pytest.raises(_core.Error, match="takes 2, 4, 6 or 8 points, not 5"):
            made(state.flow, "spline", 5)
        group = made(state.flow)
        with pytest.raises(_core.Error, match="3 particles have 6 numbers as positions"):
            group.add(np.arange(3), np.zeros(6))
        group.add(np.arange(3), np.zeros((3, 3)))
        with pytest.raises(_core.Error, match="there are 3 particles on this rank"):
            group.read(np.empty(2, np.int64), np.empty((2, 3)))
    with pytest.raises(_core.Error, match="this flow is closed"):
        print(group.count)

"""Tracers that read the right-hand side as it goes by, against those with round trips of their own."""

import numpy as np
import pytest
from support.ranks import on_ranks
from whorl import _core
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.run.simulation import Simulation

RANDOM = {"name": "random", "k0": 1, "energy": 1.0}
MHD = {"model": "mhd", "viscosity": 0.05, "resistivity": 0.05, "mean_field": [0.3, 0.2, 0.1]}
CONVECTION = {"model": "rayleigh-benard", "rayleigh": 1e4, "prandtl": 1.0}
MODELS = [
    {"viscosity": 0.05, "mean_velocity": [0.3, -0.2, 0.1]},
    {"model": "boussinesq", "viscosity": 0.05, "diffusivity": 0.05, "buoyancy_frequency": 1.0},
    MHD,
    MHD | {"hall": 0.1},
]
GRIDS = [
    {"points": [20, 18, 14]},
    {"points": [16, 40, 12], "lengths": [2.0, 5.0, 1.5]},  # several blocks of rows, and a part of one
    {"points": [24, 20, 1]},
    {"points": [8, 6, 8]},  # as many as the widest stencils, or fewer
    {"points": [16, 18, 16], "dealias": "phase-shift-exact"},
    {"points": [18, 14, 16], "bases": "SFF", "lengths": [3.0, 2.0, 1.0]},
    {"points": [12, 14, 10], "bases": "SSS", "lengths": [2.0, 3.0, 1.0]},
]


def on(grid: dict) -> dict:
    """A flow on a grid, and its beginning."""
    if "bases" in grid:
        initial = {"name": "random", "spectrum": [0, 0, 0, 0, 0.3, 0.2]}
        return {"flow": CONVECTION, "initial": initial, "time": {"dt": 0.02, "until": 0.1, "scheme": "rk3"}}
    return {"flow": {"viscosity": 0.05} if 1 in grid["points"] else MODELS[0]}


def moved(comm=MPI.COMM_SELF, points=4, count=300, run=None, **sections) -> np.ndarray:
    """Unwrapped positions after some steps, which take tracers around the box."""
    sections = {
        "initial": RANDOM,
        "flow": MODELS[0],
        "time": {"dt": 0.08, "until": 0.4, "scheme": "rk3"},
    } | sections
    with Simulation(Case(run=run or {}, **sections), comm=comm) as state:
        tracers = state.particles(count, seed=3, interpolation="lagrange", points=points)
        start = tracers.positions()
        state.run(progress=False)
        found = tracers.positions()
    if comm.rank == 0:
        assert np.abs(found - start).max() > 0.05
    return found


def assert_served_alike(**sections) -> None:
    """FFTW's lines show no points, so that tracers have a round trip of their own."""
    own, planewise = moved(run={"lines": "fftw"}, **sections), moved(**sections)
    assert np.abs(planewise - own).max() < 1e-12
    assert (planewise != own).any()  # they were summed in another order


@pytest.mark.turns
@pytest.mark.parametrize("points", [2, 4, 6, 8])
@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_they_move_alike_on_every_grid(grid, points):
    assert_served_alike(grid=grid, points=points, **on(grid))


def test_they_move_alike_on_shifted_grids():
    """Interpolation on another grid has another error, which is small."""
    smooth = {"initial": {"name": "taylor-green"}, "points": 8, "flow": MODELS[0]}
    own = moved(run={"lines": "fftw"}, grid={"points": 24, "dealias": "phase-shift"}, **smooth)
    planewise = moved(grid={"points": 24, "dealias": "phase-shift"}, **smooth)
    assert 1e-12 < np.abs(planewise - own).max() < 1e-6


@pytest.mark.parametrize("flow", MODELS, ids=str)
def test_they_move_alike_in_every_model(flow):
    assert_served_alike(grid={"points": [16, 18, 14]}, flow=flow)


def test_they_move_alike_in_a_plane_flow_of_vorticity():
    flow = {"model": "navier-stokes-2d", "viscosity": 0.05}
    assert_served_alike(grid={"points": [24, 20, 1]}, flow=flow, time={"dt": 0.02, "until": 0.1})


def test_they_move_alike_in_single_precision():
    own, planewise = (
        moved(grid={"points": [20, 18, 14]}, run={"precision": "single", "lines": lines})
        for lines in ("fftw", "own")
    )
    assert np.abs(planewise - own).max() < 1e-5


@pytest.mark.parametrize("points", [4, 6, 8])
def test_threads_make_no_difference_to_a_bit(points):
    grid = {"points": [20, 36, 14], "dealias": "phase-shift"}
    alone, *others = (moved(grid=grid, points=points, run={"threads": n}) for n in (1, 2, 3))
    for other in others:
        assert np.array_equal(other, alone)


@on_ranks()
@pytest.mark.parametrize("grid", GRIDS[:2] + GRIDS[4:], ids=str)
def test_paths_do_not_depend_on_ranks(world, grid):
    """Ranks with whole planes share ghost particles; where rows are exchanged they have round trips."""
    alone, together = (moved(comm, points=6, grid=grid, **on(grid)) for comm in (MPI.COMM_SELF, world))
    if world.rank == 0:
        assert np.abs(together - alone).max() < 1e-12


def paths_beside(comm, dealias: str, *texts: str) -> tuple[np.ndarray, np.ndarray]:
    """Of tracers and inertial particles, where a force samples expressions at the tracers."""
    cloud = None

    def force(t, modes):
        for text in texts if cloud else ():
            cloud.sample(text)
        return 0.1 * modes

    case = Case(
        grid={"points": [16, 18, 18], "dealias": dealias},
        flow=MODELS[0],
        initial=RANDOM,
        time={"dt": 0.08, "until": 0.4, "scheme": "rk3"},
    )
    with Simulation(case, forcing=force, comm=comm) as state:
        cloud = state.particles(300, seed=3, points=6)
        heavy = state.particles(20, kind="inertial", response_time=0.5, added_mass=1.5)
        state.run(progress=False)
        return cloud.positions(), heavy.positions()


@on_ranks(1, 2, 3)
@pytest.mark.parametrize("dealias", ["phase-shift", "2/3"])
def test_a_force_may_read_tracers_on_their_way(world, dealias):
    """Their paths are the same, also where their stencils are on a shifted grid."""
    alone = paths_beside(MPI.COMM_SELF, dealias)
    others = [paths_beside(world, dealias, *texts) for texts in ((), ("u",), ("u.x", "u", "p"))]
    if world.rank == 0:
        for other in others:  # by ranks, and by shifted grids on which a force is set, rounding differs
            for one, two in zip(alone, other, strict=True):
                assert np.abs(one - two).max() < 1e-12


def test_a_force_adds_no_particles():
    adds = False

    def force(t, modes):
        if adds:
            state.particles(3)
        return 0 * modes

    case = Case(grid={"points": 8}, flow={"viscosity": 0.1}, time={"dt": 0.1, "steps": 2}, initial=RANDOM)
    with Simulation(case, forcing=force) as state:
        adds = True
        with pytest.raises(_core.Error, match="particles are added while a step is under way"):
            state.step()


SMALL = [[4, 4, 4], [4, 6, 8], [8, 4, 6], [6, 8, 4], [4, 4, 1], [4, 6, 1]]


@pytest.mark.turns
@pytest.mark.parametrize("points", [2, 4, 6, 8])
@pytest.mark.parametrize("grid", SMALL, ids=str)
def test_they_move_alike_where_stencils_go_around_the_box(grid, points):
    """With fewer points along an axis than a stencil has, plane by plane and sampled."""
    initial = {"name": "formula", "value": ["sin(y)", "cos(x)", "0" if grid[2] == 1 else "sin(x)"]}
    assert_served_alike(grid={"points": grid}, points=points, flow={"viscosity": 0.05}, initial=initial)

"""Tracers on paths that are known, and what holds for all of them together."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from support import devices
from support.ranks import on_ranks
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.expressions.faults import ExpressionError
from whorl.run.simulation import Simulation

# Tracers in the frozen cells of psi = sin x sin y (elliptic integrals): period by psi.
PERIODS = {0.9: 6.618466670090, 0.5: 8.626062589999, 0.1: 14.782549451959}
# At t = 9 from (1, 0.4) in cells that decay with nu = 0.03.
DECAYED = (0.63476953, 2.55611836)
CELLS = {"name": "formula", "value": ["sin(x)*cos(y)", "-cos(x)*sin(y)", "0"]}


def flow_of(points, comm=MPI.COMM_SELF, lengths=2 * np.pi, **sections) -> Simulation:
    flow = sections.pop("flow", {"viscosity": 0.0})
    run = {"device": devices.current()} | sections.pop("run", {})
    sections = {"initial": CELLS} | sections
    return Simulation(
        Case(grid={"points": points, "lengths": lengths}, flow=flow, run=run, **sections), comm=comm
    )


def timed(until: float, steps: int, scheme: str = "rk4") -> dict:
    return {"dt": until / steps, "until": until, "scheme": scheme}


@pytest.mark.parametrize("psi", PERIODS)
def test_a_tracer_in_a_frozen_cell_returns(psi):
    start = np.arcsin(np.sqrt(psi)) * np.array([1, 1, 0])
    with flow_of((32, 32, 1), time=timed(PERIODS[psi], 400)) as state:
        tracer = state.particles([start], interpolation="spline", points=8)
        for step in range(400):
            state.step()
            x, y, _ = tracer.positions()[0]
            assert np.sin(x) * np.sin(y) == pytest.approx(psi, abs=2e-6), step
        assert np.abs(tracer.positions()[0] - start).max() < 2e-5


@pytest.mark.parametrize("interpolation", ["spline", "lagrange"])
def test_a_tracer_in_decaying_cells_is_where_it_is_known_to_be(interpolation):
    with flow_of((48, 48, 1), time=timed(9.0, 300), flow={"viscosity": 0.03}) as state:
        tracer = state.particles([[1.0, 0.4, 0.0]], interpolation=interpolation, points=8)
        state.run(progress=False)
        assert tracer.positions()[0][:2] == pytest.approx(DECAYED, abs=3e-6)


def test_a_mean_velocity_carries_tracers():
    """In a frame that moves with U, paths are those in the frame at rest, and U t is added."""
    drift, found = np.array([0.7, -0.4, 0.2]), []
    start = np.array([[1.0, 0.4, 2.0], [3.0, 5.0, 1.0]])
    for U in (np.zeros(3), drift):
        # The cells go along with U.
        with flow_of(32, time=timed(1.0, 100), flow={"viscosity": 0.0, "mean_velocity": tuple(U)}) as state:
            tracers = state.particles(start, points=8)
            state.run(progress=False)
            found.append(tracers.positions() - U)
    assert np.abs(found[0] - found[1]).max() < 1e-6
    assert np.abs(found[0] - start).max() > 0.3


@pytest.mark.parametrize("scheme", ["rk2", "rk3", "rk4", "ab2", "ab3"])
def test_tracers_may_be_added_later(scheme):
    """Those that are added where others have come to go on as these do; not where earlier steps count."""
    with flow_of((32, 32, 1), time=timed(1.0, 20, scheme)) as state:
        first = state.particles([[1.0, 0.4, 0.0]], points=8)
        for _ in range(10):
            state.step()
        if scheme.startswith("ab"):
            with pytest.raises(ValueError, match="remembers earlier steps"):
                state.particles(first.positions(), points=8)
            return
        later = state.particles(first.positions(), points=8)
        for _ in range(10):
            state.step()
        assert np.array_equal(first.positions(), later.positions())
        assert np.abs(first.positions()[0] - (1.0, 0.4, 0.0)).max() > 0.3


@on_ranks()
@pytest.mark.every_device
def test_paths_do_not_depend_on_ranks(world):
    """To rounding, over some steps of a turbulent field with phase shifts."""
    sections = {
        "initial": {"name": "random", "k0": 3, "energy": 1.0},
        "time": timed(0.2, 10, "rk2"),
        "flow": {"viscosity": 0.02},
    }
    lengths = (2 * np.pi, 3.0, 5.0)
    found = []
    for comm in (MPI.COMM_SELF, world):
        with flow_of((24, 20, 18), comm, lengths, **sections) as state:
            tracers = state.particles(150, seed=4)
            assert tracers.count == 150
            state.run(progress=False)
            found.append((tracers.positions(), tracers.sample("curl(u)*u.x*x + u*t")))
    if world.rank == 0:
        (alone, of_alone), (positions, values) = found
        assert positions.shape == (150, 3)
        assert np.abs(positions - alone).max() < 1e-12
        assert values.shape == (150, 3)
        assert np.abs(values - of_alone).max() < 1e-10 * np.abs(of_alone).max()


def test_tracers_of_turbulence_stay_uniform_and_have_its_energy():
    sections = {
        "initial": {"name": "random", "k0": 2, "energy": 1.5},
        "time": {"courant": 0.8, "until": 1.5, "scheme": "rk2"},
        "flow": {"viscosity": 0.02},
    }
    count, cells = 20_000, 5
    with flow_of(32, **sections) as state:
        tracers = state.particles(count, seed=9)
        state.run(progress=False)
        energy = state.statistics()["energy"]
        places = tracers.positions() % (2 * np.pi)
        u = tracers.sample("u")
        moved = np.abs(tracers.positions() - np.random.default_rng(0).random(3)).max()
    assert moved > 2 * np.pi  # beyond the box
    held = np.histogramdd(places, bins=cells, range=[(0, 2 * np.pi)] * 3)[0]
    expected = count / cells**3
    chi_square = ((held - expected) ** 2 / expected).sum() / cells**3
    assert chi_square == pytest.approx(1, abs=5 * np.sqrt(2) / cells**1.5)
    squares = (u**2).sum(1) / 2
    assert squares.mean() == pytest.approx(energy, abs=5 * squares.std() / np.sqrt(count))


def test_a_plane_flow_of_vorticity_carries_tracers():
    """Against the ordinary differential equation of its frozen velocity."""
    start = np.array([[1.0, 0.4, 0.0], [4.0, 2.5, 0.0]])
    flow = {"model": "navier-stokes-2d", "viscosity": 0.0}
    velocity = {"name": "formula", "value": ["sin(x)*cos(y)", "-cos(x)*sin(y)", "0"]}
    with flow_of((48, 48, 1), time=timed(2.0, 100), flow=flow, initial=velocity) as state:
        tracers = state.particles(start, points=8)
        state.run(progress=False)
        found = tracers.positions()

    def right(_, at):
        x, y = at.reshape(2, 2).T
        return np.stack([np.sin(x) * np.cos(y), -np.cos(x) * np.sin(y)], -1).ravel()

    wanted = solve_ivp(right, (0, 2.0), start[:, :2].ravel(), rtol=1e-11, atol=1e-12).y[:, -1].reshape(2, 2)
    assert np.abs(found[:, :2] - wanted).max() < 1e-6
    assert not found[:, 2].any()


def test_what_cannot_be_is_told():
    with flow_of(16, time=timed(1.0, 10)) as state:
        tracers = state.particles([[0.0, 0.0, 0.0]])
        with pytest.raises(ExpressionError, match="did you mean curl"):
            tracers.sample("crul(u)")
        with pytest.raises(ValueError, match="the number of particles is 0 or more, not -3"):
            state.particles(-3)
        with pytest.raises(ValueError, match=r"of shape \(particles, 3\), not \(3,\)"):
            state.particles([0.0, 0.0, 0.0])
    flow = {"model": "gross-pitaevskii", "sound_speed": 2.0, "coherence_length": 0.4}
    wave = {"name": "formula", "value": ["1", "0.1*cos(x)"]}
    with (
        flow_of(16, flow=flow, initial=wave, time={"dt": 0.01, "until": 1}) as state,
        pytest.raises(ValueError, match='"gross-pitaevskii" has no velocity that particles could move with'),
    ):
        state.particles(3)

"""Particles in flows, what the flow is where they are, and runs that have them."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import xarray as xr
from whorl import _core
from whorl.base.ranks import MPI
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

Terms = list[list[_core.Term]]


def component(number: int) -> list[_core.Term]:
    """A component of the state as an input."""
    return [_core.Term(field=number)]


VELOCITY = [component(n) for n in range(3)]


def made(flow: _core.Flow, interpolation="spline", points=4, drift=(0.0, 0.0, 0.0)) -> _core.Particles:
    """A group that moves with the velocity of the state."""
    return flow.particles(VELOCITY, drift=drift, interpolation=interpolation, points=points)


def everywhere(group: _core.Particles, world, number: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Identities in order and positions of all particles, on every rank."""
    ids, positions = np.empty(group.count, np.int64), np.empty((group.count, 3))
    group.read(ids, positions, number)
    return _together(world, ids, positions)


def sampled(group: _core.Particles, world, inputs: Terms = VELOCITY) -> np.ndarray:
    """Inputs at all particles, in the order of identities."""
    ids, values = np.empty(group.count, np.int64), np.empty((group.count, len(inputs)))
    group.read(ids, np.empty((group.count, 3)))
    group.sample(inputs, values)
    return _together(world, ids, values)[1]


def _together(world, ids: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    all_ids, all_values = (np.concatenate(world.allgather(one)) for one in (ids, values))
    order = np.argsort(all_ids)
    return all_ids[order], all_values[order]


def at(flow: _core.Flow, positions: np.ndarray, inputs: Terms = VELOCITY) -> np.ndarray:
    """The exact values of inputs at positions, [particle][input]."""
    found = np.empty(len(inputs) * len(positions))
    flow.probe_points(inputs, positions.tolist()).read(found)
    return found.reshape(len(inputs), -1).T


def same(one: dict[str, xr.Dataset], two: dict[str, xr.Dataset]) -> None:
    """Two files of particles are the same, to the last bit."""
    assert set(one) == set(two)
    for name, data in one.items():
        xr.testing.assert_identical(data, two[name])


def finished(directory: Path, **options) -> dict[str, xr.Dataset]:
    """The particles of a run that a restart has brought to its end."""
    with Simulation.restart(directory, **options) as simulation:
        simulation.run(progress=False)
    return open_run(directory).particles


def whole_and_begun(place: Path, begin: Callable[[Path], Simulation], steps: int = 7) -> None:
    """A run to its end, `whole`, and some steps of the same one, `parts`."""
    with begin(place / "whole") as simulation:
        simulation.run(progress=False)
    with begin(place / "parts") as simulation:
        for _ in range(steps):
            simulation.step()


def by_ranks(world: MPI.Intracomm, place: Path, begin: Callable[..., Simulation]) -> dict[str, xr.Dataset]:
    """The particles of a run of 10 steps on some ranks, `begin(comm, directory)`; none but on rank 0.

    In two parts it has the same bits. Where the second is on one rank, or the whole, it differs by rounding.
    """
    place = world.bcast(place)
    whole_and_begun(place, lambda directory: begin(world, directory))
    if world.rank == 0:
        shutil.copytree(place / "parts", place / "alone")
    with Simulation.restart(place / "parts", comm=world) as simulation:
        simulation.run(progress=False)
    if world.rank:
        return {}
    there = open_run(place / "whole").particles
    same(there, open_run(place / "parts").particles)
    alone = finished(place / "alone", comm=MPI.COMM_SELF)
    with begin(MPI.COMM_SELF) as simulation:
        simulation.run(progress=False)
        memory = simulation.paths
    for name, data in there.items():
        for other in (alone[name], memory[name]):
            assert data["step"].values.tolist() == other["step"].values.tolist()
            xr.testing.assert_allclose(data, other, rtol=0, atol=1e-11)
    return there

"""Particles in flows, and what the flow is where they are."""

import numpy as np
from whorl import _core

Terms = list[list[tuple]]


def component(number: int) -> Terms:
    """A component of the state as an input."""
    return [(number, 1.0, [0, 0, 0], 0, 0.0, np.inf, 0.0, (-1, 0.0, 0.0))]


VELOCITY = [component(n) for n in range(3)]


def made(flow: _core.Flow, interpolation="spline", points=4, drift=(0.0, 0.0, 0.0)) -> _core.Particles:
    """A group that moves with the velocity of the state."""
    return flow.particles(VELOCITY, list(drift), interpolation, points)


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

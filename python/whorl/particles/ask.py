"""Reads the particles of a case: their positions, and the flow at them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from whorl import _core
from whorl.config.case import Case
from whorl.expressions.answers import answer
from whorl.expressions.nodes import Node, within
from whorl.expressions.points import value_of
from whorl.expressions.questions import Questions
from whorl.particles.options import ParticleGroup


def at_particles(questions: Questions, flow: _core.Flow, time: float, group: _core.Particles) -> np.ndarray:
    """The samples at the particles of this rank, [particle][node], in the order of `read`. Collective.

    The core transforms fields and products to modes and interpolates them. NumPy evaluates the operations on
    the interpolated values.
    """
    count, nodes = group.count, questions.samples
    positions = np.empty((count, 3))
    group.read(np.empty(count, np.int64), positions)

    def sample(forms: list[list[_core.Term]]) -> np.ndarray:
        found = np.empty((count, len(forms)))
        group.sample(forms, found)
        return found

    found = answer(questions, flow, time, sample=sample).found
    axes, values = list(positions.T), dict[Node, np.ndarray]()
    with np.errstate(all="ignore"):
        for node in within(*nodes):
            if node.kind == "linear":
                values[node] = found[node.value]
            else:
                values[node] = value_of(node, values, found, axes)
    rows = [np.broadcast_to(np.asarray(values[node], float), (count,)) for node in nodes]
    return np.array(rows).reshape(len(nodes), count).T


class PathReading:
    """The reading of a group of particles, like `probes.ask.Reading` of a probe; only rank 0 gets the values.

    `groups` has the particles themselves, `particles.particles.Particles` by name, at the time of a reading.
    """

    def __init__(self, case: Case, group: ParticleGroup, groups: Mapping[str, Any]):
        self.probe, self.grid, self._groups = group, case.grid, groups
        self.questions, self.reads = case.planned.read(group)
        self.layout = group.layout(case, self.reads)
        self.coordinates = group.coordinates(case)
        self._variables = 2 if group.moves_itself else 1
        self._each = 3 * self._variables + len(self.reads)

    @property
    def found(self) -> dict[str, float]:
        """The options of the group that followed from the flow; empty before the group is placed."""
        label = self.probe.label
        return self._groups[label].found if label in self._groups else {}

    @property
    def width(self) -> int:
        """The number of values that are read at a time."""
        return self.probe.number() * self._each

    def read(self, flow: Any) -> np.ndarray | None:
        """A row of the present state, [particle][variables and values], on rank 0, else None. Collective."""
        found = self._groups[self.probe.label].measure(self.questions)
        return None if found is None else found.ravel()

    def is_lost(self, raw: np.ndarray) -> bool:
        """Whether a row is of a state that is not finite."""
        rows = raw.reshape(-1, self._each)
        values = np.isfinite(rows[:, 3 * self._variables :])
        return not np.isfinite(rows[:, : 3 * self._variables]).all() or (values.size > 0 and not values.any())

    def arrays(self, raw: np.ndarray, times: np.ndarray) -> list[np.ndarray]:
        """Positions and velocities [time][particle][axis], and values [time][particle][quantity]."""
        rows = raw.reshape(len(raw), self.probe.number(), self._each)
        vectors = [rows[..., 3 * n : 3 * n + 3] for n in range(self._variables)]
        return [*vectors, rows[..., 3 * self._variables :]]

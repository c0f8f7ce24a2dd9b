"""Reads the particles of a case: their positions, and the flow at them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whorl import _core
from whorl.config.case import Case
from whorl.expressions.answers import answer, questions_of
from whorl.expressions.nodes import Node, within
from whorl.expressions.points import value_of
from whorl.expressions.questions import Questions
from whorl.expressions.values import Value
from whorl.particles.options import ParticleGroup


@dataclass(frozen=True)
class AtParticles:
    """Nodes at particles: the core transforms fields and products to modes and interpolates them.

    NumPy evaluates the operations on the interpolated values.
    """

    questions: Questions
    nodes: tuple[Node, ...]

    @classmethod
    def of(cls, questions: Questions, nodes: Sequence[Node]) -> "AtParticles":
        """The nodes, added to `questions` that contain nothing else."""
        questions.sample(nodes)
        return cls(questions, tuple(nodes))

    def values(self, flow: _core.Flow, time: float, group: _core.Particles) -> np.ndarray:
        """The nodes at the particles of this rank, [particle][node], in the order of `read`. Collective."""
        count = group.count
        positions = np.empty((count, 3))
        group.read(np.empty(count, np.int64), positions)

        def sample(forms: list[list[_core.Term]]) -> np.ndarray:
            found = np.empty((count, len(forms)))
            group.sample(forms, found)
            return found

        found = answer(self.questions, flow, time, sample=sample)
        axes, values = list(positions.T), dict[Node, np.ndarray]()
        with np.errstate(all="ignore"):
            for node in within(*self.nodes):
                if node.kind == "linear":
                    values[node] = found.samples[node.value]
                else:
                    values[node] = value_of(node, values, found.numbers, axes)
        rows = [np.broadcast_to(np.asarray(values[node], float), (count,)) for node in self.nodes]
        return np.array(rows).reshape(len(self.nodes), count).T


def moving(case: Case, texts: Sequence[str]) -> Questions:
    """The questions for the vectors that move particles, by components."""
    questions = questions_of(case)
    questions.sample([node for text in texts for node in questions.parser.parse(text).nodes()])
    return questions


def beginning(case: Case, group: ParticleGroup) -> tuple[Questions, dict[str, Value]]:
    """The questions for the options of a group that follow from the flow, and their values by option."""
    questions = questions_of(case)
    values = {name: questions.parser.parse(text) for name, text in group.from_flow().items()}
    questions.numbers += values.values()
    return questions, values


class PathReading:
    """The reading of a group of particles, like `probes.ask.Reading` of a probe; only rank 0 gets the values.

    `groups` has the particles themselves, `particles.particles.Particles` by name, at the time of a reading.
    """

    def __init__(self, case: Case, group: ParticleGroup, groups: Mapping[str, Any]):
        self.probe, self.grid, self._groups = group, case.grid, groups
        questions = questions_of(case)
        self.reads = group.reads(questions.parser, case)
        self.at_particles = AtParticles.of(questions, [one.node for one in self.reads])
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

    def read(self, flow: Any) -> np.ndarray:
        """A row of the present state, [particle][variables and values], on rank 0, else empty. Collective."""
        found = self._groups[self.probe.label].measure(self.at_particles)
        return np.empty(0) if found is None else found.ravel()

    def is_lost(self, raw: np.ndarray) -> bool:
        """Whether a row is of a state that is not finite."""
        rows = raw.reshape(-1, self._each)
        values = np.isfinite(rows[:, 3 * self._variables :])
        return not np.isfinite(rows[:, : 3 * self._variables]).all() or (values.size > 0 and not values.any())

    def arrays(self, raw: np.ndarray, times: np.ndarray) -> list[np.ndarray]:
        """Positions and velocities [time][particle][axis] and values [time][particle][quantity], if any."""
        rows = raw.reshape(len(raw), self.probe.number(), self._each)
        vectors = [rows[..., 3 * n : 3 * n + 3] for n in range(self._variables)]
        return [*vectors, rows[..., 3 * self._variables :]][: len(self.layout.arrays)]

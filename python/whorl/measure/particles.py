"""Reads the particles of a case: where they are, and what the flow is there."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from whorl.config.case import Case
from whorl.config.particles import ParticleGroup
from whorl.config.vocabulary import vocabulary
from whorl.programs.parse import Parser


class PathReading:
    """A group of particles as a `probes.Reading` is of a probe; what is read is on rank 0 alone.

    `groups` has the particles themselves, `run.particles.Particles` by names, when they are read.
    """

    def __init__(self, case: Case, group: ParticleGroup, groups: Mapping[str, Any]):
        self.probe, self._groups = group, groups
        self.reads = group.reads(Parser(vocabulary(case)), case)
        self.layout = group.layout(case, self.reads)
        self.coordinates = group.coordinates(case)
        self._variables = 2 if group.moves_itself else 1
        self._each = 3 * self._variables + len(self.reads)

    @property
    def width(self) -> int:
        """The number of values that are read at a time."""
        return self.probe.number() * self._each

    def read(self, flow: Any) -> np.ndarray:
        """[particle][variables and values] of the present state as a row; empty but on rank 0. Collective."""
        found = self._groups[self.probe.label].measure([one.node for one in self.reads])
        return np.empty(0) if found is None else found.ravel()

    def is_lost(self, raw: np.ndarray) -> bool:
        """Whether what was read is of a state that is not finite."""
        rows = raw.reshape(-1, self._each)
        values = np.isfinite(rows[:, 3 * self._variables :])
        return not np.isfinite(rows[:, : 3 * self._variables]).all() or (values.size > 0 and not values.any())

    def arrays(self, raw: np.ndarray, times: np.ndarray) -> list[np.ndarray]:
        """Positions and velocities [time][particle][axis] and values [time][particle][quantity], if any."""
        rows = raw.reshape(len(raw), self.probe.number(), self._each)
        vectors = [rows[..., 3 * n : 3 * n + 3] for n in range(self._variables)]
        return [*vectors, rows[..., 3 * self._variables :]][: len(self.layout.arrays)]

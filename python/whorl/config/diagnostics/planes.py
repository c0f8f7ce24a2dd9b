"""Means over the planes of points across an axis."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whorl.config.diagnostics.base import Axis
from whorl.config.positions import coordinates
from whorl.programs.nodes import Node
from whorl.programs.questions import Answers, Questions
from whorl.programs.tally import Tally


@dataclass(frozen=True)
class PlaneMeans:
    """Means over planes that are asked for; `axis` has the positions of the planes."""

    tally: Tally
    axis: Axis

    @classmethod
    def ask(cls, questions: Questions, grid: Any, along: str, nodes: Sequence[Node]) -> "PlaneMeans":
        """Ask for the means of some nodes over the planes across x, y or z."""
        graph, axis = questions.parser.graph, "xyz".index(along)
        points, length = grid.points[axis], grid.lengths[axis]
        # Half a cell off, so that rounding moves no point into another plane.
        scaled = graph.apply("multiply", graph.constant(points / length), graph.coordinate(axis))
        wall = grid.bases[2 - axis] == "S"
        position = scaled if wall else graph.apply("add", scaled, graph.constant(0.5))
        tally = questions.tally(Tally((position,), (points,), tuple(nodes)))
        return cls(tally, Axis(along, coordinates(grid)[axis], "position of the plane", "length"))

    def of(self, found: Answers) -> np.ndarray:
        """The means [node][plane]."""
        counted = found.tally(self.tally)
        return np.array([counted.inside_of(sums) for sums in counted.sums]) / counted.inside

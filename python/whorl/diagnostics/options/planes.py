"""Means over the planes of points across an axis, or over the lines across two."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whorl.config.positions import coordinates
from whorl.diagnostics.options.base import Axis
from whorl.expressions.histogram import Histogram, PlaneMean
from whorl.expressions.nodes import Node
from whorl.expressions.questions import Answers, Questions


@dataclass(frozen=True)
class PlaneMeans:
    """Means among the questions, with the axes of their positions; [node][position along each axis]."""

    axes: tuple[Axis, ...]
    means: tuple[PlaneMean, ...] = ()
    histogram: Histogram | None = None

    @classmethod
    def ask(cls, questions: Questions, grid: Any, along: str, nodes: Sequence[Node]) -> "PlaneMeans":
        """Ask for means of nodes over the planes across x, y or z, or over the lines across two of these."""
        numbers = ["xyz".index(name) for name in along]
        what = "plane" if len(numbers) == 1 else "line"
        axes = tuple(
            Axis(name, coordinates(grid)[axis], f"position of the {what}", "length")
            for name, axis in zip(along, numbers, strict=True)
        )
        if along in ("y", "z"):
            return cls(axes, means=tuple(questions.plane_mean(node, numbers[0]) for node in nodes))
        # Sums of rows cannot give means along x: each point is counted at its position.
        positions = tuple(_position(questions, grid, axis) for axis in numbers)
        bins = tuple(grid.points[axis] for axis in numbers)
        return cls(axes, histogram=questions.histogram(Histogram(positions, bins, tuple(nodes))))

    def of(self, found: Answers) -> np.ndarray:
        """The means."""
        if self.histogram is None:
            return np.array([found.plane(one) for one in self.means])
        counted = found.histogram(self.histogram)
        return np.array([counted.inside_of(sums) for sums in counted.sums]) / counted.inside


def _position(questions: Questions, grid: Any, axis: int) -> Node:
    """The index of a point along an axis plus ½, so that rounding moves no point into another bin."""
    graph = questions.parser.graph
    spacings = graph.constant(grid.points[axis] / grid.lengths[axis])
    scaled = graph.apply("multiply", spacings, graph.coordinate(axis))
    wall = grid.bases[2 - axis] == "S"
    return scaled if wall else graph.apply("add", scaled, graph.constant(0.5))

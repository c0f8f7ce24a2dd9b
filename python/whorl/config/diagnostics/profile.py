"""Means of quantities over planes."""

from typing import Any, Literal

import numpy as np

from whorl.config.columns import UNITS_OF_CASE
from whorl.config.diagnostics.base import Array, Axis, Diagnostic, Layout, Texts, quantity_axis
from whorl.config.section import option
from whorl.programs.questions import Answers, Questions
from whorl.programs.tally import Tally


class Profile(Diagnostic):
    """Profiles: means and variances of quantities over the planes across an axis."""

    kind: Literal["profile"] = option(..., "kind of diagnostic")
    of: Texts = option(..., "expressions whose components are averaged", min_length=1)
    along: Literal["x", "y", "z"] = option("z", "the axis of the profiles")

    def ask(self, questions: Questions, case: Any) -> Layout:
        quantities = self.quantities(questions, self.of)
        graph, axis = questions.parser.graph, "xyz".index(self.along)
        points, length = case.grid.points[axis], case.grid.lengths[axis]
        wall = case.grid.bases[2 - axis] == "S"
        # Half a cell off, so that rounding moves no point into another plane.
        scaled = graph.apply("multiply", graph.constant(points / length), graph.coordinate(axis))
        position = scaled if wall else graph.apply("add", scaled, graph.constant(0.5))
        squares = [graph.apply("multiply", one.node, one.node) for one in quantities]
        weights = (*(one.node for one in quantities), *squares)
        tally, count = questions.tally(Tally((position,), (points,), weights)), len(quantities)

        def means(found: Answers, weights: range) -> np.ndarray:
            counted = found.tally(tally)
            return np.array([counted.inside_of(counted.sums[w]) for w in weights]) / counted.inside

        def mean(found: Answers) -> np.ndarray:
            return means(found, range(count))

        def variance(found: Answers) -> np.ndarray:
            return np.maximum(means(found, range(count, 2 * count)) - mean(found) ** 2, 0.0)

        places = (np.arange(points) + (0.5 if wall else 0.0)) * (length / points)
        return Layout(
            (quantity_axis(quantities), Axis(self.along, places, "position of the plane", "length")),
            (
                Array("profile", ("quantity", self.along), "mean over the plane", mean, UNITS_OF_CASE),
                Array(
                    "variance",
                    ("quantity", self.along),
                    "variance in the plane, ⟨f²⟩ − ⟨f⟩²",
                    variance,
                    f"({UNITS_OF_CASE})²",
                ),
            ),
        )

"""Means of quantities over planes."""

from typing import Any, Literal

import numpy as np

from whorl.config.columns import UNITS_OF_CASE
from whorl.config.diagnostics.base import Array, Diagnostic, Layout, Texts, listed_numbers, quantity_axis
from whorl.config.diagnostics.planes import PlaneMeans
from whorl.config.diagnostics.scales import about_mean, number
from whorl.config.section import option
from whorl.programs.questions import Answers, Questions


class Profile(Diagnostic):
    """Profiles: means and variances of quantities over the planes across an axis."""

    kind: Literal["profile"] = option(..., "kind of diagnostic")
    of: Texts = option(..., "expressions whose components are averaged", min_length=1)
    along: Literal["x", "y", "z"] = option("z", "the axis of the profiles")

    def ask(self, questions: Questions, case: Any) -> Layout:
        quantities = self.quantities(questions, self.of)
        graph, count = questions.parser.graph, len(quantities)
        nodes, lower = zip(*(about_mean(graph, one.node) for one in quantities), strict=True)
        squares = [graph.apply("multiply", node, node) for node in nodes]
        planes = PlaneMeans.ask(questions, case.grid, self.along, [*nodes, *squares])
        shift = listed_numbers([number(questions, one) for one in lower])

        def mean(found: Answers) -> np.ndarray:
            return planes.of(found)[:count] + shift(found)[:, None]

        def variance(found: Answers) -> np.ndarray:
            of_planes = planes.of(found)
            return np.maximum(of_planes[count:] - of_planes[:count] ** 2, 0.0)

        return Layout(
            (quantity_axis(quantities), planes.axis),
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

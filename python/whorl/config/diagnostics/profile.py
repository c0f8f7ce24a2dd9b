"""Means of quantities over planes."""

from typing import Any, Literal

import numpy as np

from whorl.config.columns import UNITS_OF_CASE
from whorl.config.diagnostics.base import Array, Diagnostic, Layout, Texts, quantity_axis
from whorl.config.diagnostics.planes import PlaneMeans
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
        squares = [graph.apply("multiply", one.node, one.node) for one in quantities]
        planes = PlaneMeans.ask(
            questions, case.grid, self.along, [*(one.node for one in quantities), *squares]
        )

        def mean(found: Answers) -> np.ndarray:
            return planes.of(found)[:count]

        def variance(found: Answers) -> np.ndarray:
            return np.maximum(planes.of(found)[count:] - mean(found) ** 2, 0.0)

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

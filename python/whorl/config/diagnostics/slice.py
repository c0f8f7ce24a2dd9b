"""Values of quantities on a plane of points."""

from typing import Any, ClassVar, Literal

import numpy as np

from whorl.config.diagnostics.base import Array, Diagnostic, Layout, Texts, quantity_axis
from whorl.config.diagnostics.selected import every_nth, point_near, selected
from whorl.config.section import option
from whorl.programs.questions import Questions


class Slice(Diagnostic):
    """Values of quantities on a plane of grid points, the nearest to a position."""

    of_moments: ClassVar = True

    kind: Literal["slice"] = option(..., "kind of diagnostic")
    of: Texts = option(..., "expressions whose components are taken", min_length=1)
    normal: Literal["x", "y", "z"] = option("z", "the axis across the plane")
    at: float = option(..., "position of the plane on this axis; the nearest points are taken", unit="length")
    stride: int = option(1, "take every so many points along both axes of the plane", ge=1)

    def ask(self, questions: Questions, case: Any) -> Layout:
        quantities, across = self.quantities(questions, self.of), "xyz".index(self.normal)
        number, position = point_near(self, case.grid, across, self.at)
        points = [every_nth(case.grid, axis, self.stride) for axis in range(3)]
        points[across] = range(number, number + 1)
        axes, values = selected(
            *(self, questions, case.grid, quantities, tuple(points)), "xyz".replace(self.normal, "")
        )
        return Layout(
            (quantity_axis(quantities), *axes),
            (
                values,
                Array("position", (), f"{self.normal} of the points", lambda _: np.array(position), "length"),
            ),
        )

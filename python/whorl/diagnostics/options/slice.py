"""Values of quantities on a plane of points."""

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from whorl.config.positions import coordinates
from whorl.config.section import option
from whorl.diagnostics.options.base import Array, ArrayLayout, Diagnostic, Texts, quantity_axis
from whorl.diagnostics.options.selected import every_nth, point_near, selected
from whorl.expressions.questions import Questions

if TYPE_CHECKING:
    from whorl.config.case import Case


class Slice(Diagnostic):
    """Values of quantities on a plane of grid points, the nearest to a position."""

    of_moments: ClassVar = True

    kind: Literal["slice"] = option(..., "kind of diagnostic")
    of: Texts = option(..., "expressions whose components are taken", min_length=1)
    normal: Literal["x", "y", "z"] = option("z", "the axis across the plane")
    at: float | None = option(
        None,
        "position of the plane on this axis; the nearest points are taken; needed unless there is one plane",
        unit="length",
    )
    stride: int = option(
        1, "step between the points that are taken, along both axes of the plane, in grid points", ge=1
    )

    def ask(self, questions: Questions, case: "Case") -> ArrayLayout:
        quantities, across = self.quantities(questions, self.of), "xyz".index(self.normal)
        number, position = point_near(self, case.grid, across, self._place(case.grid, across))
        points = [every_nth(case.grid, axis, self.stride) for axis in range(3)]
        points[across] = range(number, number + 1)
        axes, values = selected(
            *(self, questions, case.grid, quantities, tuple(points)), "xyz".replace(self.normal, "")
        )
        return ArrayLayout(
            (quantity_axis(quantities), *axes),
            (
                values,
                Array("position", (), f"{self.normal} of the points", lambda _: np.array(position), "length"),
            ),
        )

    def _place(self, grid: Any, across: int) -> float:
        """The given position, or that of the only plane. Raises ValueError if the grid has several planes."""
        if self.at is not None:
            return self.at
        if grid.points[across] > 1:
            raise ValueError(
                f"diagnostics.{self.label}.at is missing: the grid has {grid.points[across]} planes across "
                f"{self.normal}; give the position of one, from 0 to {grid.lengths[across]:.6g}"
            )
        return float(coordinates(grid)[across][0])

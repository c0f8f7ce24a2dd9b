"""Values of quantities on a line of points."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator

from whorl.config.section import listed, option
from whorl.diagnostics.options.base import Array, ArrayLayout, Axis, Diagnostic, Texts, quantity_axis
from whorl.diagnostics.options.selected import every_nth, point_near, selected
from whorl.expressions.questions import Questions

if TYPE_CHECKING:
    from whorl.config.case import Case


class Line(Diagnostic):
    """Values of quantities on a line of grid points, the nearest to a position."""

    of_moments: ClassVar = True

    kind: Literal["line"] = option(..., "kind of diagnostic")
    of: Texts = option(..., "expressions whose components are taken", min_length=1)
    along: Literal["x", "y", "z"] = option("z", "the axis of the line")
    at: Annotated[tuple[float, float], BeforeValidator(listed)] = option(
        ...,
        "position of the line on the other two axes, in the order x, y, z; the nearest points are taken",
        unit="length",
    )
    stride: int = option(1, "step between the points that are taken, in grid points", ge=1)

    def ask(self, questions: Questions, case: "Case") -> ArrayLayout:
        quantities, along = self.quantities(questions, self.of), "xyz".index(self.along)
        across = [axis for axis in range(3) if axis != along]
        near = [point_near(self, case.grid, axis, place) for axis, place in zip(across, self.at, strict=True)]
        points = [every_nth(case.grid, axis, self.stride) for axis in range(3)]
        for axis, (number, _) in zip(across, near, strict=True):
            points[axis] = range(number, number + 1)
        axes, values = selected(self, questions, case.grid, quantities, tuple(points), self.along)
        positions = np.array([place for _, place in near])
        return ArrayLayout(
            (
                quantity_axis(quantities),
                *axes,
                Axis("across", ["xyz"[axis] for axis in across], "axis across the line"),
            ),
            (
                values,
                Array("position", ("across",), "position of the points", lambda _: positions, "length"),
            ),
        )

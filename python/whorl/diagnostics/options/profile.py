"""Means of quantities over planes, or over lines."""

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator

from whorl.config.section import one_or_listed, option
from whorl.diagnostics.options.base import Array, ArrayLayout, Diagnostic, Texts, quantity_axis, unit_of
from whorl.diagnostics.options.planes import PlaneMeans
from whorl.diagnostics.options.scales import with_squares
from whorl.expressions.questions import Answers, Questions

if TYPE_CHECKING:
    from whorl.config.case import Case

Letter = Literal["x", "y", "z"]


def _each_once(axes: tuple[Letter, ...]) -> tuple[Letter, ...]:
    if len(set(axes)) < len(axes):
        raise ValueError(f"{', '.join(axes)} has an axis twice")
    return axes


class Profile(Diagnostic):
    """Profiles: means and variances of quantities over the planes across an axis, or lines across two."""

    kind: Literal["profile"] = option(..., "kind of diagnostic")
    of: Texts = option(..., "expressions whose components are averaged", min_length=1)
    along: Annotated[tuple[Letter, ...], BeforeValidator(one_or_listed), AfterValidator(_each_once)] = option(
        ("z",), "the axis of the profiles, or two, for means over the third", min_length=1, max_length=2
    )

    def ask(self, questions: Questions, case: "Case") -> ArrayLayout:
        quantities = self.quantities(questions, self.of)
        nodes, shift = with_squares(questions, quantities)
        planes, count = PlaneMeans.ask(questions, case.grid, "".join(self.along), nodes), len(quantities)

        def mean(found: Answers) -> np.ndarray:
            return planes.of(found)[:count] + shift(found).reshape(-1, *(1 for _ in self.along))

        def variance(found: Answers) -> np.ndarray:
            of_planes = planes.of(found)
            return np.maximum(of_planes[count:] - of_planes[:count] ** 2, 0.0)

        unit = unit_of(quantities)
        axes, over = ("quantity", *self.along), "plane" if len(self.along) == 1 else "line"
        return ArrayLayout(
            (quantity_axis(quantities), *planes.axes),
            (
                Array("profile", axes, f"mean over the {over}", mean, str(unit)),
                Array("variance", axes, f"variance in the {over}, ⟨f²⟩ − ⟨f⟩²", variance, str(unit**2)),
            ),
        )

"""Joint probability densities of two quantities at the points."""

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import BeforeValidator

from whorl.config.section import listed, option
from whorl.diagnostics.options.base import Array, ArrayLayout, Diagnostic, quantity_axis
from whorl.diagnostics.options.scales import Ends, Scale, ScaledBins, counts, mean_and_std, outside
from whorl.expressions.histogram import Histogram
from whorl.expressions.questions import Questions

if TYPE_CHECKING:
    from whorl.config.case import Case


class JointPdf(Diagnostic):
    """The joint probability density of two quantities at the grid points."""

    kind: Literal["joint-pdf"] = option(..., "kind of diagnostic")
    of: Annotated[tuple[str, str], BeforeValidator(listed)] = option(..., "two expressions, each one number")
    scale: Annotated[tuple[Scale, Scale], BeforeValidator(listed)] = option(
        ("std", "std"), "axes: (f − ⟨f⟩)/σ, f itself, or log₁₀(f/⟨f⟩) of each"
    )
    bins: Annotated[tuple[int, int], BeforeValidator(listed)] = option(
        (100, 100), "numbers of bins of each, at most 1000"
    )
    range: Annotated[tuple[Ends, Ends], BeforeValidator(listed)] | None = option(
        None, "ends of both axes; by default −20 to 20, −1 to 1 or −6 to 4"
    )

    def ask(self, questions: Questions, case: "Case") -> ArrayLayout:
        if not all(1 <= count <= 1000 for count in self.bins):
            raise ValueError(f"diagnostics.{self.label}.bins = {list(self.bins)} must be 1 to 1000 each")
        quantities = self.quantities(questions, self.of)
        if len(quantities) != 2:
            raise ValueError(f"diagnostics.{self.label}.of needs two numbers, not components of vectors")
        ends = self.range or (None, None)
        of_axes = [ScaledBins.of(*one) for one in zip(self.scale, self.bins, ends, strict=True)]
        positions = tuple(
            bins.position(questions, one) for bins, one in zip(of_axes, quantities, strict=True)
        )
        histogram = questions.histogram(Histogram(positions, self.bins))
        units = [bins.unit([one]) for bins, one in zip(of_axes, quantities, strict=True)]
        area = of_axes[0].width * of_axes[1].width * float(np.prod(case.grid.points))
        return ArrayLayout(
            (
                of_axes[0].axis("first", quantities[:1], f", f = {quantities[0].text}"),
                of_axes[1].axis("second", quantities[1:], f", f = {quantities[1].text}"),
                quantity_axis(quantities),
            ),
            (
                Array(
                    "pdf",
                    ("first", "second"),
                    "probability density on the axes",
                    lambda found: found.histogram(histogram).inside / area,
                    str((units[0] * units[1]) ** -1),
                ),
                counts(histogram, ("first", "second")),
                outside(histogram),
                *mean_and_std(questions, quantities),
            ),
        )

"""Means of quantities at the points where another one has a given value."""

from typing import TYPE_CHECKING, Literal

import numpy as np

from whorl.config.section import option
from whorl.diagnostics.options.base import Array, ArrayLayout, Diagnostic, Texts, quantity_axis, unit_of
from whorl.diagnostics.options.scales import (
    Ends,
    Scale,
    ScaledBins,
    counts,
    mean_and_std,
    outside,
    with_squares,
)
from whorl.expressions.histogram import Histogram
from whorl.expressions.questions import Answers, Questions

if TYPE_CHECKING:
    from whorl.config.case import Case


class Conditional(Diagnostic):
    """Conditional means and standard deviations of quantities, given the value of another one."""

    kind: Literal["conditional"] = option(..., "kind of diagnostic")
    of: Texts = option(..., "expressions whose components are averaged", min_length=1)
    given: str = option(..., "the expression, a number, on whose value the means depend")
    scale: Scale = option("std", "axis of the given one: (f − ⟨f⟩)/σ, f itself, or log₁₀(f/⟨f⟩)")
    bins: int = option(100, "number of bins", ge=1, le=10_000)
    range: Ends | None = option(None, "ends of the axis; by default −20 to 20, −1 to 1 or −6 to 4")

    def ask(self, questions: Questions, case: "Case") -> ArrayLayout:
        quantities = self.quantities(questions, self.of)
        conditions = self.quantities(questions, [self.given], "given")
        if len(conditions) != 1:
            raise ValueError(f"diagnostics.{self.label}.given needs one number, not a vector")
        bins = ScaledBins.of(self.scale, self.bins, self.range)
        weights, shift = with_squares(questions, quantities)
        position = bins.position(questions, conditions[0])
        histogram, count = (
            questions.histogram(Histogram((position,), (bins.count,), weights)),
            len(quantities),
        )

        def conditional_mean(found: Answers) -> np.ndarray:
            return _per_point(found, histogram, range(count)) + shift(found)[:, None]

        def conditional_std(found: Answers) -> np.ndarray:
            mean, square = (
                _per_point(found, histogram, of) for of in (range(count), range(count, 2 * count))
            )
            return np.sqrt(np.maximum(square - mean**2, 0.0))

        mean, std = mean_and_std(questions, conditions)
        unit = str(unit_of(quantities))
        return ArrayLayout(
            (quantity_axis(quantities), bins.axis("bin", conditions, f", f = {self.given}")),
            (
                Array(
                    "conditional_mean",
                    ("quantity", "bin"),
                    "mean over the points of the bin; NaN without points",
                    conditional_mean,
                    unit,
                    weighted_by="count",
                ),
                Array(
                    "conditional_std",
                    ("quantity", "bin"),
                    "standard deviation over the points of the bin",
                    conditional_std,
                    unit,
                    over_time="std",
                    weighted_by="count",
                    about="conditional_mean",
                ),
                counts(histogram, ("bin",)),
                outside(histogram),
                Array("mean", (), "⟨f⟩", lambda found: mean.of(found)[0], mean.unit),
                Array("std", (), "σ, the root of ⟨f²⟩ − ⟨f⟩²", lambda found: std.of(found)[0], std.unit),
            ),
        )


def _per_point(found: Answers, histogram: Histogram, weights: range) -> np.ndarray:
    counted = found.histogram(histogram)
    with np.errstate(invalid="ignore"):
        return np.array([counted.inside_of(counted.sums[w]) for w in weights]) / counted.inside

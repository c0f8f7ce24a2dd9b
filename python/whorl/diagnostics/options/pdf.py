"""Probability densities of quantities at the points."""

from typing import TYPE_CHECKING, Literal

import numpy as np

from whorl.config.section import option
from whorl.diagnostics.options.base import Array, ArrayLayout, Axis, Diagnostic, Texts, quantity_axis
from whorl.diagnostics.options.scales import Ends, Scale, ScaledBins, mean_and_std
from whorl.expressions.histogram import Histogram
from whorl.expressions.questions import Questions

if TYPE_CHECKING:
    from whorl.config.case import Case

BEYOND = ("below", "above", "not a number")


class Pdf(Diagnostic):
    """Probability densities of quantities at the grid points."""

    kind: Literal["pdf"] = option(..., "kind of diagnostic")
    of: Texts = option(..., "expressions whose components are counted", min_length=1)
    scale: Scale = option(
        "std", "axis: (f − ⟨f⟩)/σ, f itself, or log₁₀(f/⟨f⟩), with the mean and σ of the same state"
    )
    bins: int = option(400, "number of bins", ge=1, le=100_000)
    range: Ends | None = option(None, "ends of the axis; by default −20 to 20, −1 to 1 or −6 to 4")

    def ask(self, questions: Questions, case: "Case") -> ArrayLayout:
        quantities = self.quantities(questions, self.of)
        bins = ScaledBins.of(self.scale, self.bins, self.range)
        histograms = [
            questions.histogram(Histogram((bins.position(questions, one),), (bins.count,)))
            for one in quantities
        ]
        points = int(np.prod(case.grid.points))
        return ArrayLayout(
            (
                quantity_axis(quantities),
                bins.axis("bin", quantities),
                Axis("beyond", BEYOND, "points in no bin"),
            ),
            (
                Array(
                    "pdf",
                    ("quantity", "bin"),
                    "probability density on the axis",
                    lambda found: (
                        np.array([found.histogram(t).inside for t in histograms]) / (points * bins.width)
                    ),
                    str(bins.unit(quantities) ** -1),
                ),
                Array(
                    "count",
                    ("quantity", "bin"),
                    "grid points in the bin",
                    lambda found: np.array([found.histogram(t).inside for t in histograms]),
                    over_time="sum",
                ),
                Array(
                    "outside",
                    ("quantity", "beyond"),
                    "grid points in no bin",
                    lambda found: np.array([found.histogram(t).beyond for t in histograms]),
                    over_time="sum",
                ),
                *mean_and_std(questions, quantities),
            ),
        )

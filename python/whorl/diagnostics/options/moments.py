"""Means and standardised moments of quantities at the points."""

from typing import TYPE_CHECKING, Literal

from whorl.config.section import option
from whorl.diagnostics.options.base import (
    Array,
    ArrayLayout,
    Axis,
    Diagnostic,
    Texts,
    listed_numbers,
    quantity_axis,
)
from whorl.diagnostics.options.scales import mean_and_std, means_of_powers, spread
from whorl.expressions.questions import Questions

if TYPE_CHECKING:
    from whorl.config.case import Case


class Moments(Diagnostic):
    """Means, standard deviations and standardised moments of quantities at the grid points."""

    kind: Literal["moments"] = option(..., "kind of diagnostic")
    of: Texts = option(..., "expressions whose components are measured", min_length=1)
    order: int = option(8, "the highest order", ge=3, le=12)

    def ask(self, questions: Questions, case: "Case") -> ArrayLayout:
        quantities = self.quantities(questions, self.of)
        graph, orders = questions.parser.graph, range(3, self.order + 1)
        moments = []
        for one in quantities:
            mean, deviation = graph.mean(one.node), spread(graph, one.node)
            centred = graph.apply("subtract", one.node, mean)
            scaled = graph.apply("divide", centred, deviation)
            moments += means_of_powers(questions, scaled, orders)
        return ArrayLayout(
            (quantity_axis(quantities), Axis("order", [float(n) for n in orders], "order of the moment")),
            (
                *mean_and_std(questions, quantities),
                Array(
                    "moment",
                    ("quantity", "order"),
                    "⟨((f − ⟨f⟩)/σ)ⁿ⟩: of order 3 the skewness, of order 4 the flatness",
                    listed_numbers(moments, len(orders)),
                ),
            ),
        )

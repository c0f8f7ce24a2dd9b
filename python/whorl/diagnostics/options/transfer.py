"""Spectral balances: the transfer by each term of a model's equations, and the flux by wavenumber."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from whorl.base.dimension import OF_CASE, TIME, Dimension, common
from whorl.config.measures import balances
from whorl.config.section import option
from whorl.diagnostics.options.base import (
    Array,
    ArrayLayout,
    Axis,
    ComputedOnce,
    Found,
    Texts,
    chosen,
    stacked,
)
from whorl.diagnostics.options.wave_bins import ByWavenumber, ModeBins, mode_counts, sum_of_pairs
from whorl.expressions.nodes import Node
from whorl.expressions.parse import component_text
from whorl.expressions.questions import Answers, Questions
from whorl.expressions.values import Value
from whorl.forcing.names import refusals
from whorl.models.base import Balance

if TYPE_CHECKING:
    from whorl.config.case import Case


@dataclass(frozen=True)
class BudgetPart:
    """An energy or a component of it: its numbers f at the points, and those of the terms of df/dt."""

    name: str
    balance: Balance
    of: Sequence[Node]
    terms: dict[str, Sequence[Node]]
    unit: Dimension


class Transfer(ByWavenumber):
    """Transfer of an energy by each term of the equations, by wavenumber, and the flux to larger ones."""

    kind: Literal["transfer"] = option(..., "kind of diagnostic")
    of: Texts = option((), "energies, enstrophy or variances that the model balances; all by default")
    components: bool = option(
        False, "whether components are apart, with terms that exchange between these, such as the pressure"
    )

    reference = "Frisch, Turbulence (Cambridge 1995), section 2.4"

    def ask(self, questions: Questions, case: "Case") -> ArrayLayout:
        bins = self.bins(case.grid)
        place = f"diagnostics.{self.label}"
        wanted = chosen(self.of, balances(case), "balance", place, case.flow.model)
        parts = [
            one for name, balance in wanted.items() for one in self._parts(questions, case, name, balance)
        ]
        contents = stacked([self._sum(questions, bins, one, one.of, 1) for one in parts])
        labels = [f"{one.name} {term}" for one in parts for term in one.terms]
        transfers = [
            self._sum(questions, bins, one, nodes, 2) for one in parts for nodes in one.terms.values()
        ]
        if not transfers:
            raise ValueError(f"{place}: no term changes {', '.join(wanted)} in this case")
        found, (unit, rate) = ComputedOnce(stacked(transfers)), _units(parts)
        names = tuple(one.name for one in bins)
        arrays = [
            Array("content", ("content_quantity", *names), "what is balanced, in the bin", contents, unit),
            Array(
                "transfer",
                ("quantity", *names),
                "what the term brings to the bin per unit of time",
                found,
                rate,
            ),
        ]
        if len(bins) == 1:
            meaning = "what the term takes from this bin and those below per unit of time"
            arrays.append(Array("flux", ("quantity", *names), meaning, _flux(found), rate))
        arrays += [mode_counts(questions, bins), *(limit for one in bins for limit in one.limits())]
        axes = (
            Axis("content_quantity", [one.name for one in parts], "what is balanced"),
            Axis("quantity", labels, "what is balanced, and the term of its equation"),
            *(one.coordinate() for one in bins),
        )
        return ArrayLayout(axes, tuple(arrays))

    def _parts(self, questions: Questions, case: "Case", name: str, balance: Balance) -> list[BudgetPart]:
        """The components of f each alone, or all together, with the terms that are not zero."""
        values = [questions.parser.parse(text) for text in balance.of]
        apart = self.components and len(values) == 1 and values[0].rank == 1
        if apart and "p" in case.flow.unknown():
            raise ValueError(
                f"diagnostics.{self.label}.components is not possible: {case.flow.unknown()['p']}"
            )
        indices = list(np.ndindex(values[0].real.shape)) if apart else [None]
        refused = refusals(case)
        texts = balance.terms | (balance.turning if apart else balance.together)
        terms = {
            term: [questions.parser.parse(one) for one in of_term]
            for term, of_term in texts.items()
            if not any(force in one for force in refused for one in of_term)
        }
        found = []
        for index in indices:
            of = _nodes(values, index)
            if all(node.uniform for node in of):
                continue  # a component that a plane flow does not have
            nodes = {term: _nodes(given, index) for term, given in terms.items()}
            changing = {term: own for term, own in nodes.items() if not all(node.uniform for node in own)}
            label = component_text(name, index) if apart else name
            unit = common(value.unit for value in values) ** 2
            found.append(BudgetPart(label, balance, of, changing, unit))  # type: ignore[arg-type]
        return found

    def _sum(
        self,
        questions: Questions,
        bins: Sequence[ModeBins],
        part: BudgetPart,
        others: Sequence[Node],
        times: int,
    ) -> Found:
        found = sum_of_pairs(questions, list(zip(part.of, others, strict=True)), bins)
        return lambda answers: times * part.balance.factor * found(answers)


def _units(parts: Iterable[BudgetPart]) -> tuple[str, str]:
    """The units of the balanced quantities and of their rates of change."""
    unit = common(one.unit for one in parts)
    return str(unit), str(OF_CASE if unit == OF_CASE else unit / TIME)


def _nodes(values: Sequence[Value], index: tuple[int, ...] | None) -> list[Node]:
    """The nodes of a component, or of all components."""
    if index is None:
        return [node for value in values for node in value.nodes()]
    return [value.real[index] for value in values]


def _flux(transfers: Found) -> Found:
    def flux(answers: Answers) -> np.ndarray:
        return -np.cumsum(transfers(answers), axis=-1)

    return flux

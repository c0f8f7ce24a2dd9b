"""Steps of a plan, in the core: each is run in a state, and its memory is counted before a run."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from whorl import _core
from whorl.expressions.histogram import Counted, Histogram, ModeSums, PlaneMean
from whorl.expressions.increments import IncrementMoments, Increments
from whorl.expressions.linear import LinearForm
from whorl.expressions.nodes import Largest, Node
from whorl.expressions.product_fields import ProductField, ProductFields
from whorl.expressions.program import Program
from whorl.expressions.selections import Taken

# The state of a flow on which programs run, or that state on fewer points.
State = _core.Flow | _core.NarrowFlow

Found = dict[Any, Any]  # answers by their questions
Pairs = list[tuple[int, int]]

# Called with z0, z1, y0, y1 and the values of the points of this rank between, [component][z][y][x].
Consume = Callable[[int, int, int, int, np.ndarray], None]


@dataclass(frozen=True)
class ModeMeans:
    """Means of linear forms and of products of two, which are found in the modes, without a round trip."""

    nodes: tuple[Node, ...]
    inputs: list[list[_core.Term]]
    pairs: Pairs

    @classmethod
    def of(cls, nodes: Sequence[Node], fields: ProductFields) -> "ModeMeans":
        """The means of some nodes."""
        factors = [node.arguments if node.kind == "multiply" else (node,) for node in nodes]
        return cls(tuple(nodes), *_pairs(factors, fields))

    def run(self, flow: State, found: Found, consume: Consume, taken: Sequence[Taken]) -> None:
        """Find the means."""
        found |= zip(self.nodes, flow.mode_means(self.inputs, self.pairs), strict=True)

    def needs(self) -> dict[str, int]:
        """Numbers for `_core.ProgramNeeds`."""
        return {"pairs": len(self.nodes)}


@dataclass(frozen=True)
class ProgramStage:
    """A round trip and its program.

    Results of the program are in this order: means, means over planes, maxima, products, values, values at
    some points only, and nodes of histograms. Products are parts of the fields that are transformed back, in
    their order.
    """

    program: Program
    means: tuple[Node, ...] = ()
    maxima: tuple[Node, ...] = ()
    product_fields: tuple[ProductField, ...] = ()
    values: tuple[Node, ...] = ()
    histograms: tuple[Histogram, ...] = ()
    planes: tuple[PlaneMean, ...] = ()
    selected: tuple[Node, ...] = ()

    @property
    def products(self) -> int:
        """The number of products."""
        return sum(len(one.parts) for one in self.product_fields)

    @cached_property
    def wanted(self) -> _core.Wanted:
        """The numbers of results for the core."""
        return _core.Wanted(
            means=len(self.means) + len(self.planes),
            maxima=len(self.maxima),
            products=self.products,
            values=len(self.values) + len(self.selected),
            histograms=[
                _core.HistogramShape(bins=one.bins, weights=len(one.weights)) for one in self.histograms
            ],
            planes=[one.axis for one in self.planes],
        )

    def run(self, flow: State, found: Found, consume: Consume, taken: Sequence[Taken]) -> None:
        """Run the program; `consume` gets its values, and `taken` keep selected ones."""
        count = len(self.values)

        def divide(z0: int, z1: int, y0: int, y1: int, values: np.ndarray) -> None:
            if count:
                consume(z0, z1, y0, y1, values[:count])
            for one in taken if self.selected else ():
                one.take(self.selected, (z0, z1, y0, y1), values[count:])

        core = flow.run_program(self.program.in_state(found), self.wanted, divide)
        found |= zip(self.planes, map(np.array, core.planes), strict=True)
        found |= zip(self.means, core.means, strict=True)
        found |= zip(map(Largest, self.maxima), core.maxima, strict=True)
        for histogram, one in zip(self.histograms, core.histograms, strict=True):
            found[histogram] = Counted.of(histogram, one.counts, one.sums)

    def needs(self) -> dict[str, int]:
        """Numbers for `_core.ProgramNeeds`."""
        cells = [math.prod(one.shape) for one in self.histograms]
        return {
            "inputs": max(1, len(self.program.inputs)),
            "products": self.products,
            "fluxes": self.program.core.fluxes,
            "product_fields": len(self.product_fields),
            "of_rows": len(self.means) + len(self.planes) + len(self.maxima),
            "values": len(self.values) + len(self.selected),
            "histogram_operands": sum(len(one.nodes) for one in self.histograms),
            "cells": sum(cells),
            "sums": sum(count * len(one.weights) for count, one in zip(cells, self.histograms, strict=True)),
            "places": self.program.core.places,
        }


@dataclass(frozen=True)
class IncrementStage:
    """A round trip for increments, with a program for their quantities."""

    increments: Increments
    program: Program

    def run(self, flow: State, found: Found, consume: Consume, taken: Sequence[Taken]) -> None:
        """Find the moments."""
        one = self.increments
        pairs = [list(pair) for pair in one.pairs]
        moments = flow.increments(
            self.program.in_state(found), one.axis, one.order, list(one.separations), pairs
        )
        found[one] = IncrementMoments(one, np.array(moments))

    def needs(self) -> dict[str, int]:
        """Numbers for `_core.ProgramNeeds`."""
        one, inputs = self.increments, self.program.inputs
        return {
            "inputs": max(1, len(inputs)),
            "places": self.program.core.places,
            "increments": len(one.nodes),
            "moments": len(one.separations) * one.moments,
            "axis": one.axis,
            "fields": len({term.field for form in inputs for term in form}) if one.axis else 0,
        }


@dataclass(frozen=True)
class ModeSpectra:
    """Sums over the modes with the same axes."""

    sums: list[ModeSums]
    inputs: list[list[_core.Term]]
    groups: list[Pairs]

    @classmethod
    def of(cls, sums: list[ModeSums], fields: ProductFields) -> "ModeSpectra":
        """Some sums."""
        inputs, pairs = _pairs([pair for one in sums for pair in one.pairs], fields)
        rest = iter(pairs)
        # Sums without a pair count the modes.
        return cls(sums, inputs, [[next(rest) for _ in one.pairs] or [(-1, -1)] for one in sums])

    def run(self, flow: State, found: Found, consume: Consume, taken: Sequence[Taken]) -> None:
        """Find the sums in each bin."""
        bins = [_core.ModeAxis(of=one.of, axis=one.axis, edges=one.edges) for one in self.sums[0].axes]
        values = flow.mode_spectra(self.inputs, self.groups, bins)
        found |= {one: np.array(of).reshape(one.shape) for one, of in zip(self.sums, values, strict=True)}

    def needs(self) -> dict[str, int]:
        """Numbers for `_core.ProgramNeeds`."""
        pairs = sum(len(group) for group in self.groups)
        return {"pairs": pairs, "groups": len(self.groups), "mode_cells": math.prod(self.sums[0].shape)}


Step = ModeMeans | ProgramStage | IncrementStage | ModeSpectra


def _pairs(factors: Iterable[Sequence[Node]], fields: ProductFields) -> tuple[list[list[_core.Term]], Pairs]:
    """Each form once, and the pairs of their numbers; the second is −1 for a form alone."""
    inputs: dict[LinearForm, int] = {}
    pairs = []
    for nodes in factors:
        places = [inputs.setdefault(fields.form(node.value), len(inputs)) for node in nodes]
        pairs.append((places[0], places[1] if len(places) == 2 else -1))
    return [fields.terms(form) for form in inputs], pairs

"""Structure functions along one axis: moments of increments, slopes and balances."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.base.dimension import LENGTH, UNITS_OF_CASE, Dimension, common, product
from whorl.diagnostics.options.base import Array, ArrayLayout, Axis, Found, stacked
from whorl.diagnostics.options.scales import number
from whorl.diagnostics.options.wave_bins import linear_bins
from whorl.expressions.increments import IncrementMoments, Increments, increments_of
from whorl.expressions.nodes import Node
from whorl.expressions.questions import Answers, Questions
from whorl.expressions.units import SQUARE
from whorl.expressions.values import Value

if TYPE_CHECKING:
    from whorl.config.case import Case


@dataclass(frozen=True)
class MeasuredQuantity:
    """A vector or a number whose increments are measured, with its diffusivity if that is known."""

    text: str
    value: Value
    diffusivity: float | None

    @property
    def square(self) -> Dimension | None:
        """The unit of its square."""
        return SQUARE(self.value)

    def along(self, axis: int) -> Node:
        """The component of a vector along an axis."""
        return self.value.real[axis]

    def across(self, axis: int) -> list[Node]:
        """The components of a vector across an axis that differ from point to point, or all if none does."""
        nodes = [self.value.real[one] for one in range(3) if one != axis]
        return [node for node in nodes if not node.uniform] or nodes

    @property
    def nodes(self) -> list[Node]:
        """All components that differ from point to point."""
        return [node for node in self.value.nodes() if not node.uniform]

    @property
    def in_modes(self) -> bool:
        """Whether it is linear in the fields, so that all of it is in the modes."""
        return all(
            node.kind == "linear" and not any(term.field.product for term in node.value)
            for node in self.nodes
        )


@dataclass(frozen=True)
class Along:
    """The structure functions of measured quantities along an axis, with separations in points."""

    axis: int
    separations: Sequence[int]
    measured: Sequence[MeasuredQuantity]
    carrier: Value | None
    order: int

    def ask(self, questions: Questions, case: "Case") -> ArrayLayout:
        """Ask for the increments and the sums over modes, and return the layout of all arrays."""
        name = "xyz"[self.axis]
        spacing = case.grid.lengths[self.axis] / case.grid.points[self.axis]
        r = spacing * np.array(self.separations)
        increments = questions.increment(self._increments())
        arrays = [*self._moments(increments)]
        if self.carrier:
            arrays.append(self._flux(increments))
        if case.grid.bases == "FFF":
            arrays += _Slopes(self, increments, r).ask(questions, case.grid)
        return ArrayLayout((Axis(f"r_{name}", list(r), f"separation along {name}", "length"),), tuple(arrays))

    @property
    def vectors(self) -> list[MeasuredQuantity]:
        """The quantities that are vectors."""
        return [one for one in self.measured if one.value.rank == 1]

    @property
    def numbers(self) -> list[MeasuredQuantity]:
        """The quantities that are numbers."""
        return [one for one in self.measured if one.value.rank == 0]

    def array(
        self, name: str, axes: tuple[str, ...], meaning: str, of: Found, unit: str = UNITS_OF_CASE
    ) -> Array:
        """An array over some axes and the separations."""
        letter = "xyz"[self.axis]
        return Array(f"{name}_{letter}", (*axes, f"r_{letter}"), meaning, of, unit)

    def _increments(self) -> Increments:
        quantities = [node for one in self.measured for node in one.value.nodes()]
        pairs = [(a, node) for a in self._carrying for one in self.measured for node in one.nodes]
        return increments_of(quantities, self.axis, self.separations, self.order, pairs)

    @property
    def _carrying(self) -> list[Node]:
        return [self.carrier.real[self.axis]] if self.carrier else []

    def _moments(self, increments: Increments) -> list[Array]:
        def of(
            measured: Sequence[MeasuredQuantity],
            nodes: Callable[[MeasuredQuantity], list[Node]],
            signed: bool,
        ) -> Found:
            def table(answers: Answers) -> np.ndarray:
                found = answers.moments(increments)
                moments = found.signed if signed else found.absolute
                return np.array([np.mean([moments(node) for node in nodes(one)], axis=0) for one in measured])

            return table

        parts = (
            ("longitudinal", "vector", self.vectors, lambda one: [one.along(self.axis)], "δf_L"),
            ("transverse", "vector", self.vectors, lambda one: one.across(self.axis), "δf_T"),
            ("scalar", "number", self.numbers, lambda one: [one.value.scalar], "δf"),
        )
        arrays = []
        for name, kind, measured, nodes, symbol in parts:
            if measured:
                mean = ", the mean of both directions" if name == "transverse" else ""
                arrays.append(
                    self.array(name, (kind, "order"), f"⟨|{symbol}|ⁿ⟩{mean}", of(measured, nodes, False))
                )
                if self.order > 2:
                    meaning, table = f"⟨{symbol}ⁿ⟩{mean}", of(measured, nodes, True)
                    arrays.append(self.array(f"signed_{name}", (kind, "odd_order"), meaning, table))
        return arrays

    def flux(self, found: IncrementMoments, one: MeasuredQuantity) -> np.ndarray:
        """⟨δa_L |δf|²⟩ of a quantity, by separation."""
        (a,) = self._carrying
        return np.sum([found.pair(a, node) for node in one.nodes], axis=0)

    def _flux(self, increments: Increments) -> Array:
        def table(answers: Answers) -> np.ndarray:
            found = answers.moments(increments)
            return np.array([self.flux(found, one) for one in self.measured])

        unit = common(product(self.carrier.unit, one.square) for one in self.measured)
        return self.array("flux", ("quantity",), "⟨δa_L |δf|²⟩, a what carries", table, str(unit))


@dataclass(frozen=True)
class _Slopes:
    """Slopes of second order by sums over modes, d⟨|δf|²⟩/dr = 2 Σ k |f̂|² sin(k r), and balances with them.

    The diffusivity of f is κ, and ε_f = κ⟨|∇f|²⟩. The balances hold in stationary and isotropic turbulence,
    at separations below those of the force. (6κ d⟨δu_L²⟩/dr − ⟨δu_L³⟩)/(ε r) is 4/5 (von Kármán and Howarth,
    Kolmogorov). (2κ d⟨|δf|²⟩/dr − ⟨δu_L |δf|²⟩)/(ε_f r) is 4/3 (Monin, Yaglom).
    """

    along: Along
    increments: Increments
    r: np.ndarray

    def ask(self, questions: Questions, grid: Any) -> list[Array]:
        """Ask for the sums over modes, and return the arrays of slopes and balances."""
        along, axis = self.along, self.along.axis
        slopes = [self._slope(questions, grid, one, one.nodes) for one in along.measured]
        nan = "nan if f is not linear in the fields"
        arrays = [
            along.array(
                "slope", ("quantity",), f"d⟨|δf|²⟩/dr, {nan}", stacked(slopes), _per_length(along.measured)
            )
        ]
        longitudinal = [self._slope(questions, grid, one, [one.along(axis)]) for one in along.vectors]
        if longitudinal:
            of, unit = stacked(longitudinal), _per_length(along.vectors)
            arrays.append(along.array("longitudinal_slope", ("vector",), f"d⟨δf_L²⟩/dr, {nan}", of, unit))
        # Both laws hold in three dimensions.
        if along.carrier and 1 not in grid.points and any(one.diffusivity for one in along.measured):
            arrays += self._balances(questions, slopes, longitudinal)
        return arrays

    def _slope(self, questions: Questions, grid: Any, one: MeasuredQuantity, nodes: Sequence[Node]) -> Found:
        if not one.in_modes:
            return lambda _: np.full(len(self.r), np.nan)
        varying = [node for node in nodes if not node.uniform]
        if not varying:
            return lambda _: np.zeros(len(self.r))
        axis = self.along.axis
        count = grid.points[axis] // 2 + 2
        width = 2 * np.pi / grid.lengths[axis]
        k = width * np.arange(count)
        kernel = 2 * k * np.sin(np.outer(self.r, k))
        bins = linear_bins(f"k{'xyz'[axis]}", width, count, axis)
        sums = questions.spectrum([(node, node) for node in varying], bins.mode_axis())
        return lambda answers: kernel @ answers.spectrum(sums)

    def _balances(
        self, questions: Questions, slopes: Sequence[Found], longitudinal: Sequence[Found]
    ) -> list[Array]:
        along, increments, r = self.along, self.increments, self.r
        losses = {one.text: _loss(questions, one) for one in along.measured}
        meaning = "nan if the diffusivity κ of f is not known"

        def of_loss(values: np.ndarray, one: MeasuredQuantity, answers: Answers) -> np.ndarray:
            with np.errstate(divide="ignore", invalid="ignore"):  # nan at rest
                return values / (losses[one.text](answers) * r)

        def of_flux(one: MeasuredQuantity, slope: Found) -> Found:
            def balance(answers: Answers) -> np.ndarray:
                flux = along.flux(answers.moments(increments), one)
                return of_loss(2 * (one.diffusivity or np.nan) * slope(answers) - flux, one, answers)

            return balance

        def of_cubes(one: MeasuredQuantity, slope: Found) -> Found:
            def balance(answers: Answers) -> np.ndarray:
                cubes = answers.moments(increments).signed(one.along(along.axis))[0]
                return of_loss(6 * (one.diffusivity or np.nan) * slope(answers) - cubes, one, answers)

            return balance

        monin = stacked([of_flux(*pair) for pair in zip(along.measured, slopes, strict=True)])
        text = "(2κ d⟨|δf|²⟩/dr − ⟨δa_L |δf|²⟩)/(κ⟨|∇f|²⟩ r), "
        arrays = [along.array("flux_balance", ("quantity",), text + meaning, monin, "1")]
        if longitudinal and along.order > 2:
            howarth = stacked([of_cubes(*pair) for pair in zip(along.vectors, longitudinal, strict=True)])
            text = "(6κ d⟨δf_L²⟩/dr − ⟨δf_L³⟩)/(κ⟨|∇f|²⟩ r), "
            arrays.append(along.array("cubic_balance", ("vector",), text + meaning, howarth, "1"))
        return arrays


def _per_length(measured: Sequence[MeasuredQuantity]) -> str:
    """The unit of slopes of the squares of quantities."""
    return str(common(product(one.square, LENGTH**-1) for one in measured))


def _loss(questions: Questions, one: MeasuredQuantity) -> Found:
    """κ⟨|∇f|²⟩; nan if κ is not known."""
    if not one.diffusivity:
        return lambda _: np.array(np.nan)
    graph, kappa = questions.parser.graph, one.diffusivity
    squares = [
        number(questions, graph.mean(graph.apply("multiply", node, node)))
        for node in questions.parser.parse(f"grad({one.text})").nodes()
        if not node.uniform
    ]
    return lambda answers: kappa * np.sum([answers.number(square) for square in squares])

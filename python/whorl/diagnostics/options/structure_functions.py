"""Structure functions: moments of increments along the axes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import BeforeValidator

from whorl.config.section import listed, option
from whorl.diagnostics.options.base import (
    SAME,
    ArrayLayout,
    Axis,
    Diagnostic,
    Texts,
    check_labels,
    word_or_numbers,
)
from whorl.diagnostics.options.increments import Along, MeasuredQuantity
from whorl.expressions.faults import ExpressionError
from whorl.expressions.increments import HIGHEST_ORDER
from whorl.expressions.nodes import within
from whorl.expressions.questions import Questions
from whorl.expressions.values import Value

if TYPE_CHECKING:
    from whorl.config.case import Case

VELOCITY = "velocity"
PERIODIC = "F"
Words = Literal["logarithmic", "all"]


def word_or_points(value: Any) -> Any:
    """A word, or numbers of points. Raises ValueError for anything else."""
    return word_or_numbers(value, get_args(Words), (int,), "whole numbers")


class StructureFunctions(Diagnostic):
    """Structure functions along the axes: moments of increments, absolute, signed and mixed."""

    kind: Literal["structure-functions"] = option(..., "kind of diagnostic")
    of: Texts = option((VELOCITY,), "vectors and numbers whose increments are measured", min_length=1)
    order: int = option(HIGHEST_ORDER, "the highest order of the moments", ge=2, le=HIGHEST_ORDER)
    along: Annotated[tuple[Literal["x", "y", "z"], ...], BeforeValidator(listed)] | None = option(
        None, "the axes; all that are periodic and have several points by default", min_length=1
    )
    separations: Annotated[Words | tuple[int, ...], BeforeValidator(word_or_points)] = option(
        "logarithmic",
        "1, 2, 3, 4, 6, 8, 12, … points up to half of the box, all of these, or numbers of points",
    )
    carried_by: str | None = option(
        None, "the vector a of ⟨δa_L |δf|²⟩; the velocity of the model by default, if it has one"
    )

    reference = "Monin and Yaglom, Statistical Fluid Mechanics 2 (MIT Press 1975), sections 21 and 22"

    def ask(self, questions: Questions, case: "Case") -> ArrayLayout:
        check_labels(self.of, f"diagnostics.{self.label}.of")
        measured = [self._measured(questions, case, text) for text in self.of]
        carrier = self._carrier(questions)
        for axis in self._axes(case.grid):
            self._check_periodic(axis, measured, carrier)
        layouts = [
            Along(axis, self._points(case.grid, axis), measured, carrier, self.order).ask(questions, case)
            for axis in self._axes(case.grid)
        ]
        orders = [float(n) for n in range(1, self.order + 1)]
        axes = [
            Axis("quantity", list(self.of), "what is measured"),
            Axis("order", orders, "order n of the moment"),
            Axis("odd_order", orders[2::2], "odd order n of the signed moment"),
        ]
        for kind, rank in (("vector", 1), ("number", 0)):
            of_rank = [one.text for one in measured if one.value.rank == rank]
            axes.append(Axis(kind, of_rank, f"the quantities that are {kind}s"))
        arrays = [array for layout in layouts for array in layout.arrays]
        used = {name for array in arrays for name in array.axes}
        axes += [axis for layout in layouts for axis in layout.axes]
        return ArrayLayout(tuple(axis for axis in axes if axis.name in used), tuple(arrays))

    def _axes(self, grid: Any) -> list[int]:
        """The axes along which increments are taken. Raises ValueError if none is possible."""
        fit = [axis for axis in range(3) if grid.bases[2 - axis] == PERIODIC and grid.points[axis] > 1]
        wanted = ["xyz".index(name) for name in self.along] if self.along else fit
        for axis in wanted:
            if axis not in fit:
                raise ValueError(
                    f"diagnostics.{self.label}.along: {'xyz'[axis]} has walls or one point; increments are "
                    f"along periodic axes, here {', '.join('xyz'[one] for one in fit) or 'none'}"
                )
        if not wanted:
            raise ValueError(f"diagnostics.{self.label} needs a periodic axis; all have walls")
        return sorted(set(wanted))

    def _points(self, grid: Any, axis: int) -> list[int]:
        """The separations along an axis. Raises ValueError if one is beyond half of the box."""
        most = grid.points[axis] // 2
        if self.separations == "all":
            return list(range(1, most + 1))
        if self.separations == "logarithmic":
            powers = [2**n for n in range(most.bit_length())]
            return sorted({one for n in powers for one in (n, n + n // 2) if one <= most})
        for one in self.separations:
            if not 1 <= one <= most:
                raise ValueError(
                    f"diagnostics.{self.label}.separations: {one} points along {'xyz'[axis]} are not between "
                    f"1 and {most}, half of the box"
                )
        if not self.separations:
            raise ValueError(f"diagnostics.{self.label}.separations is empty; give numbers of points")
        return sorted(set(self.separations))

    def _measured(self, questions: Questions, case: "Case", text: str) -> MeasuredQuantity:
        value = self.vector_or_number(questions, "increments", text)
        if all(node.uniform for node in value.nodes()):
            raise self.fault(SAME, text)
        return MeasuredQuantity(text, value, diffusivity_of(case, text))

    def _check_periodic(self, axis: int, measured: Sequence[MeasuredQuantity], carrier: Value | None) -> None:
        """Raises ExpressionError for a quantity that depends on the coordinate along this axis."""
        given = [("of", one.text, one.value) for one in measured]
        if carrier:
            given.append(("carried_by", self.carried_by or VELOCITY, carrier))
        for option_name, text, value in given:
            if any(one.kind == "coordinate" and one.value == axis for one in within(*value.nodes())):
                name = "xyz"[axis]
                reason = f"{name} is not periodic, so what it is in has no increments along {name}"
                raise self.fault(reason, text, option_name)

    def _carrier(self, questions: Questions) -> Value | None:
        text, option_name = self.carried_by or VELOCITY, "carried_by"
        try:
            value = self.vector_or_number(questions, "increments", text, option_name)
        except ExpressionError:
            if self.carried_by:
                raise
            return None
        if value.rank != 1:
            raise self.fault(
                f"the carrier is a vector, and this is {value}; give a vector", text, option_name
            )
        return value


def diffusivity_of(case: "Case", text: str) -> float | None:
    """The diffusivity of a field of the state that is named; None for anything else."""
    parameters = case.flow.constants()
    for scalar in case.scalars:
        if scalar.name == text:
            return scalar.of_core(case.flow.viscosity_of_schmidt())[1][0]
    for symbol, name, parameter in (("u", VELOCITY, "viscosity"), ("theta", "temperature", "diffusivity")):
        if text in (symbol, name) and parameter in parameters and name in case.flow.outputs:
            return parameters[parameter]
    return None

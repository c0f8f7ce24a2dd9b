"""The bound of an explicit step at a point, and the square of the speed.

For terms that are c ∇·(u f) it is c (|u|/Δx + |v|/Δy + |w|/Δz), once. Each other product counts with the
derivatives after it, and those of the input by which it is differentiated, at the largest wavenumber. The
bound is the largest sum of an equation.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from whorl.equations.multipliers import PLAIN, Factor, Form
from whorl.equations.plan import PlanTerm
from whorl.equations.points import Builder, Monomial, Operand
from whorl.equations.split import Clock
from whorl.equations.sums import Column


@dataclass(frozen=True)
class Grid:
    """The points and lengths of a box along its axes.

    Phase shifts keep modes up to `reach` times as far along an axis as the fraction of modes says.
    """

    points: tuple[int, ...]
    lengths: tuple[float, ...]
    reach: float = 1.0

    @classmethod
    def of(cls, axes: int) -> "Grid":
        """A box of 2π and 64 points along each axis."""
        return cls((64,) * axes, (2 * math.pi,) * axes)

    def largest(self, kept: float) -> tuple[float, ...]:
        """The largest wavenumber along each axis, of which a fraction is kept."""
        kept = min(1.0, kept * self.reach)
        return tuple(
            kept * math.pi * points / length for points, length in zip(self.points, self.lengths, strict=True)
        )


@dataclass(frozen=True)
class Bounds:
    """Sizes of factors on a grid of which a fraction of modes is kept."""

    grid: Grid
    kept: float

    def of(self, factor: Factor) -> float:
        """The largest magnitude of a factor."""
        largest = self.grid.largest(self.kept)
        size = math.hypot(*largest)
        least = min(2 * math.pi / length for length in self.grid.lengths)
        exponent = 2.0 * factor.power + sum(number for name, number in factor.tag.radial if name == "power")
        total = exponent + sum(factor.orders)
        if exponent < 0:
            return size**total if total >= 0 else least**total
        return size**exponent * math.prod(k**order for k, order in zip(largest, factor.orders, strict=False))

    def of_form(self, form: Form) -> float:
        """The largest magnitude of the multiplier of a form."""
        return math.fsum(abs(float(value)) * self.of(factor) for (_, factor), value in form)


Weights = dict[Monomial, float]  # by magnitudes that are multiplied


@dataclass
class Bound:
    """The parts of the bound of 1/dt: how strongly the velocity carries fields, and sums by output.

    `clock` gives the operand of a clock, `slopes` the operands of the slopes of a function by its forms.
    """

    builder: Builder
    inputs: Sequence[Form]
    velocity: Sequence[int]
    bounds: Bounds
    clock: Callable[[Clock], Operand]
    slopes: Callable[[str], list[tuple[Form, Operand]]]
    carried: float = 0.0
    weights: dict[int, Weights] = field(default_factory=dict)

    def add(self, output: int, factor: Factor, row: Mapping[Column, Fraction]) -> None:
        """Add the products of an output under a factor."""
        number = {form: place for place, form in enumerate(self.inputs)}
        for column, value in sorted(row.items()):
            size = abs(float(value)) * self.bounds.of(factor)
            if column.text:
                for form, slope in self.slopes(column.text):
                    self._weigh(output, column.clock, (slope,), size * self.bounds.of_form(form))
                continue
            places = [number[form] for form in column.forms]
            for place, of in enumerate(places):
                others, form = places[:place] + places[place + 1 :], self.inputs[of]
                if not column.clock and _is_carried(factor, form, others, self.velocity):
                    own = max(abs(float(one)) for _, one in form)
                    self.carried = max(self.carried, abs(float(value)) * own)
                else:
                    operands = tuple(("input", one) for one in others)
                    self._weigh(output, column.clock, operands, size * self.bounds.of_form(form))

    def add_linear(self, output: int, clock: Clock, term: PlanTerm) -> None:
        """Add a linear term whose coefficient depends on the clock."""
        factor = Factor(term.orders, term.power, term.tag, term.meanless)
        self._weigh(output, clock, (), abs(term.factor) * self.bounds.of(factor))

    def _weigh(self, output: int, clock: Clock, operands: tuple[Operand, ...], size: float) -> None:
        numbers = (self.clock(clock),) if clock else ()
        monomial = tuple(sorted(self.builder.step("abs", one) for one in (*operands, *numbers)))
        of = self.weights.setdefault(output, {})
        of[monomial] = of.get(monomial, 0.0) + size

    def operand(self) -> Operand:
        """The operand of the bound: the largest sum of an equation, and the velocity by the spacings."""
        builder, grid = self.builder, self.bounds.grid
        sums = [
            builder.sum({one: Fraction(size) for one, size in sorted(of.items()) if size})
            for of in self.weights.values()
        ]
        first, *others = list(dict.fromkeys(sums)) or [builder.value(0)]
        total = first
        for one in others:
            total = builder.step("maximum", total, one)
        for axis, place in enumerate(self.velocity if self.carried else ()):
            size = builder.step("abs", ("input", place))
            spacing = builder.value(self.carried * grid.points[axis] / grid.lengths[axis])
            total = builder.step("multiply_add", spacing, size, total)
        return total


def _is_carried(factor: Factor, form: Form, others: Sequence[int], velocity: Sequence[int]) -> bool:
    """Whether a derivative of a field times one component of the velocity is all that is left."""
    orders = sum(factor.orders) + max(sum(one.orders) for (_, one), _ in form)
    plain = factor.power == 0 and factor.tag == PLAIN
    plain = plain and all(one.power == 0 and one.tag == PLAIN for (_, one), _ in form)
    return plain and orders == 1 and len(others) == 1 and others[0] in velocity


def square_of_speed(builder: Builder, velocity: Sequence[int]) -> Operand:
    """The operand of the square of the speed; 0 without a velocity among the inputs."""
    return builder.sum({(("input", place), ("input", place)): Fraction(1) for place in velocity})

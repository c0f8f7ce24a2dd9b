"""The bound of an explicit step at a point, and the square of the speed.

For terms that are ∇·(u f) it is |u|/Δx + |v|/Δy + |w|/Δz, once. Each other product counts with the
derivatives after it, and those of the input by which it is differentiated, at the largest wavenumber. The
bound is the largest sum of an equation.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from whorl.equations.exact import added
from whorl.equations.multipliers import PLAIN, Factor, Form
from whorl.equations.points import Builder, Monomial, Operand
from whorl.equations.sums import Column


@dataclass(frozen=True)
class Grid:
    """The points and lengths of a box along its axes."""

    points: tuple[int, ...]
    lengths: tuple[float, ...]

    @classmethod
    def of(cls, axes: int) -> "Grid":
        """A box of 2π and 64 points along each axis."""
        return cls((64,) * axes, (2 * math.pi,) * axes)

    def largest(self, kept: float) -> tuple[float, ...]:
        """The largest wavenumber along each axis, of which a fraction is kept."""
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


Weights = dict[tuple[int, ...], float]  # by inputs whose magnitudes are multiplied


def weights_of(
    rows: Mapping[tuple[int, Factor], Mapping[Column, Fraction]],
    inputs: Sequence[Form],
    velocity: Sequence[int],
    bounds: Bounds,
) -> tuple[bool, dict[int, Weights]]:
    """Whether a velocity carries fields, and the other parts of the bound by output."""
    number = {form: place for place, form in enumerate(inputs)}
    carries, weights = False, dict[int, Weights]()
    for (output, factor), row in rows.items():
        for column, value in row.items():
            places = [number[form] for form in column.forms]
            for place in range(len(places)):
                others = tuple(sorted(places[:place] + places[place + 1 :]))
                form = inputs[places[place]]
                if _is_carried(factor, form, others, velocity):
                    carries = True
                    continue
                size = abs(float(value)) * bounds.of(factor) * bounds.of_form(form)
                of = weights.setdefault(output, {})
                of[others] = of.get(others, 0.0) + size
    return carries, weights


def _is_carried(factor: Factor, form: Form, others: Sequence[int], velocity: Sequence[int]) -> bool:
    """Whether a derivative of a field times one component of the velocity is all that is left."""
    orders = sum(factor.orders) + max(sum(one.orders) for (_, one), _ in form)
    plain = factor.power == 0 and factor.tag == PLAIN
    plain = plain and all(one.power == 0 and one.tag == PLAIN for (_, one), _ in form)
    return plain and orders == 1 and len(others) == 1 and others[0] in velocity


def bound(
    builder: Builder, carries: bool, weights: Mapping[int, Weights], velocity: Sequence[int], grid: Grid
) -> Operand:
    """The operand of the bound."""
    total = _largest(builder, weights)
    if not carries:
        return total
    for axis, place in enumerate(velocity):
        size = builder.step("abs", ("input", place))
        spacing = builder.value(grid.points[axis] / grid.lengths[axis])
        total = builder.step("multiply_add", spacing, size, total)
    return total


def _largest(builder: Builder, weights: Mapping[int, Weights]) -> Operand:
    """The largest sum of an equation."""
    seen: dict[Operand, None] = {}
    for of in weights.values():
        terms: dict[Monomial, Fraction] = {}
        for places, size in sorted(of.items()):
            monomial = tuple(builder.step("abs", ("input", place)) for place in places)
            added(terms, {tuple(sorted(monomial)): Fraction(size)})
        seen[builder.sum(terms)] = None
    operands = list(seen) or [builder.value(0)]
    total = operands[0]
    for one in operands[1:]:
        total = builder.step("maximum", total, one)
    return total


def square_of_speed(builder: Builder, velocity: Sequence[int]) -> Operand:
    """The operand of the square of the speed; 0 without a velocity among the inputs."""
    return builder.sum({(("input", place), ("input", place)): Fraction(1) for place in velocity})

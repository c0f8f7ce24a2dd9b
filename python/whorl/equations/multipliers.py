"""Multipliers of modes in a normal form, so that equal operators of a field are equal.

D = ik stands for the derivatives. A factor is D_x^a D_y^b D_z^c |k|^(2p) and a tag. The square of the
derivative along the last axis is replaced: D_z² = −k² − D_x² − D_y². A vector without a divergence has no
D_z w, which is −D_x u − D_y v, nor D_x D_z u. Thus the Laplacian is −k² in each text.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from whorl.equations.exact import ONE, added, exact
from whorl.expressions.graph import Field
from whorl.expressions.linear import NO_SECTOR, WITHOUT_MEAN, LinearForm, Multiplier, Radial, Sector

Orders = tuple[int, int, int]


class Tag(NamedTuple):
    """A band of |k|, the radius of an average, a sector and radial factors; see `Multiplier`."""

    low: float = 0.0
    high: float = math.inf
    radius: float = 0.0
    sector: Sector = NO_SECTOR
    radial: Radial = ()


PLAIN = Tag()


class Factor(NamedTuple):
    """A multiplier: orders of D_x, D_y and D_z, a power of |k|², a tag.

    `meanless`: it is 0 at k = 0, which the orders and the power do not show.
    """

    orders: Orders = (0, 0, 0)
    power: int = 0
    tag: Tag = PLAIN
    meanless: bool = False

    @property
    def degree(self) -> int:
        """The power of the wavenumber, without that of the tag."""
        return sum(self.orders) + 2 * self.power

    def times(self, orders: Orders, power: int = 0) -> "Factor":
        """The factor after further derivatives and a power of |k|²."""
        a, b = self.orders, orders
        return replace_orders(self, (a[0] + b[0], a[1] + b[1], a[2] + b[2]), self.power + power)

    @property
    def keeps_mean(self) -> bool:
        """Whether the factor is not 0 at k = 0."""
        powered = self.power != 0 or any(name == "power" for name, _ in self.tag.radial)
        there = self.tag.sector[0] < 0 or self.tag.sector[1] <= 0
        return not (any(self.orders) or powered or self.meanless or self.tag.low > 0) and there


def replace_orders(factor: Factor, orders: Orders, power: int) -> Factor:
    """The factor with other orders and another power; it stays 0 at k = 0 where it was."""
    vanishes = factor.meanless or any(factor.orders) or factor.power != 0
    plain = orders == (0, 0, 0) and power == 0
    return Factor(orders, power, factor.tag, vanishes and plain)


IDENTITY = Factor()
Place = tuple[int, Factor]  # a component and the factor of its modes
Sums = dict[Place, Fraction]


class Form(tuple[tuple[Place, Fraction], ...]):
    """A linear form in normal form: places with factors, in order. Its hash is worked out once."""

    _hash: int | None = None

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = super().__hash__()
        return self._hash


def factor_of(multiplier: Multiplier) -> Factor:
    """The factor of a multiplier of the language."""
    without = 0 < multiplier.low <= WITHOUT_MEAN
    low = 0.0 if without else multiplier.low
    tag = Tag(low, multiplier.high, multiplier.radius, multiplier.sector, multiplier.radial)
    seen = any(multiplier.derivatives) or multiplier.power != 0
    return Factor(multiplier.derivatives, multiplier.power, tag, without and not seen)


@dataclass(frozen=True)
class Normal:
    """The rules of normal forms.

    Attributes
    ----------
    axes : int
        The number of axes.
    solenoidal : tuple of int
        The first components of solenoidal vectors.
    inner : dict
        The number of each inner field.
    """

    axes: int
    solenoidal: tuple[int, ...] = ()
    inner: Mapping[Field, int] = field(default_factory=dict)

    def form(self, form: LinearForm) -> Form:
        """The normal form of a linear form of components of the state and of inner fields."""
        sums: Sums = {}
        for term, value in form.items():
            number = self.inner[term.field] if term.field.product else term.field.serial
            place = (number, factor_of(term.multiplier))
            added(sums, self.reduced(place), exact(value))
        return ordered(sums)

    def reduced(self, place: Place) -> Sums:
        """The normal form of one component with a factor."""
        component, factor = place
        if any(factor.orders[self.axes :]):
            return {}
        last, result = self.axes - 1, Sums()
        if component - last in self.solenoidal and factor.orders[last]:
            for axis in range(last):
                other = factor.times(moved(last, axis))
                added(result, self.reduced((component - last + axis, other)), -ONE)
            return result
        for one, value in self.reduced_factor(factor).items():
            if component in self.solenoidal and one.orders[0] and one.orders[last]:
                added(result, self._of_others(component, one), value)
            else:
                added(result, {(component, one): value})
        return result

    def _of_others(self, first: int, factor: Factor) -> Sums:
        """D_x D_z u as (k² + D_x² + D_y²) w − D_y D_z v, which follows from D_z² w in two ways."""
        last, result = self.axes - 1, Sums()
        a, b, c = _more(_more(factor.orders, 0, -1), last, -1)
        added(result, self.reduced((first + last, replace_orders(factor, (a, b, c), factor.power + 1))))
        for axis in range(last):
            twice = replace_orders(factor, _more((a, b, c), axis, 2), factor.power)
            added(result, self.reduced((first + last, twice)))
        for axis in range(1, last):
            mixed = replace_orders(factor, _more(_more((a, b, c), axis, 1), last, 1), factor.power)
            added(result, self.reduced((first + axis, mixed)), -ONE)
        return result

    def reduced_factor(self, factor: Factor) -> dict[Factor, Fraction]:
        """The factor with at most one derivative along the last axis."""
        last = self.axes - 1
        if factor.orders[last] < 2:
            return {factor: ONE}
        fewer = _more(factor.orders, last, -2)
        result: dict[Factor, Fraction] = {}
        added(result, self.reduced_factor(replace_orders(factor, fewer, factor.power + 1)), -ONE)
        for axis in range(last):
            twice = _more(fewer, axis, 2)
            added(result, self.reduced_factor(replace_orders(factor, twice, factor.power)), -ONE)
        return result

    def under(self, form: Mapping[Place, Fraction], orders: Orders, power: int, scale: Fraction) -> Sums:
        """The normal form after derivatives, a power of |k|² and a number."""
        result: Sums = {}
        for (component, factor), value in form.items():
            added(result, self.reduced((component, factor.times(orders, power))), value * scale)
        return result


def moved(from_axis: int, to_axis: int) -> Orders:
    """The orders that replace a derivative along one axis by one along another."""
    orders = [0, 0, 0]
    orders[from_axis], orders[to_axis] = -1, 1
    return orders[0], orders[1], orders[2]


def _more(orders: Orders, axis: int, count: int) -> Orders:
    """The orders with more derivatives along an axis."""
    a, b, c = (order + count * (number == axis) for number, order in enumerate(orders))
    return a, b, c


def unit(axis: int) -> Orders:
    """The orders of one derivative along an axis."""
    return int(axis == 0), int(axis == 1), int(axis == 2)


def ordered(sums: Mapping[Place, Fraction]) -> Form:
    """The form of a sparse row."""
    return Form(sorted(sums.items(), key=lambda item: sort_key(item[0])))


def sort_key(place: Place) -> tuple[Any, ...]:
    """The key that sorts places: components, then simple factors first."""
    component, factor = place
    return component, factor.degree, factor.tag, factor.power, tuple(-one for one in factor.orders)


def parts(form: Form, class_of: Mapping[int, int]) -> dict[tuple[Any, ...], Form]:
    """The parts of a form by class of fields, tag, and degree; each is homogeneous."""
    found: dict[tuple[Any, ...], Sums] = {}
    for (component, factor), value in form:
        key = (class_of[component], factor.tag, factor.degree)
        found.setdefault(key, {})[component, factor] = value
    return {key: ordered(found[key]) for key in sorted(found)}

"""Units of values: that of each operation and function by those of its arguments.

The unit of a value is None where it is not known, as of a number such as 0.01, which may stand for a constant
with a unit. Zero has every unit.
"""

from fractions import Fraction
from functools import partial

from whorl.base.dimension import LENGTH, PURE, Dimension, product
from whorl.expressions.nodes import is_constant
from whorl.expressions.values import Value

Unit = Dimension | None
LARGEST_DENOMINATOR, CLOSE = 12, 1e-12  # of exponents that are fractions, and their rounding
LARGEST_SIMPLE = 10.0  # a typed number above it may be a constant with a unit
TRUTH = PURE.as_loose()  # of a comparison, which may choose where a constant with a unit holds
UNLIKE = (
    "the sum adds different units ({} and {}): its parts need one unit; give a part its coefficient, by name "
    "or as a number with a decimal point, such as 1.0, which may have a unit"
)


def joined(*values: Value) -> Unit:
    """The unit that values have in common: that of the ones whose unit is sure, which the others share.

    A number, or a value whose unit is not known, may stand for a constant with this unit.
    """
    units = [value.unit for value in values if not _is_zero(value)]
    sure = {unit for unit in units if _is_sure(unit)}
    found = sure or set(units)
    return next(iter(found)) if len(found) == 1 else None


def summed(a: Value, b: Value) -> Unit:
    """The unit of a sum. Raises ValueError if both units are sure, and different."""
    units = [value.unit for value in (a, b) if not _is_zero(value)]
    if len({unit for unit in units if _is_sure(unit)}) > 1:
        raise ValueError(UNLIKE.format(*units))
    return joined(a, b)


def _is_zero(value: Value) -> bool:
    """Whether all components are the constant 0."""
    return all(is_constant(node, 0) for node in value.nodes())


def _is_sure(unit: Unit) -> bool:
    """Whether no constant with another unit may be left out of a value of this unit."""
    return unit is not None and not unit.loose and not unit.pure


def typed(number: float) -> Unit:
    """The unit of a typed number: none of a whole one, loose of a half or a quarter, not known of others."""
    if isinstance(number, int):
        return PURE
    simple = (4 * number).is_integer() and abs(number) < LARGEST_SIMPLE
    return PURE.as_loose() if simple else None


def same(a: Value, *_: Value) -> Unit:
    """The unit of the first value."""
    return a.unit


def times(*values: Value) -> Unit:
    """The unit of the product."""
    return product(*(value.unit for value in values))


def over(a: Value, b: Value) -> Unit:
    """The unit of the quotient."""
    return product(a.unit, raised(b, -1))


def raised(a: Value, exponent: float) -> Unit:
    """The unit of a power; not known if the exponent is no fraction of small numbers."""
    near = Fraction(exponent).limit_denominator(LARGEST_DENOMINATOR)
    return None if a.unit is None or abs(near - exponent) > CLOSE else a.unit**near


def power(a: Value, exponent: Value) -> Unit:
    """The unit of a power whose exponent is a value; known for a constant, or of a number without a unit."""
    if exponent.scalar.kind == "constant":
        return raised(a, exponent.scalar.value)
    return a.unit if a.unit is not None and a.unit.pure else None


def derived(a: Value, order: int) -> Unit:
    """The unit of a derivative of some order; of an integral if that is negative."""
    return product(a.unit, LENGTH**-order)


SQUARE, ROOT, CUBE = (partial(raised, exponent=exponent) for exponent in (2, 0.5, 3))
SLOPE, CURVATURE, SECOND_INTEGRAL = (partial(derived, order=order) for order in (1, 2, -2))


def number(*values: Value) -> Unit:
    """The unit of a function such as a sine, none; loose unless its arguments surely have none, either."""
    pure = all(value.unit is not None and value.unit.pure and not value.unit.loose for value in values)
    return PURE if pure else PURE.as_loose()


def ratio(*_: Value) -> Unit:
    """The unit of a coefficient, such as that of a correlation."""
    return PURE


def chosen(_: Value, a: Value, b: Value) -> Unit:
    """The unit that the values of both cases have in common."""
    return joined(a, b)

"""Units as powers of length, time and density: their products, and how they are written."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from whorl.base.text import SUPERSCRIPTS

UNITS_OF_CASE = "case's units"  # of a quantity whose unit is not known
ORDER = (UNITS_OF_CASE, "density", "length", "time")  # in which the factors of a unit are written
SINGLE = re.compile(r"(√?)([a-z]+)(?:([⁰¹²³⁴⁵⁶⁷⁸⁹]+)|\^([\d.]+))?")
DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


@dataclass(frozen=True)
class Dimension:
    """A unit: the exponent of each base unit, without those that are zero.

    A `loose` unit is that of a quantity in which constants with a unit may be left out, such as a scaled
    temperature, a coordinate or a sine.
    """

    powers: tuple[tuple[str, Fraction], ...] = ()
    loose: bool = field(default=False, compare=False)

    @classmethod
    def of(cls, text: str) -> "Dimension":
        """The unit of a text such as "length²/time", "√density" or "1/(length time)"."""
        above, _, below = text.partition("/")
        found: dict[str, Fraction] = {}
        for sign, factors in ((1, above), (-1, below.strip("()"))):
            for factor in factors.split():
                if factor != "1":
                    root, name, digits, power = SINGLE.fullmatch(factor).groups()
                    exponent = Fraction((digits or power or "1").translate(DIGITS)) / (2 if root else 1)
                    found[name] = found.get(name, 0) + sign * exponent
        return cls(_ordered(found))

    @property
    def pure(self) -> bool:
        """Whether it is that of a number without a unit."""
        return not self.powers

    def as_loose(self) -> "Dimension":
        """This unit, of a quantity in which constants may be left out."""
        return Dimension(self.powers, loose=True)

    def __mul__(self, other: "Dimension") -> "Dimension":
        """The unit of a product."""
        found = dict(self.powers)
        for name, exponent in other.powers:
            found[name] = found.get(name, 0) + exponent
        return Dimension(_ordered(found), self.loose or other.loose)

    def __truediv__(self, other: "Dimension") -> "Dimension":
        """The unit of a quotient."""
        return self * other**-1

    def __pow__(self, exponent: int | Fraction) -> "Dimension":
        """The unit of a power."""
        return Dimension(_ordered({name: exponent * power for name, power in self.powers}), self.loose)

    def __str__(self) -> str:
        above = [_told(name, power) for name, power in self.powers if power > 0]
        below = [_told(name, -power) for name, power in self.powers if power < 0]
        if not below:
            return " ".join(above)
        divisor = " ".join(below)
        if len(below) > 1 or divisor == UNITS_OF_CASE:
            divisor = f"({divisor})"
        return f"{' '.join(above) or '1'}/{divisor}"


def _ordered(powers: Mapping[str, Fraction]) -> tuple[tuple[str, Fraction], ...]:
    return tuple((name, powers[name]) for name in sorted(powers, key=ORDER.index) if powers[name])


def _told(name: str, power: Fraction) -> str:
    if power == 1:
        return name
    if power == Fraction(1, 2):
        return f"√{name}"
    single = f"({name})" if " " in name else name
    if power.denominator == 1:
        return f"{single}{str(power).translate(SUPERSCRIPTS)}"
    return f"{single}^{float(power):g}"


PURE = Dimension()
LENGTH, TIME = Dimension.of("length"), Dimension.of("time")
OF_CASE = Dimension(((UNITS_OF_CASE, Fraction(1)),))


def common(units: Iterable[Dimension | None], otherwise: Dimension = OF_CASE) -> Dimension:
    """The unit that all quantities have; `otherwise` where they differ or one is not known."""
    found = set(units)
    (one,) = found if len(found) == 1 else (None,)
    return otherwise if one is None else one


def product(*units: Dimension | None) -> Dimension | None:
    """The unit of a product; None if one is not known."""
    found = PURE
    for unit in units:
        if unit is None:
            return None
        found = found * unit
    return found

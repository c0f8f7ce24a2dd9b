"""Linear forms: sums of fields, each with a multiplier of its Fourier coefficients.

A multiplier is i^(a+b+c) kx^a ky^b kz^c |k|^(2p) W(|k|r) for low ≤ |k| < high and k in a sector, else 0.
Derivatives, the Laplacian and its inverse, sharp filters, sectors, and averages over a ball are such
multipliers. So are their products, except an average of an average and sectors about two axes.
Equations also have radial factors, which are functions of |k| and a number.
"""

import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

# |k| from which the inverse of the Laplacian is not zero: every k but k = 0.
WITHOUT_MEAN = sys.float_info.min


Sector = tuple[int, float, float]
NO_SECTOR: Sector = (-1, 0.0, 0.0)
# Functions of |k| with their a: "power" |k|^a (0 < a < 2), "helmholtz" 1/(1 + a²k²), "gauss" exp(−a²k²/2).
Radial = tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Multiplier:
    """A factor of the modes: derivatives (a, b, c), a power p of |k|², a band of |k|, a radius, a sector.

    The radius is that of an average over a ball, 3 (sin x − x cos x)/x³ with x = kr; 0 stands for no average.
    In two dimensions it is over a disc, 2 J₁(x)/x. A sector is an axis and two angles: k is at an angle
    a ≤ θ < b from the axis.
    """

    derivatives: tuple[int, int, int] = (0, 0, 0)
    power: int = 0
    low: float = 0.0
    high: float = math.inf
    radius: float = 0.0
    sector: Sector = NO_SECTOR
    radial: Radial = ()

    def __mul__(self, other: "Multiplier") -> "Multiplier":
        """Both multipliers, one after the other.

        Raises ValueError for two averages, and for sectors about two axes: their product is no Multiplier.
        """
        if self.radius and other.radius:
            raise ValueError(
                f"its average over {other.radius:g} is of a value that is an average over {self.radius:g} "
                "already; average once"
            )
        a, b = self.derivatives, other.derivatives
        whole, radial = joined_radial(self.radial, other.radial)
        return Multiplier(
            (a[0] + b[0], a[1] + b[1], a[2] + b[2]),
            self.power + other.power + whole,
            max(self.low, other.low),
            min(self.high, other.high),
            self.radius or other.radius,
            _both(self.sector, other.sector),
            radial,
        )

    @property
    def is_nothing(self) -> bool:
        """Whether the multiplier keeps no mode."""
        axis, low, high = self.sector
        return not self.low < self.high or (axis >= 0 and not low < high)

    @property
    def keeps_mean(self) -> bool:
        """Whether the multiplier is 1 at k = 0; every other one is 0 there."""
        there = self.sector[0] < 0 or self.sector[1] <= 0
        without_power = self.power == 0 and not any(name == "power" for name, _ in self.radial)
        return self.derivatives == (0, 0, 0) and without_power and self.low <= 0 < self.high and there

    @property
    def degree(self) -> int:
        """The power of the wavenumber: derivatives, and twice the power of |k|²."""
        return sum(self.derivatives) + 2 * self.power

    @property
    def order(self) -> tuple[Any, ...]:
        """The key that sorts multipliers."""
        return (*self.derivatives, self.power, self.low, self.high, self.radius, self.sector, self.radial)


def joined_radial(a: Radial, b: Radial) -> tuple[int, Radial]:
    """The product of radial factors: a power of |k|², and the factors that remain."""
    exponent = sum(number for name, number in (*a, *b) if name == "power")
    others = sorted(one for one in (*a, *b) if one[0] != "power")
    whole = int(exponent // 2)
    rest = exponent - 2 * whole
    return whole, tuple([("power", rest)] * (rest != 0) + others)


def _both(first: Sector, second: Sector) -> Sector:
    """The modes in both sectors. Raises ValueError if they are about two axes."""
    if first[0] < 0 or second[0] < 0:
        return max(first, second)
    if first[0] != second[0]:
        raise ValueError(
            f"its sector about {'xyz'[second[0]]} is of a sector about {'xyz'[first[0]]}; "
            "use one axis for both"
        )
    return first[0], max(first[1], second[1]), min(first[2], second[2])


ONE = Multiplier()


def derivative(axis: int) -> tuple[Multiplier, float]:
    """∂/∂x, ∂/∂y or ∂/∂z: a multiplier and a factor."""
    powers = [0, 0, 0]
    powers[axis] = 1
    return Multiplier((powers[0], powers[1], powers[2])), 1.0


LAPLACIAN = Multiplier(power=1), -1.0
INVERSE_LAPLACIAN = Multiplier(power=-1, low=WITHOUT_MEAN), -1.0


def band(low: float, high: float) -> tuple[Multiplier, float]:
    """The filter that keeps only modes of low ≤ |k| < high: a multiplier and a factor."""
    return replace(ONE, low=low, high=high), 1.0


def sector(axis: int, low: float, high: float) -> tuple[Multiplier, float]:
    """The filter that keeps only modes at angles low ≤ θ < high from an axis: a multiplier and a factor."""
    return replace(ONE, sector=(axis, low, high)), 1.0


def average(radius: float) -> tuple[Multiplier, float]:
    """The mean over a ball: a multiplier and a factor."""
    return replace(ONE, radius=radius), 1.0


@dataclass(frozen=True)
class Term:
    """A field, which has a serial number, with its multiplier."""

    field: Any
    multiplier: Multiplier

    @property
    def order(self) -> tuple[Any, ...]:
        """The key that sorts terms."""
        return (self.field.serial, *self.multiplier.order)


class LinearForm(Mapping[Term, float]):
    """Factors by terms, none of them zero, in a fixed order; equal forms have equal hashes."""

    def __init__(self, factors: Mapping[Term, float]):
        ordered = sorted(((term, factor) for term, factor in factors.items() if factor != 0), key=_order)
        self._factors = dict(ordered)
        self._hash = hash(tuple(ordered))

    def __getitem__(self, term: Term) -> float:
        return self._factors[term]

    def __iter__(self) -> Iterator[Term]:
        return iter(self._factors)

    def __len__(self) -> int:
        return len(self._factors)

    def __hash__(self) -> int:
        return self._hash

    def plus(self, other: "LinearForm", factor: float = 1.0) -> "LinearForm":
        """This form and `factor` times the other."""
        sums = dict(self._factors)
        for term, value in other.items():
            sums[term] = sums.get(term, 0.0) + factor * value
        return LinearForm(sums)

    def times(self, factor: float) -> "LinearForm":
        """This form times a number."""
        return LinearForm({term: factor * value for term, value in self.items()})

    def under(self, multiplier: Multiplier, factor: float) -> "LinearForm":
        """The multiplier and the factor applied to every term."""
        result: dict[Term, float] = {}
        for term, value in self.items():
            combined = term.multiplier * multiplier
            if not combined.is_nothing:
                one = replace(term, multiplier=combined)
                result[one] = result.get(one, 0.0) + factor * value
        return LinearForm(result)

    def without_divergences(self) -> "LinearForm":
        """The form for vectors without a divergence: −∂u/∂x − ∂v/∂y replaces ∂w/∂z."""
        result: dict[Term, float] = {}
        waiting = list(self.items())
        while waiting:
            term, factor = waiting.pop()
            a, b, c = term.multiplier.derivatives
            if c and term.field.horizontal:
                for field, orders in zip(
                    term.field.horizontal, ((a + 1, b, c - 1), (a, b + 1, c - 1)), strict=True
                ):
                    waiting.append((Term(field, replace(term.multiplier, derivatives=orders)), -factor))
            else:
                result[term] = result.get(term, 0.0) + factor
        return LinearForm(result)


def _order(item: tuple[Term, float]) -> tuple[Any, ...]:
    return item[0].order

"""Exact numbers: fractions of typed numbers, and linear algebra of sparse rows of fractions."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
ZERO, ONE = Fraction(0), Fraction(1)
LARGEST_DENOMINATOR = 10**6  # of a number that was typed as a quotient
ROUNDING = 2e-15  # relative; products of typed numbers are rounded a few times
DIGITS = 15  # of a number that is no such quotient


def exact(number: float) -> Fraction:
    """The fraction that a number stands for: 0.1 is 1/10, and 0.3333333333333333 is 1/3."""
    near = Fraction(number).limit_denominator(LARGEST_DENOMINATOR)
    if abs(near - Fraction(number)) <= ROUNDING * abs(number):
        return near
    return Fraction(f"{number:.{DIGITS}g}")


def is_small(number: Fraction, most: int = 64) -> bool:
    """Whether a fraction has a small numerator and a small denominator."""
    return abs(number.numerator) <= most and number.denominator <= most


def added(
    total: dict[Key, Fraction], other: Mapping[Key, Fraction], factor: Fraction = ONE
) -> dict[Key, Fraction]:
    """The sparse row `total` after `factor` times another is added to it, in place."""
    for key, value in other.items():
        now = total.get(key, ZERO) + factor * value
        if now:
            total[key] = now
        else:
            total.pop(key, None)
    return total


@dataclass
class Rows(Generic[Key]):
    """Rows in reduced echelon form: each has a pivot, where it is 1 and all other rows are 0.

    The pivot of a row is its first key in the order of `rank`.
    """

    rank: Mapping[Key, int]
    by_pivot: dict[Key, dict[Key, Fraction]] = field(default_factory=dict)

    def rest(self, row: Mapping[Key, Fraction]) -> dict[Key, Fraction]:
        """The part of a row that is no combination of the rows."""
        left = dict(row)
        for pivot in [key for key in row if key in self.by_pivot]:
            added(left, self.by_pivot[pivot], -row[pivot])
        return left

    def add(self, row: Mapping[Key, Fraction]) -> bool:
        """Add a row; whether it was no combination of the others."""
        left = self.rest(row)
        if not left:
            return False
        pivot = min(left, key=self.rank.__getitem__)
        scale = 1 / left[pivot]
        left = {key: value * scale for key, value in left.items()}
        for other in self.by_pivot.values():
            if factor := other.get(pivot):
                added(other, left, -factor)
        self.by_pivot[pivot] = left
        return True


def rows_of(rows: Iterable[Mapping[Key, Fraction]], rank: Mapping[Key, int]) -> Rows[Key]:
    """The reduced rows of some rows."""
    result = Rows(rank)
    for row in rows:
        result.add(row)
    return result

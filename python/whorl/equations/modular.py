"""Linear algebra modulo a prime, and the small fractions that its numbers stand for."""

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Generic, TypeVar

import numpy as np

Key = TypeVar("Key", bound=Hashable)
PRIME = 15 * 2**27 + 1
SECOND_PRIME = 2**31 - 1
LARGEST = 30_000  # numerator and denominator of a fraction that is found from its residue


def residue(number: Fraction, prime: int = PRIME) -> int:
    """The residue of a fraction."""
    return number.numerator * pow(number.denominator, -1, prime) % prime


def inverse(numbers: np.ndarray, prime: int = PRIME) -> np.ndarray:
    """The inverse of each number; of 0 it is 0."""
    return power(numbers, prime - 2, prime)


def power(numbers: np.ndarray, exponent: int, prime: int = PRIME) -> np.ndarray:
    """Each number to a whole exponent that is not negative."""
    result, square = np.ones_like(numbers), numbers % prime
    while exponent:
        if exponent % 2:
            result = result * square % prime
        square = square * square % prime
        exponent //= 2
    return result


def echelon(matrix: np.ndarray, columns: int, prime: int = PRIME) -> tuple[np.ndarray, list[int]]:
    """The reduced echelon form by pivots in the first columns, and the columns of pivots.

    The earliest independent columns are pivots.
    """
    a, pivots, row = matrix % prime, list[int](), 0
    for column in range(columns):
        if row == len(a):
            break
        found = np.flatnonzero(a[row:, column])
        if not len(found):
            continue
        if found[0]:
            a[[row, row + found[0]]] = a[[row + found[0], row]]
        a[row] = a[row] * pow(int(a[row, column]), -1, prime) % prime
        factors = a[:, column].copy()
        factors[row] = 0
        others = np.flatnonzero(factors)
        if len(others):
            a[others] = (a[others] - factors[others, None] * a[row][None, :] % prime) % prime
        pivots.append(column)
        row += 1
    return a, pivots


def solved(matrix: np.ndarray, sides: np.ndarray, order: Iterable[int]) -> np.ndarray | None:
    """A solution of matrix · x = sides for each column of sides; None if one has none.

    Unknowns that come late in `order` are 0 in one of several solutions.
    """
    order = list(order)
    count = len(order)
    a, pivots = echelon(np.concatenate([matrix[:, order], sides], axis=1), count)
    if np.any(a[len(pivots) :, count:]):
        return None
    result = np.zeros((matrix.shape[1], sides.shape[1]), dtype=np.int64)
    result[[order[pivot] for pivot in pivots]] = a[: len(pivots), count:]
    return result


class Independent(Generic[Key]):
    """Sparse rows modulo a prime, none of which is a combination of the others."""

    def __init__(self) -> None:
        self._rows: dict[Key, dict[Key, int]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, row: Mapping[Key, Fraction]) -> bool:
        """Add a row if it is no combination of the others; whether it is none."""
        left = {key: residue(value) for key, value in row.items()}
        for pivot, other in self._rows.items():
            if factor := left.get(pivot, 0):
                for key, value in other.items():
                    left[key] = (left.get(key, 0) - factor * value) % PRIME
        left = {key: value for key, value in left.items() if value}
        if not left:
            return False
        pivot = next(iter(left))
        scale = pow(left[pivot], -1, PRIME)
        self._rows[pivot] = {key: value * scale % PRIME for key, value in left.items()}
        return True


def fraction(number: int, prime: int = PRIME) -> Fraction | None:
    """The fraction of a small numerator and a small denominator with this residue, or None."""
    a, b, of_a, of_b = prime, number % prime, 0, 1
    while b > LARGEST:
        quotient = a // b
        a, b, of_a, of_b = b, a - quotient * b, of_b, of_a - quotient * of_b
    if not 0 < abs(of_b) <= LARGEST:
        return None
    return Fraction(b, of_b)

"""Exact numbers, residues, and normal forms of multipliers."""

from fractions import Fraction

import numpy as np
import pytest
from whorl.equations.exact import Rows, exact, is_small, rows_of
from whorl.equations.modular import PRIME, Independent, echelon, fraction, inverse, residue, solved
from whorl.equations.multipliers import IDENTITY, Factor, Normal

W = 2  # the component of a vector along the last of three axes


@pytest.mark.parametrize(
    ("number", "wanted"),
    [
        (0.1, Fraction(1, 10)),
        (1 / 3, Fraction(1, 3)),
        (0.1 * 3, Fraction(3, 10)),
        (-2.5, Fraction(-5, 2)),
        (2e-5, Fraction(1, 50_000)),
        (3.141592653589793, Fraction(314159265358979, 10**14)),
        (1e6 + 0.5, Fraction(2_000_001, 2)),
    ],
)
def test_exact_numbers_of_typed_ones(number: float, wanted: Fraction):
    assert exact(number) == wanted
    assert float(exact(number)) == pytest.approx(number, rel=2e-15)


def test_small_fractions():
    assert is_small(Fraction(64, 63))
    assert not is_small(Fraction(65))
    assert not is_small(Fraction(1, 65))


@pytest.mark.parametrize(
    "number", [Fraction(0), Fraction(1, 3), Fraction(-7, 12), Fraction(29_999, 2), Fraction(5)]
)
def test_fractions_come_back_from_residues(number: Fraction):
    assert fraction(residue(number)) == number


def test_residue_of_no_small_fraction():
    assert fraction(residue(Fraction(1, 40_009))) is None


def test_inverse_of_residues():
    numbers = np.array([1, 2, 12345, PRIME - 1, 0])
    assert list(numbers * inverse(numbers) % PRIME) == [1, 1, 1, 1, 0]


def test_solutions_prefer_early_unknowns():
    matrix, sides = np.array([[1, 2, 0], [0, 0, 1]]), np.array([[2], [3]])
    assert list(solved(matrix, sides, [0, 1, 2]).flat) == [2, 0, 3]
    assert list(solved(matrix, sides, [1, 0, 2]).flat) == [0, 1, 3]
    assert solved(np.array([[1], [1]]), np.array([[1], [2]]), [0]) is None
    assert echelon(np.array([[2, 4], [1, 2]]), 2)[1] == [0]


def test_reduced_rows():
    rows: Rows[str] = rows_of(
        [{"a": Fraction(2), "b": Fraction(4)}, {"a": Fraction(1), "c": Fraction(1)}], {"a": 0, "b": 1, "c": 2}
    )
    assert rows.by_pivot == {
        "a": {"a": Fraction(1), "c": Fraction(1)},
        "b": {"b": Fraction(1), "c": Fraction(-1, 2)},
    }
    assert not rows.rest({"a": Fraction(2), "b": Fraction(4)})


def test_independent_rows():
    rows: Independent[str] = Independent()
    assert rows.add({"a": Fraction(1), "b": Fraction(1, 3)})
    assert not rows.add({"a": Fraction(3), "b": Fraction(1)})
    assert rows.add({"b": Fraction(1)})
    assert len(rows) == 2


def test_square_of_the_last_derivative():
    found = Normal(3).reduced((0, Factor((0, 0, 2))))
    minus = Fraction(-1)
    assert found == {
        (0, Factor(power=1)): minus,
        (0, Factor((2, 0, 0))): minus,
        (0, Factor((0, 2, 0))): minus,
    }
    assert Normal(1).reduced((0, Factor((2, 0, 0)))) == {(0, Factor(power=1)): minus}
    assert Normal(2).reduced((0, Factor((0, 0, 1)))) == {}


def test_divergence_is_nothing():
    normal = Normal(3, (0,))
    assert normal.reduced((W, Factor((0, 0, 1)))) == {(0, Factor((1, 0, 0))): -1, (1, Factor((0, 1, 0))): -1}
    sums: dict = {}
    for axis in range(3):
        orders = [1, 0, 1]
        orders[axis] += 1
        for place, value in normal.reduced((axis, Factor((orders[0], orders[1], orders[2])))).items():
            sums[place] = sums.get(place, 0) + value
    assert not any(sums.values())


def test_inverse_of_the_laplacian_is_zero_at_the_mean():
    there_and_back = IDENTITY.times((0, 0, 0), -1).times((0, 0, 0), 1)
    assert there_and_back == Factor(meanless=True)
    assert not there_and_back.keeps_mean
    assert IDENTITY.keeps_mean

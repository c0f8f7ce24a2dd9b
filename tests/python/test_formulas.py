"""Formulas in x, y and z: numbers stay numbers, and what would never end is refused."""

import numpy as np
import pytest
from whorl.config import formulas


@pytest.mark.parametrize(
    ("formula", "value"),
    [("2**3*x", 4.0), ("where(x > 0, 100000, 1)*where(x > 0, 100000, 1)", 1e10), ("x**2 + 7/2", 3.75)],
)
def test_whole_numbers_in_a_formula_are_numbers(formula, value):
    """They do not overflow, and do not divide to whole numbers."""
    formulas.check(formula)
    np.testing.assert_array_equal(formulas.evaluate(formula, np.full(3, 0.5), 0.0, 0.0), np.full(3, value))


@pytest.mark.parametrize(
    ("formula", "reason"),
    [
        ("10**10**10", "a number in it is too large"),
        ("x + 1" + "0" * 400, "a number in it is too large"),
        ("'a'*10**10", "'a' is not a real number"),
        ("(0,)*10**11", "(0,) is none of what it may hold"),
        ("x + 2*(-8)**0.5", "is complex"),
        ("x + 1j", "1j is not a real number"),
    ],
)
def test_a_formula_that_is_no_real_number_is_refused(formula, reason):
    with pytest.raises(ValueError, match="the formula") as caught:
        formulas.check(formula)
    assert f'"{formula}"' in str(caught.value)
    assert reason in str(caught.value)


@pytest.mark.parametrize("formula", ["maximum(1, 2, 5)", "sin(x, 1)", "hypot(x)", "where(x > 0, 1)", "exp()"])
def test_a_function_takes_as_many_arguments_as_it_has(formula):
    """Beyond them NumPy, which works out constants, would take one for where the result goes."""
    with pytest.raises(ValueError, match=r"\(\w+\(\) takes [123] arguments?, not [0123]\)"):
        formulas.check(formula)

"""The operations of a program on real numbers at a point, with their number of arguments.

The core has the same operations under these names (`core/programs/operations.hpp`). Here NumPy works out
numbers, and values that follow from the position. A comparison gives 1 where it holds and 0 elsewhere.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Operation:
    """An operation with its function of NumPy arrays; `commutes` if its two arguments may be swapped."""

    arguments: int
    function: Callable[..., Any]
    commutes: bool = False


def _as_number(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *arguments: function(*arguments).astype(float)


OPERATIONS = {
    "add": Operation(2, np.add, commutes=True),
    "subtract": Operation(2, np.subtract),
    "multiply": Operation(2, np.multiply, commutes=True),
    "divide": Operation(2, np.divide),
    "multiply_add": Operation(3, lambda a, b, c: a * b + c),
    "multiply_subtract": Operation(3, lambda a, b, c: a * b - c),
    "subtract_product": Operation(3, lambda a, b, c: c - a * b),
    "add_products": Operation(4, lambda a, b, c, d: a * b + c * d),
    "subtract_products": Operation(4, lambda a, b, c, d: a * b - c * d),
    "power": Operation(2, np.power),
    "remainder": Operation(2, np.mod),
    "minimum": Operation(2, np.minimum, commutes=True),
    "maximum": Operation(2, np.maximum, commutes=True),
    "arctan2": Operation(2, np.arctan2),
    "less": Operation(2, _as_number(np.less)),
    "less_equal": Operation(2, _as_number(np.less_equal)),
    "equal": Operation(2, _as_number(np.equal), commutes=True),
    "where": Operation(3, lambda condition, a, b: np.where(condition != 0, a, b)),
    "negative": Operation(1, np.negative),
} | {
    name: Operation(1, getattr(np, name))
    for name in (
        *("abs", "sign", "sqrt", "exp", "expm1", "log", "log1p", "log2", "log10"),
        *("sin", "cos", "tan", "arcsin", "arccos", "arctan"),
        *("sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "floor", "ceil", "trunc", "round"),
    )
}

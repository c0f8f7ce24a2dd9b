"""Formulas in x, y and z, evaluated by numexpr in floating point."""

import ast
import math
import os
from types import ModuleType

import numpy as np

MOST_THREADS = 8  # what formulas are worth
ALLOWED = (
    "x, y, z, pi, + − * / **, comparisons, sqrt, exp, log, sin, cos, tan, sinh, cosh, tanh, arctan2, abs"
)


def check(formula: str) -> None:
    """Raises ValueError, naming the formula, unless `evaluate` can take it."""
    numexpr = _numexpr()
    point = {"x": 0.5, "y": 0.5, "z": 0.5, "pi": math.pi}
    with np.errstate(all="ignore"):  # a value that is no number here may be one at the points
        try:
            error = numexpr.validate(in_floats(formula), local_dict=point, global_dict={})
        except (ValueError, SyntaxError, OverflowError, RecursionError) as found:
            error = found
        if error:
            raise ValueError(
                f'the formula "{formula}" cannot be evaluated ({_reason(error)}); it may hold {ALLOWED}'
            )
        if np.iscomplexobj(evaluate(formula, 0.5, 0.5, 0.5)):
            raise ValueError(
                f'the formula "{formula}" is complex: a negative number has no real power that is not whole'
            )


def evaluate(formula: str, x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Its value at the points."""
    numexpr = _numexpr()
    known = {"x": x, "y": y, "z": z, "pi": math.pi}
    return numexpr.evaluate(in_floats(formula), local_dict=known, global_dict={})


def _numexpr() -> ModuleType:
    """For those who use it: an import takes its time. With few threads, whatever OMP_NUM_THREADS says."""
    os.environ.setdefault("NUMEXPR_NUM_THREADS", str(min(MOST_THREADS, len(os.sched_getaffinity(0)))))
    import numexpr

    return numexpr


def in_floats(formula: str) -> str:
    """The formula with its whole numbers as floating-point ones.

    Python works out what holds numbers alone, and would take for ever over a whole number such as 10**10**10.
    Raises SyntaxError, or ValueError where something else than a number stands.
    """
    return ast.unparse(_Floats().visit(ast.parse(formula.strip(), mode="eval")))


class _Floats(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if isinstance(node.value, bool):
            return node
        if not isinstance(node.value, int | float):
            raise ValueError(f"{ast.unparse(node)} is not a real number")
        return ast.Constant(float(node.value))


def _reason(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"{error} is not known"
    if isinstance(error, OverflowError):
        return "a number in it is too large"
    return str(error).rstrip(".")

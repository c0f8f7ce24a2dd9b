"""Formulas in x, y and z, evaluated by numexpr in floating point."""

import ast
import math
import os
from types import ModuleType

import numpy as np

MOST_THREADS = 8  # more do not pay for formulas
LONGEST = 4000  # characters
ALLOWED = (
    "pi, + − * / % **, comparisons, & | ~ between them, where, sqrt, exp, log, sin, cos, tan, sinh, "
    "cosh, tanh, arctan2, abs"
)
# Functions of each point alone, with the number of their arguments: numexpr also has sums and extremes, over
# as many points as it is given at a time.
FUNCTIONS = (
    dict.fromkeys(
        [
            *("abs", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "ceil"),
            *("cos", "cosh", "exp", "expm1", "floor", "log", "log10", "log1p", "log2"),
            *("round", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"),
        ],
        1,
    )
    | dict.fromkeys(["arctan2", "copysign", "fmod", "hypot", "maximum", "minimum"], 2)
    | {"where": 3}
)
OPERATORS = (
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Mod, ast.Pow, ast.BitAnd, ast.BitOr, ast.BitXor),
    *(ast.UAdd, ast.USub, ast.Invert),
    *(ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq),
)


IN_SPACE, WITH_TIME = ("x", "y", "z"), ("x", "y", "z", "t")


def check(formula: str, variables: tuple[str, ...] = IN_SPACE) -> None:
    """Raises ValueError, naming the formula, unless `evaluate` can take it with these variables."""
    if len(formula) > LONGEST:
        raise ValueError(
            f"a formula of {len(formula)} characters is too long, at most {LONGEST} are taken; give the "
            "field in a file (from-file) or from a script"
        )
    numexpr = _numexpr()
    point = dict.fromkeys(variables, 0.5) | {"pi": math.pi}
    with np.errstate(all="ignore"):  # a value that is not finite here may be finite at the points
        try:
            error = numexpr.validate(in_floats(formula), local_dict=point, global_dict={})
        except (ValueError, SyntaxError, OverflowError, RecursionError, MemoryError) as found:
            error = found
        if error:
            raise ValueError(
                f'the formula "{formula}" cannot be evaluated ({_reason(error)}); it may hold '
                f"{', '.join(variables)}, {ALLOWED}"
            )
        if np.iscomplexobj(evaluate(formula, *(0.5 for _ in variables))):
            raise ValueError(
                f'the formula "{formula}" is complex: a negative number has no real power that is not whole'
            )


def names(formula: str) -> set[str]:
    """The variables and functions in a formula."""
    return {
        node.id for node in ast.walk(ast.parse(formula.strip(), mode="eval")) if isinstance(node, ast.Name)
    }


def evaluate(formula: str, x: np.ndarray, y: np.ndarray, z: np.ndarray, t: float | None = None) -> np.ndarray:
    """The value of the formula at the points, at the time t if it may depend on it."""
    numexpr = _numexpr()
    known = {"x": x, "y": y, "z": z, "pi": math.pi} | ({} if t is None else {"t": t})
    return numexpr.evaluate(in_floats(formula), local_dict=known, global_dict={})


def _numexpr() -> ModuleType:
    """numexpr, imported late because the import is slow; with few threads, whatever OMP_NUM_THREADS says."""
    os.environ.setdefault("NUMEXPR_NUM_THREADS", str(min(MOST_THREADS, len(os.sched_getaffinity(0)))))
    import numexpr

    return numexpr


def in_floats(formula: str) -> str:
    """The formula with its whole numbers as floating-point numbers.

    Python evaluates constant expressions itself, and would not finish with a whole number such as 10**10**10.
    Raises SyntaxError, or ValueError for anything that is not arithmetic at a point.
    """
    tree = ast.parse(formula.strip(), mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.expr):
            _check_node(node)
    return ast.unparse(_Floats().visit(tree))


def _check_node(node: ast.expr) -> None:
    """Raises ValueError for other operators, such as `and` and `is`: they would not act on the values."""
    match node:
        case ast.Constant() | ast.Name():
            return
        case ast.BinOp(op=operator) | ast.UnaryOp(op=operator) | ast.Compare(ops=[operator]):
            if isinstance(operator, OPERATORS):
                return
        case ast.Call(func=ast.Name(id=name), keywords=[], args=given) if name in FUNCTIONS:
            if len(given) == (wanted := FUNCTIONS[name]):
                return
            raise ValueError(f"{name}() takes {wanted} argument{'s' if wanted > 1 else ''}, not {len(given)}")
        case ast.Call(func=ast.Name(id=name)):
            raise ValueError(f"{name}() is not known")
        case ast.Compare():
            raise ValueError(f"{ast.unparse(node)} compares twice; write one comparison & the other")
    raise ValueError(f"{ast.unparse(node)} is none of what it may hold")


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
    if isinstance(error, RecursionError | MemoryError):
        return "it is nested too deeply"
    return str(error).rstrip(".")

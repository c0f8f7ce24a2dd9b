"""The functions of the language in which quantities are typed; a line of FUNCTIONS adds one.

A function gets the algebra of values and its arguments, and raises ValueError for arguments it cannot use.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from whorl.base.dimension import Dimension
from whorl.expressions import linear, units
from whorl.expressions.nodes import Node
from whorl.expressions.operations import OPERATIONS
from whorl.expressions.values import Algebra, Value, array, scalar


@dataclass(frozen=True)
class Function:
    """A function of the language: its arguments, its description, and the Python function that makes it.

    `unit` gives the unit of its value, by default that of its first argument.
    """

    signature: str
    help: str
    of: Callable[..., Value]
    local: bool = True
    """Whether its value at a point follows from those of its arguments there."""
    unit: Callable[..., Dimension | None] = units.same

    def called(self, algebra: Algebra, *arguments: Value) -> Value:
        """Return the value with its unit. Raises ValueError for arguments it cannot use."""
        return self.of(algebra, *arguments).of_unit(self.unit(*arguments))

    def takes(self, count: int) -> bool:
        """Whether the function may have this number of arguments; those in brackets may be left out."""
        required, _, optional = self.signature.partition("[")
        least = required.count(",") + 1
        return least <= count <= least + optional.count(",")


def _under(algebra: Algebra, a: Value, operator: tuple[linear.Multiplier, float]) -> Value:
    return algebra.linear(lambda node: algebra.graph.under(node, *operator), a)


def _derivative(axis: int) -> Callable[[Algebra, Value], Value]:
    return lambda algebra, a: _under(algebra, a, linear.derivative(axis))


def gradient(algebra: Algebra, a: Value) -> Value:
    """∂a/∂x_j as the last index."""
    if a.rank > 1:
        raise ValueError(f"grad takes a number or a vector, not {a}")
    parts = [_under(algebra, algebra.real(a, "grad"), linear.derivative(axis)).real for axis in range(3)]
    return Value(np.stack(parts, axis=-1))


def divergence(algebra: Algebra, a: Value) -> Value:
    """∂a_…j/∂x_j over the last index."""
    if not a.rank:
        raise ValueError("div takes a vector or a tensor, not a number")
    last = algebra.real(a, "div").real
    parts = [_under(algebra, Value(last[..., axis]), linear.derivative(axis)) for axis in range(3)]
    return algebra.add(algebra.add(parts[0], parts[1]), parts[2])


def curl(algebra: Algebra, a: Value) -> Value:
    """∇ × a."""
    if a.rank != 1:
        raise ValueError(f"curl takes a vector, not {a}")
    slopes = gradient(algebra, a).real  # [i, j] = ∂a_i/∂x_j
    apply = partial(algebra.graph.apply, "subtract")
    return Value(
        array([apply(slopes[(i + 2) % 3, (i + 1) % 3], slopes[(i + 1) % 3, (i + 2) % 3]) for i in range(3)])
    )


def _band(algebra: Algebra, a: Value, low: Value, high: Value | None = None) -> Value:
    bounds = [_constant(one, "the wavenumbers of filter") for one in (low, high) if one is not None]
    low_k, high_k = bounds if len(bounds) == 2 else (0.0, bounds[0])
    if not 0 <= low_k < high_k:
        raise ValueError(f"filter keeps k1 ≤ |k| < k2, and {low_k:g} is not below {high_k:g}")
    return _under(algebra, a, linear.band(low_k, high_k))


def _sector(algebra: Algebra, a: Value, low: Value, high: Value, about: Value | None = None) -> Value:
    ends = [_constant(one, "the angles of sector") for one in (low, high)]
    if not 0 <= ends[0] < ends[1]:
        raise ValueError(f"sector keeps angles a1 ≤ θ < a2, and {ends[0]:g} is not below {ends[1]:g}")
    if about is None:
        return _under(algebra, a, linear.sector(2, *ends))
    if about.rank or about.complex or about.scalar.kind != "coordinate":
        raise ValueError("the axis of sector is x, y or z")
    return _under(algebra, a, linear.sector(about.scalar.value, *ends))


def _constant(a: Value, what: str) -> float:
    if a.rank or a.complex or a.scalar.kind != "constant":
        raise ValueError(f"{what} must be numbers that are known beforehand")
    return a.scalar.value


def _average(algebra: Algebra, a: Value, radius: Value) -> Value:
    r = _constant(radius, "the radii of average")
    if r <= 0:
        raise ValueError(f"average takes a radius above 0, not {r:g}")
    return _under(algebra, a, linear.average(r))


def _mirrored(algebra: Algebra, a: Value, operation: str) -> Value:
    if a.rank != 1:
        raise ValueError(f"it takes a vector, not {a}")
    slopes = gradient(algebra, a)
    other = Value(slopes.real.T)
    return algebra.multiply(algebra.number(0.5), algebra.add(slopes, other, operation))


def _of_tensor(function: Callable[[Algebra, np.ndarray], Value]) -> Callable[[Algebra, Value], Value]:
    def of(algebra: Algebra, a: Value) -> Value:
        if a.rank != 2:
            raise ValueError(f"it takes a tensor, not {a}")
        return function(algebra, a.real)

    return of


def _determinant(algebra: Algebra, a: np.ndarray) -> Value:
    rows = [Value(row) for row in a]
    return algebra.dot(rows[0], algebra.cross(rows[1], rows[2]))


def _vector(algebra: Algebra, *parts: Value) -> Value:
    if any(part.rank or part.complex for part in parts):
        raise ValueError("vector takes three real numbers")
    return Value(array([part.scalar for part in parts]))


def _sum(algebra: Algebra, a: Value) -> Value:
    return scalar(algebra.total(algebra.real(a, "sum").nodes()))


def _mean(algebra: Algebra, a: Value) -> Value:
    return algebra.linear(algebra.graph.mean, a)


def _rms(algebra: Algebra, a: Value) -> Value:
    return algebra.linear(partial(_root_mean_square, algebra), algebra.real(a, "rms"))


def _without_mean(algebra: Algebra, a: Value) -> Value:
    return algebra.add(a, _mean(algebra, a), "subtract")


def _std(algebra: Algebra, a: Value) -> Value:
    return _rms(algebra, _without_mean(algebra, algebra.real(a, "std")))


def _covariance(algebra: Algebra, a: Value, b: Value) -> Value:
    """⟨a'·b'⟩, a' = a − ⟨a⟩, summed over the components."""
    if a.rank != b.rank:
        raise ValueError(f"it takes two values of one rank, not {a} and {b}")
    without = [_without_mean(algebra, algebra.real(one, "a covariance")) for one in (a, b)]
    products = [
        algebra.graph.apply("multiply", x, y) for x, y in zip(*(one.nodes() for one in without), strict=True)
    ]
    return scalar(algebra.total([algebra.graph.mean(one) for one in products]))


def _correlation(algebra: Algebra, a: Value, b: Value) -> Value:
    """⟨a'·b'⟩/√(⟨|a'|²⟩⟨|b'|²⟩)."""
    both, first, second = (_covariance(algebra, *pair) for pair in ((a, b), (a, a), (b, b)))
    return algebra.divide(both, algebra.componentwise("sqrt", algebra.multiply(first, second)))


def _max(algebra: Algebra, a: Value) -> Value:
    return algebra.linear(algebra.graph.maximum, algebra.real(a, "max"))


def _min(algebra: Algebra, a: Value) -> Value:
    return algebra.negative(_max(algebra, algebra.negative(algebra.real(a, "min"))))


def _hypotenuse(algebra: Algebra, a: Value, b: Value) -> Value:
    first, second = (algebra.multiply(one, one) for one in (_number(a, "hypot"), _number(b, "hypot")))
    return algebra.componentwise("sqrt", algebra.add(first, second))


def _with_sign(algebra: Algebra, a: Value, b: Value) -> Value:
    size, below = algebra.componentwise("abs", a), algebra.componentwise("less", b, algebra.number(0))
    return algebra.componentwise("where", below, algebra.negative(size), size)


def _truncated_remainder(algebra: Algebra, a: Value, b: Value) -> Value:
    sizes = (algebra.componentwise("abs", one) for one in (a, _number(b, "fmod")))
    size, below = (
        algebra.componentwise("remainder", *sizes),
        algebra.componentwise("less", a, algebra.number(0)),
    )
    return algebra.componentwise("where", below, algebra.negative(size), size)


def _number(a: Value, what: str) -> Value:
    if a.rank or a.complex:
        raise ValueError(f"{what} takes real numbers, not {a}")
    return a


def _root_mean_square(algebra: Algebra, node: Node) -> Node:
    graph = algebra.graph
    return graph.apply("sqrt", graph.mean(graph.apply("multiply", node, node)))


def _real(algebra: Algebra, a: Value) -> Value:
    return Value(a.real)


def _imaginary(algebra: Algebra, a: Value) -> Value:
    return Value(algebra.zeros_like(a.real) if a.imaginary is None else a.imaginary)


def _absolute(algebra: Algebra, a: Value) -> Value:
    if a.rank and a.complex:
        raise ValueError(f"abs of {a}; take abs of a component, or norm")
    return algebra.componentwise("abs", a) if a.rank else algebra.magnitude(a)


def _of_components(name: str) -> Callable[..., Value]:
    return lambda algebra, *values: algebra.componentwise(name, *values)


UNIT_OF = {"sqrt": units.ROOT} | dict.fromkeys(("floor", "ceil", "trunc", "round"), units.same)
FUNCTIONS = {
    "dx": Function(
        "f", "∂f/∂x of a number, a vector or a tensor", _derivative(0), local=False, unit=units.SLOPE
    ),
    "dy": Function("f", "∂f/∂y", _derivative(1), local=False, unit=units.SLOPE),
    "dz": Function("f", "∂f/∂z", _derivative(2), local=False, unit=units.SLOPE),
    "grad": Function("f", "∇f; of a vector the tensor ∂f_i/∂x_j", gradient, local=False, unit=units.SLOPE),
    "div": Function("f", "∇·f; of a tensor ∂f_ij/∂x_j", divergence, local=False, unit=units.SLOPE),
    "curl": Function("f", "∇ × f", curl, local=False, unit=units.SLOPE),
    "lap": Function(
        "f",
        "∇²f",
        lambda algebra, a: _under(algebra, a, linear.LAPLACIAN),
        local=False,
        unit=units.CURVATURE,
    ),
    "inv_lap": Function(
        "f",
        "the g without a mean of ∇²g = f",
        lambda algebra, a: _under(algebra, a, linear.INVERSE_LAPLACIAN),
        local=False,
        unit=units.SECOND_INTEGRAL,
    ),
    "filter": Function(
        "f, k1[, k2]", "the modes k1 ≤ |k| < k2 of f; with one number those of |k| < k1", _band, local=False
    ),
    "sector": Function(
        "f, a1, a2[, axis]",
        "the modes of f whose wavenumbers have an angle a1 ≤ θ < a2 from an axis, z unless x or y is given",
        _sector,
        local=False,
    ),
    "strain": Function(
        "f", "½(∂f_i/∂x_j + ∂f_j/∂x_i)", partial(_mirrored, operation="add"), local=False, unit=units.SLOPE
    ),
    "rotation": Function(
        "f",
        "½(∂f_i/∂x_j − ∂f_j/∂x_i)",
        partial(_mirrored, operation="subtract"),
        local=False,
        unit=units.SLOPE,
    ),
    "average": Function(
        "f, r", "the mean of f over a ball of radius r, in two dimensions over a disc", _average, local=False
    ),
    "dot": Function(
        "a, b", "the sum over the last index of a and the first of b", Algebra.dot, unit=units.times
    ),
    "cross": Function("a, b", "a × b", Algebra.cross, unit=units.times),
    "outer": Function("a, b", "the tensor a_i b_j", Algebra.outer, unit=units.times),
    "vector": Function("a, b, c", "the vector of three numbers", _vector, unit=units.joined),
    "norm": Function("f", "the root of the sum of the squares of all components", Algebra.magnitude),
    "sum": Function("f", "the sum of all components", _sum),
    "trace": Function(
        "f", "f_ii of a tensor", _of_tensor(lambda algebra, a: scalar(algebra.total(list(a.diagonal()))))
    ),
    "transpose": Function("f", "f_ji of a tensor", _of_tensor(lambda algebra, a: Value(a.T))),
    "det": Function("f", "the determinant of a tensor", _of_tensor(_determinant), unit=units.CUBE),
    "abs": Function("f", "the magnitude of a number, of every component of a vector", _absolute),
    "real": Function("f", "the real part", _real),
    "imag": Function("f", "the imaginary part", _imaginary),
    "conj": Function("f", "the complex conjugate", Algebra.conjugate),
    "mean": Function("f", "the mean over all points, a number", _mean, local=False),
    "std": Function("f", "the standard deviation over all points, a number", _std, local=False),
    "rms": Function("f", "the root of the mean square over all points, a number", _rms, local=False),
    "covariance": Function(
        "a, b",
        "⟨a'·b'⟩ over all points, of a' = a − ⟨a⟩; of vectors and tensors the sum over components, a number",
        _covariance,
        local=False,
        unit=units.times,
    ),
    "correlation": Function(
        "a, b",
        "the correlation coefficient ⟨a'·b'⟩/(⟨a'·a'⟩⟨b'·b'⟩)^½ over all points, a number",
        _correlation,
        local=False,
        unit=units.ratio,
    ),
    "max": Function("f", "the largest value at all points, a number", _max, local=False),
    "min": Function("f", "the smallest value at all points, a number", _min, local=False),
    "where": Function("c, a, b", "a where c holds, elsewhere b", _of_components("where"), unit=units.chosen),
    "minimum": Function("a, b", "the smaller one", _of_components("minimum"), unit=units.joined),
    "maximum": Function("a, b", "the larger one", _of_components("maximum"), unit=units.joined),
    "arctan2": Function(
        "y, x", "the angle of the point (x, y)", _of_components("arctan2"), unit=units.number
    ),
    "hypot": Function("a, b", "the root of a² + b²", _hypotenuse, unit=units.joined),
    "copysign": Function("a, b", "|a|, or −|a| where b < 0", _with_sign),
    "fmod": Function(
        "a, b", "the remainder of a/b with the sign of a; that of a % b is b's", _truncated_remainder
    ),
} | {
    name: Function(
        "f", f"{name} of every component", _of_components(name), unit=UNIT_OF.get(name, units.number)
    )
    for name, operation in OPERATIONS.items()
    if operation.arguments == 1 and name not in ("abs", "negative")
}
# Hints for names that are no functions, or need other arguments.
SLOPES = "a derivative is dx(f), dy(f) or dz(f)"
MEANT = {
    **dict.fromkeys(("d", "diff", "ddx", "deriv", "derivative", "partial"), SLOPES),
    **dict.fromkeys(("corr", "corrcoef"), "the correlation coefficient is correlation(a, b)"),
    "cov": "it is covariance(a, b)",
    "maximum": "the largest value at all points is max(f)",
    "minimum": "the smallest value at all points is min(f)",
}

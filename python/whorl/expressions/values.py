"""Scalars, vectors and tensors of real or complex numbers at points: the values of expressions."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from whorl.base.dimension import Dimension
from whorl.expressions.graph import Graph
from whorl.expressions.nodes import Node

RANKS = ("a number", "a vector", "a tensor")
AXES = "xyz"


@dataclass(frozen=True, eq=False)
class Value:
    """The components of a scalar (), a vector (3,) or a tensor (3, 3), as arrays of nodes.

    `imaginary` is None for a real value, `unit` where the unit is not known.
    """

    real: Any
    imaginary: Any = None
    unit: Dimension | None = field(default=None, kw_only=True)

    def of_unit(self, unit: Dimension | None) -> "Value":
        """The value with a unit."""
        return replace(self, unit=unit)

    @property
    def rank(self) -> int:
        """The number of indices: 0, 1 or 2."""
        return self.real.ndim

    @property
    def complex(self) -> bool:
        """Whether the value has an imaginary part."""
        return self.imaginary is not None

    @property
    def scalar(self) -> Node:
        """The node of a real scalar."""
        return self.real[()]

    def __str__(self) -> str:
        return f"{RANKS[self.rank]}{' that is complex' if self.complex else ''}"

    def nodes(self) -> list[Node]:
        """The components in order; for a complex value the real parts, then the imaginary ones."""
        parts = [self.real] if self.imaginary is None else [self.real, self.imaginary]
        return [node for part in parts for node in part.flat]


def scalar(node: Node) -> Value:
    """A real scalar."""
    return Value(array(node))


def array(nodes: object) -> np.ndarray:
    """An array of nodes; NumPy must not take a node for a sequence."""
    if isinstance(nodes, Node):
        result = np.empty((), object)
        result[()] = nodes
        return result
    return np.array(nodes, object)


def each(function: Callable[..., Node], *parts: np.ndarray) -> np.ndarray:
    """The function of every component."""
    result = np.empty(parts[0].shape, object)
    for index in np.ndindex(result.shape):
        result[index] = function(*(part[index] for part in parts))
    return result


class Algebra:
    """Arithmetic of values in a graph. Every method raises ValueError for values it does not accept."""

    def __init__(self, graph: Graph):
        self.graph = graph

    def number(self, value: float) -> Value:
        """A constant."""
        return scalar(self.graph.constant(value))

    def zeros_like(self, part: np.ndarray) -> np.ndarray:
        """Zeroes in the shape of a part."""
        return each(lambda _: self.graph.constant(0), part)

    def real(self, value: Value, what: str) -> Value:
        """The value, if it is real. Raises ValueError for a complex one; `what` is the operation on it."""
        if value.complex:
            raise ValueError(f"{what} of a complex value; take abs, real or imag of it")
        return value

    def add(self, a: Value, b: Value, operation: str = "add") -> Value:
        """A + b or a − b, of the same rank."""
        if a.rank != b.rank:
            raise ValueError(f"{a} and {b} have no sum")
        real = each(lambda one, other: self.graph.apply(operation, one, other), a.real, b.real)
        if not (a.complex or b.complex):
            return Value(real)
        parts = [self.zeros_like(one.real) if one.imaginary is None else one.imaginary for one in (a, b)]
        return Value(real, each(lambda one, other: self.graph.apply(operation, one, other), *parts))

    def negative(self, a: Value) -> Value:
        """−a."""
        return self._parts(lambda one: self.graph.apply("negative", one), a)

    def multiply(self, a: Value, b: Value) -> Value:
        """A number times any value."""
        if a.rank and b.rank:
            raise ValueError(f"{a} times {b} has several meanings; write dot, cross or outer")
        if a.rank:
            a, b = b, a
        return self._times(a, b)

    def _times(self, number: Value, b: Value) -> Value:
        apply = self.graph.apply
        re, im = number.scalar, number.imaginary
        scaled = self._parts(lambda one: apply("multiply", re, one), b)
        if im is None:
            return scaled
        turned = self._parts(lambda one: apply("multiply", im[()], one), b)
        imaginary = self.zeros_like(b.real) if b.imaginary is None else turned.imaginary
        real = each(lambda one, other: apply("subtract", one, other), scaled.real, imaginary)
        if scaled.imaginary is None:
            return Value(real, turned.real)
        return Value(real, each(lambda one, other: apply("add", one, other), scaled.imaginary, turned.real))

    def divide(self, a: Value, b: Value) -> Value:
        """Any value divided by a number."""
        if b.rank:
            raise ValueError(f"{a} divided by {b}; divide by a number, such as norm of it")
        if b.complex:
            inverse = self.divide(self.conjugate(b), self.square_norm(b))
            return self.multiply(inverse, a)
        return self._parts(lambda one: self.graph.apply("divide", one, b.scalar), a)

    def power(self, a: Value, exponent: Value) -> Value:
        """Every component to an exponent; a complex number only to a whole one from 0 to 8."""
        if exponent.rank or exponent.complex:
            raise ValueError(f"the exponent is {exponent}, and must be a real number")
        node = exponent.scalar
        if not a.complex:
            return Value(each(lambda one: self.graph.power(one, node), a.real))
        if a.rank or node.kind != "constant" or node.value not in range(9):
            raise ValueError("a complex value has only whole powers 0 to 8; take abs, real or imag of it")
        result = self.number(1)
        for _ in range(int(node.value)):
            result = self._times(result, a)
        return result

    def componentwise(self, name: str, *values: Value) -> Value:
        """An operation on every component of real values; a number goes with every component."""
        shape = max((value.real.shape for value in values), key=len)
        if any(value.rank and value.real.shape != shape for value in values):
            raise ValueError(f"{' and '.join(map(str, values))} do not go together")
        parts = [self.real(value, name).real for value in values]
        spread = [part if part.shape == shape else np.broadcast_to(part, shape) for part in parts]
        return Value(each(lambda *nodes: self.graph.apply(name, *nodes), *spread))

    def conjugate(self, a: Value) -> Value:
        """The complex conjugate."""
        if a.imaginary is None:
            return a
        return Value(a.real, each(lambda one: self.graph.apply("negative", one), a.imaginary))

    def total(self, nodes: list[Node]) -> Node:
        """The sum of nodes."""
        result = self.graph.constant(0)
        for node in nodes:
            result = self.graph.apply("add", result, node)
        return result

    def square_norm(self, a: Value) -> Value:
        """The sum of the squares of all components, |a|²."""
        square = lambda node: self.graph.apply("multiply", node, node)  # noqa: E731
        return scalar(self.total([square(node) for node in a.nodes()]))

    def magnitude(self, a: Value) -> Value:
        """|a|; for a real number without a square root."""
        if a.rank == 0 and not a.complex:
            return scalar(self.graph.apply("abs", a.scalar))
        return scalar(self.graph.apply("sqrt", self.square_norm(a).scalar))

    def dot(self, a: Value, b: Value) -> Value:
        """The sum over the last index of a and the first of b: a number for vectors, a tensor for tensors."""
        if not (a.rank and b.rank):
            raise ValueError(f"dot takes vectors or tensors, not {a} and {b}")
        one, other = self.real(a, "dot").real, self.real(b, "dot").real
        shape = (*one.shape[:-1], *other.shape[1:])
        result = np.empty(shape, object)
        for index in product(range(3), repeat=len(shape)):
            left, right = one[index[: a.rank - 1]], other[(slice(None), *index[a.rank - 1 :])]
            terms = [self.graph.apply("multiply", x, y) for x, y in zip(left, right, strict=True)]
            result[index] = self.total(terms)
        return Value(result)

    def outer(self, a: Value, b: Value) -> Value:
        """The tensor a_i b_j of two vectors."""
        if not a.rank == b.rank == 1:
            raise ValueError(f"outer takes two vectors, not {a} and {b}")
        parts = [self.multiply(component, b).real for component in components(self.real(a, "outer"))]
        self.real(b, "outer")
        return Value(array([list(part) for part in parts]))

    def cross(self, a: Value, b: Value) -> Value:
        """The vector a × b."""
        if not a.rank == b.rank == 1:
            raise ValueError(f"cross takes two vectors, not {a} and {b}")
        one, other = self.real(a, "cross").real, self.real(b, "cross").real
        apply = self.graph.apply

        def component(i: int) -> Node:
            j, k = (i + 1) % 3, (i + 2) % 3
            return apply(
                "subtract",
                apply("multiply", one[j], other[k]),
                apply("multiply", one[k], other[j]),
            )

        return Value(array([component(i) for i in range(3)]))

    def _parts(self, function: Callable[[Node], Node], a: Value) -> Value:
        imaginary = None if a.imaginary is None else each(function, a.imaginary)
        return Value(each(function, a.real), imaginary)

    def linear(self, function: Callable[[Node], Node], a: Value) -> Value:
        """A real linear operator on every component."""
        return self._parts(function, a)


def components(a: Value) -> list[Value]:
    """The components along the first index."""
    parts = [a.real] if a.imaginary is None else [a.real, a.imaginary]
    return [Value(*(array(part[i]) for part in parts)) for i in range(3)]

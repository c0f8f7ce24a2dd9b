"""Kinds of fields: their components, and how the names of a text become values."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from whorl.expressions.values import Algebra, Value, array, scalar

AXES = "xyz"


@dataclass(frozen=True)
class Kind:
    """A kind of field.

    Attributes
    ----------
    shape : tuple of int
        The shape of its values: () for a number, (3,) for a vector, (3, 3) for a tensor.
    axes : tuple of int
        The numbers of axes of boxes in which it is possible.
    solenoidal : bool
        Whether its divergence is zero, so that its tendency is projected and has no pressure.
    """

    shape: tuple[int, ...]
    axes: tuple[int, ...] = (1, 2, 3)
    solenoidal: bool = False
    complex: bool = False

    def indices(self, axes: int) -> list[tuple[int, ...]]:
        """The indices of the components that are carried; a complex number has two."""
        if self.complex:
            return [(0,), (1,)]
        if len(self.shape) == 1:
            return [(i,) for i in range(axes)]
        if len(self.shape) == 2:
            return [(i, j) for i in range(axes) for j in range(i, axes)]
        return [()]

    def labels(self, axes: int) -> list[str]:
        """The names of the components, such as x and y."""
        if self.complex:
            return ["re", "im"]
        return ["".join(AXES[i] for i in index) for index in self.indices(axes)]


KINDS = {
    "scalar": Kind(()),
    "vector": Kind((3,)),
    "velocity": Kind((3,), (3,), solenoidal=True),
    "plane velocity": Kind((3,), (2,), solenoidal=True),
    "complex": Kind((), complex=True),
    "symmetric tensor": Kind((3, 3), (2, 3)),
}


def value_of(kind: Kind, first: int, axes: int) -> Callable[[Algebra], Value]:
    """The function that gives a field of this kind, whose components begin at number `first`."""

    def made(algebra: Algebra) -> Value:
        graph = algebra.graph
        if kind.complex:
            return Value(array(graph.field(first)), array(graph.field(first + 1)))
        if not kind.shape:
            return scalar(graph.field(first))
        result = np.full(kind.shape, graph.constant(0), object)
        for number, index in enumerate(kind.indices(axes)):
            result[index] = result[index[::-1]] = graph.field(first + number)
        return Value(result)

    return made

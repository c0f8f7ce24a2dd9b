"""Structure functions: moments of the increments of quantities along an axis."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from whorl.expressions.nodes import Node

HIGHEST_ORDER = 8


@dataclass(frozen=True)
class Increments:
    """Moments of δf = f(x + s) − f(x), x along a periodic axis.

    Attributes
    ----------
    nodes : tuple of Node
        The quantities, each once.
    axis : int
        The axis, 0 = x, 1 = y, 2 = z.
    separations : tuple of int
        The separations in points.
    order : int
        The highest order of the moments.
    pairs : tuple of pairs of int
        Pairs of quantities a and b whose ⟨δa δb²⟩ is wanted, and is not a signed moment.
    """

    nodes: tuple[Node, ...]
    axis: int
    separations: tuple[int, ...]
    order: int
    pairs: tuple[tuple[int, int], ...] = ()

    @property
    def odd_orders(self) -> range:
        """The orders of signed moments; the first moment is zero, and even ones are absolute moments."""
        return range(3, self.order + 1, 2)

    @property
    def of_quantity(self) -> int:
        """The number of moments of each quantity."""
        return self.order + len(self.odd_orders)

    @property
    def moments(self) -> int:
        """The number of moments of each separation."""
        return len(self.nodes) * self.of_quantity + len(self.pairs)


@dataclass(frozen=True)
class IncrementMoments:
    """Moments of increments: the core's table [separation][moment]."""

    of: Increments
    table: np.ndarray

    def absolute(self, node: Node) -> np.ndarray:
        """⟨|δf|ⁿ⟩, [n = 1, …, order][separation]."""
        first = self._first(node)
        return self.table[:, first : first + self.of.order].T

    def signed(self, node: Node) -> np.ndarray:
        """⟨δfⁿ⟩ of the odd orders from 3 on, [n][separation]."""
        first = self._first(node) + self.of.order
        return self.table[:, first : first + len(self.of.odd_orders)].T

    def pair(self, a: Node, b: Node) -> np.ndarray:
        """⟨δa δb²⟩, [separation]."""
        if a == b and self.of.odd_orders:
            return self.signed(a)[0]
        pair = (self.of.nodes.index(a), self.of.nodes.index(b))
        return self.table[:, len(self.of.nodes) * self.of.of_quantity + self.of.pairs.index(pair)]

    def _first(self, node: Node) -> int:
        return self.of.nodes.index(node) * self.of.of_quantity


def increments_of(
    quantities: Sequence[Node],
    axis: int,
    separations: Sequence[int],
    order: int,
    pairs: Sequence[tuple[Node, Node]],
) -> Increments:
    """Increments of quantities and of pairs of them, each once."""
    nodes = list(dict.fromkeys([*quantities, *(node for pair in pairs for node in pair)]))
    numbered = dict.fromkeys((nodes.index(a), nodes.index(b)) for a, b in pairs if a != b or order < 3)
    return Increments(tuple(nodes), axis, tuple(separations), order, tuple(numbered))

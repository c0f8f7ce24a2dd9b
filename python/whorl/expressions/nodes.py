"""Nodes of a graph: real numbers at the points of a grid, each with the nodes from which it follows."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from whorl.expressions.operations import OPERATIONS


@dataclass(frozen=True, eq=False)
class Node:
    """A real number at each point, or one number for all points.

    Attributes
    ----------
    kind : str
        "constant", "number" (known when the program runs: the time, a mean, a maximum), "coordinate",
        "linear" or the name of an operation.
    value : Any
        The constant, the axis of a coordinate, or the `LinearForm`. For a number, its name, the `Node` whose
        mean it is, or the `Largest` whose maximum it is.
    arguments : tuple of Node
        The arguments of an operation; empty for other kinds.
    serial : int
        Its place in the graph; arguments come before.
    uniform : bool
        Whether the value is the same at all points.
    """

    kind: str
    value: Any
    arguments: tuple["Node", ...]
    serial: int
    uniform: bool


@dataclass(frozen=True)
class Largest:
    """The maximum of a node over all points."""

    of: Node


# The key of a number that is known when a program runs: its name, the node whose mean it is, or a maximum.
Known = str | Node | Largest


def is_constant(node: Node, value: float) -> bool:
    """Whether the node is this constant."""
    return node.kind == "constant" and node.value == value


def is_sum_of_squares(node: Node) -> bool:
    """Whether the node is a sum of squares, so that it is not negative."""
    return all(
        one.kind == "add" or (one.kind == "multiply" and one.arguments[0] is one.arguments[1])
        for one in within(node, into=lambda one: one.kind == "add")
    )


def in_modes(node: Node) -> bool:
    """Whether the mean of a node follows from the modes of fields: a linear form, or a product of two."""
    factors = node.arguments if node.kind == "multiply" else (node,)
    return all(one.kind == "linear" for one in factors)


def worked_out(node: Node, known: Mapping[Known, float]) -> float:
    """The value of a node that is the same at all points, from the numbers that are known by now."""
    values: dict[Node, float] = {}
    for one in within(node):
        if one.kind == "constant":
            values[one] = one.value
        elif one.kind == "number":
            values[one] = known[one.value]
        else:
            arguments = [np.float64(values[argument]) for argument in one.arguments]
            with np.errstate(all="ignore"):
                values[one] = float(OPERATIONS[one.kind].function(*arguments))
    return values[node]


def within(*nodes: Node, into: Callable[[Node], bool] = lambda _: True) -> Iterator[Node]:
    """The nodes and all nodes from which they follow at the same point, each once, arguments first.

    Arguments of a node for which `into` is false are left out.
    """
    seen: set[Node] = set()
    stack = [(node, False) for node in reversed(nodes)]
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((one, False) for one in reversed(node.arguments if into(node) else ()))


def holds_or_not(node: Node) -> bool:
    """Whether the node is 1 or 0, as a comparison is, or comparisons with & and | between them."""
    both = ("minimum", "maximum")
    return all(
        one.kind in (*both, "less", "less_equal", "equal")
        for one in within(node, into=lambda one: one.kind in both)
    )

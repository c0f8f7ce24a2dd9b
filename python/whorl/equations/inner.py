"""Inner fields: products that are part of a linear form within another product, as u² in v·dx(inv_lap(u²)).

A stage transforms them back to the modes in round trips of their own, before that of the tendency. An inner
field of level n has inner fields of lower levels in its product. They have the numbers after the components
of the state, by levels and then by the canonical texts of their products.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from whorl.equations.multipliers import Normal
from whorl.equations.text import System
from whorl.equations.written import Writer
from whorl.expressions.graph import Field
from whorl.expressions.nodes import Node, within

SUMS = ("add", "subtract", "negative")


@dataclass(frozen=True)
class Inner:
    """An inner field: its number among all components, its level from 1 on, and the field of the graph."""

    number: int
    level: int
    field: Field

    @property
    def node(self) -> Node:
        """The product."""
        assert self.field.product is not None
        return self.field.product


def with_inner_fields(system: System, normal: Normal) -> tuple[Normal, tuple[Inner, ...]]:
    """The rules of normal forms that know the inner fields, and these."""
    levels: dict[Field, int] = {}
    rates = [system.rate] if system.rate else []
    for node in [*(one for side in system.sides for one in side.nodes), *(one for _, one in system.beyond)]:
        for point in _at_points(node):
            _add(point, levels)
    for node in rates:
        _add(node, levels)
    found: list[Inner] = []
    for level in sorted(set(levels.values())):
        writer = Writer(normal)
        texts = {writer.text(one.product): one for one in levels if one.product and levels[one] == level}
        for text in sorted(texts):
            found.append(Inner(system.components + len(found), level, texts[text]))
        normal = replace(normal, inner={one.field: one.number for one in found})
    return normal, tuple(found)


def _at_points(node: Node) -> Iterator[Node]:
    """The products of a right side, without the linear operators on them."""
    if node.uniform:
        return
    if node.kind in SUMS:
        for one in node.arguments:
            yield from _at_points(one)
    elif node.kind == "linear":
        for term in node.value:
            if term.field.product:
                yield from _at_points(term.field.product)
    elif node.kind == "divide" and node.arguments[1].uniform:
        yield from _at_points(node.arguments[0])
    elif node.kind == "multiply" and any(one.uniform for one in node.arguments):
        for one in node.arguments:
            yield from _at_points(one)
    else:
        yield node


def _add(node: Node, levels: dict[Field, int]) -> int:
    """Add the inner fields of a node at the points; returns the highest of their levels, 0 without one."""
    highest = 0
    for one in within(node, into=lambda one: not one.uniform):
        if one.kind != "linear":
            continue
        for term in one.value:
            if product := term.field.product:
                if term.field not in levels:
                    levels[term.field] = 1 + _add(product, levels)
                highest = max(highest, levels[term.field])
    return highest

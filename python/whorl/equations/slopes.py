"""Slopes of functions at the points: the derivative of a node by a linear form in it."""

from collections.abc import Callable

from whorl.expressions.graph import Graph
from whorl.expressions.nodes import Node, within

Rule = Callable[["Slopes", Node, list[Node]], Node]
STEPS = ("less", "less_equal", "equal", "sign", "floor", "ceil", "trunc", "round")  # with a slope of 0


class Slopes:
    """Slopes in a graph by one linear node."""

    def __init__(self, graph: Graph, by: Node):
        self.graph, self.by = graph, by
        self._found: dict[Node, Node] = {}

    def of(self, node: Node) -> Node:
        """The slope of a node. Raises ValueError for an operation without a rule."""
        for one in within(node):
            if one not in self._found:
                self._found[one] = self._made(one)
        return self._found[node]

    def _made(self, node: Node) -> Node:
        if node is self.by:
            return self.graph.constant(1)
        slopes = [self._found[one] for one in node.arguments]
        if all(one.kind == "constant" and one.value == 0 for one in slopes) or node.kind in STEPS:
            return self.graph.constant(0)
        if node.kind not in RULES:
            raise ValueError(f"{node.kind} has no bound of its slope")
        return RULES[node.kind](self, node, slopes)

    def apply(self, name: str, *arguments: Node | float) -> Node:
        """An operation on nodes and numbers."""
        nodes = [one if isinstance(one, Node) else self.graph.constant(one) for one in arguments]
        return self.graph.apply(name, *nodes)


def _product(to: Slopes, node: Node, slopes: list[Node]) -> Node:
    a, b = node.arguments
    return to.apply("add", to.apply("multiply", slopes[0], b), to.apply("multiply", a, slopes[1]))


def _quotient(to: Slopes, node: Node, slopes: list[Node]) -> Node:
    part = to.apply("subtract", slopes[0], to.apply("multiply", node, slopes[1]))
    return to.apply("divide", part, node.arguments[1])


def _power(to: Slopes, node: Node, slopes: list[Node]) -> Node:
    a, b = node.arguments
    if is_zero(slopes[1]):
        lower = to.apply("power", a, to.apply("subtract", b, 1))
        return to.apply("multiply", to.apply("multiply", b, lower), slopes[0])
    by_base = to.apply("divide", to.apply("multiply", b, slopes[0]), a)
    by_exponent = to.apply("multiply", to.apply("log", a), slopes[1])
    return to.apply("multiply", node, to.apply("add", by_base, by_exponent))


def is_zero(node: Node) -> bool:
    """Whether a node is the constant 0."""
    return node.kind == "constant" and node.value == 0


def _extreme(to: Slopes, node: Node, slopes: list[Node]) -> Node:
    a, b = node.arguments
    first = to.apply("less", a, b) if node.kind == "minimum" else to.apply("less", b, a)
    return to.apply("where", first, *slopes)


def _of_argument(slope: Callable[[Slopes, Node, Node], Node]) -> Rule:
    """The rule of a function of one argument, from its slope by that."""
    return lambda to, node, slopes: to.apply("multiply", slope(to, node, node.arguments[0]), slopes[0])


def _inverse_of_square(to: Slopes, a: Node) -> Node:
    return to.apply("divide", 1, to.apply("add", 1, to.apply("multiply", a, a)))


RULES: dict[str, Rule] = {
    "add": lambda to, node, slopes: to.apply("add", *slopes),
    "subtract": lambda to, node, slopes: to.apply("subtract", *slopes),
    "negative": lambda to, node, slopes: to.apply("negative", *slopes),
    "multiply": _product,
    "divide": _quotient,
    "power": _power,
    "where": lambda to, node, slopes: to.apply("where", node.arguments[0], *slopes[1:]),
    "minimum": _extreme,
    "maximum": _extreme,
    "abs": _of_argument(lambda to, node, a: to.apply("sign", a)),
    "sqrt": _of_argument(lambda to, node, a: to.apply("divide", 0.5, node)),
    "exp": _of_argument(lambda to, node, a: node),
    "expm1": _of_argument(lambda to, node, a: to.apply("add", node, 1)),
    "log": _of_argument(lambda to, node, a: to.apply("divide", 1, a)),
    "log1p": _of_argument(lambda to, node, a: to.apply("divide", 1, to.apply("add", a, 1))),
    "sin": _of_argument(lambda to, node, a: to.apply("cos", a)),
    "cos": _of_argument(lambda to, node, a: to.apply("negative", to.apply("sin", a))),
    "tan": _of_argument(lambda to, node, a: to.apply("add", 1, to.apply("multiply", node, node))),
    "arctan": _of_argument(lambda to, node, a: _inverse_of_square(to, a)),
    "sinh": _of_argument(lambda to, node, a: to.apply("cosh", a)),
    "cosh": _of_argument(lambda to, node, a: to.apply("sinh", a)),
    "tanh": _of_argument(lambda to, node, a: to.apply("subtract", 1, to.apply("multiply", node, node))),
}

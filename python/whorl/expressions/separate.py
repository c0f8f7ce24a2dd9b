"""A force in time and space as a sum of shapes, each times a factor that depends only on time."""

from collections.abc import Sequence

from whorl.expressions.graph import Graph
from whorl.expressions.nodes import Node, is_constant, within

MOST_TERMS = 64  # terms of a sum, and of an expanded product of sums

Terms = dict[Node, Node]  # the factor in time of each shape, by the shape


def separated(graph: Graph, nodes: Sequence[Node]) -> list[tuple[Node, tuple[Node, ...]]] | None:
    """Factors g(t) with shapes h(x, y, z), one for each node, so that the nodes are the sums of g h.

    None if the nodes are not found to be such sums. The search covers sums, products, and quotients by one
    term g h. It also covers sines and cosines of a(t) + b(x, y, z), and `where` with a condition in time.
    """
    shapes: dict[Node, list[Node]] = {}
    try:
        for number, node in enumerate(nodes):
            for shape, factor in _terms(graph, node).items():
                own, by = _without_constants(graph, shape, factor)
                of_factor = shapes.setdefault(by, [graph.constant(0)] * len(nodes))
                of_factor[number] = graph.apply("add", of_factor[number], own)
    except ValueError:  # a node has no terms, or a number becomes too large
        return None
    parts = [(factor, tuple(of_factor)) for factor, of_factor in shapes.items()]
    return [part for part in parts if not all(is_constant(shape, 0) for shape in part[1])]


def _without_constants(graph: Graph, shape: Node, factor: Node) -> tuple[Node, Node]:
    """The term with the constants of its factor moved into its shape, so that more factors are the same."""
    while True:
        constant = next((one for one in factor.arguments if one.kind == "constant"), None)
        if factor.kind == "constant":
            return graph.apply("multiply", factor, shape), graph.constant(1)
        if factor.kind == "negative":
            shape, factor = graph.apply("negative", shape), factor.arguments[0]
        elif factor.kind == "multiply" and constant:
            (factor,) = (one for one in factor.arguments if one is not constant)
            shape = graph.apply("multiply", constant, shape)
        else:
            return shape, factor


def _terms(graph: Graph, node: Node) -> Terms:
    """The terms of a node. Raises ValueError if it has none, or too many."""
    in_time: dict[Node, bool] = {}
    found: dict[Node, Terms | None] = {}
    for one in within(node):
        in_time[one] = one.kind == "number" or any(in_time[argument] for argument in one.arguments)
        if one.uniform:
            found[one] = {} if is_constant(one, 0) else {graph.constant(1): one}
        elif not in_time[one]:
            found[one] = {one: graph.constant(1)}
        else:
            found[one] = _of_operation(graph, one, [found[argument] for argument in one.arguments])
    if found[node] is None:
        raise ValueError("it is no sum of products")
    return found[node]


def _of_operation(graph: Graph, node: Node, terms: list[Terms | None]) -> Terms | None:
    """The terms of a node that depends on space and time, from the terms of its arguments, or None."""
    first, *others = terms
    match node.kind:
        case "add" | "subtract" if first is not None and others[0] is not None:
            return _sum(graph, first, others[0], node.kind)
        case "negative" if first is not None:
            return _sum(graph, {}, first, "subtract")
        case "multiply" if first is not None and others[0] is not None:
            return _product(graph, first, others[0])
        case "divide" if first is not None and others[0] is not None and len(others[0]) == 1:
            [(shape, factor)] = others[0].items()
            one = graph.constant(1)
            inverse = {graph.apply("divide", one, shape): graph.apply("divide", one, factor)}
            return _product(graph, first, inverse)
        case "sin" | "cos" if first is not None:
            return _wave(graph, node.kind, first)
        case "where" if node.arguments[0].uniform and None not in others:
            return _chosen(graph, node.arguments[0], *others)
    return None


def _sum(graph: Graph, a: Terms, b: Terms, operation: str = "add") -> Terms | None:
    total = dict(a)
    for shape, factor in b.items():
        total[shape] = graph.apply(operation, total.get(shape, graph.constant(0)), factor)
    return total if len(total) <= MOST_TERMS else None


def _product(graph: Graph, a: Terms, b: Terms) -> Terms | None:
    if len(a) * len(b) > MOST_TERMS:
        return None
    total: Terms | None = {}
    for shape, factor in a.items():
        for other, by in b.items():
            term = {graph.apply("multiply", shape, other): graph.apply("multiply", factor, by)}
            total = _sum(graph, total, term)
    return total


def _wave(graph: Graph, name: str, angle: Terms) -> Terms | None:
    """The sine or cosine of an angle a(t) + b(x, y, z)."""
    in_time = in_space = graph.constant(0)
    for shape, factor in angle.items():
        if shape.kind == "constant":
            in_time = graph.apply("add", in_time, graph.apply("multiply", shape, factor))
        elif factor.kind == "constant":
            in_space = graph.apply("add", in_space, graph.apply("multiply", factor, shape))
        else:
            return None
    (sine, cosine), (sine_t, cosine_t) = (
        [graph.apply(one, of) for one in ("sin", "cos")] for of in (in_space, in_time)
    )
    if name == "sin":
        return _sum(graph, {sine: cosine_t}, {cosine: sine_t})
    return _sum(graph, {cosine: cosine_t}, {sine: sine_t}, "subtract")


def _chosen(graph: Graph, condition: Node, a: Terms, b: Terms) -> Terms | None:
    """The terms of a where a condition holds, those of b elsewhere."""
    zero = graph.constant(0)
    return _sum(
        graph,
        {shape: graph.apply("where", condition, factor, zero) for shape, factor in a.items()},
        {shape: graph.apply("where", condition, zero, factor) for shape, factor in b.items()},
    )

"""Formulas of initial fields and forces: expressions in the position, the time and numbers of the case."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whorl.expressions.graph import Graph
from whorl.expressions.language import FUNCTIONS
from whorl.expressions.nodes import Node, within
from whorl.expressions.parse import Vocabulary
from whorl.expressions.points import AtPoints
from whorl.expressions.separate import separated

if TYPE_CHECKING:
    from whorl.config.case import Case

MOST_PARTS = 4  # of a force; the core keeps each
SHORT = {"nu": "viscosity", "kappa": "diffusivity", "eta": "resistivity"}


@dataclass(frozen=True)
class ForcePart:
    """A term g(t) h(x, y, z) of a force: the factor g, None if it is 1, and the components of h.

    A force that is not a sum of at most MOST_PARTS terms is one part without a factor, whose shape may depend
    on t (`in_time`).
    """

    factor: Node | None
    shape: AtPoints
    in_time: bool


def numbers_of(case: "Case") -> dict[str, float]:
    """The numbers of a case by their names in expressions."""
    parameters = case.flow.constants()
    short = {symbol: parameters[name] for symbol, name in SHORT.items() if name in parameters}
    lengths = {f"L{axis}": length for axis, length in zip("xyz", case.grid.lengths, strict=True)}
    return parameters | short | lengths


def vocabulary_of_formulas(case: "Case", *, in_time: bool) -> Vocabulary:
    """The vocabulary of formulas: numbers, the position and, with `in_time`, the time."""
    what = "a force of this shape" if in_time else "an initial field"
    of_flow = f"is a field of the flow, on which {what} does not depend; a formula holds x, y, z"
    of_flow += " and t" if in_time else ""
    refused = {name: f"{name} {of_flow} and numbers" for name in _names_of_fields(case)}
    of_points = "a formula is evaluated at each point by itself, where only x, y and z are known, not a field"
    refused |= {
        name: f"{name}() is of fields: {of_points}" for name, one in FUNCTIONS.items() if not one.local
    }
    if not in_time:
        refused["t"] = "an initial field does not depend on the time t"
    return Vocabulary(parameters=numbers_of(case), refused=refused)


def _names_of_fields(case: "Case") -> set[str]:
    flow = case.flow
    symbols = {field.symbol for of in (flow.state, flow.outputs) for field in of.values() if field.symbol}
    scalars = {scalar.name for scalar in case.scalars}
    return {*flow.state, *flow.outputs, *flow.quantities(), *symbols, *scalars}


def parts_of(graph: Graph, nodes: Sequence[Node]) -> tuple[ForcePart, ...]:
    """The components of a force, as a sum of parts."""
    parts = separated(graph, nodes)
    if parts is None or not 0 < len(parts) <= MOST_PARTS:
        return (ForcePart(None, AtPoints(nodes), any(_is_in_time(node) for node in nodes)),)
    one = graph.constant(1)
    return tuple(
        ForcePart(None if factor is one else factor, AtPoints(shape), in_time=False)
        for factor, shape in parts
    )


def _is_in_time(node: Node) -> bool:
    return any(one.kind == "number" for one in within(node))

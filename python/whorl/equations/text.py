"""Declarations and texts of equations become nodes of a graph, by the language of expressions."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from whorl.equations.functions import KNOWN
from whorl.equations.kinds import AXES, KINDS, value_of
from whorl.equations.names import Number, Parameters, check_fields, refused_names
from whorl.expressions.faults import LONGEST, ExpressionError, fault
from whorl.expressions.graph import EVEN, Graph, Parity
from whorl.expressions.language import Function
from whorl.expressions.nodes import Node, is_constant
from whorl.expressions.parse import Parser, Vocabulary
from whorl.expressions.values import Algebra, Value, array

SIDES = re.compile(r"(?<![=<>!:])=(?!=)")
LEFT = re.compile(r"\s*dt\s*\(\s*(\w+)\s*\)\s*")
DERIVATIVES = ("dx", "dy", "dz", "grad", "div", "curl", "lap", "inv_lap")
# Characters that look like an operator, and the operator.
ALIKE = {
    "−": "-",
    "–": "-",
    "×": "*",
    "·": "*",
    "∗": "*",
    "÷": "/",
    "⁄": "/",
    "＝": "=",
    "（": "(",
    "）": ")",
}
UNIT_VECTORS = {"ex": "vector(1, 0, 0)", "ey": "vector(0, 1, 0)", "ez": "vector(0, 0, 1)"}
FORM = "an equation is dt(FIELD) = EXPRESSION"


@dataclass(frozen=True)
class Declarations:
    """Equations as they are typed.

    Attributes
    ----------
    fields : mapping of str to str
        The kind of each field, a name of `KINDS`.
    equations : sequence of str
        A text dt(FIELD) = EXPRESSION for each field.
    parameters : mapping of str to float or str
        Numbers, or texts of other parameters and the time t.
    axes : int
        The number of axes of the box.
    walls : Parity
        Whether the box has walls along x, y and z.
    parities : mapping of str to sequence of Parity
        Whether each component of a field is odd about the walls, for fields that differ from their kind's.
    rate : str, optional
        An expression that bounds 1/dt at a point; without it a bound is found.
    dealias : str, optional
        The fraction of modes that is kept, such as "2/3", or "none"; without it the degree decides.
    """

    fields: Mapping[str, str]
    equations: Sequence[str]
    parameters: Mapping[str, Number] = field(default_factory=dict)
    axes: int = 3
    walls: Parity = EVEN
    parities: Mapping[str, Sequence[Parity]] = field(default_factory=dict)
    rate: str | None = None
    dealias: str | None = None


@dataclass(frozen=True)
class Side:
    """A right-hand side: the field, the text of the equation, and the nodes of the components."""

    name: str
    text: str
    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class System:
    """Equations as nodes.

    Attributes
    ----------
    declared : Declarations
        The texts.
    graph : Graph
        The graph of all nodes.
    first : mapping of str to int
        The number of the first component of each field.
    parities : tuple of Parity
        The parity of each component.
    sides : tuple of Side
        The right-hand sides, in the order of the fields.
    beyond : tuple of (Side, Node)
        Components that are to be zero: those along an axis that the box lacks, and differences of those of a
        symmetric tensor.
    rate : Node or None
        The bound of 1/dt, if it is typed.
    """

    declared: Declarations
    graph: Graph
    first: Mapping[str, int]
    parities: tuple[Parity, ...]
    sides: tuple[Side, ...]
    beyond: tuple[tuple[Side, Node], ...]
    rate: Node | None

    @property
    def components(self) -> int:
        """The number of real components of all fields."""
        return len(self.parities)


def read(declared: Declarations) -> System:
    """The equations as nodes. Raises ExpressionError for a wrong text, with a caret at its place."""
    check_fields(declared.fields, declared.axes)
    parameters = Parameters(declared.parameters, declared.fields)
    texts = _by_field(declared)
    first: dict[str, int] = {}
    parities: list[Parity] = []
    for name in declared.fields:
        first[name] = len(parities)
        parities += _parities(declared, name)
    rates = [declared.rate] if declared.rate else []
    parameters.check_used([*(right for _, right in texts.values()), *rates])
    parser = Parser(_vocabulary(declared, parameters, first, parities))
    sides, beyond = [], []
    for name, (text, right) in texts.items():
        value = _value(parser, right, f"the equation of {name}", declared)
        side, zeros = _side(parser.algebra, declared, name, text, value)
        sides.append(side)
        beyond += [(side, node) for node in zeros]
    rate = _rate(parser, declared)
    return System(declared, parser.graph, first, tuple(parities), tuple(sides), tuple(beyond), rate)


def _vocabulary(
    declared: Declarations, parameters: Parameters, first: Mapping[str, int], parities: Sequence[Parity]
) -> Vocabulary:
    fields = {
        name: value_of(KINDS[kind], first[name], declared.axes) for name, kind in declared.fields.items()
    }
    if "complex" in declared.fields.values():
        fields["i"] = lambda algebra: Value(
            array(algebra.graph.constant(0)), array(algebra.graph.constant(1))
        )
    names = [*fields, *parameters.numbers, *parameters.of_time]
    return Vocabulary(
        parities=parities,
        walls=declared.walls,
        fields=fields,
        definitions=UNIT_VECTORS | parameters.of_time,
        parameters=parameters.numbers,
        refused=refused_names(declared, names),
        known_functions=KNOWN | {name: _of_space(KNOWN[name]) for name in DERIVATIVES},
    )


def _of_space(function: Function) -> Function:
    """The function, which refuses a value that is the same at all points."""

    def of(algebra: Algebra, a: Value) -> Value:
        nodes = a.nodes()
        if all(node.uniform for node in nodes) and not all(is_constant(node, 0) for node in nodes):
            raise ValueError("it is the same at all points, so that this is zero; take the term out")
        result: Value = function.of(algebra, a)
        return result

    return Function(function.signature, function.help, of, function.local, function.unit)


def _parities(declared: Declarations, name: str) -> list[Parity]:
    """The parities of the components; by default those between walls that slip freely."""
    indices = KINDS[declared.fields[name]].indices(declared.axes)
    rank = len(KINDS[declared.fields[name]].shape)
    if name not in declared.parities:
        return [
            tuple(
                wall and sum(i == axis for i in index[:rank]) % 2 == 1
                for axis, wall in enumerate(declared.walls)
            )
            for index in indices
        ]
    given = list(declared.parities[name])
    if len(given) != len(indices):
        raise ExpressionError(
            f"the parities of {name} are wrong ({len(given)}): it has {len(indices)} components; give all."
        )
    return given


def _by_field(declared: Declarations) -> dict[str, tuple[str, str]]:
    """The text and the right side of each field's equation, in the order of the fields."""
    found: dict[str, tuple[str, str]] = {}
    for text in declared.equations:
        name, right = _sides(text, declared)
        if name in found:
            raise fault(f"{name} has two equations: each field has one; take one out", text)
        found[name] = text, right
    for name in declared.fields:
        if name not in found:
            raise fault(f"{name} has no equation: each field has one; write dt({name}) = …", name)
    return {name: found[name] for name in declared.fields}


def _sides(text: str, declared: Declarations) -> tuple[str, str]:
    """The field and the right side of a text."""
    if not isinstance(text, str):
        raise ExpressionError(f"an equation is wrong ({type(text).__name__}): it is a text; write {FORM}.")
    if len(text) > LONGEST:
        raise ExpressionError(
            f"an equation is too long ({len(text)} characters): at most {LONGEST} are possible; shorten it."
        )
    if not text.strip():
        raise ExpressionError(f"an equation is empty: {FORM}; write one.")
    for place, character in enumerate(text):
        if character in ALIKE:
            reason = f"the character {character} is wrong: operators are of ASCII; write {ALIKE[character]}"
            raise fault(reason, text, place, 1)
    signs = [one for match in SIDES.finditer(text) if not _within_brackets(text, one := match.start())]
    if not signs:
        raise fault(f"the equation has no = : {FORM}; write both sides", text)
    if len(signs) > 1:
        raise fault(f"the equation has {len(signs)} signs = : {FORM}; write one of them", text, signs[1], 1)
    return _left(text, signs[0], declared), text[signs[0] + 1 :]


def _within_brackets(text: str, place: int) -> bool:
    return text.count("(", 0, place) > text.count(")", 0, place)


def _left(text: str, sign: int, declared: Declarations) -> str:
    """The field on the left side of a text."""
    left = text[:sign]
    wrong = partial(fault, text=text, start=len(left) - len(left.lstrip()), length=len(left.strip()))
    match = LEFT.fullmatch(left)
    if not match:
        if "dt" not in left:
            hint = "; a velocity has no divergence by its kind" if "div" in left else ""
            raise wrong(f"the left side is wrong ({left.strip()}): {FORM}{hint}; write dt of a field there")
        count = left.count("dt")
        if count > 1:
            raise wrong(f"the left side has dt {count} times: {FORM}; write one equation for each field")
        raise wrong(
            f"the left side is wrong ({left.strip()}): dt is of one field; bring the rest to the right"
        )
    name = match[1]
    if name in declared.parameters:
        raise wrong(f"dt({name}) is wrong: {name} is a parameter; write dt of a field")
    if name not in declared.fields:
        raise wrong(f"dt({name}) is wrong: {name} is not declared; fields are {', '.join(declared.fields)}")
    return name


def _value(parser: Parser, text: str, place: str, declared: Declarations) -> Value:
    try:
        value = parser.parse(text)
    except ExpressionError as error:
        raise error.at(place) from None
    if declared.axes < 3 and (found := re.search(rf"\.[xyz]*[{AXES[declared.axes :]}]", text)):
        reason = f"{place}: {found[0]} is wrong: the box has {declared.axes} axes; take it out"
        raise fault(reason, text.strip(), found.start() - (len(text) - len(text.lstrip())), len(found[0]))
    return value


def _side(
    algebra: Algebra, declared: Declarations, name: str, text: str, value: Value
) -> tuple[Side, list[Node]]:
    """The components of a right side, and nodes that must be zero."""
    kind, graph = KINDS[declared.fields[name]], algebra.graph
    zero = all(is_constant(node, 0) for node in value.nodes())
    if not zero and value.rank != len(kind.shape):
        own = ("a number", "a vector", "a tensor")[len(kind.shape)]
        raise fault(
            f"the equation of {name} is wrong ({value}): {name} is {own}; both sides are of one rank", text
        )
    if value.complex and not kind.complex:
        if not all(is_constant(node, 0) for node in value.imaginary.flat):
            raise fault(f"the equation of {name} is wrong (complex): {name} is real; take real of it", text)
        value = Value(value.real)
    if zero:
        return Side(name, text, (graph.constant(0),) * len(kind.indices(declared.axes))), []
    if kind.complex:
        imaginary = graph.constant(0) if value.imaginary is None else value.imaginary[()]
        return Side(name, text, (value.scalar, imaginary)), []
    kept = kind.indices(declared.axes)
    others = [index for index in _all(kind.shape) if index not in kept]
    zeros = [_unlike(graph, value, index, kept) for index in others]
    return Side(name, text, tuple(value.real[index] for index in kept)), zeros


def _all(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    result: list[tuple[int, ...]] = [()]
    for size in shape:
        result = [(*index, i) for index in result for i in range(size)]
    return result


def _unlike(graph: Graph, value: Value, index: tuple[int, ...], kept: Sequence[tuple[int, ...]]) -> Node:
    """The component of a value, less the one that it must be equal to."""
    node: Node = value.real[index]
    return graph.apply("subtract", node, value.real[index[::-1]]) if index[::-1] in kept else node


def _rate(parser: Parser, declared: Declarations) -> Node | None:
    if declared.rate is None:
        return None
    value = _value(parser, declared.rate, "rate", declared)
    if value.rank or value.complex:
        raise fault(
            f"rate is wrong ({value}): it is a real number at each point; take norm of it", declared.rate
        )
    if value.scalar.kind == "constant" and value.scalar.value < 0:
        raise fault("rate is wrong (negative): it bounds 1/dt from above; give its magnitude", declared.rate)
    return value.scalar

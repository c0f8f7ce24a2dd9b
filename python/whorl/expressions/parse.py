"""Text becomes values: the parser of the language.

Python's own parser takes the text apart, and Python never evaluates it: `_Reading._made` lists all that an
expression may hold.
"""

import ast
import difflib
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

from whorl.base.dimension import PURE, Dimension
from whorl.base.text import hidden_in
from whorl.expressions import units
from whorl.expressions.faults import LONGEST, ExpressionError, fault, in_one_line
from whorl.expressions.graph import EVEN, Graph, Parity
from whorl.expressions.language import FUNCTIONS, MEANT, Function
from whorl.expressions.nodes import holds_or_not
from whorl.expressions.values import AXES, Algebra, Value, array, scalar

DEEPEST = 100  # brackets within brackets
MOST_IN_A_ROW = 256  # operators without brackets, as in a + b + c
LISTED = 40  # names in an error
# The operators on two values, each with the rule of its unit.
ARITHMETIC: dict[type[ast.operator], tuple[Callable[..., Value], Callable[..., Dimension | None]]] = {
    ast.Add: (Algebra.add, units.summed),
    ast.Sub: (partial(Algebra.add, operation="subtract"), units.summed),
    ast.Mult: (Algebra.multiply, units.times),
    ast.Div: (Algebra.divide, units.over),
    ast.Pow: (Algebra.power, units.power),
    ast.MatMult: (Algebra.dot, units.times),
    ast.Mod: (lambda algebra, a, b: algebra.componentwise("remainder", a, b), units.same),
}


@dataclass(frozen=True)
class Vocabulary:
    """The names that expressions may hold besides functions.

    Attributes
    ----------
    parities : sequence of Parity
        Whether each real component of the state is odd about walls.
    walls : Parity
        Whether the box has walls along x, y and z.
    forces : mapping of str to sequence of Parity
        Parities of the components of each force, by the name of the field on which it acts.
    fields : mapping of str to Callable
        Functions that give the value of a field in an algebra, by its name.
    definitions : mapping of str to str
        The expressions that names stand for, by name.
    parameters : mapping of str to float
        Numbers of the case, by name.
    units : mapping of str to Dimension
        Units of fields, parameters and coordinates, and of definitions that do not show them, by name.
    refused : mapping of str to str
        Names and functions that are refused here, with the reason.
    solenoidal : sequence of int
        The first components of the state's vectors without a divergence.
    single : bool
        Whether values at the points are in single precision.
    known_functions : mapping of str to Function
        The functions by name.
    """

    parities: Sequence[Parity] = ()
    walls: Parity = EVEN
    forces: Mapping[str, Sequence[Parity]] = field(default_factory=dict)
    fields: Mapping[str, Callable[[Algebra], Value]] = field(default_factory=dict)
    definitions: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, float] = field(default_factory=dict)
    units: Mapping[str, Dimension] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    solenoidal: Sequence[int] = ()
    single: bool = False
    known_functions: Mapping[str, Function] = field(default_factory=lambda: FUNCTIONS)

    @cached_property
    def names(self) -> list[str]:
        """All names in the order in which they are listed."""
        known = [*self.fields, *self.definitions, *AXES, "t", *self.parameters, "pi"]
        return [name for name in known if name not in self.refused]

    @cached_property
    def functions(self) -> list[str]:
        """The functions that are not refused."""
        return [name for name in self.known_functions if name not in self.refused]

    def check(self, word: str) -> None:
        """Raises ValueError, with the reason, for a name or a function that is refused."""
        if word in self.refused:
            raise ValueError(self.refused[word])


def vector_field(first: int, components: int = 3) -> Callable[[Algebra], Value]:
    """A vector of components of the state from number `first` on; those it does not have are zero."""

    def made(algebra: Algebra) -> Value:
        graph = algebra.graph
        absent = [graph.constant(0)] * (3 - components)
        return Value(array([*(graph.field(first + i) for i in range(components)), *absent]))

    return made


def scalar_field(component: int) -> Callable[[Algebra], Value]:
    """A component of the state."""
    return lambda algebra: scalar(algebra.graph.field(component))


def complex_field(first: int) -> Callable[[Algebra], Value]:
    """A complex number of two components of the state."""
    return lambda algebra: Value(*(array(algebra.graph.field(first + i)) for i in range(2)))


class Parser:
    """Makes values of texts, all in one graph, so that their common parts are worked out once.

    An `algebra` makes the values in its own graph.
    """

    def __init__(self, vocabulary: Vocabulary, algebra: Algebra | None = None):
        self.vocabulary = vocabulary
        self.graph = (
            Graph(
                vocabulary.parities,
                vocabulary.walls,
                vocabulary.forces,
                vocabulary.solenoidal,
                vocabulary.single,
            )
            if algebra is None
            else algebra.graph
        )
        self.algebra = algebra or Algebra(self.graph)
        self._defined: dict[str, Value] = {}

    def parse(self, text: str) -> Value:
        """The value of a text; a field may have a hyphen in its name. Raises ExpressionError."""
        if not isinstance(text, str):
            raise ExpressionError(f"an expression is a text, and this is of the type {type(text).__name__}.")
        if text in self.vocabulary.fields:
            return self.vocabulary.fields[text](self.algebra).of_unit(self.vocabulary.units.get(text))
        return _Reading(self, text).value()

    def defined(self, name: str) -> Value:
        """The value that a name of the vocabulary's definitions stands for."""
        if name not in self._defined:
            found = self.parse(self.vocabulary.definitions[name])
            self._defined[name] = found.of_unit(self.vocabulary.units.get(name, found.unit))
        return self._defined[name]


class _Reading:
    """Translates one text into a value."""

    def __init__(self, parser: Parser, text: str):
        self.parser, self.algebra, self.graph = parser, parser.algebra, parser.graph
        self.text = in_one_line(text)
        self.length, self.hidden = len(text), hidden_in(text[: LONGEST + 1])
        self.indent = len(text) - len(text.lstrip())
        self._depth = 0

    def value(self) -> Value:
        if self.length > LONGEST:
            raise ExpressionError(
                f"an expression of {self.length} characters is too long: at most {LONGEST} are taken."
            )
        if not self.text:
            raise ExpressionError(
                "the expression is empty: write its value, such as sin(x), or leave it out."
            )
        if self.hidden:
            place, name = self.hidden
            reason = f"it holds the character {name}, which is not seen; take it out"
            raise fault(reason, self.text, max(0, place - self.indent), 1)
        if "#" in self.text:
            reason = "an expression has no comments; take # and what follows out"
            raise fault(reason, self.text, self.text.index("#"), 1)
        try:
            tree = _tree(self.text)
        except SyntaxError as error:
            raise fault(error.msg, self.text, (error.offset or 1) - 1, 1) from None
        except (ValueError, RecursionError, MemoryError) as error:
            deep = isinstance(error, RecursionError | MemoryError)
            raise fault("it is nested too deeply" if deep else str(error), self.text, 0, 1) from None
        try:
            return self._at(tree)
        except RecursionError:
            raise fault("it is nested too deeply", self.text, 0, 1) from None

    def _fault(self, node: ast.expr, reason: str) -> ExpressionError:
        start, end = (self._place(at) for at in (node.col_offset, node.end_col_offset or node.col_offset))
        return fault(reason, self.text, start, end - start)

    def _place(self, offset: int) -> int:
        """The index of the character at an offset in bytes."""
        return len(self.text.encode()[:offset].decode(errors="ignore"))

    def _at(self, node: ast.expr) -> Value:
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._fault(node, "it is nested too deeply")
        try:
            return self._made(node)
        except ExpressionError:
            raise
        except ValueError as error:
            raise self._fault(node, str(error)) from None
        finally:
            self._depth -= 1

    def _made(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=bool() | complex() | str() | bytes() | None):
                raise ValueError(f"{ast.unparse(node)} is no real number")
            case ast.Constant(value=int() | float() as number):
                return self.algebra.number(_floating(number)).of_unit(units.typed(number))
            case ast.Name(id=name):
                return self._named(name)
            case ast.Attribute(value=of, attr=name):
                return self._component(self._at(of), name)
            case ast.UnaryOp(op=operator, operand=operand):
                return self._unary(operator, self._at(operand))
            case ast.BinOp():
                return self._in_a_row(node)
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                return self._compared(operator, self._at(left), self._at(right)).of_unit(units.TRUTH)
            case ast.Compare():
                raise ValueError("it compares twice; write one comparison & the other")
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._called(name, arguments)
            case ast.Call(func=ast.Name(), keywords=[_, *_]):
                raise ValueError("arguments have no names here; give them in order")
            case ast.BoolOp(op=operator):
                sign = "&" if isinstance(operator, ast.And) else "|"
                word = "and" if isinstance(operator, ast.And) else "or"
                raise ValueError(f'"{word}" does not go with values at points; write (a > 0) {sign} (b > 0)')
        raise ValueError("an expression may not hold this; it has numbers, names, + - * / ** @ and functions")

    def _in_a_row(self, last: ast.BinOp) -> Value:
        """The value of a row of operators; each has the row before it as its left operand."""
        row = [last]
        while isinstance(row[-1].left, ast.BinOp):
            row.append(row[-1].left)
        if len(row) > MOST_IN_A_ROW:
            raise ValueError(
                f"it has more than {MOST_IN_A_ROW} operators in a row; put parts of it into brackets"
            )
        value = self._at(row[-1].left)
        for node in reversed(row):
            right = self._at(node.right)
            try:
                value = self._binary(node.op, value, right)
            except ValueError as error:
                raise self._fault(node, str(error)) from None
        return value

    def _named(self, name: str) -> Value:
        known = self.parser.vocabulary
        known.check(name)
        if name in known.definitions and name not in known.fields:
            return self.parser.defined(name)
        if name == "pi" and name not in (*known.fields, *known.parameters):
            return self.algebra.number(math.pi).of_unit(PURE)
        if (value := self._without_unit(name)) is not None:
            return value.of_unit(known.units.get(name))
        if function := known.known_functions.get(name):
            raise ValueError(f"{name} is a function; write {name}({function.signature})")
        raise ValueError(f'"{_shortened(name)}" is not known{_meant(name, known.names)}')

    def _without_unit(self, name: str) -> Value | None:
        """The value of a field, a coordinate, the time or a parameter; None for another name."""
        known = self.parser.vocabulary
        if name in known.fields:
            return known.fields[name](self.algebra)
        if name in AXES:
            return scalar(self.graph.coordinate(AXES.index(name)))
        if name == "t":
            return scalar(self.graph.number("t"))
        return self.algebra.number(known.parameters[name]) if name in known.parameters else None

    def _called(self, name: str, arguments: list[ast.expr]) -> Value:
        known = self.parser.vocabulary
        known.check(name)
        if name not in known.known_functions:
            if name in known.names:
                raise ValueError(f"{name} is no function; write {name} * (…) for a product")
            meant = f"; {MEANT[name]}" if name in MEANT else _meant(name, known.functions)
            raise ValueError(f"there is no function {_shortened(name)}(){meant}")
        function = known.known_functions[name]
        if not function.takes(len(arguments)):
            other = f"; {MEANT[name]}" if name in MEANT else ""
            raise ValueError(f"it is called {name}({function.signature}){other}")
        return function.called(self.algebra, *(self._at(argument) for argument in arguments))

    def _component(self, of: Value, name: str) -> Value:
        axes = [AXES.find(letter) for letter in name]
        if len(axes) != of.rank or -1 in axes:
            example = {0: "it has none", 1: "they are .x, .y and .z", 2: "they are .xx, .xy and so on"}
            raise ValueError(f".{_shortened(name)} is no component of {of}: {example[of.rank]}")
        parts = (array(part[tuple(axes)]) for part in (of.real, of.imaginary) if part is not None)
        return Value(*parts).of_unit(of.unit)

    def _unary(self, operator: ast.unaryop, a: Value) -> Value:
        match operator:
            case ast.USub():
                return self.algebra.negative(a).of_unit(a.unit)
            case ast.UAdd():
                return a
            case ast.Invert():
                return self.algebra.componentwise("equal", a, self.algebra.number(0)).of_unit(units.TRUTH)
        raise ValueError('"not" does not go with values at points; write ~ (a > 0)')

    def _binary(self, operator: ast.operator, a: Value, b: Value) -> Value:
        if type(operator) in ARITHMETIC:
            of, unit = ARITHMETIC[type(operator)]
            return of(self.algebra, a, b).of_unit(unit(a, b))
        return self._logical(operator, a, b).of_unit(units.TRUTH)

    def _logical(self, operator: ast.operator, a: Value, b: Value) -> Value:
        match operator:
            case ast.BitAnd():
                return self.algebra.componentwise("minimum", self._truth(a), self._truth(b))
            case ast.BitOr():
                return self.algebra.componentwise("maximum", self._truth(a), self._truth(b))
            case ast.BitXor():
                if _is_number(a) or _is_number(b):
                    raise ValueError("a power is written **; ^ is one of two conditions, not both")
                return self._compared(ast.NotEq(), self._truth(a), self._truth(b))
        raise ValueError("the operators are + - * / % ** @ & | ^ and comparisons")

    def _compared(self, operator: ast.cmpop, a: Value, b: Value) -> Value:
        compare = self.algebra.componentwise
        match operator:
            case ast.Lt():
                return compare("less", a, b)
            case ast.LtE():
                return compare("less_equal", a, b)
            case ast.Gt():
                return compare("less", b, a)
            case ast.GtE():
                return compare("less_equal", b, a)
            case ast.Eq():
                return compare("equal", a, b)
            case ast.NotEq():
                return compare("equal", compare("equal", a, b), self.algebra.number(0))
        raise ValueError("the comparisons are < <= > >= == and !=")

    def _truth(self, a: Value) -> Value:
        """1 where a value is not zero, as a comparison gives."""
        compare, zero = self.algebra.componentwise, self.algebra.number(0)
        if all(holds_or_not(node) for node in a.nodes()):
            return a
        return compare("equal", compare("equal", a, zero), zero)


def _is_number(a: Value) -> bool:
    """Whether the value is constant and no condition, as an exponent is where ^ was meant as a power."""
    return all(node.kind == "constant" and node.value not in (0, 1) for node in a.nodes())


def _tree(text: str) -> ast.expr:
    """The syntax tree of a text.

    Raises SyntaxError or ValueError, and RecursionError or MemoryError if it is nested too deeply.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # about a number before a word, as in 1if
        return ast.parse(text, mode="eval").body


def component_text(text: str, index: tuple[int, ...]) -> str:
    """An expression for a component of the text; for a number, which has no components, the text itself."""
    if not index:
        return text
    letters = "".join(AXES[i] for i in index)
    try:
        parsed = _tree(f"{text}.{letters}")
    except SyntaxError:
        parsed = None
    return f"{text}.{letters}" if isinstance(parsed, ast.Attribute) else f"({text}).{letters}"


def _floating(number: int | float) -> float:
    try:
        return float(number)
    except OverflowError:
        raise ValueError("a number in it is too large") from None


def _meant(word: str, known: list[str]) -> str:
    close = difflib.get_close_matches(_shortened(word), known, 1)
    if close:
        return f"; did you mean {close[0]}?"
    return f"; known are {', '.join(known[:LISTED])}{', …' * (len(known) > LISTED)}"


def _shortened(name: str) -> str:
    return name if len(name) <= 40 else f"{name[:39]}…"

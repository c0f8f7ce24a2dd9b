"""Graph of real numbers at the points of a grid.

Equal nodes are one node, so that a common part of two expressions is computed once. Sums of fields under
linear operators stay linear forms: they are found in the modes, and cost nothing at the points.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from whorl.expressions.linear import ONE, LinearForm, Multiplier, Term
from whorl.expressions.nodes import Largest, Node, in_modes, is_constant, is_sum_of_squares, within
from whorl.expressions.operations import OPERATIONS

MOST_NODES = 20_000  # in one graph: more than anyone types
LARGEST_POWER = 64  # the largest whole exponent that becomes multiplications
Parity = tuple[bool, ...]  # whether a field is odd about the walls along x, y and z
EVEN = (False, False, False)
OF_ODD_ODD = ("sign", "sin", "tan", "arcsin", "arctan", "sinh", "tanh", "arcsinh", "arctanh")
OF_ODD_EVEN = ("abs", "cos", "cosh")
SCALES = ("add", "subtract", "negative")  # operations that are linear in all their arguments


@dataclass(frozen=True, eq=False)
class Field:
    """A real field with Fourier coefficients: of the state, of a force, or a transformed product.

    Attributes
    ----------
    serial : int
        Its number among the fields of the graph: first the components of the state, in the order of the
        state, then those of forces, then products.
    parity : Parity
        Whether the field is odd about the walls; False along an axis without walls.
    product : Node or None
        The node that is transformed back; None for a component of the state or of a force.
    force : str
        The name of the field on which the force acts, for a component of a force; else empty.
    horizontal : tuple of Field
        The components along x and y, for the component along z of a vector without a divergence; else empty.
    """

    serial: int
    parity: Parity
    product: Node | None = None
    force: str = ""
    horizontal: tuple["Field", ...] = ()

    @property
    def of_state(self) -> bool:
        """Whether the field is a component of the state."""
        return not (self.product or self.force)


def _check_finite(number: float) -> None:
    if not math.isfinite(number):
        raise ValueError(f"a number in it becomes {number:g}")


class Graph:
    """The nodes of some expressions, over components of the state with these parities.

    `forces` has the parities of the components of each force, by the name of the field on which it acts.
    Parity about an axis without walls has no meaning, and is False. `solenoidal` has the first components of
    vectors of the state that have no divergence. `single`: values at the points are in single precision.
    """

    def __init__(
        self,
        parities: Sequence[Parity],
        walls: Parity = EVEN,
        forces: Mapping[str, Sequence[Parity]] = MappingProxyType({}),
        solenoidal: Sequence[int] = (),
        single: bool = False,
    ):
        self.walls, self.single = walls, single
        named = [("", parity) for parity in parities]
        named += [(name, parity) for name, of_force in forces.items() for parity in of_force]
        self.fields: list[Field] = []
        for number, (name, parity) in enumerate(named):
            horizontal = tuple(self.fields[-2:]) if number - 2 in solenoidal else ()
            self.fields.append(Field(number, self._meant(parity), force=name, horizontal=horizontal))
        self._nodes: dict[tuple[Any, ...], Node] = {}
        self._products: dict[Node, Field] = {}
        self._parities: dict[Node, Parity | None] = {}

    def constant(self, value: float) -> Node:
        """A number. Raises ValueError if it is not finite."""
        number = float(value)
        _check_finite(number)
        return self._node("constant", number, (), uniform=True)

    def number(self, name: str) -> Node:
        """A number that is known when the program runs, such as the time t."""
        return self._node("number", name, (), uniform=True)

    def coordinate(self, axis: int) -> Node:
        """The position x, y or z of the point."""
        return self._node("coordinate", axis, ())

    def field(self, component: int) -> Node:
        """A component of the state or of a force, by its number."""
        return self._linear(LinearForm({Term(self.fields[component], ONE): 1.0}))

    def force(self, name: str) -> list[Node]:
        """The components of the force on a field."""
        return [self.field(one.serial) for one in self.fields if one.force == name]

    def mean(self, node: Node) -> Node:
        """The mean over all points.

        In a periodic box the mean of a sum is a sum of means, if the modes give the mean of each part.
        """
        if node.uniform:
            return node
        if self.mean_is_in_modes(node):
            return self._mean_from_modes(node)
        return self._node("number", node, (), uniform=True)

    def mean_is_in_modes(self, node: Node) -> bool:
        """Whether the mean of a node is known without a round trip of its own."""
        # Between walls an odd field has a mean over the points.
        return self.walls == EVEN and (_has_no_mean(node) or self.is_sum_of_means(node))

    def maximum(self, node: Node) -> Node:
        """The maximum over all points."""
        return node if node.uniform else self._node("number", Largest(node), (), uniform=True)

    def is_sum_of_means(self, node: Node) -> bool:
        """Whether the mean of a node is a sum of means of linear forms and of products of two."""
        return all(
            one.uniform or in_modes(one) or one.kind in SCALES or self._is_scaled(one)
            for one in within(node, into=lambda one: not (one.uniform or in_modes(one)))
        )

    def _is_scaled(self, node: Node) -> bool:
        if node.kind == "divide":
            return node.arguments[1].uniform
        return node.kind == "multiply" and any(one.uniform for one in node.arguments)

    def _mean_from_modes(self, node: Node) -> Node:
        if node.uniform:
            return node
        if _has_no_mean(node):
            return self.constant(0)
        if in_modes(node):
            return self._node("number", node, (), uniform=True)
        return self.apply(node.kind, *(self._mean_from_modes(one) for one in node.arguments))

    def apply(self, name: str, *arguments: Node) -> Node:
        """An operation on nodes. Raises ValueError if a constant is not finite or not real."""
        if all(argument.kind == "constant" for argument in arguments):
            return self._folded(name, arguments)
        if (simple := _SIMPLER.get(name)) and (found := simple(self, *arguments)):  # type: ignore[operator]
            return found
        if OPERATIONS[name].commutes:
            arguments = tuple(sorted(arguments, key=lambda one: one.serial))
        return self._node(name, None, arguments, uniform=all(one.uniform for one in arguments))

    def under(self, node: Node, multiplier: Multiplier, factor: float) -> Node:
        """A linear operator on a node; a product in it is transformed back to the modes first.

        Raises ValueError if the node depends on the position itself, which is not periodic.
        """
        if node.uniform:
            return self.apply("multiply", self.constant(factor if multiplier.keeps_mean else 0.0), node)
        if node.kind == "linear":
            return self._linear(node.value.under(multiplier, factor))
        if node.kind in SCALES and (self.parity(node) is None or self._has_linear_part(node)):
            return self.apply(node.kind, *(self.under(one, multiplier, factor) for one in node.arguments))
        if node.kind == "multiply" and (number := next((a for a in node.arguments if a.uniform), None)):
            (other,) = (a for a in node.arguments if a is not number)
            return self.apply("multiply", number, self.under(other, multiplier, factor))
        if node.kind == "divide" and node.arguments[1].uniform:
            divided, number = node.arguments
            return self.apply("divide", self.under(divided, multiplier, factor), number)
        return self._linear(LinearForm({Term(self._product(node), multiplier): factor}))

    def as_field(self, node: Node) -> Node:
        """The node as a linear form; a node of another kind is transformed back to the modes.

        Raises ValueError if the node is the same at all points, or depends on the position itself.
        """
        if node.uniform:
            raise ValueError("it is the same at all points")
        return (
            node if node.kind == "linear" else self._linear(LinearForm({Term(self._product(node), ONE): 1.0}))
        )

    def _product(self, node: Node) -> Field:
        """The field of a node that is transformed back to the modes."""
        if axis := next((one for one in within(node) if one.kind == "coordinate"), None):
            raise ValueError(
                f"{'xyz'[axis.value]} is not periodic, so an expression with it has no derivative, filter or "
                "spectrum"
            )
        if node not in self._products:
            product = Field(len(self.fields), self._parity_of_product(node), node)
            self._products[node] = product
            self.fields.append(product)
        return self._products[node]

    def _has_linear_part(self, node: Node) -> bool:
        """Whether a sum has a part that needs no product transformed back."""
        if node.kind in SCALES:
            return any(self._has_linear_part(one) for one in node.arguments)
        of = [one for one in node.arguments if not one.uniform] if self._is_scaled(node) else []
        return node.uniform or node.kind == "linear" or any(self._has_linear_part(one) for one in of)

    def power(self, base: Node, exponent: Node) -> Node:
        """The base to an exponent; whole exponents up to LARGEST_POWER become multiplications."""
        number = exponent.value if exponent.kind == "constant" else None
        if number == 0.5:
            return self.apply("sqrt", base)
        if number is None or number != int(number) or abs(number) > LARGEST_POWER:
            return self.apply("power", base, exponent)
        if number < 0:
            return self.apply("divide", self.constant(1), self._whole_power(base, -int(number)))
        return self._whole_power(base, int(number))

    def _whole_power(self, base: Node, exponent: int) -> Node:
        if exponent % 2 == 0 and base.kind == "abs":
            base = base.arguments[0]
        if exponent % 2 == 0 and base.kind == "sqrt" and is_sum_of_squares(base.arguments[0]):
            return self._whole_power(base.arguments[0], exponent // 2)
        result, square = self.constant(1), base
        while exponent:
            if exponent % 2:
                result = self.apply("multiply", result, square)
            if exponent := exponent // 2:
                square = self.apply("multiply", square, square)
        return result

    def parity(self, node: Node) -> Parity | None:
        """Whether a node is odd about the walls; None if it is not known to be odd or even."""
        if node not in self._parities:
            for one in within(node):
                self._parities[one] = self._found_parity(one)
        return self._parities[node]

    def _found_parity(self, node: Node) -> Parity | None:
        of = [self._parities[one] for one in node.arguments]
        if node.uniform or self.walls == EVEN:
            return EVEN
        if node.kind == "linear":
            return self._parity_of_form(node.value)
        if node.kind == "coordinate" or None in of:
            return None
        if node.kind in ("multiply", "divide"):
            return _product(*of)
        if node.kind == "multiply_add":
            return of[2] if _product(*of[:2]) == of[2] else None
        if node.kind in (*SCALES, *OF_ODD_ODD):
            return of[0] if all(one == of[0] for one in of) else None
        return EVEN if all(one == EVEN for one in of) or node.kind in OF_ODD_EVEN else None

    def _parity_of_form(self, form: LinearForm) -> Parity:
        term = next(iter(form))
        odd = tuple(power % 2 == 1 for power in term.multiplier.derivatives)
        return self._meant(_product(term.field.parity, odd))

    def _parity_of_product(self, node: Node) -> Parity:
        parity = self.parity(node)
        if parity is None:
            raise ValueError(
                "between walls it has derivatives or filters only where it is odd or even about them"
            )
        return parity

    def _meant(self, parity: Parity) -> Parity:
        return tuple(odd and wall for odd, wall in zip(parity, self.walls, strict=True))

    def _linear(self, form: LinearForm) -> Node:
        for factor in form.values():
            _check_finite(factor)
        return self._node("linear", form, ()) if form else self.constant(0)

    def _folded(self, name: str, arguments: tuple[Node, ...]) -> Node:
        with np.errstate(all="ignore"):
            value = OPERATIONS[name].function(*(np.float64(one.value) for one in arguments))
        return self.constant(value)

    def _node(self, kind: str, value: Any, arguments: tuple[Node, ...], *, uniform: bool = False) -> Node:
        key = (kind, value, arguments)
        if key not in self._nodes:
            if len(self._nodes) == MOST_NODES:
                raise ValueError(f"it has more than {MOST_NODES} operations")
            self._nodes[key] = Node(kind, value, arguments, len(self._nodes), uniform)
        return self._nodes[key]

    def _is_one_form(self, a: Node, b: Node) -> bool:
        """Whether a sum of two nodes is one linear form: the terms of a form are of one parity."""
        return a.kind == b.kind == "linear" and self.parity(a) == self.parity(b)

    # Simpler nodes for an operation on one or two arguments, or None if the operation is needed.

    def _add(self, a: Node, b: Node) -> Node | None:
        if self._is_one_form(a, b):
            return self._linear(a.value.plus(b.value))
        if is_constant(a, 0) or is_constant(b, 0):
            return b if is_constant(a, 0) else a
        return None

    def _subtract(self, a: Node, b: Node) -> Node | None:
        if a is b:
            return self.constant(0)
        if self._is_one_form(a, b):
            return self._linear(a.value.plus(b.value, -1.0))
        if is_constant(b, 0):
            return a
        return self.apply("negative", b) if is_constant(a, 0) else None

    def _negative(self, a: Node) -> Node | None:
        if a.kind == "linear":
            return self._linear(a.value.times(-1.0))
        return a.arguments[0] if a.kind == "negative" else None

    def _multiply(self, a: Node, b: Node) -> Node | None:
        if b.kind == "constant":
            a, b = b, a
        if a.kind != "constant":
            return None
        if a.value == 0:
            return a
        if b.kind == "linear":
            return self._linear(b.value.times(a.value))
        if a.value == 1:
            return b
        return self.apply("negative", b) if a.value == -1 else None

    def _divide(self, a: Node, b: Node) -> Node | None:
        if is_constant(b, 0):
            raise ValueError("it divides by zero")
        if not b.uniform or a.uniform:
            return None
        # A quotient of whole numbers is to be whole: the product with the inverse is rounded twice.
        if b.kind == "constant" and not in_modes(a) and abs(math.frexp(b.value)[0]) != 0.5:
            return None
        return self.apply("multiply", self.apply("divide", self.constant(1), b), a)


_SIMPLER = {
    "add": Graph._add,
    "subtract": Graph._subtract,
    "negative": Graph._negative,
    "multiply": Graph._multiply,
    "divide": Graph._divide,
}


def _product(a: Parity, b: Parity) -> Parity:
    return tuple(one != other for one, other in zip(a, b, strict=True))


def _has_no_mean(node: Node) -> bool:
    """Whether the node is a linear form without the mode k = 0."""
    return node.kind == "linear" and not any(term.multiplier.keeps_mean for term in node.value)

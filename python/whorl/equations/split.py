"""Right-hand sides in parts: linear terms, products of linear forms, other functions at points, and sources.

A term has a coefficient, which is a fraction, and a clock: the canonical texts of numbers that are known
when a run has come to a stage, such as sin(t) or a mean. An outer factor acts on the modes of a product.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from whorl.equations.exact import ONE, added, exact
from whorl.equations.inner import Inner
from whorl.equations.multipliers import (
    IDENTITY,
    Factor,
    Form,
    Normal,
    Place,
    Tag,
    factor_of,
    replace_orders,
)
from whorl.equations.text import Side, System
from whorl.equations.written import Writer
from whorl.expressions.faults import ExpressionError, fault
from whorl.expressions.linear import Multiplier
from whorl.expressions.nodes import Node, in_modes, is_constant, within

Clock = tuple[str, ...]
Poly = dict[tuple[Clock, tuple[Form, ...]], Fraction]
MOST_TERMS = 4000


@dataclass(frozen=True)
class Split:
    """The parts of all right-hand sides, each a sparse row of coefficients.

    Attributes
    ----------
    linear : dict
        Coefficients by component, place of the linear form, and clock.
    products : dict
        Coefficients by component, outer factor, clock, and the linear forms that are multiplied.
    points : dict
        Coefficients by component, outer factor, clock, and the text of a node at points.
    sources : dict
        Coefficients by component and clock of the mode k = 0.
    atoms : dict
        The node of each text in a clock.
    nodes : dict
        The node of each text in `points`.
    inner : dict
        The polynomial of each inner field, or None if its product is none.
    """

    linear: dict[tuple[int, Place, Clock], Fraction] = field(default_factory=dict)
    products: dict[tuple[int, Factor, Clock, tuple[Form, ...]], Fraction] = field(default_factory=dict)
    points: dict[tuple[int, Factor, Clock, str], Fraction] = field(default_factory=dict)
    sources: dict[tuple[int, Clock], Fraction] = field(default_factory=dict)
    atoms: dict[str, Node] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    inner: dict[int, Poly | None] = field(default_factory=dict)

    @property
    def degree(self) -> int:
        """The largest number of factors of a product; 1 without one."""
        own = [len(forms) for *_, forms in self.products]
        return max(
            [*own, *(len(forms) for poly in self.inner.values() for _, forms in poly or ())], default=1
        )


def composed(outer: Factor, inner: Factor) -> Factor:
    """Both factors, one after the other."""
    both = _multiplier(outer) * _multiplier(inner)
    tag = Tag(both.low, both.high, both.radius, both.sector, both.radial)
    result = replace_orders(outer._replace(tag=tag), both.derivatives, both.power)
    vanishes = not (outer.keeps_mean and inner.keeps_mean)
    shown = any(result.orders) or result.power != 0 or any(name == "power" for name, _ in tag.radial)
    return result._replace(meanless=vanishes and not shown)


def _multiplier(factor: Factor) -> Multiplier:
    return Multiplier(factor.orders, factor.power, *factor.tag)


def split(system: System, normal: Normal, inner: Sequence[Inner] = ()) -> Split:
    """The parts of the right-hand sides. Raises ExpressionError for equations that have no plan."""
    parting = Parting(system, normal, inner)
    for side in system.sides:
        first = system.first[side.name]
        for number, node in enumerate(side.nodes):
            parting.part(side, first + number, node)
    for one in inner:
        parting.found.inner[one.number] = parting.poly_of_inner(one)
    for side, node in system.beyond:
        parting.check_zero(side, node)
    if system.rate and system.declared.rate:
        parting.check_rate(system.rate, system.declared.rate)
    return parting.found


class Parting:
    """The parts of nodes, which are added up in `found`."""

    def __init__(self, system: System, normal: Normal, inner: Sequence[Inner]):
        self.system, self.normal, self.graph, self.inner = system, normal, system.graph, inner
        self._inner = {one.number: one for one in inner}
        self.writer = Writer(normal)
        self.found = Split()
        self._polys: dict[Node, Poly | None] = {}

    def part(self, side: Side, component: int, node: Node) -> None:
        """Add the parts of one component of a side."""
        self.component = component
        try:
            self._walk(node, IDENTITY, ONE, ())
        except ExpressionError:
            raise
        except ValueError as error:
            raise fault(f"the equation of {side.name}: {error}", side.text) from None

    def check_rate(self, rate: Node, text: str) -> None:
        """Raises ExpressionError for a rate that needs a round trip of its own."""
        try:
            for one in within(rate):
                if one.kind == "linear":
                    self.writer.form(one)
                elif one.kind == "number" and not isinstance(one.value, str):
                    self._check_mean(one)
        except ValueError as error:
            raise fault(f"rate: {error}", text) from None

    def check_zero(self, side: Side, node: Node) -> None:
        """Raises ExpressionError if a component that the field lacks is not zero."""
        other = Parting(self.system, self.normal, self.inner)
        other.part(side, self.system.first[side.name], node)
        found = other.found
        if found.linear or found.products or found.points or found.sources:
            reason = "it is not symmetric; add its transpose"
            if len(self.system.declared.fields) and node.kind != "subtract":
                reason = "it has a component along an axis that the box lacks; leave it out"
            raise fault(f"the equation of {side.name} is wrong (its right side): {reason}", side.text)

    def _walk(self, node: Node, outer: Factor, scale: Fraction, clock: Clock) -> None:
        if node.uniform:
            self._source(node, outer, scale, clock)
        elif node.kind == "linear":
            self._linear(node, outer, scale, clock)
        elif node.kind in ("add", "subtract", "negative"):
            for number, one in enumerate(node.arguments):
                minus = node.kind == "negative" or (node.kind == "subtract" and number == 1)
                self._walk(one, outer, -scale if minus else scale, clock)
        elif (scaled := self._scaled(node)) is not None:
            other, factor = scaled
            for (more, _), value in self._poly_of(factor).items():
                self._walk(other, outer, scale * value, _joined(clock, more))
        else:
            self._check_parity(node, outer)
            self._product(node, outer, scale, clock)

    def _scaled(self, node: Node) -> tuple[Node, Node] | None:
        """A node that is multiplied by a number: the node and the number."""
        if node.kind == "divide" and node.arguments[1].uniform:
            divided, number = node.arguments
            return divided, self.graph.apply("divide", self.graph.constant(1), number)
        if node.kind == "multiply":
            number, other = sorted(node.arguments, key=lambda one: not one.uniform)
            return (other, number) if number.uniform else None
        return None

    def _source(self, node: Node, outer: Factor, scale: Fraction, clock: Clock) -> None:
        if is_constant(node, 0):
            return
        self._check_parity(node, outer)
        if outer.keeps_mean:
            for (more, _), value in self._poly_of(node).items():
                added(self.found.sources, {(self.component, _joined(clock, more)): value * scale})

    def _linear(self, node: Node, outer: Factor, scale: Fraction, clock: Clock) -> None:
        for term, value in node.value.items():
            factor = composed(outer, factor_of(term.multiplier))
            if term.field.product:
                self._walk(term.field.product, factor, scale * exact(value), clock)
            else:
                self._check(self._parity(term.field.parity, factor), f"a term of field {term.field.serial}")
                row = self.normal.reduced((term.field.serial, factor))
                row_with = {(self.component, place, clock): one for place, one in row.items()}
                added(self.found.linear, row_with, scale * exact(value))

    def _product(self, node: Node, outer: Factor, scale: Fraction, clock: Clock) -> None:
        poly = self.poly(node)
        reduced = self.normal.reduced_factor(outer) if not any(outer.orders[self.normal.axes :]) else {}
        if poly is None:
            text = self.writer.text(node)
            self.found.nodes.setdefault(text, node)
            points = {(self.component, factor, clock, text): value for factor, value in reduced.items()}
            added(self.found.points, points, scale)
            return
        for (more, forms), value in poly.items():
            both = _joined(clock, more)
            if len(forms) == 1:
                self._linear_form(forms[0], outer, scale * value, both)
            elif not forms:
                self._sources(outer, scale * value, both)
            else:
                row = {(self.component, factor, both, forms): one for factor, one in reduced.items()}
                added(self.found.products, row, scale * value)

    def _sources(self, outer: Factor, scale: Fraction, clock: Clock) -> None:
        if outer.keeps_mean:
            added(self.found.sources, {(self.component, clock): scale})

    def _linear_form(self, form: Form, outer: Factor, scale: Fraction, clock: Clock) -> None:
        for (component, factor), value in form:
            if one := self._inner.get(component):
                self._walk(one.node, composed(outer, factor), scale * value, clock)
                continue
            row = self.normal.reduced((component, composed(outer, factor)))
            row_with = {(self.component, place, clock): each for place, each in row.items()}
            added(self.found.linear, row_with, scale * value)

    def poly_of_inner(self, one: Inner) -> Poly | None:
        """The polynomial of an inner field. Raises ExpressionError for a mean that is not possible."""
        try:
            return self.poly(one.node)
        except ValueError as error:
            raise fault(f"a product within a product: {error}", self.system.sides[0].text) from None

    def _poly_of(self, node: Node) -> Poly:
        """The polynomial of a number that is the same at all points."""
        return self.poly(node) or {}

    def poly(self, node: Node) -> Poly | None:
        """The node as a sum of products of forms and numbers; None if it is none."""
        for one in within(node, into=lambda one: one not in self._polys):
            if one not in self._polys:
                self._polys[one] = self._made(one)
        return self._polys[node]

    def _made(self, node: Node) -> Poly | None:
        if node.kind == "constant":
            return {((), ()): exact(node.value)} if node.value else {}
        if node.kind == "linear":
            form = self.writer.form(node)
            return {((), (form,)): ONE} if form else {}
        of = [self._polys[one] for one in node.arguments]
        if None not in of and node.kind in ("add", "subtract", "negative", "multiply"):
            return _combined(node.kind, of)  # type: ignore[arg-type]
        if node.kind == "divide" and of[0] is not None and node.arguments[1].kind == "constant":
            return {key: value / exact(node.arguments[1].value) for key, value in of[0].items()}
        if not node.uniform:
            return None
        return {((self._atom(node),), ()): ONE}

    def _atom(self, node: Node) -> str:
        """The text of a number that is known when a run has come to a stage."""
        for one in within(node):
            if one.kind == "number" and not isinstance(one.value, str):
                self._check_mean(one)
        text = self.writer.text(node)
        self.found.atoms.setdefault(text, node)
        return text

    def _check_mean(self, node: Node) -> None:
        if not (isinstance(node.value, Node) and self.graph.is_sum_of_means(node.value)):
            raise ValueError(
                "it has a mean that the modes do not give; means of fields, of derivatives and of products "
                "of two of these are possible"
            )
        means = filter(in_modes, within(node.value, into=lambda one: not in_modes(one)))
        if any(any(self.graph.parity(one) or ()) for one in means):
            raise ValueError(
                "it has the mean of something odd about a wall, which is no sum over the points; take it of "
                "an even quantity, such as a square"
            )

    def _check_parity(self, node: Node, outer: Factor) -> None:
        parity = self.graph.parity(node)
        if parity is None:
            self._check(None, "a product")
        else:
            self._check(self._parity(parity, outer), "a product")

    def _parity(self, parity: tuple[bool, ...], factor: Factor) -> tuple[bool, ...]:
        odd = [(one != (order % 2 == 1)) for one, order in zip(parity, factor.orders, strict=True)]
        return tuple(one and wall for one, wall in zip(odd, self.graph.walls, strict=True))

    def _check(self, parity: tuple[bool, ...] | None, what: str) -> None:
        """Raises ValueError if a term is not odd and even about the walls as its field is."""
        if parity is not None and parity == self.system.parities[self.component]:
            return
        if any(self.graph.walls):
            axes = " and ".join(axis for axis, wall in zip("xyz", self.graph.walls, strict=True) if wall)
            raise ValueError(
                f"{what} is of another parity about the walls along {axes} than the field: both are odd or "
                "both even; declare other parities, or take the term out"
            )


def _combined(kind: str, of: list[Poly]) -> Poly:
    if kind == "negative":
        return {key: -value for key, value in of[0].items()}
    if kind in ("add", "subtract"):
        return added(dict(of[0]), of[1], ONE if kind == "add" else -ONE)
    total: Poly = {}
    if len(of[0]) * len(of[1]) > MOST_TERMS:
        raise ValueError(f"it has more than {MOST_TERMS} terms; write it with fewer")
    for (clock, forms), value in of[0].items():
        for (more, others), by in of[1].items():
            key = _joined(clock, more), tuple(sorted((*forms, *others)))
            added(total, {key: value * by})
    return total


def _joined(clock: Clock, more: Clock) -> Clock:
    return tuple(sorted((*clock, *more)))


def forms_at_points(node: Node, writer: Writer) -> Iterator[Form]:
    """The linear forms in a node at points."""
    for one in within(node, into=lambda one: not one.uniform):
        if one.kind == "linear":
            yield writer.form(one)

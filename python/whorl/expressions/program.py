"""Programs: operations at each point, on linear forms that a round trip carries there."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whorl import _core
from whorl.expressions.linear import LinearForm
from whorl.expressions.nodes import Known, Node, within, worked_out
from whorl.expressions.product_fields import ProductField, ProductFields
from whorl.expressions.span import Span

# An input that is zero.
NOTHING = [_core.Term(field=0, factor=0.0)]


@dataclass(frozen=True)
class Program:
    """The operations at each point.

    Attributes
    ----------
    inputs : tuple of LinearForm
        The linear forms that travel to the points.
    numbers : tuple of float and Node
        Constants, and nodes whose numbers follow in a state, such as means and the time.
    operations : int
        The number of operations.
    core : _core.Program
        The same for the core.
    """

    inputs: tuple[LinearForm, ...]
    numbers: tuple[float | Node, ...]
    operations: int
    core: _core.Program

    @classmethod
    def of(
        cls, results: list[Node], fields: ProductFields, product_fields: Sequence[ProductField] = ()
    ) -> "Program":
        """The program for some nodes, of which products are parts of `product_fields`."""
        return _Compilation(results, fields).program(product_fields)

    def in_state(self, known: Mapping[Known, float]) -> _core.Program:
        """The core's program with its numbers in a state. Raises KeyError for one that is not known."""
        self.core.numbers = [worked_out(one, known) if isinstance(one, Node) else one for one in self.numbers]
        return self.core


Place = tuple[str, Any]  # an operand: a kind, and its index, or for "number" its value or node


# Operations for a sum or difference, by which of its arguments are products. Their operands are the factors
# of the products, then the other argument.
_FUSED = {
    ("add", (True, False)): "multiply_add",
    ("add", (False, True)): "multiply_add",
    ("add", (True, True)): "add_products",
    ("subtract", (True, False)): "multiply_subtract",
    ("subtract", (False, True)): "subtract_product",
    ("subtract", (True, True)): "subtract_products",
}


class _Compilation:
    """The program that works out some nodes; operands are numbered at the end."""

    def __init__(self, results: list[Node], fields: ProductFields):
        self.results = results
        self.fields = fields
        self.nodes = list(within(*results, into=lambda node: not node.uniform))
        self.span = Span.of(fields.form(node.value) for node in self.nodes if node.kind == "linear")
        self.steps: list[tuple[str, tuple[Place, ...]]] = []
        self.places: dict[Node, Place] = {}
        inner = (node for node in self.nodes if not node.uniform)
        uses = Counter(one for node in inner for one in node.arguments) + Counter(results)
        self.fused = dict(self._sums_of_products(uses))
        in_sums = {product for products in self.fused.values() for product in products}
        for node in self.nodes:
            if node not in in_sums:
                self.places[node] = self._place(node)

    def program(self, product_fields: Sequence[ProductField]) -> Program:
        used = [place for _, places in self.steps for place in places]
        used += [self.places[node] for node in self.results]
        numbers = list(dict.fromkeys(one for kind, one in used if kind == "number"))
        # The core needs an input.
        inputs = [self.fields.terms(form) for form in self.span.transformed] or [NOTHING]
        first = {"input": 0, "axis": len(inputs) + len(numbers)}
        first["result"] = first["axis"] + 3

        def operand(place: Place) -> int:
            kind, which = place
            return len(inputs) + numbers.index(which) if kind == "number" else first[kind] + which

        core = _core.Program(
            inputs=inputs,
            numbers=[0.0] * len(numbers),
            instructions=[(name, list(map(operand, places))) for name, places in self.steps],
            results=[operand(self.places[node]) for node in self.results],
            products=[
                _core.Returned(field=number, factor=factor, derivatives=derivatives, parity=product.parity)
                for number, product_field in enumerate(product_fields)
                for product, factor, derivatives in product_field.parts
            ],
        )
        return Program(tuple(self.span.transformed), tuple(numbers), len(self.steps), core)

    def _sums_of_products(self, uses: Counter[Node]) -> Iterator[tuple[Node, list[Node]]]:
        """Sums with the products that the same operation works out, since nothing else uses them."""
        for node in self.nodes:
            if node.kind in ("add", "subtract") and not node.uniform:
                products = [
                    one
                    for one in node.arguments
                    if one.kind == "multiply" and uses[one] == 1 and not one.uniform
                ]
                if products:
                    yield node, products

    def _place(self, node: Node) -> Place:
        if node.uniform:
            return "number", node.value if node.kind == "constant" else node
        if node.kind == "coordinate":
            return "axis", node.value
        if node.kind == "linear":
            return self._combined(node.value)
        if products := self.fused.get(node):
            factors = [one for product in products for one in product.arguments]
            others = [one for one in node.arguments if one not in products]
            name = _FUSED[node.kind, tuple(one in products for one in node.arguments)]  # type: ignore[index]
            return self._step(name, *map(self.places.__getitem__, (*factors, *others)))
        return self._step(node.kind, *map(self.places.__getitem__, node.arguments))

    def _combined(self, form: LinearForm) -> Place:
        """The place of a linear form, a combination of the forms that travel."""
        place: Place | None = None
        for number, factor in self.span.combination(self.fields.form(form)):
            one: Place = ("input", number)
            if place is None:
                place = one if factor == 1 else self._step("multiply", ("number", factor), one)
            elif factor == 1:
                place = self._step("add", one, place)
            else:
                place = self._step("multiply_add", ("number", factor), one, place)
        assert place is not None  # no form is empty
        return place

    def _step(self, name: str, *places: Place) -> Place:
        self.steps.append((name, places))
        return "result", len(self.steps) - 1

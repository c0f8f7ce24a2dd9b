"""Plans of expressions: round trips in order, each with its inputs and a program for the points.

A round trip carries linear forms to the points, its inputs. There a program works out means, products that
are transformed back to the modes as fields, and in the last round trip the values themselves.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from whorl.base.text import counted
from whorl.expressions.graph import Field
from whorl.expressions.histogram import Histogram, PlaneMean
from whorl.expressions.increments import Increments
from whorl.expressions.linear import LinearForm
from whorl.expressions.nodes import Known, Largest, Node, in_modes, within, worked_out
from whorl.expressions.product_fields import ProductField, ProductFields
from whorl.expressions.span import Span


@dataclass(frozen=True)
class Instruction:
    """An operation on operands, numbered in order: inputs, numbers, x, y and z, results of instructions."""

    operation: str
    operands: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class DerivedNumber:
    """A number that is worked out once from known numbers, not at each point."""

    node: Node

    def value(self, known: Mapping[Known, float]) -> float:
        """The number."""
        return worked_out(self.node, known)


@dataclass(frozen=True)
class Program:
    """The operations at each point, with their inputs and results.

    Attributes
    ----------
    inputs : tuple of LinearForm
        The linear forms that travel to the points.
    numbers : tuple of float, str, Node, Largest or Once
        Constants; names, means and maxima whose numbers are known when the program runs; and numbers that
        follow from these.
    instructions : tuple of Instruction
        The instructions in order.
    results : tuple of int
        The operands that are wanted.
    """

    inputs: tuple[LinearForm, ...]
    numbers: tuple[float | Known | DerivedNumber, ...]
    instructions: tuple[Instruction, ...]
    results: tuple[int, ...]


@dataclass(frozen=True)
class ProgramStage:
    """A round trip and its program.

    Results of the program are in this order: means, means over planes, maxima, products, values, values at
    some points only, and nodes of histograms. Products are parts of the fields that are transformed back, in
    their order.
    """

    program: Program
    means: tuple[Node, ...]
    maxima: tuple[Node, ...]
    product_fields: tuple[ProductField, ...]
    values: tuple[Node, ...]
    histograms: tuple[Histogram, ...] = ()
    planes: tuple[PlaneMean, ...] = ()
    selected: tuple[Node, ...] = ()
    in_modes: tuple[Node, ...] = ()  # means that are found in the modes after it

    @property
    def products(self) -> int:
        """The number of products."""
        return sum(len(one.parts) for one in self.product_fields)


@dataclass(frozen=True)
class ExpressionPlan:
    """The stages that work out some nodes, in order; values and histograms are results of the last ones.

    Before the stages the means of `in_modes` are found in the modes, without a round trip. After them each
    of the increments has a round trip, with a program for its quantities. `fields` are the fields that
    products are transformed back to.
    """

    stages: tuple[ProgramStage, ...]
    in_modes: tuple[Node, ...] = ()
    increments: tuple[tuple[Increments, Program], ...] = ()
    fields: ProductFields = field(default_factory=ProductFields)

    def __str__(self) -> str:
        return told([self])


def told(plans: Sequence[ExpressionPlan]) -> str:
    """The numbers of inputs, products, operations and round trips of all plans together, as text."""
    programs = [stage.program for plan in plans for stage in plan.stages]
    programs += [one for plan in plans for _, one in plan.increments]
    inputs = sum(len(program.inputs) for program in programs)
    products = sum(stage.products for plan in plans for stage in plan.stages)
    operations = sum(len(program.instructions) for program in programs)
    trips = f" in {len(programs)} round trips" if len(programs) > 1 else ""
    means = sum(len(plan.in_modes) + sum(len(stage.in_modes) for stage in plan.stages) for plan in plans)
    sums = f", {counted(means, 'mean')} in the modes" if means else ""
    return (
        f"{counted(inputs, 'input')}, {counted(products, 'product')}, "
        f"{counted(operations, 'operation')} a point{trips}{sums}"
    )


def plan(
    values: Sequence[Node],
    means: Sequence[Node] = (),
    histograms: Sequence[Histogram] = (),
    forms: Sequence[Node] = (),
    selected: Sequence[Node] = (),
    increments: Sequence[Increments] = (),
    *,
    planes: Sequence[PlaneMean] = (),
    walls: bool = False,
    most: float = math.inf,
) -> ExpressionPlan:
    """The plan for values at the points, means, histograms, and the products in linear forms of the modes.

    `selected` are values at some of the points; `walls` says whether the box has walls. A round trip has at
    most `most` means, maxima, nodes of histograms and selected values, or one histogram with more nodes.
    """
    levels = _Levels(walls)
    of_planes = [one.node for one in planes]
    at_points = [*values, *(node for one in histograms for node in one.nodes), *of_planes, *selected]
    needed: dict[Node | Largest, int] = {node: levels.of_measured(node) for node in means if not node.uniform}
    products: dict[Field, int] = {}
    linear: dict[LinearForm, None] = {}
    stack = [*at_points, *means, *forms, *(node for one in increments for node in one.nodes)]
    while stack:
        for node in within(stack.pop()):
            if node.kind == "linear":
                linear[node.value] = None
            of = measured_by(node)
            if of and node.value not in needed:
                needed[node.value] = levels.of_measured(node.value)
                stack.append(of)
            for one in _fields(node):
                if one.product and one not in products:
                    products[one] = levels.of(one.product)
                    stack.append(one.product)
    fields = ProductFields.of(linear, products)
    last = max([levels.of(node) for node in at_points], default=-1)
    # No stage if all nodes are numbers.
    count = max([last, *needed.values(), *products.values()]) + 1
    stages: list[ProgramStage] = []
    for number in range(count):
        product_fields = [one for one in fields.fields if products[one.parts[0][0]] == number]
        measured = [one for one, level in needed.items() if level == number and not levels.in_modes(one)]
        last = number == count - 1
        wanted: dict[str, Sequence[Any]] = {
            "means": [one for one in measured if isinstance(one, Node)],
            "maxima": [one.of for one in measured if isinstance(one, Largest)],
            "histograms": histograms if last else (),
            "planes": planes if last else (),
            "selected": selected if last else (),
        }
        groups = _groups(wanted, most)
        groups[0].product_fields, groups[0].values = product_fields, list(values) if last else []
        in_modes: Any = [one for one, level in needed.items() if level == number and levels.in_modes(one)]
        groups[-1].in_modes = in_modes
        stages += [_stage(group, fields) for group in groups]
    of_rows = tuple((one, _Compilation(list(one.nodes), fields).program()) for one in increments)
    means_in_modes = tuple(one for one, level in needed.items() if level < 0)
    return ExpressionPlan(tuple(stages), means_in_modes, of_rows, fields)  # type: ignore[arg-type]


@dataclass
class _Group:
    """The nodes that one round trip measures and the fields that it transforms back."""

    product_fields: list[ProductField] = field(default_factory=list)
    values: list[Node] = field(default_factory=list)
    in_modes: list[Node] = field(default_factory=list)
    means: list[Node] = field(default_factory=list)
    maxima: list[Node] = field(default_factory=list)
    histograms: list[Histogram] = field(default_factory=list)
    planes: list[PlaneMean] = field(default_factory=list)
    selected: list[Node] = field(default_factory=list)


def _groups(wanted: Mapping[str, Sequence[Node | Histogram | PlaneMean]], most: float) -> list[_Group]:
    """At least one group; each has at most `most` nodes, or one histogram with more."""
    groups, room = [_Group()], most
    for kind, one in ((kind, one) for kind, all_of in wanted.items() for one in all_of):
        size = len(one.nodes) if isinstance(one, Histogram) else 1
        if size > room and room < most:
            groups.append(_Group())
            room = most
        getattr(groups[-1], kind).append(one)
        room -= size
    return groups


def measured_by(node: Node) -> Node | None:
    """The node whose mean or maximum a number is, or None."""
    value = node.value if node.kind == "number" else None
    return value.of if isinstance(value, Largest) else value if isinstance(value, Node) else None


def _fields(node: Node) -> list[Field]:
    """The fields of a linear form, in its order, so that all ranks make the same plan."""
    return list(dict.fromkeys(term.field for term in node.value)) if node.kind == "linear" else []


class _Levels:
    """The first level in which a node can be worked out; −1 for means in the modes before all stages.

    A level is one stage, or several if their number of nodes is limited.
    """

    def __init__(self, walls: bool) -> None:
        self._known: dict[Node, int] = {}
        self._walls = walls

    def in_modes(self, one: Node | Largest) -> bool:
        """Whether the mean of a node is found in the modes."""
        return isinstance(one, Node) and not self._walls and in_modes(one)

    def of_measured(self, one: Node | Largest) -> int:
        """The level that gives the mean of a node, or a maximum."""
        if isinstance(one, Largest):
            return self.of(one.of)
        # The level before transforms back the last of the node's products, and its modes give the mean.
        return self.of(one) - self.in_modes(one)

    def of(self, node: Node) -> int:
        for one in within(node):
            if one not in self._known:
                self._known[one] = self._level(one)
        return self._known[node]

    def _level(self, node: Node) -> int:
        if measured_by(node):
            return self.of_measured(node.value) + 1
        of_fields = [self.of(field.product) + 1 for field in _fields(node) if field.product]
        return max([self._known[one] for one in node.arguments] + of_fields, default=0)


def _stage(group: _Group, fields: ProductFields) -> ProgramStage:
    operands = [node for one in group.histograms for node in one.nodes]
    products = [product.product for one in group.product_fields for product, *_ in one.parts]
    of_planes = [one.node for one in group.planes]
    results = [*group.means, *of_planes, *group.maxima, *products, *group.values, *group.selected, *operands]
    return ProgramStage(
        _Compilation(results, fields).program(),
        tuple(group.means),
        tuple(group.maxima),
        tuple(group.product_fields),
        tuple(group.values),
        tuple(group.histograms),
        tuple(group.planes),
        tuple(group.selected),
        tuple(group.in_modes),
    )


Place = tuple[str, Any]  # an operand: a kind, and its index, or for "number" its value or key


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

    def program(self) -> Program:
        numbers = list(
            dict.fromkeys(one for _, places in self.steps for kind, one in places if kind == "number")
        )
        numbers += [one for kind, one in map(self.places.get, self.results) if kind == "number"]
        numbers = list(dict.fromkeys(numbers))
        first = {"input": 0, "axis": len(self.span.transformed) + len(numbers)}
        first["result"] = first["axis"] + 3

        def operand(place: Place) -> int:
            kind, which = place
            return (
                len(self.span.transformed) + numbers.index(which) if kind == "number" else first[kind] + which
            )

        return Program(
            tuple(self.span.transformed),
            tuple(numbers),
            tuple(Instruction(name, tuple(map(operand, places))) for name, places in self.steps),
            tuple(operand(self.places[node]) for node in self.results),
        )

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
        if node.uniform and node.kind not in ("constant", "number"):
            return "number", DerivedNumber(node)
        match node.kind:
            case "constant" | "number":
                return "number", node.value
            case "coordinate":
                return "axis", node.value
            case "linear":
                return self._combined(node.value)
        if products := self.fused.get(node):
            factors = [one for product in products for one in product.arguments]
            others = [one for one in node.arguments if one not in products]
            name = _FUSED[node.kind, tuple(one in products for one in node.arguments)]  # type: ignore[index]
            return self._step(name, *map(self.places.get, (*factors, *others)))
        return self._step(node.kind, *map(self.places.get, node.arguments))

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

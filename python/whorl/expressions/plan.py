"""Plans of expressions: steps in order, round trips with programs and sums over the modes.

A round trip carries linear forms to the points, its inputs. There a program works out means, products that
are transformed back to the modes as fields, and in the last round trip the values themselves.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whorl.base.text import counted
from whorl.expressions.graph import EVEN, Field, Graph
from whorl.expressions.histogram import Histogram, ModeSums, PlaneMean
from whorl.expressions.increments import Increments
from whorl.expressions.linear import LinearForm
from whorl.expressions.nodes import Largest, Node, in_modes, within
from whorl.expressions.product_fields import ProductFields
from whorl.expressions.program import Program
from whorl.expressions.questions import Questions
from whorl.expressions.steps import IncrementStage, ModeMeans, ModeSpectra, ProgramStage, Step


@dataclass(frozen=True)
class ExpressionPlan:
    """The steps that work out some nodes, in order; values and histograms are results of the last stages.

    `fields` are the fields that products are transformed back to.
    """

    steps: tuple[Step, ...]
    fields: ProductFields

    @property
    def stages(self) -> list[ProgramStage]:
        """The round trips with results at the points."""
        return [step for step in self.steps if isinstance(step, ProgramStage)]

    def __str__(self) -> str:
        return told([self])


def told(plans: Iterable[ExpressionPlan]) -> str:
    """The numbers of inputs, products, operations and round trips of all plans together, as text."""
    steps = [step for plan in plans for step in plan.steps]
    programs = [step.program for step in steps if isinstance(step, ProgramStage | IncrementStage)]
    inputs = sum(len(program.inputs) for program in programs)
    products = sum(step.products for step in steps if isinstance(step, ProgramStage))
    operations = sum(program.operations for program in programs)
    trips = f" in {len(programs)} round trips" if len(programs) > 1 else ""
    means = sum(len(step.nodes) for step in steps if isinstance(step, ModeMeans))
    sums = f", {counted(means, 'mean')} in the modes" if means else ""
    return (
        f"{counted(inputs, 'input')}, {counted(products, 'product')}, "
        f"{counted(operations, 'operation')} a point{trips}{sums}"
    )


def plan_of(questions: Questions) -> ExpressionPlan:
    """The plan that works out all answers, which the questions keep."""
    if questions.plan is None:
        # Each node once, whatever the number of selections that have it.
        selected = list(dict.fromkeys(node for one in questions.selections for node in one.nodes))
        values, means = (
            [node for one in of for node in one.nodes()] for of in (questions.values, questions.numbers)
        )
        questions.plan = plan(
            questions.parser.graph,
            *(values, means, questions.histograms, questions.samples, selected, questions.increments),
            planes=list(dict.fromkeys(questions.planes)),
            spectra=questions.spectra,
            most=questions.most,
        )
    return questions.plan


def plan(
    graph: Graph,
    values: Sequence[Node],
    means: Sequence[Node] = (),
    histograms: Sequence[Histogram] = (),
    forms: Sequence[Node] = (),
    selected: Sequence[Node] = (),
    increments: Sequence[Increments] = (),
    *,
    planes: Sequence[PlaneMean] = (),
    spectra: Sequence[ModeSums] = (),
    most: float = math.inf,
) -> ExpressionPlan:
    """The plan for values at the points, means, histograms, and the products in linear forms of the modes.

    `selected` are values at some of the points. A round trip has at most `most` means, maxima, nodes of
    histograms and selected values, or one histogram with more nodes.
    """
    of_planes = [one.node for one in planes]
    at_points = [*values, *(node for one in histograms for node in one.nodes), *of_planes, *selected]
    of_modes = [*forms, *(node for one in spectra for pair in one.pairs for node in pair)]
    of_rows = [node for one in increments for node in one.nodes]
    levels = _Levels(graph.walls != EVEN, means, [*at_points, *means, *of_modes, *of_rows])
    fields = ProductFields.of(levels.linear, levels.products, graph.fields)
    last = max([levels.of(node) for node in at_points], default=-1)
    # No stage if all nodes are numbers.
    last = max([last, *levels.measured.values(), *levels.products.values()])
    at_last = {"histograms": histograms, "planes": planes, "selected": selected}
    steps: list[Step] = [*_mode_means(levels, -1, fields)]
    for level in range(last + 1):
        groups = _groups(levels.at_points(level) | (at_last if level == last else {}), most)
        groups[0]["product_fields"] = [
            one for one in fields.fields if levels.products[one.parts[0][0]] == level
        ]
        groups[0]["values"] = values if level == last else ()
        steps += [_stage(group, fields) for group in groups]
        steps += _mode_means(levels, level, fields)
    steps += [IncrementStage(one, Program.of(list(one.nodes), fields)) for one in increments]
    for axes in dict.fromkeys(sums.axes for sums in spectra):
        steps.append(ModeSpectra.of([sums for sums in spectra if sums.axes == axes], fields))
    return ExpressionPlan(tuple(steps), fields)


def _groups(wanted: Mapping[str, Sequence[Any]], most: float) -> list[dict[str, Any]]:
    """At least one group, by attribute of its stage; each has at most `most` nodes or one histogram."""
    groups, room = [defaultdict[str, Any](list)], most
    for kind, one in ((kind, one) for kind, all_of in wanted.items() for one in all_of):
        size = len(one.nodes) if isinstance(one, Histogram) else 1
        if size > room and room < most:
            groups.append(defaultdict(list))
            room = most
        groups[-1][kind].append(one)
        room -= size
    return list(groups)


def _stage(group: Mapping[str, Sequence[Any]], fields: ProductFields) -> ProgramStage:
    of = {kind: tuple(nodes) for kind, nodes in group.items()}
    product_fields, histograms = of.get("product_fields", ()), of.get("histograms", ())
    results = [
        *of.get("means", ()),
        *(one.node for one in of.get("planes", ())),
        *of.get("maxima", ()),
        *(product.product for one in product_fields for product, *_ in one.parts),
        *of.get("values", ()),
        *of.get("selected", ()),
        *(node for one in histograms for node in one.nodes),
    ]
    return ProgramStage(Program.of(results, fields, product_fields), **of)


def _mode_means(levels: "_Levels", level: int, fields: ProductFields) -> Iterator[ModeMeans]:
    """The means that the modes give after a level, if any."""
    if nodes := [one for one, of in levels.measured.items() if of == level and levels.in_modes(one)]:
        yield ModeMeans.of(nodes, fields)  # type: ignore[arg-type]


def measured_by(node: Node) -> Node | None:
    """The node whose mean or maximum a number is, or None."""
    value = node.value if node.kind == "number" else None
    return value.of if isinstance(value, Largest) else value if isinstance(value, Node) else None


class _Levels:
    """The first level in which a node can be worked out; −1 for means in the modes before all stages.

    A level is one stage, or several if their number of nodes is limited. Some nodes follow from the means and
    maxima `measured` and the `products`, with their levels, and from `linear` forms.
    """

    def __init__(self, walls: bool, means: Sequence[Node], nodes: Sequence[Node]) -> None:
        self._known: dict[Node, int] = {}
        self._walls = walls
        self.measured: dict[Node | Largest, int] = {
            node: self.of_measured(node) for node in means if not node.uniform
        }
        self.products: dict[Field, int] = {}
        self.linear: dict[LinearForm, None] = {}
        stack = list(nodes)
        while stack:
            for node in within(stack.pop()):
                of = measured_by(node)
                if of and node.value not in self.measured:
                    self.measured[node.value] = self.of_measured(node.value)
                    stack.append(of)
                if node.kind == "linear":
                    self.linear[node.value] = None
                    new = [term.field for term in node.value if term.field not in self.products]
                    self.products |= {field: self.of(field.product) for field in new if field.product}
                    stack += [field.product for field in dict.fromkeys(new) if field.product]

    def at_points(self, level: int) -> dict[str, list[Node]]:
        """The means and maxima that a level gives at the points."""
        found = [one for one, of in self.measured.items() if of == level and not self.in_modes(one)]
        return {
            "means": [one for one in found if isinstance(one, Node)],
            "maxima": [one.of for one in found if isinstance(one, Largest)],
        }

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
        form = node.value if node.kind == "linear" else ()
        of_fields = [self.of(term.field.product) + 1 for term in form if term.field.product]
        return max([self._known[one] for one in node.arguments] + of_fields, default=0)

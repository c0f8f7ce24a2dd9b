"""Products and other nodes at the points, in terms of the inputs of a round trip."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from whorl.equations.exact import ONE
from whorl.equations.formulas import combination
from whorl.equations.multipliers import Form
from whorl.equations.plan import Number
from whorl.equations.points import Builder, Operand, Sum
from whorl.equations.split import Clock, Split
from whorl.equations.sums import Column
from whorl.equations.written import Writer
from whorl.expressions.nodes import Node


@dataclass
class PointProgram:
    """The instructions of a round trip; `clocks` has the numbers of a run, to which more are added."""

    split: Split
    writer: Writer
    clocks: dict[Clock, int]
    inputs: Sequence[Form]

    def __post_init__(self) -> None:
        self.builder = Builder(len(self.inputs))
        self._places = {form: place for place, form in enumerate(self.inputs)}

    def product(self, columns: Mapping[Column, Fraction]) -> Operand:
        """A product: a sum of products of inputs and of functions, with the numbers of clocks."""
        total: Sum = {}
        for clock in sorted({column.clock for column in columns}):
            of: Sum = {}
            for column, value in sorted(columns.items()):
                if column.clock == clock:
                    of[self._monomial(column)] = value
            if clock:
                by = self.number(clock)
                of = {tuple(sorted((by, self.builder.sum(of)))): ONE}
            total |= of
        return self.builder.sum(total)

    def node(self, node: Node) -> Operand:
        """A node whose forms are combinations of the inputs."""
        return self.builder.node(node, self._leaf, self.writer.text)

    def number(self, clock: Clock) -> Operand:
        """The number of a clock."""
        self.clocks.setdefault(clock, len(self.clocks))
        return self.builder.number(Number("clock", which=self.clocks[clock]))

    def _monomial(self, column: Column) -> tuple[Operand, ...]:
        if not column.text:
            return tuple(sorted(("input", self._places[form]) for form in column.forms))
        return (self.node(self.split.nodes[column.text]),)

    def _leaf(self, node: Node) -> Operand:
        """A form as a combination of inputs, or a number of the clock."""
        if node.kind == "number":
            text = self.writer.text(node)
            self.split.atoms.setdefault(text, node)
            return self.number((text,))
        found = combination(self.writer.form(node), self.inputs)
        assert found is not None  # forms at points are among the inputs
        return self.builder.sum(
            {(("input", self._places[one]),): value for one, value in sorted(found.items())}
        )

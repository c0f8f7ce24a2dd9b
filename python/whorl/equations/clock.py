"""Numbers that are found before each stage: functions of the time, and means that the modes give."""

from collections.abc import Mapping

from whorl.equations.exact import ONE
from whorl.equations.linear_part import plan_term
from whorl.equations.multipliers import Form
from whorl.equations.plan import Clock as ClockTable
from whorl.equations.plan import Mean, Number, PlanTerm
from whorl.equations.points import Builder, Operand
from whorl.equations.split import Clock, Split
from whorl.equations.written import Writer
from whorl.expressions.nodes import Node, in_modes


def clock_of(split: Split, clocks: Mapping[Clock, int], writer: Writer) -> ClockTable:
    """The table of the numbers in `clocks`, in the order of their places."""
    builder = Builder(0)
    means: dict[str, Mean] = {}

    def leaf(node: Node) -> Operand:
        if isinstance(node.value, str):
            return builder.number(Number("t"))
        return mean(node.value)

    def mean(node: Node) -> Operand:
        """The mean of a sum is a sum of means."""
        if node.uniform:
            return builder.node(node, leaf, writer.text)
        if in_modes(node):
            text = writer.text(node)
            means.setdefault(text, _mean(node, writer))
            return builder.number(Number("mean", which=list(means).index(text)))
        return builder.step(node.kind, *map(mean, node.arguments))

    results = []
    for clock in sorted(clocks, key=clocks.__getitem__):
        operands = [builder.node(split.atoms[atom], leaf, writer.text) for atom in clock]
        results.append(builder.sum({tuple(sorted(operands)): ONE}))
    return ClockTable(tuple(means.values()), builder.program(results))


def _mean(node: Node, writer: Writer) -> Mean:
    factors = node.arguments if node.kind == "multiply" else (node,)
    forms = sorted(writer.form(one) for one in factors)
    return Mean(*(_terms(form) for form in forms))


def _terms(form: Form) -> tuple[PlanTerm, ...]:
    return tuple(plan_term(*item) for item in form)

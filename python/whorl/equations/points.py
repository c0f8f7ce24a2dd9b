"""The program at the points: instructions for sums of products, with equal parts once."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from whorl.equations.plan import Instruction, Number, PointProgram
from whorl.expressions.nodes import Node
from whorl.expressions.operations import OPERATIONS

Operand = tuple[str, int]  # "input", "number", "axis" or "step", and which
Monomial = tuple[Operand, ...]
Sum = dict[Monomial, Fraction]
MOST_FUSED = 2


class Builder:
    """Makes instructions; an instruction that exists is used again."""

    def __init__(self, inputs: int):
        self.inputs = inputs
        self.numbers: dict[Number, int] = {}
        self.steps: dict[tuple[str, tuple[Operand, ...]], int] = {}
        self._sums: dict[tuple[tuple[Monomial, Fraction], ...], Operand] = {}

    def value(self, value: float) -> Operand:
        """A constant."""
        return self.number(Number("value", float(value)))

    def number(self, number: Number) -> Operand:
        """A number of the program."""
        return "number", self.numbers.setdefault(number, len(self.numbers))

    def step(self, name: str, *operands: Operand) -> Operand:
        """The result of an operation."""
        return "step", self.steps.setdefault((name, operands), len(self.steps))

    def node(self, node: Node, leaf: Callable[[Node], Operand], text: Callable[[Node], str]) -> Operand:
        """A node; `leaf` gives forms and numbers that are no constants, `text` orders arguments."""
        if node.kind == "constant":
            return self.value(node.value)
        if node.kind == "coordinate":
            return "axis", node.value
        if node.kind in ("linear", "number"):
            return leaf(node)
        commutes = OPERATIONS[node.kind].commutes
        arguments = sorted(node.arguments, key=text) if commutes else node.arguments
        return self.step(node.kind, *(self.node(one, leaf, text) for one in arguments))

    def sum(self, terms: Mapping[Monomial, Fraction]) -> Operand:
        """A sum of products, with factors that several have taken out."""
        key = tuple(sorted(terms.items()))
        if key not in self._sums:
            self._sums[key] = self._made(dict(key))
        return self._sums[key]

    def _made(self, terms: Sum) -> Operand:
        if not terms:
            return self.value(0)
        if all(value < 0 for value in terms.values()):
            return self.step("negative", self.sum({key: -value for key, value in terms.items()}))
        counts = Counter(one for monomial in terms for one in set(monomial) if len(monomial) > 1)
        common = min(counts, key=lambda one: (-counts[one], one), default=None)
        if common is None or counts[common] < 2 or len(terms) < 2:
            return self._added(terms)
        taken: Sum = {}
        rest: Sum = {}
        for monomial, value in terms.items():
            if common in monomial and len(monomial) > 1:
                place = monomial.index(common)
                taken[monomial[:place] + monomial[place + 1 :]] = value
            else:
                rest[monomial] = value
        if not rest:
            return self.step("multiply", common, self.sum(taken))
        if all(value < 0 for value in taken.values()):
            positive = self.sum({key: -value for key, value in taken.items()})
            return self.step("subtract_product", common, positive, self.sum(rest))
        return self.step("multiply_add", common, self.sum(taken), self.sum(rest))

    def _added(self, terms: Sum) -> Operand:
        """A sum of products without common factors, of which one at least is positive."""
        pieces = sorted((value < 0, monomial, abs(value)) for monomial, value in terms.items())
        (_, first, size), *others = pieces
        if not others:
            return self._product(first, size)
        one = self._pair(first, size)
        (minus, second, size), *others = others
        total = self._joined(minus, one, self._pair(second, size))
        for minus, monomial, size in others:
            pair = self._pair(monomial, size)
            if len(pair) == MOST_FUSED:
                total = self.step("subtract_product" if minus else "multiply_add", *pair, total)
            else:
                total = self.step("subtract" if minus else "add", total, pair[0])
        return total

    def _joined(self, minus: bool, one: tuple[Operand, ...], other: tuple[Operand, ...]) -> Operand:
        """The sum or difference of two products of one or two operands."""
        if len(one) == len(other) == MOST_FUSED:
            return self.step("subtract_products" if minus else "add_products", *one, *other)
        if len(one) == MOST_FUSED:
            return self.step("multiply_subtract" if minus else "multiply_add", *one, *other)
        if len(other) == MOST_FUSED:
            return self.step("subtract_product" if minus else "multiply_add", *other, *one)
        return self.step("subtract" if minus else "add", *one, *other)

    def _pair(self, monomial: Monomial, scale: Fraction) -> tuple[Operand, ...]:
        """One or two operands whose product is a monomial times a number."""
        factors = [*monomial] if scale == 1 and monomial else [self.value(float(scale)), *monomial]
        while len(factors) > MOST_FUSED:
            factors[:2] = [self.step("multiply", *factors[:2])]
        return tuple(factors)

    def _product(self, monomial: Monomial, scale: Fraction) -> Operand:
        pair = self._pair(monomial, scale)
        return self.step("multiply", *pair) if len(pair) == MOST_FUSED else pair[0]

    def program(self, results: Sequence[Operand]) -> PointProgram:
        """The program with these results."""
        first = {"input": 0, "number": self.inputs, "axis": self.inputs + len(self.numbers)}
        first["step"] = first["axis"] + 3

        def place(operand: Operand) -> int:
            return first[operand[0]] + operand[1]

        instructions: list[Instruction] = [(name, tuple(map(place, of))) for name, of in self.steps]
        return PointProgram(self.inputs, tuple(self.numbers), tuple(instructions), tuple(map(place, results)))

"""Expressions on the present state of a flow: the core runs their programs."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from whorl import _core
from whorl.config.case import Case
from whorl.config.vocabulary import vocabulary
from whorl.programs.linear import LinearForm
from whorl.programs.nodes import Field, Node, worked_out
from whorl.programs.parse import Parser
from whorl.programs.plan import Plan, Stage, plan
from whorl.programs.values import Value

# Calls with z0, z1, y0, y1 and the values of the points of this rank between, [component][z][y][x].
Consume = Callable[[int, int, int, int, np.ndarray], None]


class Expressions:
    """Texts of one case as values, worked out together.

    Parameters
    ----------
    case : Case
        The case, whose fields, quantities and numbers the texts may name.
    values : sequence of str
        What is wanted at the points.
    means : sequence of str
        What is wanted as a mean over all points.

    Raises
    ------
    ExpressionError
        If a text means nothing.
    """

    def __init__(self, case: Case, values: Sequence[str] = (), means: Sequence[str] = ()):
        self.parser = Parser(vocabulary(case))
        self.values: list[Value] = [self.parser.parse(text) for text in values]
        self.means: list[Value] = [self.parser.parse(text) for text in means]
        self._averaged = [node for value in self.means for node in value.nodes()]
        self.plan: Plan = plan([node for value in self.values for node in value.nodes()], self._averaged)

    def run(self, flow: _core.Flow, time: float, consume: Consume = lambda *_: None) -> list[np.ndarray]:
        """Work them out: `consume` gets the values of all texts, one after another.

        Returns the means, arrays of the shapes of their values, complex ones of complex values. Collective.
        """
        known: dict[str | Node, float] = {"t": time}
        numbers = {field: field.serial for field in self.parser.graph.fields if not field.product}
        try:
            for stage in self.plan.stages:
                program = _of_core(stage, known, numbers)
                wanted = (len(stage.means), len(stage.products), len(stage.values))
                known |= zip(stage.means, flow.run_program(program, wanted, consume), strict=True)
                for product in stage.products:
                    numbers[product] = len(numbers)
        finally:
            flow.forget_products()
        found = iter([known[node] if node in known else worked_out(node, known) for node in self._averaged])
        return [_gathered(value, found) for value in self.means]


def _of_core(stage: Stage, known: dict[str | Node, float], numbers: dict[Field, int]) -> _core.Program:
    """The program of a stage, whose fields the core numbers like this."""
    program = stage.program
    inputs = [_terms(form, numbers) for form in program.inputs]
    # The core carries one input at least: then the others are numbered behind it.
    unused = 0 if inputs else 1
    if unused:
        inputs = [[(0, 0.0, [0, 0, 0], 0, 0.0, math.inf)]]
    return _core.Program(
        inputs,
        [known[one] if isinstance(one, str | Node) else one for one in program.numbers],
        [(step.operation, [one + unused for one in step.operands]) for step in program.instructions],
        [one + unused for one in program.results],
        [list(field.parity) for field in stage.products],
    )


def _terms(form: LinearForm, numbers: dict[Field, int]) -> list[tuple[Any, ...]]:
    terms = []
    for term, factor in form.items():
        m = term.multiplier
        terms.append((numbers[term.field], factor, list(m.derivatives), m.power, m.low, m.high))
    return terms


def _gathered(value: Value, found: Iterator[float]) -> np.ndarray:
    """The next numbers in the shape of a value."""
    parts = [np.array([next(found) for _ in range(value.real.size)]).reshape(value.real.shape)]
    if value.complex:
        parts.append(np.array([next(found) for _ in range(value.real.size)]).reshape(value.real.shape))
        return parts[0] + 1j * parts[1]
    return parts[0]

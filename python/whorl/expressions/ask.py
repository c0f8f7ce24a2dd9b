"""Expressions on the present state of a flow, given as texts."""

from collections.abc import Sequence

import numpy as np

from whorl import _core
from whorl.config.case import Case
from whorl.expressions.answers import Consume, answer
from whorl.expressions.plan import Plan
from whorl.expressions.planned import Asked


class Expressions:
    """Values that are evaluated together, as a planned case has them; `of` makes them of texts."""

    def __init__(self, asked: Asked):
        self.questions, self.values, self.means = asked.questions, asked.values, asked.means

    @classmethod
    def of(cls, case: Case, values: Sequence[str] = (), means: Sequence[str] = ()) -> "Expressions":
        """Values of texts, which the case does not keep.

        Parameters
        ----------
        case : Case
            The case, whose fields, quantities and numbers the texts may name.
        values : sequence of str
            The texts to evaluate at the points.
        means : sequence of str
            The texts whose means over all points are wanted.

        Raises
        ------
        ExpressionError
            If a text is no valid expression of the case.
        """
        return cls(Asked.of(case.planned.questions(), values, means))

    @property
    def plan(self) -> Plan:
        """The plan that evaluates them."""
        return self.questions.plan

    def run(self, flow: _core.Flow, time: float, consume: Consume = lambda *_: None) -> list[np.ndarray]:
        """Evaluate them: `consume` gets the values of all texts, one after another.

        Returns the means as arrays of the shapes of their values, complex for complex values. Collective.
        """
        answers = answer(self.questions, flow, time, consume)
        return [answers.number(value) for value in self.means]

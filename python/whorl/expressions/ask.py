"""Expressions on the present state of a flow, given as texts."""

from collections.abc import Sequence

import numpy as np

from whorl import _core
from whorl.config.case import Case
from whorl.expressions.answers import Consume, answer, questions_of
from whorl.expressions.plan import Plan
from whorl.expressions.values import Value


class Expressions:
    """Texts of one case as values, which are evaluated together.

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

    def __init__(self, case: Case, values: Sequence[str] = (), means: Sequence[str] = ()):
        self.questions = questions_of(case)
        parse = self.questions.parser.parse
        self.values: list[Value] = [parse(text) for text in values]
        self.questions.values += self.values
        self.means: list[Value] = [self.questions.mean(parse(text)) for text in means]
        self.plan: Plan = self.questions.plan

    def run(self, flow: _core.Flow, time: float, consume: Consume = lambda *_: None) -> list[np.ndarray]:
        """Evaluate them: `consume` gets the values of all texts, one after another.

        Returns the means as arrays of the shapes of their values, complex for complex values. Collective.
        """
        answers = answer(self.questions, flow, time, consume)
        return [answers.number(value) for value in self.means]

"""A planned case: all that a case asks of a state or a point, each expression parsed and planned once.

Checks, the count of memory, the log and the outputs read the same questions. Questions that a run asks at one
time have a parser of their own, because the order in which nodes are made decides on rounding.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import PrivateAttr

from whorl.base.declared import DEVICES
from whorl.base.errors import CaseError
from whorl.config.section import Section
from whorl.diagnostics.options import ArrayLayout, Diagnostic
from whorl.expressions.case import (
    STOP_WHEN,
    check_component,
    check_condition,
    check_field,
    check_number,
    formulas,
    row_expressions,
    snapshot_expressions,
)
from whorl.expressions.faults import ExpressionError, fault, in_one_line
from whorl.expressions.formulas import ForcePart, parts_of, vocabulary_of_formulas
from whorl.expressions.parse import Parser, Vocabulary
from whorl.expressions.points import AtPoints
from whorl.expressions.questions import Questions
from whorl.expressions.values import Value
from whorl.expressions.vocabulary import vocabulary
from whorl.probes.options import Probe, Read

if TYPE_CHECKING:
    from whorl.config.case import Case

Result = TypeVar("Result")

# The most means, nodes of histograms and selected values of a round trip on a device with streams: the core
# keeps 64 values of a point.
MOST_ON_STREAMS = 24


def once(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method whose results its object keeps, by the arguments."""

    @wraps(method)
    def kept(self: "PlannedCase", *arguments: Any) -> Any:
        key = (method, *arguments)
        if key not in self._made:
            self._made[key] = method(self, *arguments)
        return self._made[key]

    return kept


class PlannedCase:
    """The questions of a case and the values of its formulas, made when they are first wanted.

    A case and its planned case refer to each other; neither has a flow or a file.

    Every method raises ExpressionError for an expression that is not valid.
    """

    def __init__(self, case: "Case"):
        self.case = case
        self._made: dict[Any, Any] = {}

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The names that expressions of the flow may use."""
        return vocabulary(self.case)

    def questions(self) -> Questions:
        """Empty questions about a state of the case."""
        most = MOST_ON_STREAMS if DEVICES[self.case.run.device]["streams"] else math.inf
        return Questions(Parser(self.vocabulary), most=most)

    def keep(self, name: str, make: Callable[["PlannedCase"], Result]) -> Result:
        """The result of `make` for the planned case, which keeps it by a name."""
        if name not in self._made:
            self._made[name] = make(self)
        return self._made[name]

    def check(self) -> None:
        """Raises CaseError, naming the option, for an expression of the case that is not valid."""
        for place, texts, in_time in formulas(self.case):
            with _named(place):
                self._formula(texts, in_time)
        self.row()
        for name in snapshot_expressions(self.case):
            self.field(name)
        for diagnostic in self.case.diagnostics:
            try:
                self.together(diagnostic)
            except CaseError:
                raise
            except ValueError as error:
                text = str(error)
                raise CaseError(text if text.endswith("?") else f"{text}.") from None
        for probe in (*self.case.probes, *self.case.particles):
            self.read(probe)

    @once
    def row(self) -> Questions:
        """The expressions of a row of series.csv (`row_expressions`), as means."""
        questions = self.questions()
        for name, text in row_expressions(self.case).items():
            column = name != STOP_WHEN
            with _named(f"output.columns.{name}" if column else name):
                value = _checked(questions.parser, text, check_number if column else check_condition)
            questions.mean(value)
        return questions

    @once
    def field(self, name: str) -> Questions:
        """A field of snapshots that is an expression, as a value."""
        questions = self.questions()
        with _named(f"output.fields, {name}"):
            value = _checked(questions.parser, snapshot_expressions(self.case)[name], check_field)
        questions.values.append(value)
        return questions

    def asked(self, values: Sequence[str] = (), means: Sequence[str] = ()) -> Questions:
        """Texts that the case does not have, and which are not kept."""
        questions = self.questions()
        parse = questions.parser.parse
        questions.values += [parse(text) for text in values]
        for text in means:
            questions.mean(parse(text))
        return questions

    @once
    def means(self, *texts: str) -> Questions:
        """Texts as means, or numbers, which are kept."""
        return self.asked(means=texts)

    @once
    def together(self, *diagnostics: Diagnostic) -> tuple[Questions, list[ArrayLayout]]:
        """The questions of diagnostics that are measured by the same round trips, and their layouts."""
        questions = self.questions()
        return questions, [one.ask(questions, self.case) for one in diagnostics]

    @once
    def read(self, probe: Probe) -> tuple[Questions, list[Read]]:
        """The values that a probe, or a group of particles, reads at its places."""
        questions = self.questions()
        reads = probe.reads(questions.parser, self.case)
        questions.sample(node for one in reads for node in one.nodes)
        return questions, reads

    @once
    def moving(self, *texts: str) -> Questions:
        """The questions for the vectors that move particles, by components."""
        questions = self.questions()
        questions.sample([node for text in texts for node in questions.parser.parse(text).nodes()])
        return questions

    def initial(self, texts: tuple[str, ...]) -> AtPoints:
        """The components of an initial field."""
        return AtPoints([value.scalar for value in self._formula(texts, False)[1]])

    @once
    def force(self, texts: tuple[str, ...]) -> tuple[ForcePart, ...]:
        """The components of a force, as a sum of parts."""
        parser, values = self._formula(texts, True)
        return parts_of(parser.graph, [value.scalar for value in values])

    @once
    def _formula(self, texts: tuple[str, ...], in_time: bool) -> tuple[Parser, list[Value]]:
        parser = Parser(vocabulary_of_formulas(self.case, in_time=in_time))
        return parser, [_checked(parser, text, check_component) for text in texts]


class Planned(Section):
    """Base of a case: it keeps its planned case, which copies with other options of [run] share."""

    _forces_not_there: frozenset[str] = PrivateAttr(frozenset())
    # A slot is not compared, copied or sent to other processes.
    __slots__ = ("_plans",)
    if TYPE_CHECKING:
        run: Any = None
        _plans: dict[Any, PlannedCase]

    @property
    def forces_not_there(self) -> frozenset[str]:
        """Labels of forces without values in an opened state, because their script or file is missing."""
        return self._forces_not_there

    def without_forces(self, labels: Iterable[str]) -> Self:
        """A copy of the case in which these forces have no values, so that expressions refuse them."""
        case = self._copied()
        case._forces_not_there = frozenset(labels)
        return case

    def with_run(self, **options: Any) -> Self:
        """A copy of the case with other options of [run], which are not checked."""
        return self._copied(run=self.run.model_copy(update=options))

    def _copied(self, **sections: Section) -> Self:
        case = self.model_copy(update=sections)
        object.__setattr__(case, "_plans", self._kept)
        return case

    @property
    def planned(self) -> PlannedCase:
        """The expressions of the case, each parsed and planned once."""
        depends = (self.run.device, self.run.precision, self._forces_not_there)
        if depends not in self._kept:
            self._kept[depends] = PlannedCase(self)  # type: ignore[arg-type]
        return self._kept[depends]

    @property
    def _kept(self) -> dict[Any, PlannedCase]:
        if not hasattr(self, "_plans"):
            object.__setattr__(self, "_plans", {})
        return self._plans


@contextmanager
def _named(place: str) -> Iterator[None]:
    """Begins the message of an ExpressionError raised inside with the option."""
    try:
        yield
    except ExpressionError as error:
        raise error.at(place) from None


def _checked(parser: Parser, text: str, check: Callable[[Value], None]) -> Value:
    """The value of a text. Raises ExpressionError if `check` refuses it by a ValueError."""
    try:
        value = parser.parse(text)
        check(value)
    except ExpressionError:
        raise
    except ValueError as error:
        raise fault(str(error), in_one_line(text)) from None
    return value

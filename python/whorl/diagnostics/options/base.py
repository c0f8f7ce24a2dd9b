"""The declaration of a diagnostic: its options, its questions to a state, and the resulting arrays."""

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, Literal, TypeVar

import numpy as np
from pydantic import AfterValidator, BeforeValidator

from whorl.base.dimension import Dimension, common
from whorl.config.explain import did_you_mean
from whorl.config.scalars import plain_name
from whorl.config.section import Interval, Section, listed, one_or_listed, option
from whorl.expressions.faults import ExpressionError, fault, in_one_line
from whorl.expressions.nodes import Node
from whorl.expressions.parse import component_text
from whorl.expressions.questions import Answers, Questions
from whorl.expressions.values import Value

if TYPE_CHECKING:
    from whorl.config.case import Case

MOST_QUANTITIES = 100  # of one diagnostic
SAME = "it is the same at all points"  # the reason why it is not measured


def word_or_numbers(value: Any, words: Sequence[str], types: tuple[type, ...], numbers: str) -> Any:
    """A word, or a tuple of numbers of some types, which are called `numbers`.

    Raises ValueError for anything else.
    """
    found = listed(value)
    if isinstance(found, tuple) and all(type(one) in types for one in found):
        return found
    if value in words:
        return value
    near = did_you_mean(value, words) if isinstance(value, str) else ""
    raise ValueError(f"it must be {' or '.join(words)}, or a list of {numbers}{near}")


OverTime = Literal["mean", "sum", "std"]
Texts = Annotated[tuple[str, ...], BeforeValidator(one_or_listed)]
Result = TypeVar("Result")
Found = Callable[[Answers], np.ndarray]  # the values of an array, from the answers


@dataclass(frozen=True)
class Axis:
    """A coordinate of arrays: numbers, or texts."""

    name: str
    values: Sequence[float] | Sequence[str] | np.ndarray
    meaning: str
    unit: str = ""


@dataclass(frozen=True)
class Array:
    """An array over axes, which `of` computes from the answers.

    `over_time` is the way to combine several states: the "mean" of their values, their "sum", as of counts,
    or the "std" of all their points. A "std" is about the means of each state, the array `about`. Means and
    deviations over the points of bins are `weighted_by` the array of the numbers of points, and are NaN in
    empty bins.
    """

    name: str
    axes: tuple[str, ...]
    meaning: str
    of: Found
    unit: str = ""
    over_time: OverTime = "mean"
    weighted_by: str = ""
    about: str = ""


@dataclass(frozen=True)
class ArrayLayout:
    """The axes and the arrays that a diagnostic gives for each state."""

    axes: tuple[Axis, ...]
    arrays: tuple[Array, ...]

    def shape_of(self, array: Array) -> tuple[int, ...]:
        """The lengths of its axes."""
        lengths = {axis.name: len(axis.values) for axis in self.axes}
        return tuple(lengths[name] for name in array.axes)


class ComputedOnce(Generic[Result]):
    """A function of the answers that several arrays share, computed once; it keeps no answers alive."""

    def __init__(self, of: Callable[[Answers], Result]):
        self._of = of
        self._last: tuple[weakref.ref[Answers], Result] | None = None

    def __call__(self, answers: Answers) -> Result:
        if self._last is None or self._last[0]() is not answers:
            self._last = (weakref.ref(answers), self._of(answers))
        return self._last[1]


@dataclass(frozen=True)
class Quantity:
    """A real number at each point: its label, the option that names it, and its unit, None if not known."""

    text: str
    node: Node
    place: str
    unit: Dimension | None

    def fault(self, reason: str) -> ExpressionError:
        """An error about it."""
        return fault(reason, in_one_line(self.text)).at(self.place)


class Diagnostic(Section):
    """Base of all diagnostics: each has its docstring's first line as meaning."""

    kind: str = option(..., "kind of diagnostic")
    name: Annotated[str, AfterValidator(plain_name)] | None = option(
        None, "its group in diagnostics.h5; its kind by default"
    )
    every: Interval = option("100 steps", "how often it is measured; also at the start and the end")

    reference: ClassVar[str] = ""
    """The publication that defines it."""

    of_moments: ClassVar[bool] = False
    """Whether a picture shows the last state, unless a mean is asked for."""

    section: ClassVar[str] = "diagnostics"
    called: ClassVar[tuple[str, str]] = ("a diagnostic", "two diagnostics")
    free: ClassVar[tuple[str, ...]] = ("name", "every")
    """Options in which rows of one group may differ."""

    page: ClassVar[str] = ""
    """The page of docs/diagnostics that defines it; that of its kind by default."""

    @property
    def label(self) -> str:
        """The name of its group."""
        return self.name or self.kind

    def ask(self, questions: Questions, case: "Case") -> ArrayLayout:
        """Add its questions, and return the layout of its results. Raises ExpressionError or ValueError."""
        raise NotImplementedError

    def quantities(
        self, questions: Questions, given: Sequence[str], option_name: str = "of"
    ) -> list[Quantity]:
        """The components of some texts that differ from point to point, all real. Raises ExpressionError."""
        found = [one for text in given for one in self._components(questions, text, option_name)]
        if len(found) > MOST_QUANTITIES:
            raise ExpressionError(
                f"diagnostics.{self.label}.{option_name} holds {len(found)} quantities; at most "
                f"{MOST_QUANTITIES} are taken, so make several diagnostics of it."
            )
        return found

    def _components(self, questions: Questions, text: str, option_name: str) -> list[Quantity]:
        value = self.value_of(questions, text, option_name)
        if value.complex:
            reason = "a quantity is real; take real(…), imag(…) or abs(…) of it"
            raise self.fault(reason, text, option_name)
        # Zero components of a plane flow, for example, do not vary.
        varying = [index for index in np.ndindex(value.real.shape) if not value.real[index].uniform]
        if not varying:
            raise self.fault(SAME, text, option_name)
        place = f"diagnostics.{self.label}.{option_name}"
        return [
            Quantity(component_text(text, index), value.real[index], place, value.unit) for index in varying
        ]

    def value_of(self, questions: Questions, text: str, option_name: str = "of") -> Value:
        """The value of a text. Raises ExpressionError, naming the option."""
        try:
            return questions.parser.parse(text)
        except ExpressionError as error:
            raise error.at(f"diagnostics.{self.label}.{option_name}") from None

    def vector_or_number(self, questions: Questions, what: str, text: str, option_name: str = "of") -> Value:
        """The real vector or number of a text, for `what`. Raises ExpressionError for other values."""
        value = self.value_of(questions, text, option_name)
        if value.complex or value.rank > 1:
            reason = f"{what} are of real vectors and numbers, and this is {value}"
            raise self.fault(reason, text, option_name)
        return value

    def fault(self, reason: str, text: str, option_name: str = "of") -> ExpressionError:
        """An error about a text that an option holds."""
        return fault(reason, in_one_line(text)).at(f"diagnostics.{self.label}.{option_name}")


def check_labels(labels: Sequence[str], place: str) -> None:
    """Raises ExpressionError, naming the option, if a label occurs twice: results are selected by label."""
    if doubled := [label for label in dict.fromkeys(labels) if labels.count(label) > 1]:
        raise ExpressionError(f"{place} holds {', '.join(doubled)} more than once; give each quantity once.")


def chosen(
    names: Sequence[str], known: Mapping[str, Result], what: str, place: str, model: str
) -> dict[str, Result]:
    """The entries of `known`, those of a model, that the option PLACE.of names, or all of them.

    Raises ValueError if the model has none, or none of a name, and ExpressionError if a name occurs twice.
    """
    if not known:
        raise ValueError(f'{place} is not possible with flow.model = "{model}"')
    check_labels(names, f"{place}.of")
    for name in names:
        if name not in known:
            near = did_you_mean(name, known)
            raise ValueError(f"{place}.of: there is no {what} {name} here, but {', '.join(known)}{near}")
    return {name: known[name] for name in names or known}


def stacked(parts: Sequence[Found]) -> Found:
    """The values of several parts, stacked."""
    return lambda answers: np.array([part(answers) for part in parts])


def listed_numbers(values: Sequence[Value], columns: int | None = None) -> Found:
    """The numbers of some values, as a list or in rows of `columns` numbers."""

    def of(answers: Answers) -> np.ndarray:
        found = np.array([float(answers.number(value)) for value in values])
        return found if columns is None else found.reshape(-1, columns)

    return of


def unit_of(quantities: Iterable[Quantity]) -> Dimension:
    """The unit that quantities have in common, or that of the case."""
    return common(one.unit for one in quantities)


def quantity_axis(quantities: Sequence[Quantity]) -> Axis:
    """The axis of the quantities. Raises ExpressionError if two have one label."""
    labels = [one.text for one in quantities]
    check_labels(labels, quantities[0].place)
    return Axis("quantity", labels, "what is measured")

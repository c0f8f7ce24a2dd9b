"""Base of ready sets: quantities of the model, their moments and densities, and numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

from whorl.base.dimension import common
from whorl.config.section import option
from whorl.diagnostics.options.base import Array, ArrayLayout, Axis, Diagnostic, listed_numbers
from whorl.diagnostics.options.joint_pdf import JointPdf
from whorl.diagnostics.options.moments import Moments
from whorl.diagnostics.options.pdf import Pdf
from whorl.diagnostics.options.scales import Scale, means_of_powers
from whorl.expressions.questions import Questions

if TYPE_CHECKING:
    from whorl.config.case import Case


@dataclass(frozen=True)
class Group:
    """Quantities by their names in the file, all on one axis of densities.

    The names of its arrays begin with `prefix`. `ratios` adds the moments ⟨fⁿ⟩/⟨f⟩ⁿ.
    """

    texts: dict[str, str]
    scale: Scale = "std"
    prefix: str = ""
    ratios: bool = False


@dataclass(frozen=True)
class Number:
    """A number of the whole box by its expression."""

    name: str
    text: str
    meaning: str


@dataclass(frozen=True)
class SetContents:
    """The measurements of a set; `joint` has two expressions for a joint density on logarithmic axes."""

    groups: tuple[Group, ...]
    numbers: tuple[Number, ...] = ()
    joint: tuple[str, str] | None = field(default=None)


class ReadySet(Diagnostic):
    """Base of the sets; `contents` returns the part of a set that a case has."""

    page: ClassVar = "sets"
    order: int = option(8, "the highest order of moments", ge=3, le=12)
    bins: int = option(400, "number of bins of each density", ge=1, le=100_000)

    def contents(self, case: "Case") -> SetContents:
        """The measurements in the case. Raises ValueError, beginning in lower case, if the case has none."""
        raise NotImplementedError

    def ask(self, questions: Questions, case: "Case") -> ArrayLayout:
        try:
            contents = self.contents(case)
        except ValueError as error:
            raise ValueError(f'diagnostics.{self.label}.kind = "{self.kind}" {error}') from None
        layouts = [self._group(questions, case, group) for group in contents.groups]
        if contents.joint:
            layouts.append(self._joint(questions, case, contents.joint))
        axes = {axis.name: axis for layout in layouts for axis in layout.axes}
        arrays = [array for layout in layouts for array in layout.arrays]
        arrays += [_number(questions, one) for one in contents.numbers]
        return ArrayLayout(tuple(axes.values()), tuple(arrays))

    def _group(self, questions: Questions, case: "Case", group: Group) -> ArrayLayout:
        """Moments and densities as the kinds `moments` and `pdf` have them."""
        varying = {
            name: text
            for name, text in group.texts.items()
            if not questions.parser.parse(text).scalar.uniform
        }
        if not varying:
            return ArrayLayout((), ())
        texts, orders = tuple(varying.values()), range(2, self.order + 1)
        moments = Moments(kind="moments", name=self.label, of=texts, order=self.order).ask(questions, case)
        pdf = Pdf(kind="pdf", name=self.label, of=texts, scale=group.scale, bins=self.bins).ask(
            questions, case
        )
        axes = {axis.name: axis for axis in (*moments.axes, *pdf.axes)}
        axes["quantity"] = replace(axes["quantity"], values=list(varying))
        arrays = {array.name: array for array in (*pdf.arrays, *moments.arrays)}
        if group.ratios:
            axes["power"] = Axis("power", [float(n) for n in orders], "order of the moment")
            arrays["ratio"] = _ratios(questions, texts, orders)
        own = {"quantity": f"{group.prefix}quantity", "bin": f"{group.prefix}bin"}
        return ArrayLayout(
            tuple(replace(axis, name=own.get(axis.name, axis.name)) for axis in axes.values()),
            tuple(
                replace(
                    array,
                    name=group.prefix + array.name,
                    axes=tuple(own.get(axis, axis) for axis in array.axes),
                )
                for array in arrays.values()
            ),
        )

    def _joint(self, questions: Questions, case: "Case", of: tuple[str, str]) -> ArrayLayout:
        joint = JointPdf(kind="joint-pdf", name=self.label, of=of, scale=("log", "log"))
        layout = joint.ask(questions, case)
        wanted = [array for array in layout.arrays if array.axes != ("quantity",)]
        return ArrayLayout(
            tuple(axis for axis in layout.axes if axis.name != "quantity"),
            tuple(replace(array, name=f"joint_{array.name}") for array in wanted),
        )


def _ratios(questions: Questions, texts: Sequence[str], orders: range) -> Array:
    graph, values = questions.parser.graph, []
    for text in texts:
        node = questions.parser.parse(text).scalar
        values += means_of_powers(questions, graph.apply("divide", node, graph.mean(node)), orders)
    return Array("ratio", ("quantity", "power"), "⟨fⁿ⟩/⟨f⟩ⁿ", listed_numbers(values, len(orders)))


def _number(questions: Questions, one: Number) -> Array:
    value = questions.parser.parse(one.text)
    questions.numbers.append(value)
    return Array(one.name, (), one.meaning, lambda found: found.number(value), str(common([value.unit])))


def moving_axes(case: "Case") -> str:
    """The axes with more than one point."""
    return "".join(axis for axis, n in zip("xyz", case.grid.points, strict=True) if n > 1)


def require_velocity(case: "Case") -> None:
    """Raises ValueError for a model without a viscous velocity."""
    if not case.flow.viscous:
        raise ValueError(f'needs a viscous velocity, which flow.model = "{case.flow.model}" does not have')


def sum_of(texts: Sequence[str]) -> str:
    """The sum of some expressions."""
    return f"({' + '.join(texts)})"

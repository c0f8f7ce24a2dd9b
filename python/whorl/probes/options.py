"""Probes, [[probes]] of a case: modes, or points, whose values are saved every step or every few steps.

The values follow from linear forms of the fields (`expressions/linear`) and need no round trip.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field

from whorl.base.dimension import Dimension, common
from whorl.base.text import counted
from whorl.config.measures import state_fields
from whorl.config.scalars import plain_name
from whorl.config.section import Interval, Section, Vector, listed, option, tag_of
from whorl.config.wavenumbers import check_kept, label_of_mode, smallest_wavenumbers
from whorl.diagnostics.options.base import Array, ArrayLayout, Axis, Texts, check_labels
from whorl.diagnostics.options.wave_bins import Shells, shells_of
from whorl.expressions.faults import ExpressionError, fault, in_one_line
from whorl.expressions.nodes import Largest, Node, within
from whorl.expressions.parse import Parser, component_text
from whorl.probes.mode_shells import modes_of_shells

if TYPE_CHECKING:
    from whorl.config.case import Case

MOST_VALUES = 100_000  # of one probe at one time
FORCED = (
    "it holds a force, and a probe reads the fields of the state; take the force in a diagnostic or a column"
)


def _triples(value: Any) -> Any:
    """Lists of three; three numbers stand for a list of one."""
    if isinstance(value, list | tuple) and len(value) == 3 and not isinstance(value[0], list | tuple):
        value = [value]
    return tuple(map(listed, value)) if isinstance(value, list | tuple) else value


Modes = Annotated[tuple[tuple[int, int, int], ...], BeforeValidator(_triples)]
Positions = Annotated[tuple[tuple[float, float, float], ...], BeforeValidator(_triples)]


@dataclass(frozen=True)
class Read:
    """A number that a probe reads: its text, its node, that of its imaginary part, and its unit if known.

    `imaginary` is None for a real number.
    """

    text: str
    node: Node
    imaginary: Node | None = None
    unit: Dimension | None = None

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The real nodes of the number."""
        return (self.node,) if self.imaginary is None else (self.node, self.imaginary)


class Probe(Section):
    """Base of all probes: each has its docstring's first line as meaning."""

    kind: str = option(..., "kind of probe")
    of: Texts = option(..., "expressions whose components are read", min_length=1)
    name: Annotated[str, AfterValidator(plain_name)] | None = option(
        None, "its group in probes.h5; its kind by default"
    )
    every: Interval = option("1 step", "how often it is read, from the first row on, at the start")

    reference: ClassVar[str] = ""
    section: ClassVar[str] = "probes"
    called: ClassVar[tuple[str, str]] = ("a probe", "two probes")
    free: ClassVar[tuple[str, ...]] = ("name", "every")  # options that rows in one group may differ in
    statistics: ClassVar[str] = "correlations in time"
    fewest_rows: ClassVar[int] = 16  # that these need

    @property
    def label(self) -> str:
        """The name of its group."""
        return self.name or self.kind

    def reads(self, parser: Parser, case: "Case") -> list[Read]:
        """The components of its expressions that differ from point to point. Raises ExpressionError."""
        place = f"{self.section}.{self.label}.of"
        found: list[Read] = []
        for text in self.of:
            try:
                found += self._components(parser, text)
            except ExpressionError as error:
                raise error.at(place) from None
        check_labels([one.text for one in found], place)
        self.check_size(len(found), case)
        return found

    def check_size(self, quantities: int, case: "Case") -> None:
        """Raises ExpressionError if `quantities` have more than MOST_VALUES values in the case."""
        number = self.number(case)
        if quantities * number > MOST_VALUES:
            told = "quantity" if quantities == 1 else "quantities"
            raise ExpressionError(
                f"probes.{self.label} has {quantities} {told} at {counted(number, 'place')}; at most "
                f"{MOST_VALUES} values are read at a time, so take fewer."
            )

    def _components(self, parser: Parser, text: str) -> list[Read]:
        value = parser.parse(text)
        reads = []
        for index in np.ndindex(value.real.shape):
            imaginary = value.imaginary[index] if value.complex else None
            one = Read(component_text(text, index), value.real[index], imaginary, value.unit)
            # Components of a plane flow that are zero, for example.
            if all(node.uniform for node in one.nodes):
                continue
            for node in one.nodes:
                if reason := self.refused(node):
                    raise fault(reason, in_one_line(text))
            reads.append(one)
        if not reads:
            raise fault("it is the same at all points", in_one_line(text))
        return reads

    def number(self, case: "Case") -> int:
        """The number of modes or points."""
        raise NotImplementedError

    def refused(self, node: Node) -> str:
        """Why a node cannot be read; empty if it can."""
        raise NotImplementedError

    def check(self, case: "Case") -> None:
        """Raises ValueError if a mode or a point is not possible in the case."""
        raise NotImplementedError

    def layout(self, case: "Case", reads: Sequence[Read]) -> ArrayLayout:
        """The axes and the array of its group."""
        raise NotImplementedError

    def coordinates(self, case: "Case") -> dict[str, tuple[np.ndarray, str, str]]:
        """Numbers along the axis of modes or points, with unit and meaning."""
        raise NotImplementedError


class ModeProbe(Probe):
    """Fourier coefficients of quantities at single modes."""

    kind: Literal["modes"] = option(..., "kind of probe")
    modes: Modes | None = option(
        None,
        "modes as whole numbers along x, y, z, of the smallest wavenumbers; instead of shells",
        min_length=1,
    )
    shells: Shells | None = option(
        None,
        "the modes of shells: linear, as wide as the smallest wavenumber; logarithmic; or the edges, in "
        "units of 1/length",
    )
    per_octave: int = option(4, "logarithmic shells in a factor of 2", ge=1, le=64)
    sample: int | None = option(
        None, "modes of each shell, spread over it; all by default", ge=1, le=MOST_VALUES
    )

    def numbers(self, case: "Case") -> np.ndarray:
        """The modes, [mode][axis]. Raises ValueError if shells have too many."""
        return np.array(self.modes) if self.modes is not None else self._of_shells(case)[0]

    def number(self, case: "Case") -> int:
        return len(self.numbers(case))

    def _of_shells(self, case: "Case") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The modes of shells, and the edges of the shell of each."""
        place = f"probes.{self.label}"
        edges = shells_of(self.shells, self.per_octave, case.grid, place).edges
        both = any(field.parts for field in state_fields(case).values())
        try:
            modes, shell = modes_of_shells(case.grid, edges, self.sample, both, MOST_VALUES)
        except ValueError as error:
            raise ValueError(f"{place}.shells {error}") from None
        empty = np.setdiff1d(np.arange(len(edges) - 1), shell)
        if len(empty) and not isinstance(self.shells, str):
            low, high = edges[empty[0]], edges[empty[0] + 1]
            raise ValueError(f"{place}.shells: there is no mode from {low:g} to {high:g}; choose other edges")
        return modes, np.array(edges)[shell], np.array(edges)[shell + 1]

    def refused(self, node: Node) -> str:
        if any(_has_force(one) for one in within(node)):
            return FORCED
        if node.uniform or (node.kind == "linear" and not _has_product(node)):
            return ""
        return (
            "a mode is read from expressions linear in the fields, and this has a product or a function of "
            "them; give a field, derivatives or filters of it, or sums of these"
        )

    def check(self, case: "Case") -> None:
        grid, place = case.grid, f"probes.{self.label}"
        if (self.modes is None) == (self.shells is None):
            raise ValueError(f"{place} takes either modes, or the modes of shells")
        if self.modes is None:
            self.numbers(case)
            return
        if self.sample is not None:
            raise ValueError(f"{place}.sample goes with {place}.shells; leave it out")
        walls = [basis == "S" for basis in reversed(grid.bases)]
        for mode in self.modes:
            check_kept(grid, mode, f"probes.{self.label}.modes holds")
            if any(n < 0 and wall for n, wall in zip(mode, walls, strict=True)):
                raise ValueError(
                    f"probes.{self.label}.modes holds {list(mode)}; between walls fields are sums of cosines "
                    "and sines with wavenumbers of at least 0"
                )

    def layout(self, case: "Case", reads: Sequence[Read]) -> ArrayLayout:
        return ArrayLayout(
            (
                Axis("quantity", [one.text for one in reads], "what is read"),
                Axis(
                    "mode",
                    [label_of_mode(mode) for mode in self.numbers(case).tolist()],
                    "mode by whole numbers along x, y, z",
                ),
                Axis("part", ["real", "imaginary"], "part of the complex number"),
            ),
            (
                Array(
                    "amplitude",
                    ("quantity", "mode", "part"),
                    "coefficient of exp(i k·x); between walls of the odd or even extension",
                    not_asked,
                    unit_of(reads),
                ),
            ),
        )

    def coordinates(self, case: "Case") -> dict[str, tuple[np.ndarray, str, str]]:
        wavenumbers = self.numbers(case) * np.array(smallest_wavenumbers(case.grid))
        found = {
            f"k{axis}": (wavenumbers[:, n], "1/length", f"wavenumber along {axis}")
            for n, axis in enumerate("xyz")
        }
        if self.shells is not None:
            for end, edges in zip(("lower", "upper"), self._of_shells(case)[1:], strict=True):
                found[f"shell_{end}"] = (edges, "1/length", f"{end} edge of the shell of the mode")
        return found


class ReadAtPoints(Probe):
    """Base of probes and particles that read real values at single points, from all modes."""

    def refused(self, node: Node) -> str:
        return refused_at_points(node)

    def _components(self, parser: Parser, text: str) -> list[Read]:
        reads = super()._components(parser, text)
        if any(one.imaginary is not None for one in reads):
            raise fault("a point has real values; take real(…), imag(…) or abs(…) of it", in_one_line(text))
        return reads


class PointProbe(ReadAtPoints):
    """Values of quantities at single points, or along a line, from all modes."""

    kind: Literal["points"] = option(..., "kind of probe")
    positions: Positions | None = option(None, "positions x, y, z; instead of a line", unit="length")
    first: Vector | None = option(None, "the first point of a line", unit="length")
    last: Vector | None = option(None, "its last point", unit="length")
    points: int | None = option(None, "the number of its points, evenly spaced", ge=2, le=MOST_VALUES)

    def number(self, case: "Case") -> int:
        return len(self.places())

    def places(self) -> np.ndarray:
        """The positions, [point][axis]."""
        if self.positions is not None:
            return np.array(self.positions, float)
        return np.linspace(self.first or (0, 0, 0), self.last or (0, 0, 0), self.points or 0)

    def check(self, case: "Case") -> None:
        line = (self.first, self.last, self.points)
        place = f"probes.{self.label}"
        if (self.positions is None) == all(one is None for one in line) or (
            self.positions is None and any(one is None for one in line)
        ):
            raise ValueError(f"{place} takes either positions, or a line by first, last and points")
        if not len(self.places()):
            raise ValueError(f"{place}.positions is empty; give positions x, y, z")
        for position in self.places():
            for axis, x, length in zip("xyz", position, case.grid.lengths, strict=True):
                if not 0 <= x <= length:
                    raise ValueError(
                        f"{place} has a point at {axis} = {x:g}, outside the box, where {axis} is 0 to "
                        f"{length:g}"
                    )

    def layout(self, case: "Case", reads: Sequence[Read]) -> ArrayLayout:
        return ArrayLayout(
            (
                Axis("quantity", [one.text for one in reads], "what is read"),
                Axis("point", np.arange(len(self.places())), "number of the point"),
            ),
            (Array("value", ("quantity", "point"), "value at the point", not_asked, unit_of(reads)),),
        )

    def coordinates(self, case: "Case") -> dict[str, tuple[np.ndarray, str, str]]:
        places = self.places()
        return {axis: (places[:, n], "length", f"position along {axis}") for n, axis in enumerate("xyz")}


KINDS: dict[str, type[Probe]] = {tag_of(kind): kind for kind in (ModeProbe, PointProbe)}
AnyProbe = Annotated[ModeProbe | PointProbe, Field(discriminator="kind")]


def check_names(probes: Sequence[Probe]) -> None:
    """Raises ValueError if two probes, or two groups of particles, have one name."""
    labels = [one.label for one in probes]
    for one, label in zip(probes, labels, strict=True):
        if labels.count(label) > 1:
            raise ValueError(f"{one.called[1]} are called {label}; give {one.section}.name, a name for each")


def refused_at_points(node: Node) -> str:
    """Why a node cannot be read at single points; empty if it can."""
    for one in within(node):
        if _has_force(one):
            return FORCED
        if one.kind == "number" and isinstance(one.value, Node | Largest):
            what = "mean" if isinstance(one.value, Node) else "maximum"
            return f"a {what} needs all points, so it is not read at single ones; write it to output.columns"
    if all(one.uniform for one in within(node)):
        return ""
    for one in within(node):
        if one.kind == "linear" and _has_product(one):
            return (
                "a derivative, filter or inverse Laplacian of a product (such as the pressure) needs a "
                "round trip, which a probe does not make"
            )
    if not any(one.kind == "linear" for one in within(node)):
        return "it does not depend on the flow"
    return ""


def unit_of(reads: Sequence[Read]) -> str:
    """The unit that numbers have in common, or that of the case."""
    return str(common(one.unit for one in reads))


def _has_product(node: Node) -> bool:
    return any(term.field.product for term in node.value)


def _has_force(node: Node) -> bool:
    return node.kind == "linear" and any(term.field.force for term in node.value)


def not_asked(_: Any) -> np.ndarray:
    raise NotImplementedError  # a probe is read by probes/ask.py

"""Two-point correlations along the axes, and the lengths that follow from them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator

from whorl.base.dimension import Dimension, common
from whorl.config.section import listed, option
from whorl.diagnostics.options.base import (
    SAME,
    Array,
    ArrayLayout,
    Axis,
    ComputedOnce,
    Diagnostic,
    Texts,
    check_labels,
)
from whorl.diagnostics.options.wave_bins import Found, check_periodic, linear_bins, sum_of_pairs
from whorl.expressions.linear import WITHOUT_MEAN, band
from whorl.expressions.nodes import Node
from whorl.expressions.questions import Answers, Questions

if TYPE_CHECKING:
    from whorl.config.case import Case

Numbers = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class CorrelatedPart:
    """A number, the component of a vector along the axis, or those across it, which are averaged."""

    label: str
    nodes: Sequence[Node]
    unit: Dimension | None


class Correlation(Diagnostic):
    """Two-point correlations along the axes, with integral lengths and Taylor scales by direction."""

    kind: Literal["correlation"] = option(..., "kind of diagnostic")
    of: Texts = option(..., "vectors and numbers that are correlated with themselves", min_length=1)
    along: Annotated[tuple[Literal["x", "y", "z"], ...], BeforeValidator(listed)] | None = option(
        None, "the axes; all with several points by default", min_length=1
    )

    reference = "Pope, Turbulent Flows (Cambridge 2000), section 6.3"

    def ask(self, questions: Questions, case: "Case") -> ArrayLayout:
        check_periodic(case.grid, f"diagnostics.{self.label}")
        check_labels(self.of, f"diagnostics.{self.label}.of")
        axes, arrays = [], []
        for axis in self._axes(case.grid):
            parts = [part for text in self.of for part in self._parts(questions, text, axis)]
            along = _Along(axis, case.grid.points[axis], case.grid.lengths[axis])
            axes += along.axes(parts)
            arrays += along.arrays(questions, parts)
        return ArrayLayout(tuple(axes), tuple(arrays))

    def _axes(self, grid: Any) -> list[int]:
        """The axes. Raises ValueError for one with a single point."""
        wanted = ["xyz".index(name) for name in self.along or "xyz"]
        for axis in wanted:
            if self.along and grid.points[axis] == 1:
                raise ValueError(
                    f"diagnostics.{self.label}.along: the grid has one point along {'xyz'[axis]}; leave "
                    "this axis out"
                )
        return sorted({axis for axis in wanted if grid.points[axis] > 1})

    def _parts(self, questions: Questions, text: str, axis: int) -> list[CorrelatedPart]:
        graph, value = questions.parser.graph, self.vector_or_number(questions, "correlations", text)
        if all(node.uniform for node in value.nodes()):
            raise self.fault(SAME, text)
        try:
            varying = {
                index: graph.under(graph.as_field(node), *band(WITHOUT_MEAN, np.inf))
                for index, node in np.ndenumerate(value.real)
                if not node.uniform
            }
        except ValueError as error:
            raise self.fault(str(error), text) from None
        if not value.rank:
            return [CorrelatedPart(text, list(varying.values()), value.unit)]
        longitudinal = [node for index, node in varying.items() if index == (axis,)]
        transverse = [node for index, node in varying.items() if index != (axis,)]
        parts = (("longitudinal", longitudinal), ("transverse", transverse))
        return [CorrelatedPart(f"{text} {name}", nodes, value.unit) for name, nodes in parts if nodes]


@dataclass(frozen=True)
class _Along:
    """Correlations along an axis: Σ E(k) cos(k r), E the spectrum over planes across it, without the mean."""

    axis: int
    points: int
    length: float

    @property
    def name(self) -> str:
        return "xyz"[self.axis]

    @property
    def k(self) -> np.ndarray:
        return 2 * np.pi / self.length * np.arange(self.points // 2 + 2)

    @property
    def r(self) -> np.ndarray:
        return self.length / self.points * np.arange(self.points // 2 + 1)

    def axes(self, parts: Sequence[CorrelatedPart]) -> list[Axis]:
        """The axes of the separations and of the correlated quantities."""
        return [
            Axis(
                f"{self.name}_quantity",
                [part.label for part in parts],
                f"what is correlated along {self.name}",
            ),
            Axis(f"r_{self.name}", list(self.r), f"separation along {self.name}", "length"),
        ]

    def arrays(self, questions: Questions, parts: Sequence[CorrelatedPart]) -> list[Array]:
        """The correlations, and the variances and lengths that follow from them."""
        width = 2 * np.pi / self.length
        bins = [linear_bins(f"k{self.name}", width, len(self.k), self.axis)]
        sums = [sum_of_pairs(questions, [(node, node) for node in part.nodes], bins) for part in parts]

        def of_parts(answers: Answers) -> np.ndarray:
            return np.array([of(answers) / len(part.nodes) for of, part in zip(sums, parts, strict=True)])

        spectra = ComputedOnce(of_parts)

        def of(what: Numbers) -> Found:
            return lambda answers: what(spectra(answers))

        quantity, unit = f"{self.name}_quantity", str(common(part.unit for part in parts) ** 2)
        axes = (quantity, f"r_{self.name}")
        meaning = f"R = ⟨f'(x) f'(x + r)⟩, r along {self.name}; of transverse components the mean"
        return [
            Array(f"correlation_{self.name}", axes, meaning, of(self._correlation), unit),
            *(
                Array(f"{name}_{self.name}", (quantity,), what, of(found), unit)
                for name, what, found, unit in self._numbers(unit)
            ),
        ]

    def _numbers(self, square: str) -> Sequence[tuple[str, str, Numbers, str]]:
        """The numbers of each part: name, meaning, function of the spectra, and unit, `square` for f²."""
        return (
            ("variance", "⟨f'²⟩, f' = f − ⟨f⟩", lambda energy: energy.sum(-1), square),
            (
                "integral_length",
                "∫ R dr from 0 to half of the box, over ⟨f'²⟩",
                lambda energy: energy[:, 0] * self.length / 2 / energy.sum(-1),
                "length",
            ),
            (
                "length_to_zero",
                "∫ R dr from 0 to the first zero of R, over ⟨f'²⟩; nan if there is none in half of the box",
                self._to_zero,
                "length",
            ),
            (
                "taylor_scale",
                "(−R''(0)/(2R(0)))^−½ = (2⟨f'²⟩/⟨(∂f/∂r)²⟩)^½",
                self._taylor_scale,
                "length",
            ),
        )

    def _correlation(self, energy: np.ndarray) -> np.ndarray:
        return energy @ np.cos(np.outer(self.k, self.r))

    def _taylor_scale(self, energy: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.sqrt(2 * energy.sum(-1) / (energy @ self.k**2))

    def _to_zero(self, energy: np.ndarray) -> np.ndarray:
        """The integral of the sum of cosines up to its first zero, which lies between two points."""
        from scipy.optimize import brentq

        found = []
        for one, values in zip(energy, self._correlation(energy), strict=True):
            below = np.flatnonzero(values <= 0)
            if not below.size or not values[0] > 0:
                found.append(np.nan)
                continue
            end = brentq(lambda r, one=one: one @ np.cos(self.k * r), self.r[below[0] - 1], self.r[below[0]])
            sines = np.sin(self.k[1:] * end) / self.k[1:]
            found.append((one[0] * end + one[1:] @ sines) / one.sum())
        return np.array(found)

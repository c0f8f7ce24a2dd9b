"""Spectra of quantities: sums over the modes by shell, along an axis, across it, or by angle."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from whorl.base.dimension import LENGTH, OF_CASE, Dimension, common, product
from whorl.config.section import option
from whorl.config.wavenumbers import complete_wavenumber, smallest_wavenumbers
from whorl.diagnostics.options.base import SAME, Array, ArrayLayout, Axis, Found, Texts, check_labels, stacked
from whorl.diagnostics.options.wave_bins import ByWavenumber, ModeBins, mode_counts, sum_of_pairs
from whorl.expressions.nodes import Node
from whorl.expressions.parse import component_text
from whorl.expressions.questions import Answers, Questions
from whorl.expressions.values import Value

if TYPE_CHECKING:
    from whorl.config.case import Case

Pairs = list[tuple[Node, Node]]
SLACK = 1e-9  # of a wavenumber, for rounding
ROUNDING = 1e3  # times the squared relative rounding of the largest bin; a smaller sum is zero


class Asked(NamedTuple):
    """A spectrum: label, the pairs whose products are summed, the sums, and their unit, None if not known."""

    label: str
    pairs: Pairs
    found: Found
    unit: Dimension | None


class Spectrum(ByWavenumber):
    """Spectra of quantities by wavenumber, and cospectra with another quantity."""

    kind: Literal["spectrum"] = option(..., "kind of diagnostic")
    of: Texts = option(..., "expressions; of vectors and tensors the sum over components", min_length=1)
    times: str | None = option(
        None, "the cospectrum with this expression, of the same rank; without it that with itself"
    )
    components: bool = option(False, "whether the components of vectors and tensors are apart")
    pairs: bool = option(
        False,
        "whether each component is taken with each one of times; without times with each other of its own",
    )
    density: bool = option(False, "whether sums are divided by the widths of the bins")
    correct_shells: bool = option(
        False, "whether shells are as if their number of modes were that of a continuum; nan in cut ones"
    )

    def ask(self, questions: Questions, case: "Case") -> ArrayLayout:
        bins = self.bins(case.grid)
        check_labels(self.of, f"diagnostics.{self.label}.of")
        asked = [one for text in self.of for one in self._spectra(questions, text, bins)]
        spectra = stacked([one.found for one in asked])
        names = tuple(one.name for one in bins)
        counts = mode_counts(questions, bins)
        factors = self._factors(case.grid, bins)
        meaning = "Σ Re(f·g*) over the bin, whose sum over all bins is ⟨f·g⟩; g is f without times"
        arrays = [
            Array(
                "spectrum",
                ("quantity", *names),
                meaning + self._changed(),
                lambda answers: spectra(answers) * factors(counts.of(answers)),
                self._unit(asked, names),
            )
        ]
        if self.pairs or self.times is not None:
            coefficients = _coefficients(questions, asked, bins)
            meaning = "Σ Re(f·g*)/(Σ|f|² Σ|g|²)^½ over the bin, −1 to 1; nan where one is zero to rounding"
            arrays.append(Array("coefficient", ("quantity", *names), meaning, coefficients))
        return ArrayLayout(
            (
                Axis("quantity", [one.label for one in asked], "what is measured"),
                *(one.coordinate() for one in bins),
            ),
            (*arrays, counts, *(limit for one in bins for limit in one.limits())),
        )

    def _unit(self, asked: Sequence[Asked], names: Sequence[str]) -> str:
        wavenumbers = sum(name != "angle" for name in names) if self.density else 0
        return str(common((one.unit for one in asked), OF_CASE**2) * LENGTH**wavenumbers)

    def _changed(self) -> str:
        corrected = ", as of a continuum of modes, nan in shells that the truncation cuts"
        return (corrected if self.correct_shells else "") + (", divided by its width" if self.density else "")

    def _factors(self, grid: Any, bins: Sequence[ModeBins]) -> Callable[[np.ndarray], np.ndarray]:
        """The factors of spectra, by the numbers of modes. Raises ValueError if an option does not apply."""
        widths = np.ones(())
        for one in bins:
            widths = np.multiply.outer(widths, np.diff(one.shown))
        if not self.correct_shells:
            return lambda _: 1 / widths if self.density else np.ones(())
        if [one.name for one in bins] != ["k"]:
            raise ValueError(
                f'diagnostics.{self.label}.correct_shells is for spectra over = "k"; leave it out, or over'
            )
        units = [k for k, n in zip(smallest_wavenumbers(grid), grid.points, strict=True) if n > 1]
        ball = 4 / 3 * np.pi if len(units) == 3 else np.pi
        continuum = ball * np.diff(bins[0].shown ** len(units)) / math.prod(units)
        continuum[bins[0].shown[1:] > complete_wavenumber(grid) * (1 + SLACK)] = np.nan

        def factors(counts: np.ndarray) -> np.ndarray:
            with np.errstate(divide="ignore", invalid="ignore"):
                whole = np.where(counts > 0, continuum / counts, 0.0 * continuum)
            return whole / widths if self.density else whole

        return factors

    def _spectra(self, questions: Questions, text: str, bins: Sequence[ModeBins]) -> list[Asked]:
        """The spectra of a text."""
        first = self.value_of(questions, text)
        second = first if self.times is None else self.value_of(questions, self.times, "times")
        try:
            found = self._all_pairs(first, second, text) if self.pairs else self._alike(first, second, text)
            if all(a.uniform or b.uniform for _, pairs in found for a, b in pairs):
                raise ValueError(SAME)
            unit = product(first.unit, second.unit)
            return [Asked(label, pairs, sum_of_pairs(questions, pairs, bins), unit) for label, pairs in found]
        except ValueError as error:
            raise self.fault(str(error), text) from None

    def _alike(self, first: Value, second: Value, text: str) -> list[tuple[str, Pairs]]:
        """The pairs of equal components of two values. Raises ValueError if the values do not match."""
        if second.rank != first.rank or (second is not first and (second.complex or first.complex)):
            raise ValueError(f"a cospectrum needs two real values of one rank, not {first} and {second}")
        pairs = list(zip(first.nodes(), second.nodes(), strict=True))
        if not self.components or not first.rank:
            return [(text, pairs)]
        indices = list(np.ndindex(first.real.shape))
        parts = 2 if first.complex else 1
        return [
            (component_text(text, index), pairs[n :: len(indices)][:parts]) for n, index in enumerate(indices)
        ]

    def _all_pairs(self, first: Value, second: Value, text: str) -> list[tuple[str, Pairs]]:
        """The pairs of each component of one value with each of another. Raises ValueError if complex."""
        if first.complex or second.complex:
            raise ValueError("pairs need real values; take real(…), imag(…) or abs(…) of complex ones")
        other = text if self.times is None else self.times
        return [
            (f"{component_text(text, i)} {component_text(other, j)}", [(first.real[i], second.real[j])])
            for i in np.ndindex(first.real.shape)
            for j in np.ndindex(second.real.shape)
            if self.times is not None or i <= j
        ]


def _coefficients(questions: Questions, asked: Sequence[Asked], bins: Sequence[ModeBins]) -> Found:
    """The correlation coefficient of each cospectrum in each bin."""
    squares: dict[tuple[Node, ...], Found] = {}

    def square(nodes: tuple[Node, ...]) -> Found:
        if nodes not in squares:
            squares[nodes] = sum_of_pairs(questions, [(one, one) for one in nodes], bins)
        return squares[nodes]

    both = [tuple(square(tuple(side)) for side in zip(*one.pairs, strict=True)) for one in asked]

    noise = ROUNDING * np.finfo(np.float32 if questions.parser.vocabulary.single else float).eps ** 2

    def coefficients(answers: Answers) -> np.ndarray:
        products = np.array([one.found(answers) for one in asked])
        sides = np.array([[one(answers) for one in pair] for pair in both])  # [spectrum][side][bin …]
        floor = noise * sides.max(tuple(range(2, sides.ndim)), keepdims=True)
        known = (sides > floor).all(axis=1)
        sizes = np.sqrt(np.where(known, sides.prod(axis=1), 1.0))
        return np.where(known, products / sizes, np.nan)

    return coefficients

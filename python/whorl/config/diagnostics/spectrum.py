"""Spectra of quantities: sums over the modes by shell, along an axis, across it, or by angle."""

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from whorl.config.columns import SQUARE_OF_CASE
from whorl.config.diagnostics.base import SAME, Array, Axis, Found, Layout, Texts, check_labels, stacked
from whorl.config.diagnostics.wave_bins import Bins, ByWavenumber, mode_counts, sum_of_pairs
from whorl.config.section import option
from whorl.config.wavenumbers import smallest_wavenumbers
from whorl.programs.parse import component_text
from whorl.programs.questions import Questions


class Spectrum(ByWavenumber):
    """Spectra of quantities by wavenumber, and cospectra with another quantity."""

    kind: Literal["spectrum"] = option(..., "kind of diagnostic")
    of: Texts = option(..., "expressions; of vectors and tensors the sum over components", min_length=1)
    times: str | None = option(
        None, "the cospectrum with this expression, of the same rank; without it that with itself"
    )
    components: bool = option(False, "whether the components of vectors and tensors are apart")
    density: bool = option(False, "whether sums are divided by the widths of the bins")
    compensate: bool = option(
        False, "whether shells are as if their number of modes were that of a continuum"
    )

    def ask(self, questions: Questions, case: Any) -> Layout:
        bins = self.bins(case.grid)
        check_labels(self.of, f"diagnostics.{self.label}.of")
        labels, found = zip(
            *(one for text in self.of for one in self._spectra(questions, text, bins)), strict=True
        )
        spectra = stacked(found)
        names = tuple(one.name for one in bins)
        counts = mode_counts(questions, bins)
        factors = self._factors(case.grid, bins)
        meaning = "Σ Re(f·g*) over the bin, whose sum over all bins is ⟨f·g⟩; g is f without times"
        return Layout(
            (
                Axis("quantity", labels, "what is measured"),
                *(one.coordinate() for one in bins),
            ),
            (
                Array(
                    "spectrum",
                    ("quantity", *names),
                    meaning + self._changed(),
                    lambda answers: spectra(answers) * factors(counts.of(answers)),
                    self._unit(names),
                ),
                counts,
                *(limit for one in bins for limit in one.limits()),
            ),
        )

    def _unit(self, names: Sequence[str]) -> str:
        wavenumbers = sum(name != "angle" for name in names) if self.density else 0
        return SQUARE_OF_CASE + ("", " length", " length²")[wavenumbers]

    def _changed(self) -> str:
        return (", as of a continuum of modes" if self.compensate else "") + (
            ", divided by its width" if self.density else ""
        )

    def _factors(self, grid: Any, bins: Sequence[Bins]) -> Callable[[np.ndarray], np.ndarray]:
        """What spectra are multiplied with, by the numbers of modes. Raises ValueError if that is nothing."""
        widths = np.ones(())
        for one in bins:
            widths = np.multiply.outer(widths, np.diff(one.shown))
        if not self.compensate:
            return lambda _: 1 / widths if self.density else np.ones(())
        if [one.name for one in bins] != ["k"]:
            raise ValueError(
                f'diagnostics.{self.label}.compensate is for spectra over = "k"; leave it out, or over'
            )
        units = [k for k, n in zip(smallest_wavenumbers(grid), grid.points, strict=True) if n > 1]
        ball = 4 / 3 * np.pi if len(units) == 3 else np.pi
        continuum = ball * np.diff(bins[0].shown ** len(units)) / math.prod(units)

        def factors(counts: np.ndarray) -> np.ndarray:
            with np.errstate(divide="ignore", invalid="ignore"):
                whole = np.where(counts > 0, continuum / counts, 0.0)
            return whole / widths if self.density else whole

        return factors

    def _spectra(self, questions: Questions, text: str, bins: Sequence[Bins]) -> list[tuple[str, Found]]:
        """The spectra of a text, each with its label."""
        first = self.value_of(questions, text)
        second = first if self.times is None else self.value_of(questions, self.times, "times")
        try:
            if second.rank != first.rank or (second is not first and (second.complex or first.complex)):
                raise ValueError(
                    f"a cospectrum is of two real values of one rank, not of {first} and {second}"
                )
            pairs = list(zip(first.nodes(), second.nodes(), strict=True))
            if all(a.uniform or b.uniform for a, b in pairs):
                raise ValueError(SAME)
            if not self.components or not first.rank:
                return [(text, sum_of_pairs(questions, pairs, bins))]
            indices = list(np.ndindex(first.real.shape))
            parts = 2 if first.complex else 1
            return [
                (component_text(text, index), sum_of_pairs(questions, pairs[n :: len(indices)][:parts], bins))
                for n, index in enumerate(indices)
            ]
        except ValueError as error:
            raise self.fault(str(error), text) from None

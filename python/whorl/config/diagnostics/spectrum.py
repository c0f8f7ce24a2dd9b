"""Spectra of quantities by shell."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from whorl.config.columns import UNITS_OF_CASE
from whorl.config.diagnostics.base import Array, Axis, Diagnostic, Layout, Texts, check_labels
from whorl.config.diagnostics.scales import number
from whorl.config.section import option
from whorl.config.wavenumbers import shell_count, smallest_wavenumber
from whorl.programs.parse import ExpressionError, fault, in_one_line
from whorl.programs.questions import Answers, Questions
from whorl.programs.values import Value


class Spectrum(Diagnostic):
    """Spectra of quantities by shell, and cospectra with another quantity."""

    kind: Literal["spectrum"] = option(..., "kind of diagnostic")
    of: Texts = option(..., "expressions; of vectors and tensors the sum over components", min_length=1)
    times: str | None = option(
        None, "the cospectrum with this expression, of the same rank; without it that with itself"
    )

    def ask(self, questions: Questions, case: Any) -> Layout:
        if case.grid.bases != "FFF":
            raise ValueError(
                f'diagnostics.{self.label} is for periodic boxes, not for grid.bases = "{case.grid.bases}"; '
                "give another kind of diagnostic"
            )
        check_labels(self.of, f"diagnostics.{self.label}.of")
        count = shell_count(case.grid)
        found = [self._spectrum(questions, text, count) for text in self.of]
        k = smallest_wavenumber(case.grid) * np.arange(count)
        return Layout(
            (
                Axis("quantity", list(self.of), "what is measured"),
                Axis("k", list(k), "wavenumber in the middle of the shell", "1/length"),
            ),
            (
                Array(
                    "spectrum",
                    ("quantity", "k"),
                    "Σ Re(f·g*) over the shell, whose sum over all shells is ⟨f·g⟩; g is f without times",
                    lambda answers: np.array([spectrum(answers) for spectrum in found]),
                    f"({UNITS_OF_CASE})²",
                ),
            ),
        )

    def _spectrum(self, questions: Questions, text: str, count: int) -> Callable[[Answers], np.ndarray]:
        first = self._value(questions, "of", text)
        second = first if self.times is None else self._value(questions, "times", self.times)
        try:
            if second.rank != first.rank or (second is not first and (second.complex or first.complex)):
                raise ValueError(
                    f"a cospectrum is of two real values of one rank, not of {first} and {second}"
                )
            all_pairs = list(zip(first.nodes(), second.nodes(), strict=True))
            pairs = [(a, b) for a, b in all_pairs if not (a.uniform or b.uniform)]
            if not pairs:
                raise ValueError("it is the same at all points")
            shells = questions.spectrum(pairs, count)
        except ValueError as error:
            raise fault(str(error), in_one_line(text)).at(f"diagnostics.{self.label}.of") from None
        # What is the same at all points, such as zero in a plane flow, is in shell 0.
        graph = questions.parser.graph
        of_shell_0 = [
            number(questions, graph.apply("multiply", graph.mean(a), graph.mean(b)))
            for a, b in all_pairs
            if a.uniform or b.uniform
        ]

        def spectrum(answers: Answers) -> np.ndarray:
            found = answers.spectrum(shells).copy()
            found[0] += sum(answers.number(one) for one in of_shell_0)
            return found

        return spectrum

    def _value(self, questions: Questions, option_name: str, text: str) -> Value:
        try:
            return questions.parser.parse(text)
        except ExpressionError as error:
            raise error.at(f"diagnostics.{self.label}.{option_name}") from None

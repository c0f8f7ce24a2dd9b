"""Which linear forms travel to the points: as few as all others can be combined from there.

Nine gradients of a vector without a divergence are eight.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from whorl.programs.linear import LinearForm, Term


@dataclass
class Span:
    """Linear forms that travel, and by them all forms in their span, in exact arithmetic.

    Attributes
    ----------
    carried : list of LinearForm
        The forms that travel, in order.
    """

    carried: list[LinearForm] = field(default_factory=list)
    _rows: list["_Row"] = field(default_factory=list)
    _zero: dict[LinearForm, int] = field(default_factory=dict)  # by the numbers of those carried

    @classmethod
    def of(cls, forms: Iterable[LinearForm]) -> "Span":
        """The span of some forms; of those with few terms more travel themselves."""
        span = cls()
        for form in sorted(forms, key=len):
            span._add(form)
        return span

    def combination(self, form: LinearForm) -> list[tuple[int, float]]:
        """The numbers of carried forms and their factors, whose sum the form is."""
        if form in self._zero:
            return [(self._zero[form], 1.0)]
        rest, by = self._reduced(form)
        if rest:
            raise ValueError("the form is not in the span")
        return [(number, float(factor)) for number, factor in sorted(by.items())]

    def _add(self, form: LinearForm) -> None:
        rest, by = self._reduced(form)
        if not rest:
            # A divergence, which is rounding, is no combination of others.
            if not by and form not in self._zero:
                self._zero[form] = len(self.carried)
                self.carried.append(form)
            return
        leading = next(iter(rest))
        # rest = form − Σ by carried, divided so that its leading factor is 1.
        scale = 1 / rest[leading]
        of_carried = {number: -factor * scale for number, factor in by.items()} | {len(self.carried): scale}
        self._rows.append(_Row(leading, {term: one * scale for term, one in rest.items()}, of_carried))
        self.carried.append(form)

    def _reduced(self, form: LinearForm) -> tuple[dict[Term, Fraction], dict[int, Fraction]]:
        """What of the form is outside the span, and the combination of carried forms that is inside."""
        rest = {term: Fraction(factor) for term, factor in form.without_divergences().items()}
        by: dict[int, Fraction] = {}
        for row in self._rows:
            factor = rest.get(row.leading, Fraction(0))
            if factor:
                _subtract(rest, row.terms, factor)
                _subtract(by, row.of_carried, -factor)
        return rest, by


@dataclass(frozen=True)
class _Row:
    """A combination of carried forms whose leading term has the factor 1 and is in no later row."""

    leading: Term
    terms: dict[Term, Fraction]
    of_carried: dict[int, Fraction]


def _subtract(sums: dict[Any, Fraction], other: dict[Any, Fraction], factor: Fraction) -> None:
    for key, value in other.items():
        left = sums.get(key, Fraction(0)) - factor * value
        if left:
            sums[key] = left
        else:
            sums.pop(key, None)

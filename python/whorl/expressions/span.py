"""Linear forms that travel to the points: as few as possible, so that all others are combinations of them.

For the nine gradients of a vector without a divergence eight travel.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from whorl.expressions.linear import LinearForm, Term

# The largest sum of magnitudes in a term of a combination, in units of the largest factor of the form.
MOST_CANCELLED = 8
ZERO = Fraction(0)


@dataclass
class Span:
    """Linear forms that travel, and all forms in their span as combinations of these, in exact arithmetic.

    Attributes
    ----------
    transformed : list of LinearForm
        The forms that travel, in order.
    """

    transformed: list[LinearForm] = field(default_factory=list)
    _rows: list["_Row"] = field(default_factory=list)
    _as_it_is: dict[LinearForm, int] = field(default_factory=dict)  # in the span, but travel for accuracy

    @classmethod
    def of(cls, forms: Iterable[LinearForm]) -> "Span":
        """The span of some forms; forms of few terms come first, so that they travel themselves."""
        span = cls()
        for form in sorted(forms, key=len):
            span._add(form)
        return span

    def combination(self, form: LinearForm) -> list[tuple[int, float]]:
        """The combination of transformed forms that is the form: their numbers and factors."""
        if form in self._as_it_is:
            return [(self._as_it_is[form], 1.0)]
        rest, by = self._reduced(form)
        if rest:
            raise ValueError("the form is not in the span")
        return [(number, float(factor)) for number, factor in sorted(by.items())]

    def _add(self, form: LinearForm) -> None:
        rest, by = self._reduced(form)
        if not rest:
            # A divergence is only rounding, which no combination of other forms gives.
            if (not by or self._cancels(form, by)) and form not in self._as_it_is:
                self._as_it_is[form] = len(self.transformed)
                self.transformed.append(form)
            return
        leading = next(iter(rest))
        # rest = form − Σ by transformed, divided so that its leading factor is 1.
        scale = 1 / rest[leading]
        of_transformed = {number: -factor * scale for number, factor in by.items()} | {
            len(self.transformed): scale
        }
        self._rows.append(_Row(leading, {term: one * scale for term, one in rest.items()}, of_transformed))
        self.transformed.append(form)

    def _cancels(self, form: LinearForm, by: dict[int, Fraction]) -> bool:
        """Whether much larger terms cancel in a combination of such forms, which leaves their rounding."""
        own: dict[int, Fraction] = {}
        for term, value in form.without_divergences().items():
            own[term.multiplier.degree] = max(own.get(term.multiplier.degree, ZERO), abs(Fraction(value)))
        summed: dict[Term, Fraction] = {}
        for number, factor in by.items():
            for term, value in self.transformed[number].without_divergences().items():
                summed[term] = summed.get(term, ZERO) + abs(factor * Fraction(value))
        return any(
            size > MOST_CANCELLED * own.get(term.multiplier.degree, ZERO) for term, size in summed.items()
        )

    def _reduced(self, form: LinearForm) -> tuple[dict[Term, Fraction], dict[int, Fraction]]:
        """The part of the form outside the span, and the combination of transformed forms that is inside."""
        rest = {term: Fraction(factor) for term, factor in form.without_divergences().items()}
        by: dict[int, Fraction] = {}
        for row in self._rows:
            factor = rest.get(row.leading, Fraction(0))
            if factor:
                _subtract(rest, row.terms, factor)
                _subtract(by, row.of_transformed, -factor)
        return rest, by


@dataclass(frozen=True)
class _Row:
    """A combination of transformed forms whose leading term has the factor 1 and is in no later row."""

    leading: Term
    terms: dict[Term, Fraction]
    of_transformed: dict[int, Fraction]


def _subtract(sums: dict[Any, Fraction], other: dict[Any, Fraction], factor: Fraction) -> None:
    for key, value in other.items():
        left = sums.get(key, Fraction(0)) - factor * value
        if left:
            sums[key] = left
        else:
            sums.pop(key, None)

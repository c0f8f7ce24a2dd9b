"""Formulas: a block of products as a sum over products of inputs, each with derivatives of the result.

T = Σ c D_x^a D_y^b D_z^c |k|^(2p) Q has unknown numbers c, which one linear system modulo a prime gives.
For a vector that is projected it is P T = P F: the formula has no gradient, since the last component has no
derivative along the last axis. Numbers are small fractions, checked on new waves by a second prime.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, product

import numpy as np

from whorl.equations.blocks import Block, Terms, by_size
from whorl.equations.exact import ONE, Rows, added
from whorl.equations.modular import SECOND_PRIME, fraction, solved
from whorl.equations.multipliers import Factor, Form, Place
from whorl.equations.waves import Classes, Waves

Row = tuple[
    int, Factor, tuple[Form, ...]
]  # an output, the factor of a product in it, the inputs of the product
Formula = dict[Row, Fraction]
MORE = 6  # samples beyond the unknown numbers
SAMPLES = 32  # their number is a multiple of it, so that waves are used again
MOST_MONOMIALS, MOST_UNKNOWN = 250, 600


class Solver:
    """Formulas of one block, from inputs that differ from call to call."""

    def __init__(self, block: Block, classes: Classes):
        self.block, self.classes = block, classes
        self.groups = by_size(block)
        self._waves: dict[tuple[int, bool], Waves] = {}
        self._found: dict[tuple[Form, ...], list[Formula]] = {}
        self._solutions: dict[tuple[tuple[Form, ...], ...], Formula | None] = {}
        self.vanishes = self._is_nothing()

    def formulas(self, inputs: Sequence[Form]) -> list[Formula]:
        """The formulas by these inputs; several where products depend on each other."""
        mine = tuple(form for form in inputs if self._class(form) in self.block.content)
        if mine not in self._found:
            self._found[mine] = self._made(mine)
        return self._found[mine]

    def _class(self, form: Form) -> int:
        return self.classes.of[form[0][0][0]]

    def _made(self, inputs: tuple[Form, ...]) -> list[Formula]:
        if self.vanishes:
            return [{}]
        found: list[Formula] = []
        for monomials in self._supports(self._monomials(self._allowed(inputs))):
            if (one := self._by_support(monomials)) and one not in found:
                found.append(one)
        typed = self.typed(inputs)
        return found if typed is None or typed in found else [*found, typed]

    def _by_support(self, monomials: list[tuple[Form, ...]]) -> Formula | None:
        """The formula by some products; None if none is found."""
        key = tuple(monomials)
        if key not in self._solutions:
            unknown = self._unknown(monomials)
            size = len(unknown) * (len(self.block.outputs) if self.block.projected else 1)
            self._solutions[key] = self._solution(unknown) if size <= MOST_UNKNOWN else None
        return self._solutions[key]

    def _allowed(self, inputs: tuple[Form, ...]) -> list[Form]:
        """The inputs that give the part of a mean as the text does: forms without a mean go together."""
        allowed: list[Form] = []
        own = self.block.forms()
        for number in dict.fromkeys(self.block.content):
            of = [form for form in own if self._class(form) == number]
            regular, vanish = all(map(is_regular, of)), all(map(has_no_mean, of))
            for form in inputs:
                good = (regular and is_regular(form)) or (vanish and has_no_mean(form))
                if self._class(form) == number and good:
                    allowed.append(form)
        return allowed

    def _monomials(self, inputs: Sequence[Form]) -> list[tuple[Form, ...]]:
        of = {
            number: [form for form in inputs if self._class(form) == number] for number in self.block.content
        }
        counts = {number: self.block.content.count(number) for number in of}
        size = math.prod(math.comb(len(of[one]) + count - 1, count) for one, count in counts.items())
        if size > MOST_MONOMIALS:
            return []
        choices = [combinations_with_replacement(of[number], count) for number, count in counts.items()]
        return [tuple(sorted(form for group in chosen for form in group)) for chosen in product(*choices)]

    def _unknown(self, monomials: Iterable[tuple[Form, ...]]) -> list[tuple[Factor, tuple[Form, ...]]]:
        return [
            (factor, forms)
            for forms in monomials
            for factor in self._factors(self.block.degree - sum(degree_of(form) for form in forms))
        ]

    def _factors(self, degree: int) -> list[Factor]:
        """All factors of a power of the wavenumber that a block may have."""
        block, last = self.block, self.classes.axes - 1
        found = []
        for power in range(block.lowest, degree // 2 + 1):
            for orders in _all_orders(degree - 2 * power, last):
                plain = orders == (0, 0, 0) and power == 0
                found.append(Factor(orders, power, block.tag, block.vanishing and plain))
        return found

    def _supports(self, monomials: list[tuple[Form, ...]]) -> Iterator[list[tuple[Form, ...]]]:
        """The products that the block needs at one k: simple ones first, then those of high derivatives."""
        count = len(monomials)
        if not count:
            return
        waves = self._waves_for(count + MORE, fixed=True)
        matrix = np.stack([waves.product(forms) for forms in monomials], axis=1)
        sides = np.stack(self._values(waves, self.block.terms), axis=1)
        seen: list[list[int]] = []
        for sign in (1, -1):
            order = sorted(range(count), key=lambda one: (sign * sum(map(degree_of, monomials[one])), one))
            found = solved(matrix, sides, order)
            if found is None:
                return
            support = [int(one) for one in np.flatnonzero(np.any(found, axis=1))]
            if support not in seen:
                seen.append(support)
                yield [monomials[one] for one in support]

    def _is_nothing(self) -> bool:
        """Whether the block is zero, as the gradient of a product is for a vector that is projected."""
        values = self._values(self._waves_for(MORE), self.block.terms)
        return not any(np.any(value) for value in values)

    def at_one_k(self) -> np.ndarray:
        """The block in some samples of one k, which is that of all blocks."""
        return np.stack(self._values(self._waves_for(SAMPLES, fixed=True), self.block.terms))

    def _values(self, waves: Waves, terms: Sequence[Terms]) -> list[np.ndarray]:
        values = [waves.value(of) for of in terms]
        return waves.projected(values) if self.block.projected else values

    def _waves_for(self, count: int, *, fixed: bool = False) -> Waves:
        count = -(-count // SAMPLES) * SAMPLES
        key = count, fixed
        if key not in self._waves:
            self._waves[key] = Waves(self.classes, self.block.content, count, fixed=fixed)
        return self._waves[key]

    def _rows(self, unknown: Sequence[tuple[Factor, tuple[Form, ...]]]) -> tuple[np.ndarray, np.ndarray]:
        """The matrix and the right sides of the linear system."""
        outputs = len(self.block.outputs)
        samples = len(unknown) * outputs // max(1, outputs - 1) if self.block.projected else len(unknown)
        waves = self._waves_for(samples + MORE)
        columns = [
            waves.total.factor(factor) * waves.product(forms) % waves.prime for factor, forms in unknown
        ]
        sides = [self._values(waves, terms) for _, terms in self.groups]
        if not self.block.projected:
            return np.stack(columns, axis=1), np.stack([one for of in sides for one in of], axis=1)
        zero = np.zeros_like(columns[0])
        projected = [
            np.concatenate(waves.projected([column if other == output else zero for other in range(outputs)]))
            for output in range(outputs)
            for column in columns
        ]
        return np.stack(projected, axis=1), np.stack([np.concatenate(of) for of in sides], axis=1)

    def _order(self, unknown: Sequence[tuple[Factor, tuple[Form, ...]]]) -> list[int]:
        """The order of the unknown numbers, of which the last are zero where several solve the system."""
        outputs = len(self.block.outputs) if self.block.projected else 1
        last = self.classes.axes - 1
        orders = [factor.orders[last] for _ in range(outputs) for factor, _ in unknown]
        return sorted(range(len(orders)), key=lambda number: (orders[number], number))

    def _solution(self, unknown: Sequence[tuple[Factor, tuple[Form, ...]]]) -> Formula | None:
        found = solved(*self._rows(unknown), self._order(unknown)) if unknown else None
        if found is None:
            return None
        outputs, count = self.block.outputs, len(unknown)
        formula: Formula = {}
        for place, column in zip(*np.nonzero(found), strict=True):
            number = fraction(int(found[place, column]))
            if number is None:
                return None
            by = int(place) // count if self.block.projected else int(column) % len(outputs)
            group = int(column) if self.block.projected else int(column) // len(outputs)
            factor, forms = unknown[int(place) % count]
            added(formula, {(outputs[by], factor, forms): number * self.groups[group][0]})
        return formula if self.holds(formula) else None

    def holds(self, formula: Mapping[Row, Fraction]) -> bool:
        """Whether a formula is right on new waves, by the second prime."""
        waves = Waves(self.classes, self.block.content, MORE, prime=SECOND_PRIME)
        terms: dict[int, Terms] = {output: [] for output in self.block.outputs}
        for (output, factor, forms), value in formula.items():
            terms[output].append((value, factor, forms))
        found, wanted = self._values(waves, list(terms.values())), self._values(waves, self.block.terms)
        return all(np.array_equal(one, other) for one, other in zip(found, wanted, strict=True))

    def typed(self, inputs: Sequence[Form]) -> Formula | None:
        """The block as its text has it, if the inputs give all forms in it."""
        combinations = {form: combination(form, inputs) for form in self.block.forms()}
        if any(one is None for one in combinations.values()):
            return None
        formula: Formula = {}
        for output, of in zip(self.block.outputs, self.block.terms, strict=True):
            for value, factor, forms in of:
                for chosen in product(*((combinations[form] or {}).items() for form in forms)):
                    scale = value * math.prod((by for _, by in chosen), start=ONE)
                    added(formula, {(output, factor, tuple(sorted(form for form, _ in chosen))): scale})
        return formula


def combination(form: Form, inputs: Sequence[Form]) -> dict[Form, Fraction] | None:
    """The form as a combination of inputs, or None."""
    return _combination(form, tuple(inputs))


@lru_cache(maxsize=4096)
def _combination(form: Form, inputs: tuple[Form, ...]) -> dict[Form, Fraction] | None:
    if form in inputs:
        return {form: ONE}
    places = dict.fromkeys(place for one in (*inputs, form) for place, _ in one)
    rank: dict[Place | Form, int] = {place: number for number, place in enumerate(places)}
    rank |= {one: len(rank) + number for number, one in enumerate(inputs)}
    rows: Rows[Place | Form] = Rows(rank)
    for one in inputs:
        rows.add({**dict(one), one: ONE})
    rest = rows.rest(dict(form))
    if any(place in places for place in rest):
        return None
    return {one: -rest[one] for one in inputs if one in rest}


def degree_of(form: Form) -> int:
    """The power of the wavenumber in a homogeneous form."""
    return form[0][0][1].degree


def is_regular(form: Form) -> bool:
    """Whether the multipliers of a form are continuous at k = 0."""
    return all(factor.power >= 0 and not factor.meanless and factor.tag.low == 0 for (_, factor), _ in form)


def has_no_mean(form: Form) -> bool:
    """Whether a form is 0 at k = 0."""
    return not any(factor.keeps_mean for (_, factor), _ in form)


def _all_orders(degree: int, last: int) -> list[tuple[int, int, int]]:
    """The orders of a number of derivatives, with at most one along the last axis and none beyond it."""
    return [
        orders
        for a, b, c in product(range(degree + 1), repeat=3)
        if sum(orders := (a, b, c)) == degree and orders[last] <= 1 and not any(orders[last + 1 :])
    ]

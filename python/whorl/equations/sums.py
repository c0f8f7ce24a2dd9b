"""Products at the points, and fluxes: sums of products that are formed at fixed kx and ky.

The coefficients of all equations are rows over products of inputs. Their reduced echelon form has the least
products. In a flux the factors are polynomials of D_x and D_y. A row is a flux unless others give it, times
polynomials.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from whorl.equations.exact import ONE, Rows, added, rows_of
from whorl.equations.modular import Independent
from whorl.equations.multipliers import Factor, Form, Tag, unit
from whorl.equations.split import Clock


class Column(NamedTuple):
    """A product of inputs, or a node at the points by its text; `clock`: numbers that multiply it."""

    clock: Clock
    text: str
    forms: tuple[Form, ...]


Table = dict[tuple[int, Factor], dict[Column, Fraction]]  # by output and factor
Polynomial = dict[tuple[int, int, int], Fraction]  # by product and the orders of D_x and D_y
Shift = tuple[int, int]  # orders of D_x and D_y


class Head(NamedTuple):
    """A part of a tendency: the output, the order of D_z, a power of |k|², a tag; see `Factor`."""

    output: int
    order: int
    power: int
    tag: Tag
    meanless: bool


@dataclass(frozen=True)
class Sums:
    """Products, fluxes, and how tendencies follow.

    Attributes
    ----------
    products : list of dict
        Each product as a sum of columns.
    fluxes : list of Polynomial
        Each flux as a sum of products.
    tendencies : list of (Head, flux, Shift, Fraction)
        The parts of tendencies: a flux with further derivatives.
    curls : frozenset of int
        The first components of plane vectors whose outputs are the curl of their tendency.
    """

    products: list[dict[Column, Fraction]]
    fluxes: list[Polynomial]
    tendencies: list[tuple[Head, int, Shift, Fraction]]
    curls: frozenset[int] = frozenset()


def products_of(table: Table) -> Rows[Column]:
    """The least products, as reduced rows."""
    columns = sorted({column for row in table.values() for column in row})
    return rows_of(table.values(), {column: number for number, column in enumerate(columns)})


def least_products(table: Table) -> int:
    """The number of the least products."""
    rows: Independent[Column] = Independent()
    for row in table.values():
        rows.add(row)
    return len(rows)


def sums_of(table: Table, axes: int, planes: Iterable[int], *, real: bool) -> Sums:
    """The products and fluxes of a table.

    `planes` are the first components of plane vectors that are projected. `real`: sums have one power of i,
    as they must between walls along x.
    """
    rows = products_of(table)
    pivots = sorted(rows.by_pivot)
    number = {pivot: place for place, pivot in enumerate(pivots)}
    by_product: dict[tuple[int, Factor], dict[int, Fraction]] = {
        key: {number[pivot]: row[pivot] for pivot in pivots if pivot in row} for key, row in table.items()
    }
    curls = frozenset(first for first in planes if _has_no_mean(by_product, (first, first + 1)))
    for first in sorted(curls):
        by_product = _as_curl(by_product, first)
    parts = _in_space(by_product) if axes == 3 else _in_plane(by_product, axes)
    finder = Fluxes(real)
    finder.find(parts)
    return Sums([rows.by_pivot[pivot] for pivot in pivots], finder.fluxes, finder.tendencies, curls)


def _has_no_mean(by_product: Mapping[tuple[int, Factor], Any], outputs: Sequence[int]) -> bool:
    return not any(factor.keeps_mean for output, factor in by_product if output in outputs)


def _as_curl(
    by_product: Mapping[tuple[int, Factor], Mapping[int, Fraction]], first: int
) -> dict[tuple[int, Factor], dict[int, Fraction]]:
    """The rows with D_x F_y − D_y F_x in place of F, as an output of number `first`."""
    result: dict[tuple[int, Factor], dict[int, Fraction]] = {}
    for (output, factor), row in by_product.items():
        key, scale = (output, factor), ONE
        if output in (first, first + 1):
            along, scale = (1, -ONE) if output == first else (0, ONE)
            key = first, factor.times(unit(along))
        added(result.setdefault(key, {}), row, scale)
    return {key: row for key, row in result.items() if row}


def _in_space(by_product: Mapping[tuple[int, Factor], Mapping[int, Fraction]]) -> dict[Head, Polynomial]:
    found: dict[Head, Polynomial] = {}
    for (output, factor), row in by_product.items():
        a, b, c = factor.orders
        # A factor with derivatives is 0 at k = 0, and its flux has them.
        head = Head(output, c, factor.power, factor.tag, factor.meanless)
        added(found.setdefault(head, {}), {(product, a, b): value for product, value in row.items()})
    return found


def _in_plane(
    by_product: Mapping[tuple[int, Factor], Mapping[int, Fraction]], axes: int
) -> dict[Head, Polynomial]:
    """The parts without z, where |k|² is a polynomial of D_x and D_y."""
    lowest: dict[tuple[int, Tag], int] = {}
    for output, factor in by_product:
        key = output, factor.tag
        lowest[key] = min(lowest.get(key, 0), factor.power)
    found: dict[Head, Polynomial] = {}
    for (output, factor), row in by_product.items():
        power = lowest[output, factor.tag] if factor.power < 0 or factor.meanless else 0
        head = Head(output, 0, power, factor.tag, factor.meanless and power == 0)
        a, b, _ = factor.orders
        for (more, other), scale in _expanded(factor.power - power, axes).items():
            part = {(product, a + more, b + other): value for product, value in row.items()}
            added(found.setdefault(head, {}), part, scale)
    return found


def _expanded(power: int, axes: int) -> dict[Shift, Fraction]:
    """|k|^(2 power) = (−D_x² − D_y²)^power."""
    result: dict[Shift, Fraction] = {(0, 0): ONE}
    for _ in range(power):
        now: dict[Shift, Fraction] = {}
        for (a, b), value in result.items():
            added(now, {(a + 2, b): -value})
            if axes > 1:
                added(now, {(a, b + 2): -value})
        result = now
    return result


@dataclass
class Fluxes:
    """Fluxes, found one after the other; `real`: each has one power of i."""

    real: bool
    fluxes: list[Polynomial] = field(default_factory=list)
    tendencies: list[tuple[Head, int, Shift, Fraction]] = field(default_factory=list)

    def find(self, parts: Mapping[Head, Polynomial]) -> None:
        """Find fluxes from which all parts follow."""
        pieces = [
            (_size(reduced), reduced, head, shift)
            for head, polynomial in sorted(parts.items())
            for one in (_by_turn(polynomial) if self.real else [polynomial])
            if one
            for reduced, shift in [_without_content(one)]
        ]
        for _, polynomial, head, shift in sorted(
            pieces, key=lambda piece: (piece[0], sorted(piece[1].items()))
        ):
            self._add(polynomial, head, shift)

    def _add(self, polynomial: Polynomial, head: Head, shift: Shift) -> None:
        if (found := self._combination(polynomial)) is None:
            scale = polynomial[min(polynomial)]
            self.fluxes.append({key: value / scale for key, value in polynomial.items()})
            found = {(len(self.fluxes) - 1, (0, 0)): scale}
        for (flux, (a, b)), value in sorted(found.items()):
            self.tendencies.append((head, flux, (a + shift[0], b + shift[1]), value))

    def _combination(self, wanted: Polynomial) -> dict[tuple[int, Shift], Fraction] | None:
        """The fluxes times polynomials whose sum is wanted, or None."""
        degree = max(a + b for _, a, b in wanted)
        products = {product for product, _, _ in wanted}
        candidates = [
            number
            for number, flux in enumerate(self.fluxes)
            if products & {product for product, _, _ in flux}
        ]
        rows: dict[tuple[int, Shift], dict[Any, Fraction]] = {}
        for number in candidates:
            room = degree - max(a + b for _, a, b in self.fluxes[number])
            for a in range(room + 1):
                for b in range(room + 1 - a):
                    moved = {(0, (p, m + a, n + b)): v for (p, m, n), v in self.fluxes[number].items()}
                    rows[number, (a, b)] = {**moved, (1, (number, (a, b))): ONE}
        row = {(0, key): value for key, value in wanted.items()}
        keys = sorted({key for one in (*rows.values(), row) for key in one})
        reduced = rows_of(rows.values(), {key: place for place, key in enumerate(keys)})
        rest = reduced.rest(row)
        if any(kind == 0 for kind, _ in rest):
            return None
        return {key: -value for (_, key), value in rest.items()}


def _by_turn(polynomial: Polynomial) -> list[Polynomial]:
    """The parts of even and of odd order."""
    return [
        {key: value for key, value in polynomial.items() if (key[1] + key[2]) % 2 == odd} for odd in (0, 1)
    ]


def _without_content(polynomial: Polynomial) -> tuple[Polynomial, Shift]:
    """The polynomial without the derivatives that all its parts have, and these."""
    a, b = min(key[1] for key in polynomial), min(key[2] for key in polynomial)
    return {(product, m - a, n - b): value for (product, m, n), value in polynomial.items()}, (a, b)


def _size(polynomial: Polynomial) -> tuple[int, int]:
    return max(a + b for _, a, b in polynomial), len(polynomial)

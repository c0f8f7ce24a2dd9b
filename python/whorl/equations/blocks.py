"""Blocks of the products in equations: parts that are found from inputs independently of each other.

The terms of a block have one clock, one outer tag, the same fields and the same power of the wavenumber.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from whorl.equations.exact import ONE, added, is_small
from whorl.equations.multipliers import Factor, Form, Tag, parts
from whorl.equations.split import Clock, Split
from whorl.equations.waves import Classes

Terms = list[tuple[Fraction, Factor, tuple[Form, ...]]]


@dataclass(frozen=True)
class Block:
    """Products of one kind.

    Attributes
    ----------
    outputs : tuple of int
        The components to whose equations the terms belong.
    projected : bool
        Whether these are a vector that is projected.
    clock : Clock
        The numbers that are known at a stage, by which all terms are multiplied.
    tag : Tag
        The tag of the outer factors.
    vanishing : bool
        Whether an outer factor without derivatives is 0 at k = 0.
    content : tuple of int
        The classes of the forms that are multiplied.
    degree : int
        The power of the wavenumber of each term.
    terms : tuple of Terms
        The terms of each output.
    """

    outputs: tuple[int, ...]
    projected: bool
    clock: Clock
    tag: Tag
    vanishing: bool
    content: tuple[int, ...]
    degree: int
    terms: tuple[Terms, ...]

    @property
    def lowest(self) -> int:
        """The lowest power of |k|² in outer factors."""
        return min(outer.power for of in self.terms for _, outer, _ in of)

    def forms(self) -> list[Form]:
        """The forms that are multiplied, each once."""
        return list(dict.fromkeys(form for of in self.terms for _, _, forms in of for form in forms))


def blocks_of(split: Split, classes: Classes, groups: tuple[tuple[int, ...], ...]) -> list[Block]:
    """The blocks of the products; `groups` are the components of vectors that are projected."""
    group_of = {component: group for group in groups for component in group}
    rows: dict[tuple[object, ...], dict[tuple[int, Factor, tuple[Form, ...]], Fraction]] = {}
    for (component, outer, clock, forms), value in split.products.items():
        for pieces, content, degree in _pieces(forms, classes):
            vanishing = outer.meanless or outer.power < 0
            key = group_of.get(component, ()), clock, outer.tag, vanishing, content, degree + outer.degree
            added(rows.setdefault(key, {}), {(component, outer, pieces): value})
    return [_block(key, row) for key, row in sorted(rows.items(), key=lambda item: repr(item[0])) if row]


def _pieces(
    forms: tuple[Form, ...], classes: Classes
) -> Iterator[tuple[tuple[Form, ...], tuple[int, ...], int]]:
    """The products of parts of forms that are of one class and one power each: parts, classes, power."""
    of = [parts(form, classes.of).items() for form in forms]
    for chosen in product(*of):
        content = tuple(sorted(key[0] for key, _ in chosen))
        yield tuple(sorted(part for _, part in chosen)), content, sum(key[2] for key, _ in chosen)


def _block(key: tuple, row: Mapping[tuple[int, Factor, tuple[Form, ...]], Fraction]) -> Block:
    group, clock, tag, vanishing, content, degree = key
    outputs = group or tuple(sorted({component for component, _, _ in row}))
    terms: dict[int, Terms] = {output: [] for output in outputs}
    for (component, outer, forms), value in sorted(row.items()):
        terms[component].append((value, outer, forms))
    return Block(outputs, bool(group), clock, tag, vanishing, content, degree, tuple(terms.values()))


def by_size(block: Block) -> list[tuple[Fraction, list[Terms]]]:
    """The terms in groups with coefficients that are small fractions of one number, and this number."""
    sizes: list[Fraction] = [ONE]
    coefficients = sorted({abs(value) for of in block.terms for value, _, _ in of})
    for value in coefficients:
        if not any(is_small(value / size) for size in sizes):
            sizes.append(value)
    groups: list[tuple[Fraction, list[Terms]]] = []
    for size in sizes:
        mine = [
            [(value / size, outer, forms) for value, outer, forms in of if _size_of(value, sizes) == size]
            for of in block.terms
        ]
        if any(mine):
            groups.append((size, mine))
    return groups


def _size_of(value: Fraction, sizes: list[Fraction]) -> Fraction:
    return next(size for size in sizes if is_small(value / size))

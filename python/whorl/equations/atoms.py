"""Candidates for inputs: sets of linear forms of one class of fields, such as a field or its gradient."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from whorl.equations.exact import ONE, Rows, added
from whorl.equations.modular import Independent
from whorl.equations.multipliers import PLAIN, Factor, Form, Normal, Orders, Place, Tag, ordered, parts, unit
from whorl.equations.waves import Classes

NOTHING: Orders = (0, 0, 0)
INNER = "inner products"  # the name of their class, which is no vector


@dataclass(frozen=True)
class Atom:
    """Forms that are inputs together: a name such as "grad u" or "curl b", and the forms."""

    name: str
    forms: tuple[Form, ...]


def atoms_of(
    number: int, typed: Sequence[Form], normal: Normal, classes: Classes, names: Sequence[str]
) -> list[Atom]:
    """The candidates for one class: forms of the text, and a field, its gradient, curl and divergence."""
    components = classes.components[number]
    groups: dict[tuple[Any, ...], list[Form]] = {}
    for form in typed:
        for key, part in parts(form, classes.of).items():
            if key[0] == number:
                groups.setdefault(key, []).append(part)
    tags: list[Tag] = sorted({key[1] for key in groups} | {PLAIN})
    degrees: list[int] = [key[2] for key in groups]
    found = [
        Atom(name, forms)
        for tag in tags
        for name, forms in _natural(normal, components, names[number], tag)
        if forms and min(degrees) - 1 <= forms[0][0][0][1].degree <= max(degrees)
    ]
    found += [
        Atom(f"{names[number]} as typed", basis(forms)) for _, forms in sorted(groups.items(), key=repr)
    ]
    unique: dict[tuple[Form, ...], Atom] = {}
    for atom in found:
        unique.setdefault(span_of(atom.forms), atom)
    return list(unique.values())


def _natural(
    normal: Normal, components: Sequence[int], name: str, tag: Tag
) -> list[tuple[str, tuple[Form, ...]]]:
    """Forms of a class that need no text, with their names."""
    label = name if tag == PLAIN else f"filtered {name}"
    inverse = "inv_lap "
    found = []
    for power, before in ((0, ""), (-1, inverse), (1, "lap ")):
        one = [_form(normal, [(place, NOTHING, ONE)], power, tag) for place in components]
        slopes = [
            _form(normal, [(place, unit(axis), ONE)], power, tag)
            for place, axis in product(components, range(normal.axes))
        ]
        found += [(f"{before}{label}", basis(one)), (f"grad {before}{label}", basis(slopes))]
        if name == INNER:
            continue
        if len(components) == normal.axes:
            found += [
                (f"curl {before}{label}", basis(_curl(normal, components, power, tag))),
                (f"div {before}{label}", basis([_divergence(normal, components, power, tag)])),
            ]
        if len(components) > normal.axes:
            found.append((f"div {before}{label}", basis(_of_tensor(normal, components, power, tag))))
    return found


Part = tuple[int, Orders, Fraction]


def _form(normal: Normal, of: Iterable[Part], power: int, tag: Tag) -> Form:
    sums: dict[Place, Fraction] = {}
    for component, orders, value in of:
        added(sums, normal.reduced((component, Factor(orders, power, tag))), value)
    return ordered(sums)


def _curl(normal: Normal, components: Sequence[int], power: int, tag: Tag) -> list[Form]:
    pairs = [(1, 2), (2, 0), (0, 1)] if normal.axes == 3 else [(0, 1)] if normal.axes == 2 else []
    return [
        _form(normal, [(components[j], unit(i), ONE), (components[i], unit(j), -ONE)], power, tag)
        for i, j in pairs
    ]


def _divergence(normal: Normal, components: Sequence[int], power: int, tag: Tag) -> Form:
    return _form(normal, [(one, unit(axis), ONE) for axis, one in enumerate(components)], power, tag)


def _of_tensor(normal: Normal, components: Sequence[int], power: int, tag: Tag) -> list[Form]:
    """The divergence of a symmetric tensor."""
    pairs = [(i, j) for i in range(normal.axes) for j in range(i, normal.axes)]
    at = dict(zip(pairs, components, strict=True))
    return [
        _form(normal, [(at[min(i, j), max(i, j)], unit(j), ONE) for j in range(normal.axes)], power, tag)
        for i in range(normal.axes)
    ]


def basis(forms: Iterable[Form]) -> tuple[Form, ...]:
    """The forms that are no combination of those before; simple ones come first."""
    rows: Independent[Place] = Independent()
    return tuple(
        form for form in sorted(set(forms), key=lambda form: (len(form), form)) if rows.add(dict(form))
    )


def span_of(forms: Sequence[Form]) -> tuple[Form, ...]:
    """The reduced rows of forms, equal for forms with the same combinations."""
    rows = _rows(forms)
    for form in forms:
        rows.add(dict(form))
    return tuple(sorted(ordered(row) for row in rows.by_pivot.values()))


def _rows(forms: Iterable[Form]) -> Rows[Place]:
    places = sorted({place for form in forms for place, _ in form})
    return Rows({place: number for number, place in enumerate(places)})

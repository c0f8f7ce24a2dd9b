"""The names that expressions may use in a case: fields, quantities of the model, and numbers."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from whorl.base.dimension import LENGTH, TIME, Dimension
from whorl.config.measures import all_fields, output_fields, quantities, state_fields
from whorl.expressions.formulas import SHORT, numbers_of
from whorl.expressions.graph import Parity
from whorl.expressions.parse import Vocabulary, complex_field, scalar_field, vector_field
from whorl.expressions.values import Algebra, Value
from whorl.forcing.names import force_name, force_of, forceable, refusals
from whorl.models.base import Defined, FieldOf

if TYPE_CHECKING:
    from whorl.config.case import Case


def vocabulary(case: "Case") -> Vocabulary:
    """The vocabulary of a case: its fields by name and symbol, the model's quantities and parameters."""
    fields: dict[str, Callable[[Algebra], Value]] = {}
    parities: list[Parity] = []
    solenoidal: list[int] = []
    outputs = output_fields(case)
    for name, field in state_fields(case).items():
        for called in filter(None, (name, field.symbol)):
            fields[called] = _field(field, len(parities))
        if field.solenoidal:
            solenoidal.append(len(parities))
        parities += _parities(outputs.get(name, field))
    definitions: dict[str, str] = {}
    for name, field in outputs.items():
        if field.definition:
            definitions |= dict.fromkeys(filter(None, (name, field.symbol)), field.definition)
    named, known = quantities(case), all_fields(case)
    definitions |= {name: one.text for name, one in named.items()}
    refused = refusals(case) | case.flow.unknown()
    for name in forceable(case):
        if force_name(name) not in refused:
            fields[force_name(name)] = force_of(case, name, known[name])
    forced = dict.fromkeys(force.field for force in case.forcing)
    taken = {*fields, *definitions, *numbers_of(case), *refused}
    refused = refused | {one.name: _is_column(one.name) for one in case.flow.columns if one.name not in taken}
    return Vocabulary(
        parities=parities,
        walls=_walls(case.grid.bases),
        forces={name: _parities(known[name]) for name in forced},
        fields=fields,
        definitions=definitions,
        parameters=numbers_of(case),
        units=_units(case, known, named),
        refused=refused,
        solenoidal=solenoidal,
        single=case.run.precision == "single",
    )


def _units(case: "Case", known: dict[str, FieldOf], named: dict[str, Defined]) -> dict[str, Dimension]:
    """The units of fields, forces, parameters and coordinates, and those that quantities are given."""
    found = {name: one.dimension for name, one in known.items()}
    forces = {force_name(name): unit / TIME for name, unit in found.items()}
    symbols = {one.symbol: one.dimension for one in known.values() if one.symbol}
    given = {name: Dimension.of(one.unit) for name, one in named.items() if one.unit}
    numbers = case.flow.units()
    short = {symbol: numbers[name] for symbol, name in SHORT.items() if name in numbers}
    places = dict.fromkeys("xyz", LENGTH.as_loose()) | {"t": TIME.as_loose()}
    lengths = dict.fromkeys(("Lx", "Ly", "Lz"), LENGTH)
    return places | numbers | short | lengths | found | forces | symbols | given


def _is_column(name: str) -> str:
    return (
        f'"{name}" is a column of series.csv, and expressions are of fields; write it by these, as the '
        "kinetic energy is mean(dot(u, u))/2"
    )


def _field(field: FieldOf, first: int) -> Callable[[Algebra], Value]:
    if field.parts:
        return complex_field(first)
    return vector_field(first, field.components) if field.components > 1 else scalar_field(first)


def _parities(field: FieldOf) -> list[Parity]:
    """The parities of the components of a field."""
    sines = field.sines or ("",) * field.components
    return [tuple(axis in one for axis in "xyz") for one in sines]


def _walls(bases: str) -> Parity:
    """Whether x, y and z have walls; `bases` is in the order z, y, x."""
    return tuple(letter == "S" for letter in reversed(bases))

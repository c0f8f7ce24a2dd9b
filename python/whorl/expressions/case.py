"""The expressions in a case: columns of the series and fields of snapshots that are typed as text."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from whorl.config.explain import did_you_mean
from whorl.config.measures import expression_columns, output_fields, series_columns
from whorl.config.scalars import plain_name
from whorl.expressions.nodes import holds_or_not
from whorl.expressions.values import Value
from whorl.forcing.options import FormulaInTime, Steady
from whorl.initial.options import Formula

if TYPE_CHECKING:
    from whorl.config.case import Case

NAMED = re.compile(r"\s*([A-Za-z][A-Za-z0-9_-]*)\s*=(?!=)(.*)", re.DOTALL)
# Names of the dimensions of datasets and files, and of the group at the root of a snapshot.
RESERVED = (
    *("x", "y", "z", "k", "kx", "ky", "kz", "time", "step"),
    *("component", "part", "pair", "VTKHDF"),
)
# Numbers that expressions know in every case.
NUMBERS = ("t", "pi", "Lx", "Ly", "Lz")
STOP_WHEN = "time.stop_when"
WIDTHS = (1, 2, 3, 9)  # real components of a field in a snapshot: number, complex number, vector, tensor


def row_expressions(case: "Case") -> dict[str, str]:
    """The expressions that each row of series.csv evaluates: its columns by name, and time.stop_when."""
    condition = {} if case.time.stop_when is None else {STOP_WHEN: case.time.stop_when}
    return case.output.columns | condition


def snapshot_entry(entry: str) -> tuple[str, str]:
    """The name and the text of an entry of output.fields: "NAME = EXPRESSION", or one word for both."""
    named = NAMED.fullmatch(entry)
    return (named[1], named[2].strip()) if named else (entry, entry)


def snapshot_expressions(case: "Case") -> dict[str, str]:
    """The fields of snapshots that the model does not have, by name."""
    known = output_fields(case)
    return dict(snapshot_entry(entry) for entry in case.output.fields if entry not in known)


def snapshot_components(case: "Case") -> int:
    """The number of real components of a snapshot at each point."""
    known, own = output_fields(case), snapshot_expressions(case)
    of_fields = sum(known[name].components for name in case.output.fields if name in known)
    return of_fields + sum(len(case.planned.field(name).values[0].nodes()) for name in own)


def formulas(case: "Case") -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """The formulas of initial fields, then of forces: their option, their texts, and whether t may occur."""
    fields = {} if case.initial is None else {"initial": case.initial}
    if case.initial is not None:
        fields |= {f"initial.{name}": field for name, field in case.initial.others.items()}
    fields |= {f"scalars.initial of {scalar.name}": scalar.initial for scalar in case.scalars}
    shapes = {
        f"forcing.shape of {force.label}": force.shape for force in case.forcing if isinstance(force, Steady)
    }
    for places, kind, in_time in ((fields, Formula, False), (shapes, FormulaInTime, True)):
        for place, given in places.items():
            if isinstance(given, kind):
                yield f"{place}.value", given.value, in_time


def check_diagnostic_names(case: "Case") -> None:
    """Raises ValueError if two diagnostics have one name."""
    labels = [one.label for one in case.diagnostics]
    for label in labels:
        if labels.count(label) > 1:
            raise ValueError(f"two diagnostics are called {label}; give diagnostics.name, a name for each")


def check_component(value: Value) -> None:
    """Raises ValueError for a formula that is not one real number."""
    if value.rank or value.complex:
        raise ValueError(f"a formula is one real number, and this is {value}; give one for each component")


def check_condition(value: Value) -> None:
    """Raises ValueError for a time.stop_when that is no condition, or one that never changes."""
    check_number(value, "a condition")
    if value.scalar.kind == "constant":
        raise ValueError("it never changes; compare a quantity that depends on the flow or on t")
    if not holds_or_not(value.scalar):
        raise ValueError("it is a number, and no condition; compare it with another one, such as … < 0.01")


def check_number(value: Value, what: str = "a column") -> None:
    """Raises ValueError for a column that is not one real number of the whole flow."""
    if value.rank or value.complex:
        raise ValueError(
            f"{what} is one real number, and this is {value}; take a component, or real(…) or imag(…)"
        )
    if not all(node.uniform for node in value.nodes()):
        raise ValueError("it differs from point to point; write mean(…), std(…) or rms(…) of it")


def check_field(value: Value) -> None:
    """Raises ValueError for a field that a snapshot cannot hold."""
    if len(value.nodes()) not in WIDTHS:
        raise ValueError(f"a field is not {value}; give real(…) and imag(…), each with a name")


def check_column_names(case: "Case") -> None:
    """Raises ValueError if a name of output.columns is not allowed, or is that of another column."""
    columns = series_columns(case)
    taken = {column.name for column in columns[: len(columns) - len(expression_columns(case))]}
    for name in case.output.columns:
        try:
            plain_name(name)
        except ValueError as error:
            raise ValueError(f'output.columns holds the name "{name}": {error}') from None
        if name in taken:
            raise ValueError(f"output.columns.{name} is a column of series.csv already; choose another name")


def check_snapshot_fields(case: "Case") -> None:
    """Raises ValueError if a name in output.fields is unknown, missing or that of something else."""
    known, model = list(output_fields(case)), case.flow.model
    entries = [(entry, *snapshot_entry(entry)) for entry in case.output.fields]
    names = [name for _, name, _ in entries]
    for entry, name, text in entries:
        if names.count(name) > 1:
            raise ValueError(f'output.fields holds "{name}" twice; every field needs a name of its own')
        if text != name and name in (*known, *RESERVED):
            by = f'flow.model = "{model}" has' if name in known else "whorl's files use themselves"
            raise ValueError(f'output.fields = "{entry}": {name} is a name that {by}; choose another')
        if text != name or name in known:
            continue
        if not name.isidentifier():
            raise ValueError(f'output.fields = "{name}" needs a name: write "NAME = {name}"')
        words = case.planned.vocabulary.names
        if name not in words or name in RESERVED:
            near = did_you_mean(name, [*known, *words]).rstrip("?")
            raise ValueError(
                f'output.fields = "{name}" is no field of flow.model = "{model}"{near}; it must be one of '
                f'{", ".join(known)}, or an expression with a name, such as "speed = norm(u)"'
            )

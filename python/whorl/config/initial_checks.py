"""Checks of initial fields, and of other fields that are given like them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from whorl.base.errors import CaseError
from whorl.base.text import counted
from whorl.config.explain import did_you_mean
from whorl.config.measures import all_fields
from whorl.config.section import tag_of
from whorl.initial.options import KINDS, Formula, InitialField, Zero

if TYPE_CHECKING:
    from whorl.config.case import Case


def check_initial(case: "Case") -> None:
    flow, initial, first = case.flow, case.initial, case.flow.first_field()
    fields = all_fields(case)
    check_kind(initial, first, fields[first].components, "initial", case)
    for name, field in initial.others.items():
        if name not in (first, *flow.state):
            scalar = any(name == scalar.name for scalar in case.scalars)
            known = list(dict.fromkeys((first, *flow.state)))
            near = did_you_mean(name, known).rstrip("?")
            if scalar:
                near = f"; the scalar {name} has it as [scalars.initial]"
            tables = ", ".join(f"[initial.{other}]" for other in known) or "none"
            raise ValueError(
                f'[initial.{name}] is no field of flow.model = "{flow.model}"{near}; besides [initial] '
                f"itself the tables may be {tables}"
            )
        if (name == first or first not in flow.state) and not isinstance(initial, Zero):
            raise ValueError(f"[initial.{name}] and [initial] both set the {name}; give one of them")
        check_kind(field, name, fields[name].components, f"initial.{name}", case)
        check_no_tables(field, f"initial.{name}")
    same = [name for name in initial.others if name in flow.state]
    if first not in flow.state and first in initial.others and same:
        raise ValueError(f"[initial.{first}] and [initial.{same[0]}] set the same; give one of them")


@contextmanager
def in_block(block: str) -> Iterator[None]:
    """Begins the message of a ValueError raised inside with the block of options."""
    try:
        yield
    except CaseError:
        raise
    except ValueError as error:
        raise ValueError(f"{block}: {error}") from None


def check_kind(field: InitialField, name: str, components: int, place: str, case: "Case") -> None:
    tag = tag_of(type(field))
    if not field.makes(name):
        fitting = ", ".join(_kinds_for(name))
        raise ValueError(f'{place}.name = "{tag}" does not make the field {name}; choose one of {fitting}')
    if not field.any_bases and case.grid.bases != "FFF":
        raise ValueError(
            f'{place}.name = "{tag}" does not fit walls (grid.bases = "{case.grid.bases}"); choose one of '
            f"{', '.join(_kinds_for(name, walls=True))}"
        )
    if isinstance(field, Formula) and len(field.value) != components:
        raise ValueError(
            f"{place}.value holds {counted(len(field.value), 'formula')}; {name} needs "
            f"{counted(components, 'formula')}"
        )


def _kinds_for(name: str, *, walls: bool = False) -> Iterator[str]:
    return (tag_of(kind) for kind in KINDS if kind.makes(name) and (kind.any_bases or not walls))


def check_no_tables(field: InitialField, place: str) -> None:
    for name in field.others:
        raise ValueError(f"[{place}.{name}] is a table in a table; write [initial.{name}]")

"""The display of a case in a notebook, at the end of a cell."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from whorl.base import html
from whorl.config.explain import describe, show
from whorl.config.section import Section

if TYPE_CHECKING:
    from whorl.config.case import Case

HEADING = ("option", "value", "unit")
Row = tuple[str, str, str]


def html_of(case: "Case", lists: Iterable[str]) -> str:
    """The case in a line, the options that differ from their defaults, and all options to unfold.

    `lists` are the sections of any number of blocks.
    """
    sections = {name: getattr(case, name) for name in type(case).model_fields if getattr(case, name)}
    blocks = {f"{name}[{n}]": one for name in lists for n, one in enumerate(sections.pop(name, ()))}
    found = [row for name, one in (sections | blocks).items() for row in _rows(name, one)]
    usual = {
        "grid.bases": show(case.flow.bases[0]),
        "grid.dealias": show(case.flow.dealias),
        "output.fields": show(case.flow.snapshot),
    }
    chosen = [row for row, default in found if row[1] != usual.get(row[0], default)]
    everything = html.table((row for row, _ in found), HEADING, most=None)
    parts = (html.table(chosen, HEADING), html.folded(f"all {len(found)} options", everything))
    return html.titled(repr(case).strip("<>"), *parts)


def _rows(place: str, section: Section) -> Iterator[tuple[Row, str]]:
    """Options that have a value, with their units, and their defaults."""
    fields = type(section).model_fields
    for key, value in section:
        if isinstance(value, Section):
            yield from _rows(f"{place}.{key}", value)
        elif value is not None:
            about = describe(key, fields[key]) if key in fields else None
            row = (f"{place}.{key}", show(value), about.unit if about else "")
            yield row, about.default if about else ""

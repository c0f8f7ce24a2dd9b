"""The display of a case in a notebook, at the end of a cell."""

from html import escape
from typing import Any

from whorl.config.explain import describe, show
from whorl.config.section import Section


def html_of(sections: dict[str, Section]) -> str:
    """An HTML table of the options that are set in some sections, with their values and units."""
    rows = [row for name, section in sections.items() for row in _rows(name, section)]
    return f"<table><thead><tr><th>option</th><th>value</th><th></th></tr></thead>{''.join(rows)}</table>"


def _rows(place: str, section: Section) -> list[str]:
    rows, fields = [], type(section).model_fields
    for key, value in section:
        if isinstance(value, Section):
            rows += _rows(f"{place}.{key}", value)
        elif value is not None:
            unit = describe(key, fields[key]).unit if key in fields else ""
            rows.append(_row(f"{place}.{key}", value, unit))
    return rows


def _row(option: str, value: Any, unit: str) -> str:
    cells = (option, show(value), unit)
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"

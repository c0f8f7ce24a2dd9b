"""Tables and entries on a console of any width: lines break between words, never within one."""

import textwrap
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table

WIDEST = 10_000  # more than any cell has
INDENT = 4


def show_table(console: Console, table: Table) -> None:
    """Print a table without a box in which each word is whole; a terminal too narrow for it breaks lines."""
    least = _fit(console, table)
    before, console.width = console.width, max(console.width, least)
    console.print(table)
    console.width = before


def show_rows(console: Console, rows: Sequence[Sequence[str]], heads: Sequence[str] = ()) -> None:
    """Print rows of plain text as a table; if it is too wide, print the cells one below the other."""
    table = Table(*heads, box=None, show_header=bool(heads), header_style="bold", pad_edge=False)
    for row in rows:
        table.add_row(*map(escape, row))
    table.columns[0].no_wrap = True
    if not heads:
        table.columns[0].style = "bold"
    if _fit(console, table) <= console.width:
        console.print(table)
        return
    for name, *texts in rows:
        console.print(f"[bold]{escape(name)}[/]", soft_wrap=True)
        for text in filter(None, texts):
            show_text(console, text, INDENT)


def show_text(console: Console, text: str, indent: int = 0) -> None:
    """Print plain text, each of its lines broken between words and indented."""
    margin = " " * indent
    for line in text.splitlines():
        for part in textwrap.wrap(
            line,
            max(console.width, indent + 1),
            initial_indent=margin,
            subsequent_indent=margin,
            break_long_words=False,
            break_on_hyphens=False,
        ):
            console.print(escape(part), soft_wrap=True)


def _fit(console: Console, table: Table) -> int:
    """Fit the columns to the console, each as wide as its longest word or more; return the least width.

    The columns share the remaining width in proportion to the width that each lacks for unbroken lines.
    """
    sizes = [_sizes(console, column.no_wrap, [column.header, *column.cells]) for column in table.columns]
    gaps = (table.padding[1] + table.padding[3]) * (len(sizes) - 1)
    least, lacking = sum(low for low, _ in sizes) + gaps, sum(high - low for low, high in sizes)
    share = min(1.0, max(0, console.width - least) / lacking) if lacking else 0.0
    for column, (low, high) in zip(table.columns, sizes, strict=True):
        column.width = low + int(share * (high - low))
    return least


def _sizes(console: Console, whole: bool, cells: Sequence[Any]) -> tuple[int, int]:
    """The longest word and the longest line of a column; a column that does not wrap has only lines."""
    wide = console.options.update(max_width=WIDEST)
    measured = [Measurement.get(console, wide, cell) for cell in cells]
    longest = max(one.maximum for one in measured)
    return (longest if whole else max(one.minimum for one in measured)), longest

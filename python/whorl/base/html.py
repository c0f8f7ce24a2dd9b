"""Tables and bars for notebooks, without colours of their own, for light and dark pages."""

from collections.abc import Iterable, Sequence
from html import escape

LEFT = ' style="text-align:left"'  # notebooks align cells to the right
MOST = 20  # rows that are shown before the others are asked for


def table(rows: Iterable[Sequence[str]], heading: Sequence[str] = (), most: int | None = MOST) -> str:
    """Rows of texts as a table; rows after the first `most` are folded."""
    lines = [_row(row, "td") for row in rows]
    head = f"<thead>{_row(heading, 'th')}</thead>" if heading else ""
    shown, others = lines[:most], lines[len(lines[:most]) :]
    text = f"<table>{head}<tbody>{''.join(shown)}</tbody></table>"
    if not others:
        return text
    return text + folded(f"{len(others)} more", f"<table>{head}<tbody>{''.join(others)}</tbody></table>")


def titled(title: str, *parts: str) -> str:
    """A line of text above parts in HTML."""
    return f"<div><b>{escape(title)}</b>{''.join(parts)}</div>"


def folded(summary: str, body: str) -> str:
    """A body in HTML that a click on its summary, a text, shows."""
    return f"<details><summary>{escape(summary)}</summary>{body}</details>"


def paragraphs(texts: Iterable[str]) -> str:
    return "".join(f"<p>{escape(text)}</p>" for text in texts)


def bar(done: float, text: str) -> str:
    """A bar of which a fraction is filled, and a line of text below it."""
    filled = f'<progress max="1" value="{done:.4f}" style="width:100%"></progress>'
    return f'<div>{filled}<div style="white-space:pre-wrap">{escape(text)}</div></div>'


def _row(cells: Sequence[str], kind: str) -> str:
    return f"<tr>{''.join(f'<{kind}{LEFT}>{escape(cell)}</{kind}>' for cell in cells)}</tr>"

"""Errors of wrong expressions, which show the place in the text."""

from whorl.base.errors import CaseError

LONGEST = 4000  # characters of an expression
SHOWN = 60  # characters of the text on either side of a fault


class ExpressionError(CaseError):
    """The error of a wrong expression: a paragraph and, below it, the text with a caret at the place."""

    def __init__(self, reason: str, shown: str = ""):
        super().__init__(reason)
        self.reason, self.shown = reason, shown
        self.args = (f"{self.args[0]}{shown}",)

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return type(self), (self.reason, self.shown)

    def at(self, place: str) -> "ExpressionError":
        """The error with the place of the expression, such as an option, before the reason."""
        return ExpressionError(f"{place}: {self.reason}", self.shown)


def fault(reason: str, text: str, start: int = 0, length: int | None = None) -> ExpressionError:
    """The error with the text below it, and a caret at each of `length` characters, by default at all."""
    first = max(0, start - SHOWN)
    shown = text[first : start + SHOWN]
    before, behind = "…" if first else "", "…" if len(text) > start + SHOWN else ""
    marked = max(1, min(len(text) if length is None else length, SHOWN))
    marks = " " * (start - first + len(before)) + "^" * marked
    return ExpressionError(f"{reason.rstrip('.')}:", f"\n  {before}{shown}{behind}\n  {marks}")


def in_one_line(text: str) -> str:
    """The text with spaces for characters that do not print; at most LONGEST + 1 characters."""
    return "".join(c if c.isprintable() else " " for c in text[: LONGEST + 1]).strip()

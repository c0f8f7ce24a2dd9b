"""Public names as their users call them, for docs/api.md."""

import inspect
from typing import Any

from pydantic import BaseModel
from sphinx.application import Sphinx


def of_sections(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, signature: str | None, returned: str | None
) -> tuple[str, str] | None:
    """The sections of a case without their types, which list every kind of force and diagnostic.

    The docstring has the types in short.
    """
    if not (inspect.isclass(thing) and issubclass(thing, BaseModel)):
        return None
    given = inspect.signature(thing).parameters.values()
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in given]
    return str(inspect.Signature(plain)).replace("<factory>", "{}"), ""


def escape_bars(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Keep the bars of |k|, which reStructuredText would substitute, except in examples."""
    lines[:] = [
        line if line.lstrip().startswith((">>>", "...")) else line.replace("|", "\\|") for line in lines
    ]


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-signature", of_sections)
    app.connect("autodoc-process-docstring", escape_bars)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

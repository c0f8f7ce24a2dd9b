"""Tables of contents that pages need not have, since GitHub would show them as text."""

import re
from pathlib import Path

from sphinx.application import Sphinx

DOCS = Path(__file__).parents[1]
OF_FOLDER = "\n\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"
GLOB = re.compile(r"^([\w/-]+\*)\n", re.MULTILINE)


def complete(app: Sphinx, docname: str, source: list[str]) -> None:
    """Append to the first page of a folder the pages there, and leave out patterns that name no page."""
    if docname.endswith("/README"):
        source[0] += OF_FOLDER
    source[0] = GLOB.sub(lambda found: found[0] if any(DOCS.glob(f"{found[1]}.md")) else "", source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", complete)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

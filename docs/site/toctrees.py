"""Tables of contents that pages need not have, since GitHub would show them as text."""

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

DOCS = Path(__file__).parents[1]
OF_FOLDER = "\n\n```{{toctree}}\n:hidden:\n\n{}\n```\n"
OF_TABLE = re.compile(r"^\|.*?\]\(([\w-]+)\.md[)#]", re.MULTILINE)
GLOB = re.compile(r"^([\w/-]+\*)\n", re.MULTILINE)


def complete(app: Sphinx, docname: str, source: list[str]) -> None:
    """Append to the first page of a folder the pages there, and leave out patterns that name no page.

    Pages that the first page lists in a table have the order of the table.
    """
    if docname.endswith("/README"):
        there = sorted(path.stem for path in (DOCS / docname).parent.glob("*.md") if path.stem != "README")
        listed = [name for name in OF_TABLE.findall(source[0]) if name in there]
        source[0] += OF_FOLDER.format("\n".join(dict.fromkeys([*listed, *there])))
    source[0] = GLOB.sub(lambda found: found[0] if any(DOCS.glob(f"{found[1]}.md")) else "", source[0])


def mark_contents(app: Sphinx, doctree: nodes.document) -> None:
    """Mark paragraphs with the contents of a page, which wide screens show at the side anyway."""
    for paragraph in doctree.findall(nodes.paragraph):
        if paragraph.astext().startswith("Contents: "):
            paragraph["classes"].append("contents-of-page")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", complete)
    app.connect("doctree-read", mark_contents)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

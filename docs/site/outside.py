"""Links to files outside docs/: pages of the site show these files, so that no link leaves it."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from markdown_it import MarkdownIt
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# Files that pages of the site include whole.
INCLUDED = {"CONTRIBUTING.md": "contributing", "CHANGELOG.md": "changelog", "README.md": "index"}
LEXERS = {
    **dict.fromkeys((".cpp", ".hpp", ".h", ".cu"), "cpp"),
    ".py": "python",
    ".md": "markdown",
    ".toml": "toml",
    **dict.fromkeys((".sh", ".slurm", ".pbs"), "sh"),
    ".cff": "yaml",
}
FOLDER = "sources"


def page_of(path: str) -> str:
    """The page that shows a file of the repository."""
    return f"{FOLDER}/{path}"


def path_outside(node: nodes.Element, docname: str) -> str | None:
    """A path from the root of the repository, if a link leads to a file or a folder's page outside docs/."""
    # MyST makes a document of it, relative to docs/, where it ends like one.
    of_document = node.get("refdomain") == "doc"
    place = DOCS / f"{node['reftarget']}.md" if of_document else (DOCS / docname).parent / node["reftarget"]
    path = Path(os.path.normpath(place))
    path = path / "README.md" if path.is_dir() else path
    if path.is_relative_to(DOCS) or not path.is_relative_to(ROOT) or not path.is_file():
        return None
    return path.relative_to(ROOT).as_posix()


def lead_to_pages(app: Sphinx, doctree: nodes.document) -> None:
    """Let links to files outside docs/ lead to the pages that show these, before Sphinx resolves links."""
    docname = app.env.docname
    links = [*doctree.findall(addnodes.download_reference), *doctree.findall(addnodes.pending_xref)]
    for link in links:
        if link.get("reftype") != "myst" or (path := path_outside(link, docname)) is None:
            continue
        if path in INCLUDED:
            link.replace_self(included_page(link, docname, INCLUDED[path]))
            continue
        shown(app.env).setdefault(docname, set()).add(path)
        address = app.builder.get_relative_uri(docname, page_of(path))
        link.replace_self(nodes.reference("", "", *link.children, refuri=address, internal=True))


def included_page(link: nodes.Element, docname: str, target: str) -> addnodes.pending_xref:
    return addnodes.pending_xref(
        "", *link.children, refdomain="doc", reftype="myst", reftarget=target,
        reftargetid=link.get("reftargetid"), refdoc=docname, refexplicit=True,
    )  # fmt: skip


def shown(env: BuildEnvironment) -> dict[str, set[str]]:
    """The files that each page links to."""
    if not hasattr(env, "whorl_shown"):
        env.whorl_shown = {}
    return env.whorl_shown


def forget(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    shown(env).pop(docname, None)


def merge(app: Sphinx, env: BuildEnvironment, docnames: list[str], other: BuildEnvironment) -> None:
    """Take over the pages that another process has read."""
    shown(env).update({name: paths for name, paths in shown(other).items() if name in docnames})


def cells_of(path: Path) -> list[tuple[str, str]]:
    """The cells of a notebook: whether each is code or markdown, and its text."""
    book = json.loads(path.read_text(encoding="utf-8"))
    return [(cell["cell_type"], "".join(cell["source"])) for cell in book["cells"]]


def notebook(app: Sphinx, path: str) -> str:
    """The cells of a notebook in HTML, in which links to pages of docs/ lead to those of the site."""

    def address(link: re.Match[str]) -> str:
        place = Path(os.path.normpath((ROOT / path).parent / link[1])).relative_to(DOCS).with_suffix("")
        return f'href="{app.builder.get_relative_uri(page_of(path), place.as_posix())}"'

    parts = [f"<p>{path}</p>"]
    for kind, text in cells_of(ROOT / path):
        if kind == "code":
            parts.append(app.builder.highlighter.highlight_block(text, "python"))
        else:
            parts.append(re.sub(r'href="(\.\./[^"#]+\.md)"', address, MarkdownIt().render(text)))
    return "".join(parts)


def pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """A page for each file that is linked to."""
    for path in sorted(set().union(*shown(app.env).values())):
        if Path(path).suffix == ".ipynb":
            yield page_of(path), {"title": path, "body": notebook(app, path)}, "page.html"
            continue
        text = (ROOT / path).read_text(encoding="utf-8")
        lexer = LEXERS.get(Path(path).suffix, "text")
        body = app.builder.highlighter.highlight_block(text, lexer)
        yield page_of(path), {"title": path, "body": f"<h1>{path}</h1>{body}"}, "page.html"


def setup(app: Sphinx) -> dict[str, bool]:
    # Before Sphinx's own collectors, which copy files and complain of missing ones.
    app.connect("doctree-read", lead_to_pages, priority=100)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("html-collect-pages", pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

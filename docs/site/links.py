"""Check links within the site once it is built: the file is there, and the anchor in it."""

import os
import re
from collections.abc import Iterable
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

from outside import page_of, shown
from sphinx.application import Sphinx
from sphinx.util import logging

ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
logger = logging.getLogger(__name__)


class Page(HTMLParser):
    """The anchors of a page, its links, and what the browser loads for it."""

    def __init__(self, path: Path):
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        self.anchors.update(given[name] for name in ("id", "name") if name in given)
        if tag == "a" and "href" in given:
            self.links.add(given["href"])
        loads = given.get("src") or (given.get("href") if tag == "link" else None)
        if loads:
            self.loaded.add(loads)


def faults(site: Path, pages: Iterable[str]) -> list[str]:
    """The links of pages that lead nowhere, and files that come from another server."""
    page = cache(Page)
    found = []
    for path in (site / f"{name}.html" for name in sorted(pages)):
        for target in sorted(page(path).links | page(path).loaded):
            if ELSEWHERE.match(target):
                if target in page(path).loaded and not target.startswith("data:"):
                    found.append(f"{path.relative_to(site)} loads {target}, which a page from a disk cannot")
                continue
            file, _, anchor = unquote(target).partition("#")
            leads_to = Path(os.path.normpath(path.parent / file.partition("?")[0])) if file else path
            if not leads_to.is_file():
                found.append(f"{path.relative_to(site)} links to {target}: no such file")
            elif anchor and leads_to.suffix == ".html" and anchor not in page(leads_to).anchors:
                found.append(f"{path.relative_to(site)} links to {target}: no such anchor")
    return found


def check(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        sources = {page_of(path) for paths in shown(app.env).values() for path in paths}
        for fault in faults(Path(app.outdir), {*app.env.found_docs, *sources}):
            logger.warning(fault, type="links")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

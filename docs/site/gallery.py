"""Cards of all ready cases, diagnostics and scripts with their pictures, for docs/gallery.md."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from outside import cells_of, page_of, shown
from PIL import Image
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from whorl.config.case import load_case, ready_cases
from whorl.diagnostics.options import KINDS

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "docs" / "figures"
# Cases whose picture is another one than that of `whorl plot`.
PICTURES = {"taylor-green-1600": "validation-re1600-256"}


@dataclass(frozen=True)
class Card:
    """A picture with a title and a text, which leads to a page."""

    title: str
    text: str
    page: str
    picture: str = ""
    anchor: str = ""

    def markdown(self, address: str) -> str:
        picture = ""
        if self.picture:
            picture = f":img-top: figures/{self.picture}.png\n:img-alt: {self.picture}\n"
            picture += "" if has_square_field(self.picture) else ":class-img-top: whole\n"
        link = f":link: {address}\n:link-type: url\n"
        return f":::{{grid-item-card}} {self.title}\n{picture}{link}\n{self.text}\n:::\n"


def has_square_field(picture: str) -> bool:
    """Whether the left half of a picture of `whorl plot` is a square field, by the picture's shape."""
    width, height = Image.open(FIGURES / f"{picture}.png").size
    return abs(width / height - 2) < 0.1


def of_cases() -> Iterator[Card]:
    for name, path in ready_cases().items():
        about = path.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
        yield Card(f"`{name}`", about, f"models/{load_case(path).flow.model}", PICTURES.get(name, name))


def of_diagnostics() -> Iterator[Card]:
    for name, kind in KINDS.items():
        page = kind.page or name
        about = " ".join((kind.__doc__ or "").split())
        anchor = f"#{name}" if page == "sets" else ""
        yield Card(f"`{name}`", about, f"diagnostics/{page}", f"diagnostic-{name}", anchor)


def of_scripts() -> Iterator[Card]:
    for path in sorted((ROOT / "examples").glob("*.py")):
        about = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").splitlines()[0]
        yield Card(f"`{path.name}`", about, page_of(f"examples/{path.name}"))


def of_notebooks() -> Iterator[Card]:
    for path in sorted((ROOT / "examples/notebooks").glob("*.ipynb")):
        title, _, about = cells_of(path)[0][1].partition("\n\n")
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(about.split()))
        first = re.split(r"(?<=[.:]) ", plain)[0]
        yield Card(title.removeprefix("# "), first, page_of(f"examples/notebooks/{path.name}"))


KINDS_OF_CARDS = {
    "cases": of_cases,
    "diagnostics": of_diagnostics,
    "scripts": of_scripts,
    "notebooks": of_notebooks,
}


class Cards(SphinxDirective):
    """A grid of the cards of one kind, of which a wide page has three in a row."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        cards = list(KINDS_OF_CARDS[self.arguments[0]]())
        paths = {card.page.removeprefix(page_of("")) for card in cards if card.page.startswith(page_of(""))}
        shown(self.env).setdefault(self.env.docname, set()).update(paths)
        for path in ready_cases().values():
            self.env.note_dependency(path)
        body = "".join(card.markdown(self.address(card)) for card in cards)
        text = f"::::{{grid}} 1 2 3 3\n:gutter: 3\n:class-container: {self.arguments[0]}\n\n{body}::::\n"
        holder = nodes.Element()
        self.state.nested_parse(StringList(text.splitlines(), source="cards"), 0, holder)
        return holder.children

    def address(self, card: Card) -> str:
        return self.env.app.builder.get_relative_uri(self.env.docname, card.page) + card.anchor


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("cards", Cards)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

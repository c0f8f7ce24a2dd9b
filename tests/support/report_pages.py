"""A report as a test reads it: parsed as XML, which it is as well as HTML."""

import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

# Elements that HTML has without an end.
VOID = {"meta", "img", "link", "br", "hr", "input", "source", "base", "embed"}


class Page:
    """The sections, tables, images and loaded addresses of a report."""

    def __init__(self, path: Path):
        self.text = path.read_text(encoding="utf-8")
        self.root = ElementTree.fromstring(self.text)
        self.sections = [one.attrib["id"] for one in self.root.iter("section")]

    def __getitem__(self, ident: str) -> ElementTree.Element:
        """The element with this id."""
        (found,) = (one for one in self.root.iter() if one.attrib.get("id") == ident)
        return found

    def told(self, ident: str = "") -> str:
        """The text below an element, or of the whole body, with single spaces."""
        of = self[ident] if ident else self.root.find("body")
        return " ".join("".join(of.itertext()).split())

    def tables(self, ident: str) -> list[list[list[str]]]:
        """The rows of the tables below an element, as text."""
        return [
            [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]
            for table in self[ident].iter("table")
        ]

    def standing(self) -> tuple[str, str]:
        """The word on how the run stands, and all that is told with it."""
        (box,) = (one for one in self.root.iter("div") if "standing" in one.attrib.get("class", "").split())
        return next(box.iter("b")).text, " ".join("".join(box.itertext()).split())

    def loads(self) -> list[str]:
        """All addresses that the page names, in attributes and in its style."""
        named = [
            value
            for one in self.root.iter()
            for key, value in one.attrib.items()
            if key in ("src", "href", "srcset", "poster", "data", "action", "background")
        ]
        style = "".join(one.text or "" for one in self.root.iter("style"))
        return named + re.findall(r"url\(\s*['\"]?([^)'\"]*)", style) + re.findall(r"@import\s+(\S+)", style)

    def unbalanced(self) -> list[str]:
        """The tags that an HTML parser finds without their end, or in the wrong order."""
        return Nesting(self.text).wrong


class Nesting(HTMLParser):
    """Follows the nesting of elements as HTML has it."""

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.feed(text)
        self.close()
        self.wrong += self.open

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        if tag not in VOID:
            self.wrong.append(f"<{tag}/>")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}>")

"""Tables of all options of a case, as `whorl options` lists them, for docs/options.md."""

from collections.abc import Iterator, Sequence

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from whorl.config.case import Case
from whorl.config.explain import Option, describe, sections
from whorl.config.section import Section, tag_key, tag_of

COLUMNS = {"option": 24, "meaning, unit": 40, "type, range": 22, "default": 14}
# Sections of which a case may have several, each written as a block [[…]].
BLOCKS = ("scalars", "forcing", "diagnostics", "probes", "particles")


class Options(SphinxDirective):
    """A part for each section of a case, with a table for each of the alternatives that the section has."""

    def run(self) -> list[nodes.Node]:
        self.env.note_reread()  # the options may have changed, not the page
        self.listed: dict[Option, str] = {}  # and its anchor
        return [
            self.part(name, [kind for kind in kinds if issubclass(kind, Section)])
            for name, kinds in sections(Case).items()
        ]

    def part(self, name: str, kinds: Sequence[type[Section]]) -> nodes.section:
        described = [
            [describe(f"{name}.{key}", field) for key, field in kind.model_fields.items()] for kind in kinds
        ]
        shared = [one for one in described[0] if all(one in others for others in described)]
        heading = nodes.literal("", f"[[{name}]]" if name in BLOCKS else f"[{name}]")
        part = titled(f"section-{name}", heading)
        if shared:
            part += self.table(shared, "")
        if len(kinds) > 1:
            part += (self.alternative(*one, name, shared) for one in zip(kinds, described, strict=True))
        return part

    def alternative(
        self, kind: type[Section], described: Sequence[Option], section: str, shared: Sequence[Option]
    ) -> nodes.section:
        tag, value = tag_key(kind), tag_of(kind)
        part = titled(f"{section}-{value}", nodes.literal("", f'{section}.{tag} = "{value}"'))
        part += nodes.paragraph("", " ".join((kind.__doc__ or "").split()))
        own = [one for one in described if one not in shared and one.key != f"{section}.{tag}"]
        if own:
            part += self.table(own, value)
        return part

    def table(self, described: Sequence[Option], alternative: str) -> nodes.table:
        group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in COLUMNS.values()))
        group["cols"] = len(COLUMNS)
        group += nodes.thead("", row(nodes.Text(name) for name in COLUMNS))
        group += nodes.tbody("", *(self.row_of(one, alternative) for one in described))
        return nodes.table("", group, classes=["options"])

    def row_of(self, about: Option, alternative: str) -> nodes.row:
        default = nodes.Text(about.default) if about.default == "required" else code(about.default)
        takes = ", ".join(filter(None, (about.kind, about.range)))
        meaning = f"{about.help} [{about.unit}]" if about.unit else about.help
        found = row((code(about.key), nodes.Text(meaning), nodes.Text(takes), default))
        if about not in self.listed:
            plain = about.key.replace(".", "-")
            self.listed[about] = f"{plain}-{alternative}" if plain in self.listed.values() else plain
            entry = about.key if self.listed[about] == plain else f"{about.key} ({alternative})"
            found[0][0].insert(0, nodes.target("", "", ids=[self.listed[about]]))
            # "main" puts it at the top of the results of a search.
            index = addnodes.index(entries=[("single", entry, self.listed[about], "main", None)])
            found[0][0].insert(0, index)
        return found


def titled(anchor: str, title: nodes.Node) -> nodes.section:
    return nodes.section("", nodes.title("", "", title), ids=[anchor], names=[anchor])


def row(cells: Iterator[nodes.Node] | Sequence[nodes.Node]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in cells))


def code(text: str) -> nodes.Node:
    return nodes.literal("", text) if text else nodes.Text("")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("options", Options)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

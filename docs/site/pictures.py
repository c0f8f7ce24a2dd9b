"""Pictures in the text lead to their files, in full size; the gallery loads its own when in view."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.osutil import relative_uri

LATE = ("gallery",)  # pages with many pictures


def complete(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    if app.builder.format != "html":
        return
    for picture in list(doctree.findall(nodes.image)):
        if docname in LATE:
            picture["loading"] = "lazy"
        of_card = any(name.startswith("sd-card-img") for name in picture["classes"])
        if of_card or isinstance(picture.parent, nodes.reference) or picture["uri"] not in app.env.images:
            continue
        file = app.env.images[picture["uri"]][1]
        address = relative_uri(app.builder.get_target_uri(docname), f"{app.builder.imagedir}/{file}")
        link = nodes.reference("", "", refuri=address, internal=True, classes=["picture"])
        picture.replace_self(link)
        link += picture


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-resolved", complete)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

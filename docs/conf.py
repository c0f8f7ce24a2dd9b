"""The documentation as a site: `make docs` builds it into build/docs (CONTRIBUTING.md, "The site")."""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from whorl.base.version import __version__

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "site"))

project = "whorl"
author = copyright = "the whorl developers"
version = release = __version__
extensions = [
    *("myst_parser", "sphinx_design", "sphinx.ext.autodoc", "numpydoc"),
    *("api", "gallery", "links", "options", "outside", "pictures", "toctrees"),  # of site/
]

# The pages are written for GitHub: dollars are formulas, and headings are anchors.
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 6

# MathJax draws its own letters, so a page opened from a disk needs this one file alone.
mathjax_path = "tex-svg-full.js"
mathjax = Path(find_spec("mathjax").origin).parent / "static/mathjax/es5"
html_static_path = ["site/static", str(mathjax / mathjax_path)]

myst_html_meta = {
    "description": "whorl computes turbulence by pseudo-spectral direct numerical simulation, on laptops, "
    "clusters and GPUs."
}

default_role = "literal"
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_display_short_literal_types = True
python_maximum_signature_line_length = 100
numpydoc_show_class_members = False
add_module_names = False

html_theme = "pydata_sphinx_theme"
html_title = "whorl"
html_favicon = "site/static/whorl.svg"
html_css_files = ["whorl.css"]
html_js_files = ["disk.js"]
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "logo": {"text": "whorl"},
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "show_toc_level": 2,
    "navigation_depth": 3,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_context = {"default_mode": "auto"}
# Pages without others of their section.
alone = ("index", "gallery", "method", "validation", "compare", "api", "search", "genindex", "sources/**")
html_sidebars = {page: [] for page in alone}


def name_the_first_page(app: Sphinx, name: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """The window of the first page has the title "whorl", and not that twice."""
    if name == "index":
        context["docstitle"] = ""


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", name_the_first_page)

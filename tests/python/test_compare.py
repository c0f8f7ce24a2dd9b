"""The comparison with other codes shows figures of other pages as these have them now."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
FIGURES = re.compile(r"<!-- from (\S+) -->\n(.*?)<!-- end -->", re.DOTALL)


def test_figures_are_those_of_the_pages_that_commands_write():
    shown = FIGURES.findall((DOCS / "compare.md").read_text(encoding="utf-8"))
    assert len(shown) == 3
    for page, rows in shown:
        there = (DOCS / page).read_text(encoding="utf-8").splitlines()
        for row in rows.splitlines():
            assert row in there, f"{page} has no row {row}"

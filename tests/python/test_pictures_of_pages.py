"""Every page of a diagnostic shows its picture, says the command that makes it, and the command knows it."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from whorl.config.diagnostics import KINDS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SCRIPT = "validation/diagnostic_pictures.py"


@pytest.fixture(scope="module")
def script():
    spec = spec_from_file_location("diagnostic_pictures", ROOT / SCRIPT)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_of_a_kind_shows_its_picture(kind):
    page = KINDS[kind].page or kind
    text = (DOCS / "diagnostics" / f"{page}.md").read_text()
    assert f"(../figures/diagnostic-{kind}.png)" in text
    assert f"`{SCRIPT} {'NAME' if page == 'sets' else kind}`" in text.replace("\n", " ")
    assert (DOCS / "figures" / f"diagnostic-{kind}.png").stat().st_size < 120_000


def test_the_page_of_probes_shows_its_picture():
    text = (DOCS / "probes.md").read_text()
    assert "(figures/probe-modes.png)" in text
    assert f"`{SCRIPT} modes`" in text


def test_the_command_makes_the_picture_of_every_kind(script):
    assert set(script.PICTURES) == {*KINDS, "modes"}
    for name, (case, _) in script.PICTURES.items():
        measured = {one.label for one in (*script.CASES[case].diagnostics, *script.CASES[case].probes)}
        assert name in measured

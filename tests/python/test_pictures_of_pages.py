"""Every page of a diagnostic shows its picture, says the command that makes it, and the command knows it."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from whorl.diagnostics.options import KINDS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SCRIPT, OF_REPORTS = "validation/diagnostic_pictures.py", "validation/report_pictures.py"


def loaded(script):
    spec = spec_from_file_location(Path(script).stem, ROOT / script)
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def script():
    return loaded(SCRIPT)


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_of_a_kind_shows_its_picture(kind):
    page = KINDS[kind].page or kind
    text = (DOCS / "diagnostics" / f"{page}.md").read_text()
    assert f"(../figures/diagnostic-{kind}.png)" in text
    assert f"`{SCRIPT} {'NAME' if page == 'sets' else kind}`" in text.replace("\n", " ")
    assert (DOCS / "figures" / f"diagnostic-{kind}.png").stat().st_size < 120_000


@pytest.mark.parametrize("name", ["modes", "shells"])
def test_the_page_of_probes_shows_its_pictures(name):
    text = (DOCS / "probes.md").read_text()
    assert f"(figures/probe-{name}.png)" in text
    assert f"`{SCRIPT} {name}`" in text.replace("\n", " ")
    assert (DOCS / "figures" / f"probe-{name}.png").stat().st_size < 120_000


def test_the_command_makes_the_picture_of_every_kind(script):
    assert set(script.PICTURES) == {*KINDS, "modes", "shells"}
    for name, (case, _) in script.PICTURES.items():
        measured = {one.label for one in (*script.CASES[case].diagnostics, *script.CASES[case].probes)}
        assert name in measured


def test_the_page_of_reports_shows_its_pictures():
    """Each is one that the command makes."""
    text = (DOCS / "report.md").read_text()
    assert f"`{OF_REPORTS}`" in text
    shown = {path.stem.removeprefix("report-") for path in (DOCS / "figures").glob("report-*.png")}
    script = loaded(OF_REPORTS)
    assert shown == set(script.PICTURES) == set(script.CASES)
    for name in shown:
        assert f"(figures/report-{name}.png)" in text
        assert (DOCS / "figures" / f"report-{name}.png").stat().st_size < 300_000

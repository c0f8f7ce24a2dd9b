"""`whorl diagnostics` and `whorl analyse`, and a run with diagnostics, as typed."""

import re
from pathlib import Path

import pytest
import xarray as xr
from cli.commands import CASE
from support.build import needs
from whorl.config.diagnostics import KINDS
from whorl.results.runs import open_run

pytestmark = needs("hdf5")

BLOCKS = """
[[diagnostics]]
kind = "pdf"
of = ["grad(u)", "p"]
every = "4 steps"

[[diagnostics]]
kind = "moments"
name = "of-u"
of = "u"
"""


@pytest.fixture
def run(whorl, tmp_path):
    (tmp_path / "box.toml").write_text(CASE + BLOCKS)
    assert whorl("run", "box.toml").code == 0
    return tmp_path / "box"


def test_kinds_are_listed_and_shown(whorl):
    listed = whorl("diagnostics")
    assert listed.code == 0
    for kind in KINDS:
        assert re.search(rf"^{kind} ", listed.out, re.MULTILINE)
        shown = whorl("diagnostics", kind)
        assert shown.code == 0
        assert f'diagnostics.kind = "{kind}"' in shown.out
        assert "diagnostics.every" in shown.out
        page = f"docs/diagnostics/{KINDS[kind].page or kind}.md"
        assert page in shown.out
        assert f"`{kind}`" in (Path(__file__).parents[2] / page).read_text() or KINDS[kind].page == ""
    wrong = whorl("diagnostics", "pfd")
    assert (wrong.code, wrong.out) == (2, "")
    assert "there is no diagnostic pfd; did you mean pdf?" in wrong.err
    options = whorl("options", "diagnostics")
    assert options.out.count("diagnostics.kind = ") == len(KINDS)


def test_a_run_writes_and_analyse_measures_again(whorl, run):
    during = open_run(run).diagnostics
    assert set(during) == {"pdf", "of-u"}
    result = whorl("analyse", "box")
    assert (result.code, result.err) == (0, "")
    assert re.search(r"^pdf +mean +std *$", result.out, re.MULTILINE)
    assert re.search(r"^grad\(u\)\.xx +\S+ +\S+ *$", result.out, re.MULTILINE)
    assert "box/analysis.h5: pdf, of-u; xarray.open_dataset('box/analysis.h5', group='pdf')" in result.out
    with xr.open_dataset(run / "analysis.h5", group="pdf") as after:
        last = during["pdf"].isel(time=-1)
        assert (after["count"].isel(time=-1) == last["count"]).all()
        assert int(after["step"][-1]) == int(last["step"])


def test_other_diagnostics_of_a_checkpoint(whorl, run):
    steps = [int(path.stem) for path in sorted((run / "checkpoints").glob("*.h5"))]
    words = (
        "--pdf",
        "dx(u.x)",
        "--pdf",
        "u.y",
        "--moments",
        "omega",
        "--profile",
        "u",
        "-o",
        "own.h5",
        "--all",
    )
    assert whorl("analyse", "box", *words).code == 0
    with xr.open_dataset("own.h5", group="pdf") as data:
        assert data["quantity"].values.tolist() == ["dx(u.x)", "u.y"]
        assert data["step"].values.tolist() == steps
    one = whorl("analyse", "box", "-d", "of-u", "--checkpoint", str(steps[-1]), "-o", "own.h5")
    assert one.code == 0
    assert "own.h5: of-u; " in one.out


REFUSED = [
    (("--pdf", "u.w"), ".w is no component of a vector"),
    (("-d", "pfd"), "has no diagnostic pfd: it has pdf, of-u; did you mean pdf?"),
    (("--checkpoint", "3"), "00000003.h5 does not exist; there are checkpoints of step"),
    (("--checkpoint", "3", "--all"), "--all and --checkpoint exclude each other"),
    (("--set", "flow.viscosity=1"), "changes more than how it is computed; give run.* alone"),
    (("--moments", "u", "-o", "nowhere/own.h5"), "nowhere"),
]


def test_what_analyse_refuses(whorl, run):
    for words, told in REFUSED:
        result = whorl("analyse", "box", *words)
        assert result.code in (1, 2), words
        assert told in result.err, words
        assert result.out == ""
        assert "Traceback" not in result.err
    assert not (run / "analysis.h5").exists()


def test_a_run_without_diagnostics_says_so(whorl, tmp_path):
    (tmp_path / "box.toml").write_text(CASE)
    assert whorl("run", "box.toml").code == 0
    result = whorl("analyse", "box")
    assert result.code == 2
    assert "the case of box has no [[diagnostics]]; say which are to be measured" in result.err


def test_a_case_with_a_wrong_expression_ends_at_once(whorl, tmp_path):
    (tmp_path / "box.toml").write_text(CASE + BLOCKS.replace("grad(u)", "grda(u)"))
    result = whorl("run", "box.toml")
    assert (result.code, result.out) == (2, "")
    lines = result.err.splitlines()
    assert "diagnostics.pdf.of: there is no function grda(); did you mean grad?:" in lines[0]
    assert lines[1:] == ["  grda(u)", "  ^^^^^^^"]
    assert not (tmp_path / "box").exists()

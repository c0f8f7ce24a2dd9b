"""`whorl diagnostics` and `whorl analyse`, and a run with diagnostics, as typed."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from cli.commands import CASE
from matplotlib.image import imread
from support.build import needs
from whorl.diagnostics.options import KINDS
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
    every = ("--set", "output.series_every=1 steps", "--set", "output.snapshot_every=2 steps")
    assert whorl("run", "box.toml", *every).code == 0
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
        # A page of several kinds has a heading for each.
        told = f"\n## {kind}\n" if KINDS[kind].page else f"`whorl diagnostics {kind}`"
        assert told in (Path(__file__).parents[2] / page).read_text()
    wrong = whorl("diagnostics", "pfd")
    assert (wrong.code, wrong.out) == (2, "")
    assert "pfd is no diagnostic; did you mean pdf?" in wrong.err
    options = whorl("options", "diagnostics")
    assert options.out.count("diagnostics.kind = ") == len(KINDS)


def test_a_run_writes_and_analyse_measures_again(whorl, run):
    during = open_run(run).diagnostics
    assert set(during) == {"pdf", "of-u"}
    result = whorl("analyse", "box")
    assert (result.code, result.err) == (0, "")
    assert re.search(r"^pdf +mean +std *$", result.out, re.MULTILINE)
    assert re.search(r"^grad\(u\)\.xx +\S+ +\S+ *$", result.out, re.MULTILINE)
    assert re.search(r"^of-u +mean +std +skewness +flatness *$", result.out, re.MULTILINE)
    shown = re.search(r"^u\.y +\S+ +\S+ +(\S+) +(\S+) *$", result.out, re.MULTILINE)
    with xr.open_dataset(run / "analysis.h5", group="of-u") as after:
        last = after["moment"].isel(time=-1).sel(quantity="u.y")
        assert [float(one) for one in shown.groups()] == pytest.approx(last.sel(order=[3, 4]), rel=1e-5)
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


def test_sums_over_modes_of_a_checkpoint(whorl, run):
    words = (
        "--spectrum",
        "u",
        "--transfer",
        "energy",
        "--shell-to-shell",
        "u to u",
        "--ring-to-ring",
        "u to u",
    )
    result = whorl("analyse", "box", *words, "-o", "own.h5")
    assert (result.code, result.err) == (0, "")
    found = {
        kind: xr.load_dataset("own.h5", group=kind).isel(time=-1)
        for kind in ("spectrum", "transfer", "shell-to-shell", "ring-to-ring")
    }
    content = found["transfer"]["content"].sel(content_quantity="energy")
    assert np.allclose(2 * content, found["spectrum"]["spectrum"].sel(quantity="u"), rtol=1e-12)
    of_rings = found["ring-to-ring"]["received"].sum("receiver_angle")
    assert np.allclose(of_rings, found["shell-to-shell"]["received"], atol=1e-15)
    refused = whorl("analyse", "box", "--transfer", "energi")
    assert (refused.code, refused.out) == (2, "")
    assert "transfer.of: there is no balance energi here, but energy; did you mean energy?" in refused.err


def test_snapshots_are_analysed_as_well(whorl, run):
    steps = [int(one.stem) for one in sorted((run / "snapshots").glob("*.vtkhdf"))]
    assert len(steps) > 1
    assert whorl("analyse", "box", "--snapshots", "--moments", "u.x", "-o", "of.h5").code == 0
    with xr.open_dataset("of.h5", group="moments") as data:
        assert data["step"].values.tolist() == steps
    assert whorl("analyse", "box", "--snapshot", str(steps[0]), "--moments", "u.x", "-o", "of.h5").code == 0
    with xr.open_dataset("of.h5", group="moments") as data:
        assert data["step"].values.tolist() == steps[:1]


@pytest.mark.long("runs are compared with analyses of their files")
def test_a_file_is_the_state_of_its_step(whorl, run, monkeypatch):
    """In whatever way it is named: from elsewhere, in its directory, or by a link."""
    steps = sorted(int(one.stem) for one in (run / "checkpoints").glob("*.h5"))
    checkpoint, snapshot = f"{steps[0]:08d}.h5", "00000002.vtkhdf"
    Path("link").symlink_to(run / "checkpoints" / checkpoint)
    names = [
        (f"box/checkpoints/{checkpoint}", ("--checkpoint", str(steps[0]))),
        (f"box/snapshots/{snapshot}", ("--snapshot", "2")),
        ("link", ("--checkpoint", str(steps[0]))),
    ]
    for name, words in names:
        assert whorl("analyse", name, "-d", "of-u", "-o", "one.h5").code == 0, name
        assert whorl("analyse", "box", *words, "-d", "of-u", "-o", "other.h5").code == 0
        one, other = (xr.load_dataset(f"{file}.h5", group="of-u") for file in ("one", "other"))
        assert one["step"].values.tolist() == [int(words[1])]
        assert one.identical(other), name
    monkeypatch.chdir(run / "checkpoints")
    assert whorl("analyse", checkpoint, "--moments", "u").code == 0
    with xr.open_dataset(run / "analysis.h5", group="moments") as data:
        assert data["step"].values.tolist() == steps[:1]


FILES_REFUSED = [
    (("box/snapshots/00000002.vtkhdf", "--all"), "is one state of a run; leave out which are to be measured"),
    (("box/checkpoints/00000003.h5", "--checkpoint", "3"), "or name the directory of the run, box."),
    (("box/checkpoints/00000003.h5",), "00000003.h5 does not exist; there are checkpoints of step"),
    (("box/checkpoints/00000003.vtkhdf",), "00000003.vtkhdf does not exist"),
    (("box/series.csv",), "is a file, and no checkpoint or snapshot in the directory of its run; name the"),
    (("copy.h5",), "copy.h5 is a file, and no checkpoint or snapshot in the directory of its run; name the"),
    (("nowhere",), "nowhere does not exist"),
]


def test_files_that_analyse_refuses(whorl, run):
    shutil.copy(next((run / "checkpoints").glob("*.h5")), "copy.h5")
    for words, told in FILES_REFUSED:
        result = whorl("analyse", *words)
        assert (result.code, result.out) == (2, ""), words
        assert told in result.err, words
        assert len(result.err.splitlines()) == 1
    assert not (run / "analysis.h5").exists()


REFUSED = [
    (("--pdf", "u.w"), ".w is no component of a vector"),
    (("-d", "pfd"), "has no diagnostic pfd: it has pdf, of-u; did you mean pdf?"),
    (("--checkpoint", "3"), "00000003.h5 does not exist; there are checkpoints of step"),
    (("--checkpoint", "3", "--all"), "--all and --checkpoint exclude each other"),
    (("--snapshot", "3", "--snapshots"), "--snapshot and --snapshots exclude each other"),
    (("--snapshot", "99"), "00000099.vtkhdf does not exist; there are snapshots of step"),
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


def test_means_of_diagnostics(whorl, run):
    whole = whorl("average", "box", "--diagnostics", "--from", "0.05", "-o", "means.h5")
    assert (whole.code, whole.err) == (0, "")
    assert re.search(r"^pdf +number +mean ± error +samples$", whole.out, re.MULTILINE)
    assert re.search(r"^p +std +\S+ ± unknown \? +too few$", whole.out, re.MULTILINE)
    assert "outside" not in whole.out  # no point is
    assert "pdf has only 3 states in the window, and an error needs 4" in whole.out
    assert "of-u has only one state in the window, so no mean" in whole.out
    assert "States in the window: pdf 3." in whole.out
    assert "means.h5: pdf; xarray.open_dataset('means.h5', group='pdf')" in whole.out
    with xr.open_dataset("means.h5", group="pdf") as data:
        assert data["pdf_error"].dims == data["pdf"].dims == ("quantity", "bin")
    one = whorl("average", "box", "-d", "pdf", "--json")
    told = json.loads(one.out)
    assert list(told["diagnostics"]) == ["pdf"]
    assert told["diagnostics"]["pdf"]["states"] > 1


REFUSED_MEANS = [
    (("-d", "pfd"), "has measured no diagnostic pfd: it has of-u, pdf; did you mean pdf?"),
    (("--diagnostics", "--from", "0.17"), "means need two states in the window"),
    (("--diagnostics", "-o", "box/series.csv"), "is no earlier file of means, so it is not replaced"),
    (("-o", "means.h5"), "--output goes with --diagnostics or --diagnostic NAME"),
    (("--file", "box/analysis.h5"), "--file goes with --diagnostics or --diagnostic NAME"),
    (("--diagnostics", "--file", "nothing.h5"), "there is no nothing.h5"),
    (("--diagnostics", "pdf", "of-u"), "type whorl average box -d pdf -d of-u."),
    (("box",), "one run is averaged"),
]


def test_what_average_refuses(whorl, run):
    before = (run / "series.csv").read_bytes()
    for words, told in REFUSED_MEANS:
        result = whorl("average", "box", *words)
        assert (result.code, result.out) == (2, ""), words
        assert told in result.err, words
        assert len(result.err.splitlines()) == 1
    assert (run / "series.csv").read_bytes() == before


@pytest.mark.long("averages and pictures of an analysis")
def test_means_and_pictures_of_an_analysis(whorl, run):
    assert whorl("analyse", "box", "--all", "--moments", "u", "--pdf", "p").code == 0
    means = whorl("average", "box", "--diagnostics", "--file", "box/analysis.h5", "--from", "0")
    assert (means.code, means.err) == (0, "")
    assert re.search(r"^u\.z +std ", means.out, re.MULTILINE)
    picture = whorl("plot", "box", "-d", "moments", "--file", "box/analysis.h5", "-o", "own.png")
    assert (picture.code, picture.err) == (0, "")
    assert imread("own.png").shape[2] == 4


def test_a_picture_of_a_diagnostic(whorl, run):
    mean = whorl("plot", "box", "--diagnostic", "pdf", "--from", "0")
    assert (mean.code, mean.err) == (0, "")
    assert "States in the window: pdf 4." in mean.out
    assert mean.out.splitlines()[-1] == "picture  box/pdf.png"
    state = whorl("plot", "box", "-d", "pdf", "--time", "0.1", "-o", "state.png")
    assert (state.code, state.out.count("window")) == (0, 0)
    assert not np.array_equal(imread("box/pdf.png"), imread("state.png"))


REFUSED_PICTURES = [
    (("-d", "pfd"), "has measured no diagnostic pfd: it has of-u, pdf; did you mean pdf?"),
    (("-d", "pdf", "--time", "0.1", "--from", "0"), "give one of the two"),
    (("-d", "pdf", "--time", "nan"), "the time nan is no time"),
    (("-d", "pdf", "--plane", "z"), "--plane: a picture of a --diagnostic does not take this"),
    (("-d", "pdf", "-o", "picture.txt"), "must end in .png"),
    (("-d", "pdf", "--from", "5"), "no row of series.csv lies in the window"),
    (("-d", "pdf", "--from", "0.17"), "means need two states in the window"),
    (
        ("--file", "box/analysis.h5"),
        "--file: a picture of the run does not take this; leave it out, or draw a picture of a --diagnostic.",
    ),
]


def test_pictures_that_are_refused(whorl, run):
    for words, told in REFUSED_PICTURES:
        result = whorl("plot", "box", *words)
        assert (result.code, result.out) == (2, ""), words
        assert told in result.err, words
    assert not list(run.glob("*.png"))


def test_a_run_without_diagnostics_says_so(whorl, tmp_path):
    (tmp_path / "box.toml").write_text(CASE)
    assert whorl("run", "box.toml").code == 0
    result = whorl("analyse", "box")
    assert result.code == 2
    assert "the case of box has no [[diagnostics]]; say which are to be measured" in result.err
    named = whorl("analyse", "box", "-d", "pdf")
    assert (named.code, named.out) == (2, "")
    assert "has no diagnostic pdf: it has none. --pdf EXPRESSION measures one." in named.err
    assert "Options such as --pdf EXPRESSION measure others." in whorl("analyse", "box", "-d", "line").err


def test_a_case_with_a_wrong_expression_ends_at_once(whorl, tmp_path):
    (tmp_path / "box.toml").write_text(CASE + BLOCKS.replace("grad(u)", "grda(u)"))
    result = whorl("run", "box.toml")
    assert (result.code, result.out) == (2, "")
    lines = result.err.splitlines()
    assert "diagnostics.pdf.of: there is no function grda(); did you mean grad?:" in lines[0]
    assert lines[1:] == ["  grda(u)", "  ^^^^^^^"]
    assert not (tmp_path / "box").exists()

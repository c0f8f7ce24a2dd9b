"""A run with probes, their pictures and their mistakes, as typed."""

import json
import re

from cli.commands import CASE
from support.build import needs
from whorl.probes.options import KINDS
from whorl.probes.results.correlation import HEADING, correlate_probe
from whorl.results.runs import open_run

pytestmark = needs("hdf5")

BLOCKS = """
[[probes]]
kind = "modes"
of = "u"
modes = [[1, 0, 0], [0, 0, 1]]

[[probes]]
kind = "points"
name = "wake"
of = ["u.x", "norm(curl(u))"]
positions = [1, 2, 3]
every = "2 steps"
"""


def test_a_run_writes_its_probes_and_options_are_listed(whorl, tmp_path):
    (tmp_path / "box.toml").write_text(CASE + BLOCKS)
    assert whorl("run", "box.toml").code == 0
    probes = open_run(tmp_path / "box").probes
    assert set(probes) == {"modes", "wake"}
    assert probes["wake"]["value"].sizes["quantity"] == 2
    assert probes["modes"]["step"].values[:3].tolist() == [0, 1, 2]
    options = whorl("options", "probes")
    assert options.out.count("probes.kind = ") == len(KINDS)
    for words, named in {
        ("--field", "u"): "--field",
        ("--plane", "z", "--time", "0.1"): "--plane, --time",
        ("-d", "pdf", "--file", "a.h5"): "--diagnostic, --file",
        ("--from", "0", "--to", "1"): "--from, --to",
    }.items():
        refused = whorl("plot", "box", "--probes", "wake", *words)
        assert (refused.code, refused.out) == (2, "")
        assert f"{named}: a picture of --probes without --correlation does not take this" in refused.err
    refused = whorl("plot", "box", "--resample")
    assert (refused.code, refused.out) == (2, "")
    assert "--resample: a picture of the run does not take this" in refused.err
    other = whorl("plot", "box", "--probes", "wakes")
    assert (other.code, other.out) == (2, "")
    assert "has no probe wakes; did you mean wake? Probes: modes, wake." in " ".join(other.err.split())


def test_a_case_with_a_wrong_probe_ends_at_once(whorl, tmp_path):
    for wrong, told in {
        'of = "crul(u)"': "probes.modes.of: there is no function crul(); did you mean curl?:",
        'of = "norm(u)"': "probes.modes.of: a mode is read from expressions linear in the fields",
        'of = "u"\nmode = 1': "mode",
    }.items():
        (tmp_path / "box.toml").write_text(CASE + BLOCKS.replace('of = "u"', wrong, 1))
        result = whorl("run", "box.toml")
        assert (result.code, result.out) == (2, "")
        assert told in result.err
        assert not (tmp_path / "box").exists()


CORRELATED = """
[[probes]]
kind = "modes"
name = "shells"
of = "u"
shells = [0.9, 1.2, 2.2]
sample = 4

[[probes]]
kind = "points"
of = "u"
first = 0.0
last = [3, 2, 1]
points = 3
"""


def test_correlations_in_time_are_drawn_and_printed(whorl, tmp_path):
    case = CASE.replace("until = 0.2", "until = 1.0").replace(
        "[output]", "[output]\nseries_every = '1 steps'"
    )
    (tmp_path / "box.toml").write_text(case + CORRELATED)
    assert whorl("run", "box.toml").code == 0
    drawn = whorl("plot", "box", "--probes", "shells", "--correlation", "--from", "0")
    assert (drawn.code, drawn.err) == (0, "")
    assert drawn.out.splitlines()[-1] == "picture  box/probe-shells-correlation.png"
    assert "The window is t = 0 to 1: 51 rows" in drawn.out
    assert (tmp_path / "box" / "probe-shells-correlation.png").stat().st_size > 10_000
    named = whorl("plot", "box", "--probes", "points", "--correlation", "--keep-mean", "-o", "p.pdf")
    assert (named.code, named.err) == (0, "")
    assert (tmp_path / "p.pdf").read_bytes().startswith(b"%PDF")
    found = correlate_probe(open_run(tmp_path / "box"), "points", start=0.0)
    table = whorl("average", "box", "--probes", "points", "--from", "0")
    assert (table.code, table.err) == (0, "")
    lines = [re.split(r"  +", line.strip()) for line in table.out.splitlines()]
    assert lines[0] == list(HEADING)
    label = re.split(r"  +", found.cells()[0][0])
    assert lines[1][: len(label) + 1] == [*label, found.cells()[0][1]]
    assert [line[0] for line in lines].count("u.x") == 1 + 3
    printed = json.loads(whorl("average", "box", "--probes", "points", "--from", "0", "--json").out)
    assert printed == json.loads(json.dumps(found.to_dict()))
    assert printed["correlations"]["quantity"]["correlation"][0][0] == 1.0
    assert printed["window"] == {"start": 0.0, "end": 1.0}
    kept = whorl("average", "box", "--probes", "points", "--from", "0", "--keep-mean", "--json")
    assert json.loads(kept.out)["correlations"]["point"]["mean"] == "kept"


def test_what_correlations_do_not_take_is_refused(whorl, tmp_path):
    (tmp_path / "box.toml").write_text(CASE + CORRELATED)
    assert whorl("run", "box.toml").code == 0
    for words, told in {
        "plot box --correlation": "leave it out, or draw a picture of --probes with --correlation",
        "plot box --keep-mean": "--remove-mean/--keep-mean: a picture of the run",
        "plot box --probes shells --keep-mean": "of --probes without --correlation does not",
        "plot box --probes shells --correlation --time 1": "--time: a picture of --probes",
        "plot box --probes shells --correlation --from 0": "of 11 times is too short",
        "plot box --probes shell --correlation": "no probe shell; did you mean shells?",
        "plot box --probes shells --correlation -o a.doc": "a.doc",
        "average box --resample": "--resample and --remove-mean/--keep-mean go with --probes NAME",
        "average box --keep-mean": "--resample and --remove-mean/--keep-mean go with --probes NAME",
        "average box --probes shells -o a.h5": "-o: averages of --probes do not take this",
        "average box --probes shells --diagnostics": "--diagnostics: averages of --probes",
        "average box --probes shels": "no probe shels; did you mean shells?",
    }.items():
        refused = whorl(*words.split())
        assert (refused.code, refused.out) == (2, ""), words
        assert told in " ".join(refused.err.split()), words
        assert "Traceback" not in refused.err


def test_a_case_with_wrong_shells_ends_at_once(whorl, tmp_path):
    edges, sample = "shells = [0.9, 1.2, 2.2]", "sample = 4"
    for (right, wrong), told in {
        (edges, 'shells = "linaer"'): "did you mean linear",
        (edges, "shells = [2, 1]"): "which rise",
        (sample, "sampel = 3"): "did you mean probes[0].sample",
        (sample, "modes = [[1, 0, 0]]"): "takes either modes, or the modes of shells",
    }.items():
        assert right in CORRELATED
        (tmp_path / "box.toml").write_text(CASE + CORRELATED.replace(right, wrong, 1))
        refused = whorl("run", "box.toml")
        assert (refused.code, refused.out) == (2, "")
        assert told in " ".join(refused.err.split()), refused.err
        assert not (tmp_path / "box").exists()

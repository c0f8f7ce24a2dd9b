"""A run with probes, their pictures and their mistakes, as typed."""

from cli.commands import CASE
from support.build import needs
from whorl.config.probes import KINDS
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
        ("--from", "0", "--to", "1"): "--from, --to",
        ("-d", "pdf", "--file", "a.h5"): "--diagnostic, --file",
    }.items():
        refused = whorl("plot", "box", "--probes", "wake", *words)
        assert (refused.code, refused.out) == (2, "")
        assert f"{named}: a picture of --probes does not take this" in refused.err
    refused = whorl("plot", "box", "--resample")
    assert (refused.code, refused.out) == (2, "")
    assert "--resample: a picture without --probes NAME does not take this" in refused.err
    other = whorl("plot", "box", "--probes", "wakes")
    assert (other.code, other.out) == (2, "")
    assert "has no probe wakes; did you mean wake? Probes: modes, wake." in " ".join(other.err.split())


def test_a_case_with_a_wrong_probe_ends_at_once(whorl, tmp_path):
    for wrong, told in {
        'of = "crul(u)"': "probes.modes.of: there is no function crul(); did you mean curl?:",
        'of = "norm(u)"': "probes.modes.of: a mode is read of what is linear in the fields",
        'of = "u"\nmode = 1': "mode",
    }.items():
        (tmp_path / "box.toml").write_text(CASE + BLOCKS.replace('of = "u"', wrong, 1))
        result = whorl("run", "box.toml")
        assert (result.code, result.out) == (2, "")
        assert told in result.err
        assert not (tmp_path / "box").exists()

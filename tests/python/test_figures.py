"""What benchmarks/figures.py writes and keeps, from results that are made up."""

import importlib
import json
import sys
from pathlib import Path

import pytest
from support.bench_figures import MACHINE, case_of, figures_of
from whorl.machine.benches.against import read_earlier

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
LIMITS = {"limits": {"line_rate": {"256": 5e10}, "copy_bandwidth": 4e10}, "bytes_per_point_resident": 30.0}
CACHES = "L1d 32 KiB 8-way, L2 512 KiB 8-way, L3 32 MiB 16-way"
HERE = MACHINE | {"processor": "AMD EPYC(TM) 7B13", "caches": CACHES}
FILE = "amd-epyc-7b13-32k-512k-32m.json"
PAGE = "before\n<!-- figures -->\nold\n<!-- end of figures -->\nbehind\n"


@pytest.fixture
def scripts(monkeypatch, tmp_path):
    """The modules of figures.py and peers.py, which measure nothing and write into a folder of their own."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    names = ("figures", "peers", "shared")
    figures, peers, shared = (importlib.import_module(name) for name in names)
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "page.md").write_text(PAGE)
    monkeypatch.setattr(shared, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(figures, "ROOT", tmp_path)
    monkeypatch.setattr(figures, "KEPT", tmp_path / "benchmarks" / "figures")
    monkeypatch.setattr(peers, "install", lambda: None)
    monkeypatch.setattr(figures, "memory_of", lambda whorl, *run: figures_of() | LIMITS)
    yield figures, peers
    for name in names:
        del sys.modules[name]


def rounds_of(entry, x_lines, machine):
    """Three, the last of them disturbed; the machine says more than is to be kept."""
    machine = machine | {"ranks": entry.ranks, "host": "secret", "memory": "little"}
    for slower in (1.0, 1.02, 3.0):
        case = case_of(precision=entry.precision)
        result = figures_of(slower, case=case, machine=machine, x_lines=x_lines * slower) | LIMITS
        result["layout"] = result["layout"] | {"threads": entry.threads}
        entry.add(result)


@pytest.fixture
def run(scripts, monkeypatch, capsys):
    """The script, where whorl's x lines take so long; what it says."""
    figures, peers = scripts

    def go(*arguments, x_lines=0.3, machine=HERE):
        ways = ((2, "single"), (2, "double"), (1, "double"))
        entries = [peers.Contestant("whorl", "", 2 // threads, threads, each) for threads, each in ways]
        for entry in entries:
            rounds_of(entry, x_lines, machine)
        fluidsim = peers.Contestant("fluidsim", "fft3d.with_pyfftw", 1, 2)
        fluidsim.add({"seconds_per_step": 15.0, "seconds_per_rhs": 7.5})
        ratios = {"seconds_per_step": 7.0, "seconds_per_rhs": 7.0}
        result = {"points": 256, "ratios": {"fluidsim ÷ whorl": ratios}, "contestants": [*entries, fluidsim]}
        monkeypatch.setattr(peers, "compare", lambda points, options: result)
        monkeypatch.setattr(sys, "argv", ["figures.py", "--cores", "2", *arguments])
        figures.main()
        return " ".join(capsys.readouterr().out.split())

    return go


def test_figures_are_written_and_kept(run, tmp_path):
    said = run()
    assert "slower" not in said
    assert said.endswith(f"kept in benchmarks/figures/{FILE}")
    page = (tmp_path / "page.md").read_text()
    assert page.startswith(
        f"before\n<!-- figures -->\nAMD EPYC(TM) 7B13 ({CACHES}), 2 cores; lines in cache 50 "
    )
    assert "| 1 × 2 | double | 2.081 s | 1.0404 s | 0.5000 s | 2.08 |" in page
    kept = json.loads((tmp_path / "benchmarks" / "figures" / FILE).read_text())
    assert (kept["processor"], kept["caches"]) == (HERE["processor"], CACHES)
    assert kept["commit"] == "0123456789ab"
    assert kept["command"] == "benchmarks/figures.py --rounds 3 --steps 5 --cores 2"
    assert len(kept["memory"]) == 5
    assert kept["rounds"]["fluidsim with_pyfftw 1 × 2"] == [15.0]
    assert "secret" not in json.dumps(kept)
    assert [one["steps"]["minimum"] for one in kept["runs"]] == [2.04] * 3  # the middle one of the rounds


def test_the_next_are_held_against_those_kept(run, tmp_path):
    run()
    said = run(x_lines=0.39)
    assert said.count("slower: x_lines 1.30 ×") == 3
    assert f"against benchmarks/figures/{FILE}: commit 0123456789ab, 2026-01-02, the same processor" in said
    assert run(x_lines=0.39).count("nothing became slower by more than 5 %") == 3
    found = read_earlier(tmp_path / "benchmarks" / "figures" / FILE, case_of(precision="single"), 2, HERE)
    assert found["case"]["run"]["precision"] == "single"


def test_another_processor_has_its_own_file(run, tmp_path):
    run()
    folder = tmp_path / "benchmarks" / "figures"
    other = HERE | {"caches": "L1d 48 KiB 12-way, L2 1 MiB 16-way"}
    assert "slower" not in run(machine=other, x_lines=0.39)
    assert {path.name for path in folder.iterdir()} == {FILE, "amd-epyc-7b13-48k-1m.json"}
    said = run("--against", str(folder / FILE), machine=other, x_lines=0.39)
    assert said.count("slower over the floor: x_lines 1.30 ×") == 3


def test_what_is_to_be_held_against_must_be_there(run, capsys):
    with pytest.raises(SystemExit):
        run("--against", "nothing.json")
    assert "--against nothing.json does not exist" in capsys.readouterr().err

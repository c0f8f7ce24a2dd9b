"""How benchmarks/peers.py builds, runs and reads GHOST, from a small tree of scripts that stands for it."""

import importlib
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.build import needs

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
NAMES = ("peers", "ghost", "shared")
# Its program says how it was built and run.
MAKEFILE = """
include Makefile.in
all: edit
\techo building in $(PWD)
\tcp program.sh ../bin/$(SOLVER)
\ttest "$(BROKEN)" != yes
edit:
\tcd sub && $(MAKE) FLAGS='$(FFLAGS_$(COMPILER)) $(FC_$(COMPILER))' \\
\t   PRECISION='$(PRECISION)' POINTS='$(N) $(NZ)'
"""
SUB = """
all:
\techo "$(FLAGS)|$(PRECISION)|$(POINTS)|$(MPILDFLAGS)$(TARGET_GNU)" > ../built
"""
MAKEFILE_IN = """
N = 64
COMPILER = INTEL
SOLVER = MHD
PRECISION = SINGLE
FC_GNU = gfortran
MPILDFLAGS = -lmpich
"""
PROGRAM = """#!/bin/sh
[ "${OMPI_COMM_WORLD_RANK:-0}" = 0 ] || exit 0
steps=$(sed -n 's/^step = *\\([0-9]*\\) .*/\\1/p' parameter.inp)
points=$(cut -d'|' -f3 "$(dirname "$0")/../src/built" | cut -d' ' -f1)
{ cat parameter.txt "$(dirname "$0")/../src/built"; env | grep MALLOC_; pwd; } > SEEN
echo "        $points     $steps     2    1   7.0   8.0  0.25000000000000000  1.0  2.0  3.0" >> benchmark.txt
"""
PARAMETERS = """! flags
&status
idir = "/ptmp/run"
Bench = 0        ! benchmark
/
&parameter
dt = 7.5e-4
step = 12001     ! how many
rand = 1
/
&velocity
f0 = 0.37
nu = 3.e-4 ! viscosity
fparam0 = 0.90
/
"""


@pytest.fixture
def scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    peers, ghost, _ = (importlib.import_module(name) for name in NAMES)
    monkeypatch.setattr(peers, "install", lambda: None)
    monkeypatch.setattr(peers, "fluidsim_methods", lambda ranks: [])
    monkeypatch.setattr(ghost, "MAKE", ghost.MAKE | {"FC_GNU": "sh -w"})
    yield SimpleNamespace(peers=peers, ghost=ghost)
    for name in NAMES:
        del sys.modules[name]


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """GHOST's folders, with what a build beforehand has left; PROGRAM tells SEEN what it saw."""
    source = tmp_path / "GHOST" / "3D" / "src"
    (source / "examples").mkdir(parents=True)
    (source / "sub").mkdir()
    program = PROGRAM.replace("SEEN", f'"{tmp_path}/seen"')
    files = {"Makefile": MAKEFILE, "Makefile.in": MAKEFILE_IN, "sub/Makefile": SUB, "main3D.fpp": ""}
    files |= {"examples/parameter.inp": PARAMETERS, "program.sh": program, "initialv.f90": "abc"}
    files |= {"examples/initialv.f90_tg": "vortex", "old.o": "", "HD": "old"}
    for name, text in files.items():
        (source / name).write_text(text)
    (source / "program.sh").chmod(0o755)
    monkeypatch.setenv("MAKEFLAGS", "n")
    monkeypatch.setenv("PWD", "/elsewhere")
    return tmp_path / "GHOST"


def contents(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def options_of(scripts, monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["peers.py", "--points", "48", "--cores", "2", *arguments])
    return scripts.peers.parse()


def build(scripts, monkeypatch, tmp_path, *arguments):
    options = options_of(scripts, monkeypatch, *arguments)
    return options, scripts.peers.build_ghost(options, tmp_path / "scratch")


@needs("mpi")
def test_ghost_is_built_and_run_in_both_precisions(scripts, tree, monkeypatch, tmp_path):
    before = contents(tree)
    options, built = build(scripts, monkeypatch, tmp_path, "--ghost", str(tree))
    assert contents(tree) == before
    assert sorted(built.built) == [(48, "double"), (48, "single")]
    entries = [e for e in scripts.peers.contestants(2, built) if e.code == "GHOST"]
    assert [(e.precision, e.ranks, e.threads) for e in entries] == [("single", 2, 1), ("double", 2, 1)]
    for entry in entries:
        assert scripts.peers.measure(entry, 48, options, built)
        assert (entry.seconds_per_step, entry.seconds_per_rhs) == ([0.25], [0.125])
        seen = (tmp_path / "seen").read_text().splitlines()
        assert f"-O3 -march=native sh -w|{entry.precision.upper()}|48 48|" in seen
        assert {"MALLOC_MMAP_MAX_=0", "MALLOC_TRIM_THRESHOLD_=68719476736"} < set(seen)
        assert not seen[-1].startswith(str(tmp_path))  # it ran in a folder of its own
        parameters = [line.split("!")[0].strip() for line in seen]
        for line in ("Bench = 1", "step = 10", "dt = 0.001", "nu = 0.000625", "rand = 0", "f0 = 0.0"):
            assert line in parameters
        assert "fparam0 = 0.90" in parameters
    src = tmp_path / "scratch" / "48-double" / "src"
    assert (src / "initialv.f90").read_text() == "vortex"
    assert not (src / "old.o").exists()
    assert not (src / "HD").exists()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (" 64 10 2 1 7.0 8.0 0.5 1.0 2.0 3.0\n", 0.5),
        (" 64 64 64 10 2 1\n 7.0 8.0\n 5.0D-01 1.0\n", 0.5),
        (" # nx ny nz nsteps nprocs nth TCPU TOMP TWTIME TFFT\n 64 64 64 10 2 1 7.0 8.0 0.5 1.0\n", 0.5),
        (" # nx ny nz nsteps nprocs nth nstrm TCPU TOMP TWTIME\n 64 64 64 10 2 1 1 7.0 8.0 0.5\n", 0.5),
        ("", "has no time of 10 steps of 64³: $"),
        (" 64 20 2 1 7.0 8.0 0.5\n", "has no time of 10 steps of 64³: 64 20"),
        (" 128 10 2 1 7.0 8.0 0.5\n", "has no time of 10 steps of 64³"),
        (" 64 64 32 10 2 1 7.0 8.0 0.5\n", "has no time of 10 steps of 64³"),
        (" 64 10 2 1 7.0 8.0\n", "has no time of 10 steps of 64³"),
        (" 64 10 2 1 7.0 8.0 NaN\n", "has nan seconds a step"),
    ],
)
def test_seconds_are_those_on_the_wall(scripts, text, seconds):
    if isinstance(seconds, float):
        assert scripts.ghost.seconds_per_step(text, 64, 10) == seconds
        return
    with pytest.raises(ValueError, match=seconds):
        scripts.ghost.seconds_per_step(text, 64, 10)


def test_a_build_that_fails_shows_the_end_of_its_log(scripts, tree, monkeypatch, tmp_path, capsys):
    with pytest.raises(SystemExit, match="was not built for 48³ in single precision; the end of its log is"):
        build(scripts, monkeypatch, tmp_path, "--ghost", str(tree), "--ghost-make", "BROKEN=yes")
    log = capsys.readouterr().out
    assert f"building in {tmp_path}/scratch/48-single/src" in log
    assert "Error 1" in log


def test_a_build_that_makes_nothing_is_none(scripts, tree, monkeypatch, tmp_path):
    (tree / "3D" / "src" / "Makefile").write_text("all:\n\techo done\n")
    with pytest.raises(SystemExit, match="was not built for 48³"):
        build(scripts, monkeypatch, tmp_path, "--ghost", str(tree))


def test_what_is_missing_is_named(scripts, tree, monkeypatch, tmp_path):
    with pytest.raises(SystemExit, match="because no-mpif90 is missing: install make, gfortran and"):
        build(scripts, monkeypatch, tmp_path, "--ghost", str(tree), "--ghost-make", "FC_GNU=no-mpif90 -w")
    assert not (tmp_path / "scratch").exists()
    with pytest.raises(SystemExit, match="is not laid out as a GHOST that is built with make, which has Mak"):
        build(scripts, monkeypatch, tmp_path, "--ghost", str(tree / "2D"))
    example = tree / "3D" / "src" / "examples" / "parameter.inp"
    example.write_text("&status\nbench = 0\n/\n")
    with pytest.raises(SystemExit, match=r"examples/parameter\.inp \(with bench, dt, nu, step\) in 3D/src"):
        build(scripts, monkeypatch, tmp_path, "--ghost", str(tree))
    example.rename(example.with_suffix(".txt")).write_text(PARAMETERS)
    assert scripts.ghost.find_source(tree / "3D") == (tree / "3D" / "src", PARAMETERS)
    with pytest.raises(SystemExit):
        options_of(scripts, monkeypatch, "--ghost-make", "FFTW3DIR")


def test_a_run_that_fails_ends_the_program(scripts, tree, monkeypatch, tmp_path, capsys):
    (tree / "3D" / "src" / "program.sh").write_text("#!/bin/sh\necho out of memory >&2\nexit 3\n")
    options, built = build(scripts, monkeypatch, tmp_path, "--ghost", str(tree), "--cores", "1")
    entry = scripts.peers.contestants(1, built)[-1]
    with pytest.raises(SystemExit, match="GHOST was built but its benchmark failed"):
        scripts.peers.measure(entry, 48, options, built)
    assert "GHOST 1 × 1 failed: out of memory" in " ".join(capsys.readouterr().out.split())


def test_each_precision_has_its_ratio(scripts, tree, monkeypatch, tmp_path, capsys):
    """Of medians, of the quickest way of each; without GHOST there is one ratio, of double precision."""
    seconds = {"whorl": 0.5, "fluidsim": 2.0, "GHOST": 3.0}

    def measure(entry, points, options, built):
        single = 2.0 if entry.precision == "single" else 1.0
        step = seconds[entry.code] * (1.5 if entry.ranks > 1 and entry.code == "whorl" else 1.0) / single**2
        entry.add({"seconds_per_step": step, "seconds_per_rhs": 0.5 * step})
        return True

    monkeypatch.setattr(scripts.peers, "measure", measure)
    monkeypatch.setattr(scripts.peers, "fluidsim_methods", lambda ranks: ["fft3d.with_pyfftw"])
    monkeypatch.setattr(scripts.ghost.Ghost, "build", lambda self, points, precision: None)
    whorl = tmp_path / "whorl"
    whorl.touch()
    given = ("--ghost", str(tree), "--whorl", str(whorl), "--json", str(tmp_path / "peers.json"))
    options_of(scripts, monkeypatch, *given)
    scripts.peers.main()
    said = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "fluidsim ÷ whorl quickest 4.00 4.00" in said
    assert "GHOST ÷ whorl, single quickest 6.00 6.00" in said
    assert "GHOST ÷ whorl quickest 6.00 6.00" in said
    (result,) = json.loads((tmp_path / "peers.json").read_text())
    assert list(result["ratios"]) == ["fluidsim ÷ whorl", "GHOST ÷ whorl, single", "GHOST ÷ whorl"]
    options_of(scripts, monkeypatch, *given[2:])
    scripts.peers.main()
    (result,) = json.loads((tmp_path / "peers.json").read_text())
    assert result["ratios"] == {"fluidsim ÷ whorl": {"seconds_per_step": 4.0, "seconds_per_rhs": 4.0}}

"""What each command does when all is well."""

import inspect
import os
import pty
import re
import subprocess
import sys

import h5py
import numpy as np
import pytest
import xarray as xr
from cli.commands import WHORL, settings
from matplotlib.image import imread
from whorl import _core
from whorl.base.version import with_commit
from whorl.cli.bench import bench
from whorl.cli.main import app
from whorl.config.case import Case, load_case, ready_cases
from whorl.config.explain import options
from whorl.results.runs import open_run

CASE = """
[grid]
points = [12, 16, 10]
lengths = [6.0, 7.0, 5.0]
[flow]
viscosity = 0.02
[time]
courant = 0.6
steps = 12
[initial]
name = "random"
k0 = 2
seed = 3
[output]
series_every = "1 steps"
spectra_every = "4 steps"
checkpoint_every = "6 steps"
snapshot_every = "6 steps"
snapshot_precision = "double"
"""


@pytest.fixture
def case_file(tmp_path):
    (tmp_path / "box.toml").write_text(CASE)
    return "box.toml"


def check_alike(one, other, rounding: float) -> None:
    """Series, spectra and last snapshot of two directories agree; the first may hold more spectra."""
    one, other = open_run(one), open_run(other)
    first, second = one.series.drop_vars("helicity"), other.series.drop_vars("helicity")
    xr.testing.assert_allclose(first, second, rtol=rounding)
    same = one.spectra["step"].isin(other.spectra["step"])
    spectra = one.spectra["energy"].isel(time=np.flatnonzero(same))
    xr.testing.assert_allclose(spectra, other.spectra["energy"], rtol=rounding, atol=rounding)
    a, b = one.snapshots["velocity"].values[-1], other.snapshots["velocity"].values[-1]
    assert np.abs(a - b).max() < rounding * np.abs(b).max()


# run and restart


def test_a_run_and_what_it_leaves(installed, tmp_path, case_file):
    result = installed("run", case_file)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert re.fullmatch(
        r"whorl \S+: navier-stokes 12 × 16 × 10, double, 2/3, rk4-gill, 1 rank × \d threads?", lines[0]
    )
    assert lines[1] == "output in box"
    assert re.match(r"finished at t = \S+, step 12 \(12 steps in ", lines[-2])
    assert lines[-1] == "see it with: whorl plot box"
    assert "\x1b" not in result.out
    files = {
        str(path.relative_to(tmp_path / "box")) for path in (tmp_path / "box").rglob("*") if path.is_file()
    }
    assert files == {
        ".whorl-run",
        "case.toml",
        "series.csv",
        "spectra.h5",
        "log.txt",
        "snapshots.vtkhdf.series",
        *(f"checkpoints/{step:08}.h5" for step in (6, 12)),
        *(f"snapshots/{step:08}.vtkhdf" for step in (0, 6, 12)),
    }
    run = open_run(tmp_path / "box")
    assert run.case == load_case(tmp_path / case_file, ['output.directory="box"'])
    assert list(run.series["step"].values) == list(range(13))
    assert run.spectra["energy"].sum("k").values == pytest.approx(run.series["energy"].values[::4], rel=1e-13)
    assert "finished at t = " in (tmp_path / "box" / "log.txt").read_text()


@pytest.mark.mpi
def test_a_restart_on_other_ranks(whorl, tmp_path, case_file):
    """The whole on one rank, and on two and then, interrupted, on three of another arrangement."""
    assert whorl("run", case_file, "-o", "one").code == 0
    half = settings("time.steps=6")
    assert whorl("run", case_file, "-o", "two", *half, ranks=2).code == 0
    grid = settings("time.steps=12", "run.process_grid=[3, 1]")
    result = whorl("restart", "two", *grid, ranks=3)
    assert result.code == 0, result
    assert "3 ranks (3 × 1, alltoall) × " in result.out
    check_alike(tmp_path / "two", tmp_path / "one", 1e-12)
    assert list(open_run(tmp_path / "two").series["step"].values) == list(range(13))


@pytest.mark.mpi
def test_a_restart_on_the_same_ranks_repeats_the_bits(whorl, tmp_path, case_file):
    """Once more from the checkpoint in the middle of a run."""
    assert whorl("run", case_file, "-o", "out", "--set", "run.process_grid=[2, 1]", ranks=2).code == 0
    before = open_run(tmp_path / "out")
    series, velocity = before.series, before.snapshots["velocity"].values[-1]
    assert whorl("restart", "out", "--step", "6", ranks=2).code == 0
    after = open_run(tmp_path / "out")
    xr.testing.assert_identical(after.series, series)
    assert np.array_equal(after.snapshots["velocity"].values[-1], velocity)


def test_a_restart_in_single_precision(whorl, tmp_path, case_file):
    assert whorl("run", case_file, "-o", "double").code == 0
    assert whorl("run", case_file, "-o", "single", *settings("time.steps=6")).code == 0
    again = whorl("restart", "single", *settings("time.steps=12", "run.precision=single"))
    assert again.code == 0
    assert "single" in again.out
    check_alike(tmp_path / "single", tmp_path / "double", 1e-5)
    with h5py.File(open_run(tmp_path / "single").checkpoints[-1]) as file:
        assert file["velocity_first"].dtype == np.float32


def test_restart_until(whorl, tmp_path, case_file):
    end = settings("time.steps=1000000", "time.until=0.5")
    assert whorl("run", case_file, *end).code == 0
    result = whorl("restart", "box", "--until", "0.7")
    assert "goes on from t = 0." in result.out
    assert "box/checkpoints/" in result.out
    assert result.code == 0
    assert "finished at t = 0.7, step" in result.out
    series = open_run(tmp_path / "box").series
    assert float(series["time"][-1]) == 0.7
    assert 0.5 in series["time"].values
    assert (np.diff(series["step"]) == 1).all()


def test_restart_until_more_turnovers(whorl, tmp_path):
    small = settings("grid.points=8", "time.until=0.5 turnovers", "output.checkpoint_every=0.25 turnovers")
    done = whorl("run", "abc", "-o", "out", *small)
    assert done.code == 0, done.err
    assert re.search(r"step \d+  t [0-9.]+  0\.5\d* of 0\.5 turnovers  dt .* 0:00:00 left\n", done.out)
    assert re.search(r"finished at t = [0-9.]+, step \d+, 0\.5\d* turnovers \(", done.out)
    again = whorl("restart", "out", "--until", "1 turnover")
    assert again.code == 0, again.err
    assert " of 1 turnovers  dt " in again.out
    series = open_run(tmp_path / "out").series
    assert (np.diff(series["turnovers"]) > 0).all()
    assert 1 <= series["turnovers"][-1] < 1.1


def test_settings_and_names(whorl, tmp_path, quick):
    """A ready case's output is a folder of its name; --set is applied in order."""
    assert whorl("run", "abc", *quick, *settings("grid.points=16", "grid.points=12")).code == 0
    case = open_run(tmp_path / "abc").case
    assert case.grid.points == (12, 12, 12)
    assert case.time.dt == 0.02
    assert case.time.courant is None


@pytest.mark.parametrize("name", ready_cases())
def test_every_ready_case_begins(whorl, tmp_path, name):
    most = 128 if name == "inverse-cascade" else 64  # its force needs small scales
    smaller = [min(n, most) for n in load_case(name).grid.points]
    result = whorl("run", name, *settings(f"grid.points={smaller}", "time.steps=2"))
    assert result.code == 0, result.err
    assert open_run(tmp_path / name).series["step"].values[-1] == 2


# plot, cases, options, info


def test_plot(whorl, tmp_path, case_file):
    """A PNG of some size with something on it."""
    assert whorl("run", case_file).code == 0
    result = whorl("plot", "box")
    assert (result.code, result.err) == (0, "")
    assert result.out == "output   box\npicture  box/plot.png\n"
    picture = imread(tmp_path / "box" / "plot.png")
    assert picture.shape[:2] == (1035, 2100)
    sample = picture[::7, ::7].reshape(-1, picture.shape[2])
    assert len(np.unique(sample, axis=0)) > 500
    assert 0.05 < (picture[..., :3].min(axis=2) < 0.9).mean() < 0.9


@pytest.mark.slow
def test_a_plot_elsewhere_is_the_same(whorl, tmp_path, case_file):
    assert whorl("run", case_file).code == 0
    assert whorl("plot", "box").code == 0
    assert whorl("plot", "box", "-o", "elsewhere.png").code == 0
    assert np.array_equal(imread(tmp_path / "elsewhere.png"), imread(tmp_path / "box" / "plot.png"))


def test_cases(whorl, tmp_path):
    listed = whorl("cases")
    assert listed.code == 0
    for name in ready_cases():
        assert name in listed.out
    printed = whorl("cases", "abc")
    (tmp_path / "mine.toml").write_text(printed.out)
    assert load_case(tmp_path / "mine.toml") == load_case("abc")


def test_options(whorl):
    listed = whorl("options")
    assert listed.code == 0
    for option in options(Case):
        assert option.key in listed.out
    some = whorl("options", "time")
    assert "time.scheme" in some.out
    assert "grid.points" not in some.out
    assert "rk2 | rk3 | rk4 | rk4-gill | rk4-carpenter | etdrk2 | etdrk4 | ab2 | ab3" in re.sub(
        r"\s+", " ", some.out
    )


def test_options_are_readable_on_a_narrow_terminal(whorl, monkeypatch):
    """Each begins a line, and what it means stands below it, indented and over the whole width."""
    monkeypatch.setenv("COLUMNS", "80")
    lines = [line.rstrip() for line in whorl("options").out.splitlines()]
    assert max(map(len, lines)) <= 80
    begins = [index for index, line in enumerate(lines) if re.match(r"[a-z]+\.\w+   ", line)]
    assert [lines[index].split()[0] for index in begins] == [option.key for option in options(Case)]
    for begin, end, option in zip(begins, [*begins[1:], len(lines)], options(Case), strict=True):
        meaning = [line for line in lines[begin:end] if line.startswith("    ")]
        unit = f" [{option.unit}]" if option.unit else ""
        assert " ".join(line.strip() for line in meaning) == option.help + unit
        assert len(meaning) <= 1 + len(option.help + unit) // 60


@pytest.mark.mpi
def test_info_on_ranks(whorl):
    result = whorl("info", ranks=2)
    assert result.code == 0
    rows = [line for line in result.out.splitlines() if re.match(r"\S.*?\s{2,}\S", line)]  # no second lines
    facts = dict(re.split(r"\s{2,}", line.strip(), maxsplit=1) for line in rows)
    assert facts["whorl"] == _core.build_info()["version"]
    assert facts["core cuda"] == _core.build_info()["cuda"]
    assert facts["core devices"] == ", ".join(_core.build_info()["devices"])
    assert facts["GPUs"]
    assert facts["ranks"] == "2"
    assert int(facts["cores"]) >= 1
    assert result.out.count("core compiler") == 1


def test_without_arguments_and_with_typos_it_helps(installed, whorl):
    alone = installed()
    assert alone.code == 0
    assert "whorl run taylor-green" in alone.out
    assert "mpiexec -n 4 whorl run my.toml" in alone.out
    for command in ("run", "restart", "plot", "average", "cases", "options", "info", "bench"):
        assert command in alone.out
        assert f"whorl {command}" in whorl(command, "--help").out
    assert whorl("--version").out == f"whorl {with_commit()}\n"


def test_paragraphs_of_helps_flow():
    """A line of a docstring, broken again at the width of the terminal, would leave ragged lines."""
    commands = [*app.registered_commands, *bench.registered_commands]
    for command in commands:
        text = command.help or inspect.getdoc(command.callback)
        assert not re.search(r"[^\n]\n[^\n]", text), command.callback.__name__


def test_the_file_of_average_is_explained(whorl):
    told = " ".join(whorl("average", "--help").out.split())
    assert "whorl average [OPTIONS] {DIR} [FILE]" in told
    assert "With --csv: the file to write." in told


# What is shown while it runs


def on_a_terminal(directory, *command: str, columns: int = 100) -> str:
    """What a command writes to a pseudo-terminal."""
    ours, theirs = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "TERM")}
    process = subprocess.Popen(
        command, cwd=directory, stdin=theirs, stdout=theirs, stderr=theirs,
        env=environment | {"TERM": "xterm-256color", "COLUMNS": str(columns)},
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        seen += piece
    os.close(ours)
    assert process.wait(60) == 0, seen
    return seen.decode()


def test_a_terminal_shows_the_run_live(tmp_path):
    """A line that is rewritten in place, with all that one wants to know."""
    seen = on_a_terminal(
        tmp_path,
        *WHORL,
        "run",
        "taylor-green",
        *settings("grid.points=24", "time.dt=0.005", "time.until=1"),
    )
    assert "\x1b[" in seen
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen)
    shown = re.findall(r"step \d+  t \S+ of 1  dt 0\.005  C \S+  E \S+  ε \S+  kmax·η \S+", plain)
    assert len(shown) >= 2
    assert re.search(r"\d+ %  0:00:\d\d left", plain)
    assert plain.rstrip().endswith("see it with: whorl plot taylor-green")


def test_no_terminal_gets_plain_lines(whorl, monkeypatch, case_file):
    """One when the time comes, and one at the end; every one of them for people to read."""
    monkeypatch.setattr("whorl.run.progress.PLAIN_SECONDS", 0.0)
    monkeypatch.setattr("whorl.run.progress.SHARE", 1e9)
    result = whorl("run", case_file)
    shown = [line for line in result.out.splitlines() if line.startswith("step ")]
    assert len(shown) == 12
    assert "\x1b" not in result.out
    monkeypatch.setattr("whorl.run.progress.PLAIN_SECONDS", 1000.0)
    result = whorl("run", case_file, "--overwrite")
    assert len([line for line in result.out.splitlines() if line.startswith("step ")]) == 1


def test_a_restart_shows_the_last_row_until_there_is_another(whorl, monkeypatch, quick):
    monkeypatch.setattr("whorl.run.progress.PLAIN_SECONDS", 0.0)
    monkeypatch.setattr("whorl.run.progress.SHARE", 1e9)
    rows = settings("output.series_every='5 steps'")
    assert whorl("run", "taylor-green", "-o", "out", *quick, *rows).code == 0
    result = whorl("restart", "out", "--step", "8", *settings("time.steps=11", "time.until=10"))
    shown = [line for line in result.out.splitlines() if line.startswith("step ")]
    assert [line.split()[1] for line in shown] == ["9", "10", "11"]
    assert ["(at step 5)" in line for line in shown] == [True, False, False]
    assert all(" E 0." in line for line in shown)


def test_importing_whorl_does_not_start_mpi(shell):
    result = shell(
        sys.executable, "-c", "import whorl, sys; print('mpi4py.MPI' in sys.modules, whorl.__version__)"
    )
    assert result.out.startswith("False ")


def test_an_interrupt_of_the_first_imports_leaves_no_traceback():
    program = (
        "import runpy, sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'whorl.cli.main':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "runpy.run_module('whorl', run_name='__main__')\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")

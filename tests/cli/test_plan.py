"""`whorl plan` and `whorl bench machine` as a user starts them."""

import json

import psutil
import pytest
from cli.commands import CASE, settings
from matplotlib.image import imread
from planner.cases import sections
from whorl.base.host import processor
from whorl.machine.planner import measure
from whorl.machine.planner.machine import machine_from, machine_toml


@pytest.fixture
def toy(tmp_path):
    """A machine file beside the case."""
    path = tmp_path / "toy.toml"
    path.write_text(machine_toml(machine_from(sections())))
    return path


def test_a_plan_is_shown_and_written(whorl, toy, tmp_path):
    chosen = settings("grid.points=64", "time.dt=0.01", "time.until=1.0", "run.precision=single")
    files = ("--json", "plan.json", "--plot", "plan.png")
    done = whorl("plan", "taylor-green", "-m", toy, "-n", 2, "-n", 4, "-n", 47, "-n", 4, *chosen, *files)
    assert done.code == 0, done.err
    assert "100 steps of 0.01, by time.dt; fewest nodes: 1\n" in done.out
    assert "run.process_grid = [" in done.out
    assert any(line.split() == ["47", "no", "process", "grid"] for line in done.out.splitlines())
    plan = json.loads((tmp_path / "plan.json").read_text())
    assert [run["nodes"] for run in plan["runs"]] == [2, 4]
    assert plan["prediction"] is True
    for run in plan["runs"]:
        assert run["seconds_per_step"] == pytest.approx(
            sum(run["parts"].values()) - 2 * run["parts"]["hidden"]
        )
        assert f"{run['seconds_per_step']:.4g}" in done.out
    assert imread(tmp_path / "plan.png").ndim == 3


def test_what_is_asked_for_is_planned(whorl, toy, tmp_path):
    chosen = settings("grid.points=64", "time.courant=0.5", "time.until=1.0")
    asked = ("-n", 4, "-n", 1, "--dt", 0.004, "--overlap", "--ranks-per-node", 2)
    done = whorl("plan", "taylor-green", "-m", toy, *asked, *chosen, "--json", "plan.json")
    assert done.code == 0, done.err
    plan = json.loads((tmp_path / "plan.json").read_text())
    assert [(run["nodes"], run["ranks"]) for run in plan["runs"]] == [(1, 2), (4, 8)]
    assert (plan["steps"], plan["steps_known_by"], plan["overlap"]) == (250, "--dt", True)


def test_a_plan_in_turnovers_says_what_they_are(whorl, toy, tmp_path):
    chosen = settings("grid.points=64", "time.dt=0.1", "time.until=3 turnovers")
    done = whorl("plan", "taylor-green", "-m", toy, "-n", 1, *chosen, "--json", "plan.json")
    assert done.code == 0, done.err
    assert "142 steps of 0.1, by time.dt, turnovers of 4.71 as in the initial field; fewest" in done.out
    assert json.loads((tmp_path / "plan.json").read_text())["turnover"] == pytest.approx(4.712, abs=1e-3)


def test_a_run_to_an_accuracy_is_planned(whorl, toy, tmp_path):
    chosen = settings("grid.points=32", "time.until_error={dissipation=0.02}", "time.until=20 turnovers")
    done = whorl("plan", "forced-turbulence", "-m", toy, "-n", 1, *chosen)
    assert done.code == 0, done.err
    assert "turnovers" in done.out


def test_gests_is_planned_on_frontier(whorl):
    chosen = settings("grid.points=4096", "time.scheme=rk2", "run.precision=single", "time.dt=1e-4")
    done = whorl("plan", "taylor-green", "-m", "frontier", "-n", 8, "--algorithm", "gests", *chosen)
    assert done.code == 0, done.err
    assert "1 × 64" in done.out
    assert "untruncated, rk2, gests, on frontier" in done.out
    assert "nobody measured" not in done.out


def test_one_gpu_is_planned_of_a_node_of_eight(whorl):
    chosen = settings("grid.points=512", "run.precision=single", "time.dt=1e-3", "run.device=cuda")
    done = whorl("plan", "taylor-green", "-m", "h200", "-n", 1, "--ranks-per-node", 1, *chosen)
    assert done.code == 0, done.err
    assert "assumptions, not measurements" in done.out
    assert "1 × 1" in done.out
    assert "run.device" not in done.out


EXPRESSIONS = """
[[diagnostics]]
kind = "pdf"
of = "grad(u)"
[[diagnostics]]
kind = "moments"
name = "of-p"
of = "p"
"""


def test_expressions_are_told_as_in_the_log(whorl, toy, tmp_path):
    """All of them, word for word; the plan is the one that the run follows."""
    case = (
        CASE
        + 'columns = {e = "mean(u.x*u.y*u.z)"}\nfields = ["velocity", "Q = det(grad(u))"]\n'
        + EXPRESSIONS
    )
    (tmp_path / "box.toml").write_text(case)
    assert whorl("run", "box.toml").code == 0
    log = [line.partition("  ")[2] for line in (tmp_path / "box" / "log.txt").read_text().splitlines()]
    plans = [line for line in log if " a point" in line]
    assert [line.partition(": ")[0] for line in plans] == [
        *("output.columns", "output.fields, Q", "diagnostics.pdf", "diagnostics.of-p"),
    ]
    done = whorl("plan", "box.toml", "-m", toy, "--json", "plan.json")
    assert done.code == 0, done.err
    shown = [" ".join(line.split()) for line in done.out.splitlines()]
    for line in plans:
        assert line.replace(": ", " ", 1) in shown
    kept = json.loads((tmp_path / "plan.json").read_text())["expressions"]
    assert [f"{what}: {how}" for what, how in kept.items()] == plans


def test_overlap_is_said_to_be_a_guess(whorl):
    chosen = settings("grid.points=4096", "run.precision=single", "time.dt=1e-4")
    done = whorl("plan", "taylor-green", "-m", "frontier", "-n", 8, "--overlap", *chosen)
    assert done.code == 0, done.err
    assert "overlap assumes the share links[].hidden of each exchange, which nobody measured" in done.out


@pytest.fixture
def brief(monkeypatch):
    """Measures for a moment what takes some seconds."""
    monkeypatch.setattr(measure, "BRIEF_SIZES", (16,))
    monkeypatch.setattr(measure, "STEPS", {16: 2})


@pytest.mark.usefixtures("brief")
def test_without_a_machine_the_plan_is_for_this_one(whorl, tmp_path):
    chosen = settings("grid.points=16", "time.dt=0.01", "time.until=1.0", "run.precision=single")
    done = whorl("plan", "taylor-green", *chosen, "--json", "plan.json")
    assert done.code == 0, done.err
    assert "measuring this machine" in done.err
    assert "whorl, on this machine\n" in done.out
    assert "rates from steps of 16³ points measured on it just now" in done.out
    plan = json.loads((tmp_path / "plan.json").read_text())
    assert plan["machine"] == "this machine"
    assert [run["ranks"] for run in plan["runs"]] == [1]
    assert plan["runs"][0]["memory_of_rank"] < psutil.virtual_memory().total


@pytest.mark.usefixtures("brief")
@pytest.mark.parametrize("of", [None, "another processor"])
def test_local_toml_counts_if_it_is_of_this_processor(whorl, tmp_path, of):
    about = {"name": "kept", "source": "made up", "description": f"{of or processor()}, 1 × 2 of its cores"}
    (tmp_path / "local.toml").write_text(machine_toml(machine_from(sections(machine=about))))
    done = whorl("plan", "taylor-green", "-n", 1, *settings("grid.points=16", "time.dt=0.01"))
    assert done.code == 0, done.err
    assert ("on kept\n" in done.out) == (of is None)
    left_out = "local.toml is of another processor (another processor, 1 × 2 of its cores), this is "
    assert (left_out in done.err) == (of is not None)


WRONG = {
    "machine": (["-m", "frontir"], "did you mean frontier?"),
    "nodes": (["-m", "toy.toml", "-n", "65"], "--nodes 65: toy has 64 nodes"),
    "option": (["-m", "toy.toml", "-s", "grid.pionts=32"], "did you mean grid.points?"),
    "ranks": (["-m", "toy.toml", "--ranks-per-node", "3"], "node.ranks = 3 do not share"),
    "no step": (["-m", "toy.toml", "--dt", "0"], "--dt 0: the mean time step must be above zero"),
    "endless step": (["-m", "toy.toml", "--dt", "inf"], "--dt inf: the mean time step must be above zero"),
    "algorithm": (["-m", "toy.toml", "--algorithm", "gests", "-s", "flow.model=mhd"], 'not "mhd"'),
    "json": (
        ["-m", "toy.toml", "--json", "nodir/x.json"],
        "nodir/x.json cannot be written: there is no directory",
    ),
    "json folder": (["-m", "toy.toml", "--json", "."], ". is a directory; name a file in it"),
    "plot": (
        ["-m", "toy.toml", "--plot", "nodir/x.png"],
        "nodir/x.png cannot be written: there is no directory",
    ),
    "suffix": (
        ["-m", "toy.toml", "--plot", "plan.jpg"],
        "must end in .png, .pdf or .svg; name it plan.png",
    ),
    "memory": (["-m", "toy.toml", "-s", "grid.points=4096"], "does not fit on toy"),
}


@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=WRONG.keys())
@pytest.mark.usefixtures("toy")
def test_what_cannot_be_planned_is_explained(whorl, arguments, message):
    done = whorl("plan", "taylor-green", *arguments)
    assert done.code == 2
    assert message in " ".join(done.err.split())
    assert not done.out


def test_a_file_that_cannot_be_written_goes_by_its_own_name(whorl, toy, tmp_path):
    """The file beside it, under which it is written, is in the way."""
    (tmp_path / "plan.json.part").mkdir()
    done = whorl("plan", "taylor-green", "-m", toy, "--json", "plan.json", *settings("grid.points=16"))
    assert done.code == 2
    assert "plan.json cannot be written: Is a directory" in done.err


def test_a_machine_is_not_measured_for_a_file_that_cannot_be_written(whorl):
    done = whorl("bench", "machine", "-o", "nodir/local.toml")
    assert done.code == 2
    assert "nodir/local.toml cannot be written: there is no directory nodir" in done.err

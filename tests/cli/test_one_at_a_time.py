"""One run at a time works in a directory, in a process too."""

import subprocess
import sys
from pathlib import Path

import pytest
from cli.commands import settings
from cli.test_faults import arguments, checkpoints, newest_step, wait_for_checkpoint
from whorl.base.errors import CaseError
from whorl.config.case import Case, load_case
from whorl.output.lock import Lock
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation


def test_a_run_that_goes_on_is_left_alone(start, whorl, tmp_path):
    """By a restart, and by another run in its place; not by what only reads."""
    process = start(*arguments())
    wait_for_checkpoint(tmp_path / "out", process)
    for second in (("restart", "out"), [*arguments(), "--overwrite"]):
        refused = whorl(*second)
        assert refused.code == 2
        assert "the run in out still goes on in another process" in " ".join(refused.err.split())
    assert whorl("plot", "out").code == 0
    assert process.poll() is None
    process.kill()
    process.wait()
    until = str(0.001 * (newest_step(tmp_path / "out") + 2))
    assert whorl("restart", "out", "--until", until).code == 0


def test_a_run_that_goes_on_may_remove_checkpoints(whorl, installed, tmp_path):
    """A restart asks whether it goes on before it looks for one."""
    assert whorl("run", "abc", "-o", "out", *settings("grid.points=8", "time.steps=1")).code == 0
    for path in checkpoints(tmp_path / "out"):
        path.unlink()
    hold = Lock(tmp_path / "out")
    assert "still goes on" in " ".join(installed("restart", "out").err.split())
    hold.release()
    assert "has no checkpoint" in " ".join(installed("restart", "out").err.split())


def test_a_run_is_open_once_in_a_process_too(tmp_path):
    first = Lock(tmp_path)
    with pytest.raises(CaseError, match="still open in this program: close it"):
        Lock(tmp_path)
    script = (
        "import sys; from pathlib import Path; from whorl.output.lock import Lock; Lock(Path(sys.argv[1]))"
    )
    another = [sys.executable, "-c", script, str(tmp_path)]
    assert "still goes on" in subprocess.run(another, capture_output=True, text=True).stderr
    first.release()
    again = Lock(tmp_path)
    del again
    assert subprocess.run(another).returncode == 0


def small_case(directory: Path) -> Case:
    return load_case("abc", ["grid.points=8", "time.dt=0.02", "time.steps=2"]).updated(
        output={"directory": str(directory)}
    )


def test_two_simulations_never_write_to_one_directory(tmp_path):
    case = small_case(tmp_path / "out")
    first = Simulation(case)
    with pytest.raises(CaseError, match="holds a run already"):
        Simulation(case)
    with pytest.raises(CaseError, match="still open in this program"):
        Simulation(case, overwrite=True)
    with pytest.raises(CaseError, match="still open in this program"):
        Simulation.restart(tmp_path / "out")
    first.run(progress=False)
    with Simulation(case, overwrite=True) as second:
        second.run(progress=False)
    assert list(open_run(tmp_path / "out").series["step"].values) == [0, 2]


def test_a_restart_that_fails_gives_its_directory_back(tmp_path):
    with Simulation(small_case(tmp_path / "out")) as simulation:
        simulation.run(progress=False)
    kept = []
    with pytest.raises(CaseError, match="nothing left to do") as caught:
        Simulation.restart(tmp_path / "out")
    kept.append(caught.value)  # with the frames it went through
    with Simulation.restart(tmp_path / "out", settings=["time.steps=3"]) as simulation:
        simulation.run(progress=False)

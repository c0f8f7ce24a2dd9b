"""A job whose time is over: the exit code says that a restart goes on."""

import time

import pytest
from cli.commands import settings
from support.build import needs

pytestmark = needs("hdf5")
ONE_STEP = 20  # seconds to the end of a job, of which more are kept
CASE = ("run", "abc", "-o", "out", *settings("grid.points=8", "time.steps=3", "run.threads=1"))


@pytest.fixture
def job(monkeypatch):
    """Begins a job of Slurm that ends soon."""

    def begin() -> None:
        monkeypatch.setenv("SLURM_JOB_ID", "17")
        monkeypatch.setenv("SLURM_JOB_END_TIME", str(int(time.time()) + ONE_STEP))

    return begin


def test_jobs_of_one_step_each_until_the_run_is_finished(whorl, tmp_path, monkeypatch, job):
    job()
    result = whorl(*CASE)
    assert (result.code, result.err) == (85, "")
    assert result.out.rstrip().splitlines()[-1].endswith("go on with: whorl restart out")
    job()
    assert whorl("restart", "out").code == 85
    monkeypatch.delenv("SLURM_JOB_ID")
    assert whorl("restart", "out").code == 0
    stops = [line for line in (tmp_path / "out/log.txt").read_text().splitlines() if "stopped by" in line]
    assert ["step 1 (" in stops[0], "step 2 (" in stops[1], len(stops)] == [True, True, 2]


def test_the_last_step_is_an_end_even_if_the_time_is_over(whorl, job):
    job()
    assert whorl(*CASE, *settings("time.steps=1")).code == 0


@needs("mpi")
@pytest.mark.mpi
@pytest.mark.slow
def test_the_launcher_passes_the_code_on(installed, job):
    """The ranks of other tests, which live on, must not find the job."""
    job()
    result = installed(*CASE, ranks=2)
    assert result.code == 85, result.err
    assert "ends all" not in result.err
    assert result.out.count("stopped by run.wall_time at t = ") == 1

"""A run ends before its time on the clock is over, with a checkpoint, and a restart goes on from there."""

import time
from types import SimpleNamespace

import numpy as np
import pytest
from mpi4py import MPI
from support.build import needs
from support.cases import refusal
from support.ranks import on_ranks
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.output.directory import RunDirectory
from whorl.report.run_log import read_log, standing_of
from whorl.results.runs import open_run
from whorl.run import batch, wall_time
from whorl.run.simulation import Simulation

pytestmark = needs("hdf5")
STEP = 10.0  # seconds of a step on the clock of these tests
OF_JOBS = ("SLURM_JOB_ID", "PBS_JOBID")


def make_case(directory, every="1000 steps", **run) -> Case:
    return Case(
        grid={"points": 8},
        flow={"viscosity": 0.1},
        time={"dt": 0.1, "steps": 20},
        initial={"name": "abc"},
        output={"checkpoint_every": every} | ({"directory": str(directory)} if directory else {}),
        run={"threads": 1} | run,
    )


@pytest.fixture
def clock(monkeypatch):
    """A clock on which each step takes `STEP` seconds, outside batch systems."""
    now = [1e9]
    monkeypatch.setattr(wall_time, "time", SimpleNamespace(time=lambda: now[0]))
    for name in OF_JOBS:
        monkeypatch.delenv(name, raising=False)

    def tick(simulation: Simulation) -> None:
        now[0] += STEP

    return SimpleNamespace(now=now, tick=tick)


def begun(case, clock, comm=MPI.COMM_SELF, make=Simulation) -> Simulation:
    simulation = make(case, comm=comm)
    simulation._loop.run.started = clock.now[0]
    simulation.every("1 step", clock.tick)
    return simulation


def log(directory) -> str:
    return (directory / "log.txt").read_text()


def test_a_run_ends_in_time_and_a_restart_repeats_the_whole_one(tmp_path, clock):
    """200 seconds are enough for 16 steps: 30 are kept, and another step may need 10."""
    whole = Simulation(make_case(None), comm=MPI.COMM_SELF)
    whole.run(progress=False)
    simulation = begun(make_case(tmp_path / "run", wall_time="200 seconds"), clock)
    assert not simulation.run(progress=False)
    assert (simulation.step_number, simulation.stopped_by, simulation.ended) == (16, *["run.wall_time"] * 2)
    assert 'run.wall_time = "200 seconds": the run ends with a checkpoint at about ' in log(tmp_path / "run")
    last = log(tmp_path / "run").splitlines()[-1]
    assert "stopped by run.wall_time at t = 1.6, step 16 (" in last
    assert f"go on with: whorl restart {tmp_path / 'run'}" in last
    assert [int(path.stem) for path in open_run(tmp_path / "run").checkpoints] == [16]
    place = RunDirectory(tmp_path / "run")
    assert standing_of(place, read_log(place.log)).word == "Stopped by run.wall_time"
    again = begun(tmp_path / "run", clock, make=Simulation.restart)
    assert again.run(progress=False)
    assert again.stopped_by is None
    assert np.array_equal(again.velocity(), whole.velocity())


def test_a_slow_checkpoint_is_given_the_time_it_needs_twice(tmp_path, clock, monkeypatch):
    simulation = begun(make_case(tmp_path / "run", wall_time="200 seconds", every="4 steps"), clock)
    clock_of_checkpoints = SimpleNamespace(monotonic=slow().__next__)
    for module in ("recorder", "checkpoint_files"):
        monkeypatch.setattr(f"whorl.output.{module}.time", clock_of_checkpoints)
    assert not simulation.run(progress=False)
    assert simulation.step_number == 12  # 20 seconds each: 200 - 30 - 10 - 2 * 20 = 120


def slow():
    """Twenty seconds from any look at the clock to the next one."""
    now = 0.0
    while True:
        yield now
        now += 20.0


@on_ranks(2)
def test_rank_0_decides_for_all(world, tmp_path):
    """The clock of the other one stands still."""
    now = [1e9]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wall_time, "time", SimpleNamespace(time=lambda: now[0]))
        clock = SimpleNamespace(
            now=now, tick=lambda flow: now.__setitem__(0, now[0] + (0 if world.rank else STEP))
        )
        simulation = begun(make_case(tmp_path / "run", wall_time="100 seconds"), clock, world)
        assert not simulation.run(progress=False)
    assert (simulation.step_number, simulation.stopped_by) == (6, "run.wall_time")
    simulation.close()


def test_the_time_is_that_of_the_job(tmp_path, clock, monkeypatch):
    job = batch.Job("job 17 of Slurm", "squeue", clock.now[0] + 100)
    monkeypatch.setattr(wall_time, "present_job", lambda: job)
    simulation = begun(make_case(tmp_path / "run"), clock)
    assert not simulation.run(progress=False)
    assert (simulation.step_number, simulation.stopped_by) == (6, "run.wall_time")
    assert "job 17 of Slurm ends at " in log(tmp_path / "run")
    assert "(squeue): the run ends with a checkpoint at about " in log(tmp_path / "run")


def test_a_job_without_a_known_end_is_told(tmp_path, clock, monkeypatch):
    monkeypatch.setattr(wall_time, "present_job", lambda: batch.Job("job 17 of Slurm", "one nor other"))
    assert begun(make_case(tmp_path / "run"), clock).run(progress=False)
    told = "job 17 of Slurm: neither one nor other gives its end; set run.wall_time to end the run in time"
    assert told in log(tmp_path / "run")


@pytest.mark.parametrize(
    ("directory", "options"), [("run", {"wall_time": "never"}), ("run", {"every": "never"}), (None, {})]
)
def test_a_job_does_not_end_a_run_that_could_not_go_on(tmp_path, clock, monkeypatch, directory, options):
    monkeypatch.setattr(wall_time, "present_job", lambda: batch.Job("job", "way", clock.now[0] + 100))
    simulation = begun(make_case(directory and tmp_path / directory, **options), clock)
    assert simulation.run(progress=False)


def test_single_steps_are_made_after_the_end(tmp_path, clock):
    """A script that makes steps itself gets no checkpoint with each of them."""
    simulation = begun(make_case(tmp_path / "run", wall_time="100 seconds"), clock)
    assert not simulation.run(until=0.2, progress=False)
    for _ in range(10):
        simulation.step()
    assert open_run(tmp_path / "run").checkpoints == []


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("'soon'", ['run.wall_time = "soon"', '"auto", "never" or real time', '"N hours"']),
        ("3600", ["run.wall_time = 3600", "real time"]),
        ("'10 steps'", ["real time"]),
        ("'59 seconds'", ["at least 60 seconds"]),
        ("'1e40 hours'", ["1e-30 to 1e+30 in size"]),
    ],
)
def test_refusals_name_the_value_and_the_forms(setting, words):
    message = refusal(f"run.wall_time={setting}")
    for word in words:
        assert word in message


def test_a_time_without_checkpoints_is_refused(tmp_path):
    with pytest.raises(CaseError, match=r'run\.wall_time = "1 hour" is wrong: .*_every = "never"'):
        make_case(tmp_path, every="never", wall_time="1 hour")


def test_the_real_clock_is_in_seconds_since_1970():
    simulation = Simulation(make_case(None), comm=MPI.COMM_SELF)
    assert simulation._loop.run.started == pytest.approx(time.time(), abs=60)

"""The end of a job, as Slurm and PBS give it, by stand-ins for their commands."""

import os
import time
from datetime import datetime

import pytest
from whorl.run import batch

VARIABLES = ("SLURM_JOB_ID", "SLURM_JOB_END_TIME", "PBS_JOBID", "PBS_WALLTIME")


@pytest.fixture
def answers(monkeypatch, tmp_path):
    """Stand-ins for commands by their outputs, no others, in an environment without jobs."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")

    def answer(name, output, code=0):
        program = tmp_path / name
        program.write_text(
            f"#!/bin/sh\necho \"$@\" > '{tmp_path}/{name}.given'\ncat <<'END'\n{output}\nEND\nexit {code}\n"
        )
        program.chmod(0o755)
        return tmp_path / f"{name}.given"

    return answer


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        *(("0:30", 30), ("12:05", 725), ("3:00:00", 10800), ("2-03:04:05", 183845), ("06:00:00\n", 21600)),
        *(("UNLIMITED", None), ("INVALID", None), ("NOT_SET", None), ("", None), ("30", None)),
    ],
)
def test_durations_of_batch_systems(text, seconds):
    assert batch.seconds_of(text) == seconds


def test_outside_batch_systems_no_command_is_asked(answers):
    given = answers("squeue", "5:00")
    assert batch.present_job() is None
    assert not given.exists()


def test_slurm_by_the_environment(answers, monkeypatch):
    given = answers("squeue", "5:00")
    monkeypatch.setenv("SLURM_JOB_ID", "17")
    monkeypatch.setenv("SLURM_JOB_END_TIME", str(int(time.time()) + 1000))
    job = batch.present_job()
    assert (job.name, job.ways) == ("job 17 of Slurm", "SLURM_JOB_END_TIME")
    assert job.end == pytest.approx(time.time() + 1000, abs=2)
    assert not given.exists()


@pytest.mark.parametrize("end", [None, "soon", "1000"])
def test_slurm_by_squeue_where_the_environment_has_no_end_to_come(answers, monkeypatch, end):
    """As before Slurm 22.05, and where the limit of the job was extended."""
    given = answers("squeue", "1-00:00:10")
    monkeypatch.setenv("SLURM_JOB_ID", "17")
    if end:
        monkeypatch.setenv("SLURM_JOB_END_TIME", end)
    job = batch.present_job()
    assert job.ways == "squeue"
    assert job.end == pytest.approx(time.time() + 86410, abs=2)
    assert given.read_text() == "-h -j 17 -o %L\n"


@pytest.mark.parametrize(("output", "code"), [("UNLIMITED", 0), ("5:00", 1), ("", 0)])
def test_a_job_whose_end_is_not_known(answers, monkeypatch, output, code):
    answers("squeue", output, code)
    monkeypatch.setenv("SLURM_JOB_ID", "17")
    assert batch.present_job() == batch.Job("job 17 of Slurm", "SLURM_JOB_END_TIME nor squeue")


def test_a_job_without_the_commands_of_its_system(answers, monkeypatch):
    """As in a container."""
    monkeypatch.setenv("PBS_JOBID", "4.host")
    assert batch.present_job() == batch.Job("job 4.host of PBS", "PBS_WALLTIME nor qstat")


def test_pbs_by_the_environment_from_the_start_of_the_job(answers, monkeypatch):
    """Of two parents in the job the older one tells the start; one before it is of another job."""

    class Process:
        def __init__(self, start, job):
            self.create_time, self.environ = lambda: start, lambda: {"PBS_JOBID": job}

        def parents(self):
            return [Process(900.0, "4.host"), Process(700.0, "4.host"), Process(100.0, "3.host")]

    monkeypatch.setattr("psutil.Process", lambda: Process(1000.0, "4.host"))
    monkeypatch.setenv("PBS_WALLTIME", "7200")
    assert batch.pbs_variable("4.host") == 700 + 7200
    assert batch.pbs_variable("5.host") is None


STATUS = """Job Id: 4.host
    Job_Name = forced
    Resource_List.ncpus = 4
    Resource_List.walltime = 06:00:00
    {start} = Tue Dec  1 12:30:15 2026
    substate = 42"""


@pytest.mark.parametrize("start", ["stime", "start_time"])
def test_pbs_by_qstat(answers, start):
    given = answers("qstat", STATUS.format(start=start))
    assert batch.qstat("4.host") == datetime(2026, 12, 1, 18, 30, 15).timestamp()
    assert given.read_text() == "-f 4.host\n"


@pytest.mark.parametrize("output", ["qstat: Unknown Job Id", STATUS.format(start="etime")])
def test_pbs_by_qstat_without_a_start(answers, output):
    answers("qstat", output)
    assert batch.qstat("4.host") is None

"""What is refused, or warned of, before a run begins."""

import os

import pytest
from mpi4py import MPI
from whorl.case import Case
from whorl.checks import MOST_THREADS_A_CORE, check_threads, warnings
from whorl.errors import CaseError
from whorl.parallel import threads_of_rank
from whorl.simulation import Simulation


def case_of(**run):
    return Case(grid={"points": 8}, flow={"viscosity": 0.1}, time={"until": 1}, run=run)


def test_absurd_numbers_of_threads_are_refused(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    most = MOST_THREADS_A_CORE * 4
    check_threads(case_of(threads=most), most, MPI.COMM_SELF)
    with pytest.raises(CaseError) as caught:
        check_threads(case_of(threads=most + 1), most + 1, MPI.COMM_SELF)
    for word in (f"run.threads = {most + 1}", "a machine of 4 cores", "at most 4, or 0"):
        assert word in str(caught.value)


def test_absurd_numbers_of_threads_in_the_environment_are_refused(monkeypatch):
    with pytest.raises(CaseError, match=r"OMP_NUM_THREADS = 60000 is too many.* or none"):
        check_threads(case_of(), 60000, MPI.COMM_SELF)
    monkeypatch.setenv("OMP_NUM_THREADS", "4294967296")
    with pytest.raises(CaseError, match="OMP_NUM_THREADS = 4294967296 is no number of threads"):
        Simulation(case_of(), comm=MPI.COMM_SELF)
    for given, threads in (("3", 3), ("2,4", 2), (" 5 ", 5)):
        monkeypatch.setenv("OMP_NUM_THREADS", given)
        assert threads_of_rank(MPI.COMM_SELF) == threads
    for given in ("abc", "0", "-2", "1.5", ","):
        monkeypatch.setenv("OMP_NUM_THREADS", given)
        with pytest.raises(CaseError, match=f"OMP_NUM_THREADS = {given} is no number of threads"):
            threads_of_rank(MPI.COMM_SELF)


def test_more_threads_than_cores_are_warned_of(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 3})
    assert warnings(case_of(), threads=2) == []
    assert warnings(case_of(threads=2), threads=2) == []
    for case, name in ((case_of(threads=3), "run.threads"), (case_of(), "OMP_NUM_THREADS")):
        (warning,) = warnings(case, threads=3)
        assert f"{name} = 3" in warning
        assert "2 cores" in warning
        assert "--bind-to none" in warning

"""What is refused, or warned of, before a run begins."""

import os

import pytest
from mpi4py import MPI
from whorl.case import Case
from whorl.checks import MOST_THREADS_A_CORE, check_threads, warnings
from whorl.errors import CaseError


def case_of(**run):
    return Case(grid={"points": 8}, flow={"viscosity": 0.1}, time={"until": 1}, run=run)


def test_absurd_numbers_of_threads_are_refused(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    most = MOST_THREADS_A_CORE * 4
    check_threads(case_of(threads=most), MPI.COMM_SELF)
    with pytest.raises(CaseError) as caught:
        check_threads(case_of(threads=most + 1), MPI.COMM_SELF)
    for word in (f"run.threads = {most + 1}", "a machine of 4 cores", "at most 4, or 0"):
        assert word in str(caught.value)


def test_more_threads_than_cores_are_warned_of(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 3})
    assert warnings(case_of()) == []
    assert warnings(case_of(threads=2)) == []
    (warning,) = warnings(case_of(threads=3))
    assert "run.threads = 3" in warning
    assert "2 cores" in warning
    assert "--bind-to none" in warning

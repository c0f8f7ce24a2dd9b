"""Processes that a launcher of another MPI starts: MPI says to each that it is alone."""

import sys
import time

import pytest
from cli.commands import CASE, settings
from whorl.base import parallel

WHY = "A launcher started 2 processes, and each is a run of its own on one rank"


@pytest.mark.parametrize("variable", ["PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"])
def test_copies_are_known_by_their_launcher(monkeypatch, variable):
    assert parallel.copies() == ""
    monkeypatch.setenv(variable, "1")
    assert parallel.copies() == ""
    monkeypatch.setenv(variable, "3")
    assert "A launcher started 3 processes" in parallel.copies()


@pytest.mark.slow
def test_two_copies_in_one_directory_are_told_why(shell, tmp_path, monkeypatch):
    """Each with its own runs, and says what it may be."""
    (tmp_path / "case.toml").write_text(CASE)
    monkeypatch.setenv("PMI_SIZE", "2")
    command = [sys.executable, "-m", "whorl", "run", "case.toml", "-o"]
    first = shell.start(*command, "out", *settings("time.until=1e9", "output.checkpoint_every=never"))
    while not (tmp_path / "out" / "series.csv").is_file():
        assert first.poll() is None, first.communicate()
        time.sleep(0.02)
    second = shell(*command, "out", "--overwrite")
    assert second.code == 2
    assert "still goes on in another process" in second.err
    assert WHY in second.err
    beside = shell(*command, "beside", *settings("time.steps=2"))
    assert beside.code == 0
    assert f"warning: {WHY}" in beside.out
    first.terminate()
    assert shell.finish(first).code == 0

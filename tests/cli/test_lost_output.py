"""Output that nobody takes: a run outlives it."""

import signal
import subprocess
from pathlib import Path

import pytest
from cli.commands import PATIENCE, settings
from cli.test_faults import arguments, newest_step, wait_for_step
from whorl.output.directory import RunDirectory


@pytest.mark.parametrize("stream", ["stdout", pytest.param("both", marks=pytest.mark.slow)])
def test_a_closed_output_does_not_end_a_run(start, tmp_path, stream):
    """As by `whorl run … | head -1`."""
    both = {"stderr": subprocess.STDOUT} if stream == "both" else {}
    process = start(*arguments(**{"time.until": "0.3", "output.checkpoint_every": "'100 steps'"}), **both)
    process.stdout.readline()
    process.stdout.close()
    process.stdout = None
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert newest_step(tmp_path / "out") == 300
    assert "finished at t = 0.3" in (tmp_path / "out" / "log.txt").read_text()


def test_an_output_without_room_does_not_end_a_run(start, tmp_path):
    with open("/dev/full", "w") as full:
        process = start(*arguments(**{"time.until": "0.01"}), stdout=full)
        _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, "")
    assert "finished at t = 0.01" in (tmp_path / "out" / "log.txt").read_text()


def test_a_log_without_room_does_not_end_a_run(whorl, tmp_path, monkeypatch):
    log = property(lambda self: Path("/dev/full"), lambda self, path: None)
    monkeypatch.setattr(RunDirectory, "log", log, raising=False)
    result = whorl("run", "abc", "-o", "out", *settings("grid.points=8", "time.steps=2"))
    assert result.code == 0
    [line] = result.err.splitlines()
    assert line.startswith("whorl: the log /dev/full cannot be written")
    assert "No space left on device" in line
    assert "the run goes on" in line


def test_nohup_is_respected(start, shell, tmp_path):
    ignoring = {"preexec_fn": lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)}
    process = start(*arguments(**{"time.until": "0.3", "output.checkpoint_every": "'100 steps'"}), **ignoring)
    wait_for_step(tmp_path / "out", process)
    process.send_signal(signal.SIGHUP)
    result = shell.finish(process)
    assert result.code == 0
    assert "finished at t = 0.3" in result.out

"""A disk that is full while a run goes on, on a small disk in memory that a namespace of its own mounts."""

import shutil
import subprocess

import pytest
from cli.commands import WHORL, environment, settings
from support.build import needs

pytestmark = [needs("hdf5"), pytest.mark.slow]
MOUNTING = ["unshare", "--user", "--map-root-user", "--mount"]
CASE = settings(
    "grid.points=16",
    "time.dt=0.01",
    "time.steps=40",
    "run.threads=1",
    "output.snapshot_every='2 steps'",
    "output.checkpoint_every='2 steps'",
)


def may_mount() -> bool:
    return (
        shutil.which("unshare") is not None
        and subprocess.run(
            [*MOUNTING, "sh", "-c", "mount -t tmpfs none /tmp"], capture_output=True
        ).returncode
        == 0
    )


@pytest.fixture
def on_small_disk(tmp_path):
    """Runs a script in a folder that is a disk of 1 MB, with `whorl` and `run_it` for a run that fills it."""
    if not may_mount():
        pytest.skip("a small disk cannot be mounted here")
    disk = tmp_path / "disk"
    disk.mkdir()

    def call(script: str) -> subprocess.CompletedProcess[str]:
        words = " ".join(map(repr, WHORL))
        head = f"mount -t tmpfs -o size=1m none '{disk}' && cd '{disk}'\nwhorl() {{ {words} \"$@\"; }}\n"
        given = " ".join(f'"{word}"' for word in CASE)
        head += f'run_it() {{ whorl run taylor-green -o out {given} "$@"; echo "code $?"; }}\n'
        command = [*MOUNTING, "sh", "-c", head + script]
        return subprocess.run(command, capture_output=True, text=True, timeout=100, env=environment(1))

    return call


def test_a_full_disk_ends_a_run_whose_last_checkpoint_is_whole(on_small_disk):
    ended = on_small_disk(
        "run_it; ls out/checkpoints; mount -o remount,size=20m .; whorl restart out; echo again $?"
    )
    assert "code 1\n" in ended.stdout, ended.stdout + ended.stderr
    [message] = [line for line in ended.stderr.splitlines() if line.startswith("whorl: ")]
    assert "No space left on device" in message
    assert "the last good checkpoint is out/checkpoints/000000" in message
    assert "Traceback" not in ended.stderr
    assert ".part" not in ended.stdout
    assert "finished at t = 0.4, step 40 " in ended.stdout
    assert ended.stdout.endswith("again 0\n")


def test_a_patient_run_goes_on_when_there_is_room_again(on_small_disk):
    script = (
        "(until grep -q 'tried again' out/log.txt 2>/dev/null; do sleep 0.1; done; "
        "mount -o remount,size=20m .) & run_it --set output.patience=60; wait; tail -n 1 out/log.txt"
    )
    ended = on_small_disk(script)
    assert "code 0\n" in ended.stdout, ended.stdout + ended.stderr
    assert "No space left on device" in ended.stdout
    assert "written at attempt 2, after " in ended.stdout
    assert "finished at t = 0.4, step 40 " in ended.stdout.splitlines()[-1]

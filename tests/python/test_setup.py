"""Scripts: what set-up tells, that it goes on after an interruption, and what a run elsewhere must give."""

import contextlib
import os
import pty
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Three steps, each when it may; ninja tells of each, and the end is as $1 says.
BUILD = """
build() {
    for step in 1 2 3; do
        until [ -e "may$step" ]; do sleep 0.1; done
        echo "  [$step/3] Building CXX object $step.o"
    done
    echo "the end of it"
    return "$1"
}
"""


def function(name, path="tools/setup"):
    """A function of a shell script, or a one-line one."""
    lines = iter((ROOT / path).read_text().splitlines())
    found = [next(line for line in lines if line.startswith(f"{name}()"))]
    while found[-1] != "}" and not found[0].endswith("}"):
        found.append(next(lines))
    return "\n".join(found) + "\n"


def script(tmp_path, *lines):
    """It speaks as `fake`, and tells each second."""
    path = tmp_path / "fake"
    head = ["set -euo pipefail", f". {ROOT}/tools/watched.sh", "watched_pause=1", BUILD]
    path.write_text("\n".join([*head, *lines]))
    # Whoever runs the tests in the background may ignore interruptions.
    return ["env", "--default-signal=INT", "bash", str(path)]


def started(command, tmp_path, **how):
    return subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **how
    )


def ended(process):
    """Also as a process that nobody has waited for yet."""
    try:
        return Path(f"/proc/{process}/stat").read_text().split(")")[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def allow(tmp_path, *steps):
    for step in steps:
        (tmp_path / f"may{step}").touch()


@pytest.mark.long("a line comes each second")
def test_a_line_at_a_time_tells_how_far_a_build_is(tmp_path):
    """Also while nothing happens."""
    process = started(script(tmp_path, "watched building log ninja_steps build 0"), tmp_path)
    quiet = [process.stdout.readline() for _ in range(3)]
    assert re.fullmatch(r"(fake: building: \d+ s\n){3}", "".join(quiet))
    assert len(set(quiet)) == 3
    for step in (1, 2):
        allow(tmp_path, step)
        while not (line := process.stdout.readline()).startswith(f"fake: building: {step} of 3, "):
            assert line.startswith("fake: building: ")
    allow(tmp_path, 3)
    lines = process.communicate()[0].splitlines()
    assert process.returncode == 0
    assert re.fullmatch(r"fake: building: 3 of 3, \d+ s", lines[-1])
    assert "the end of it" in (tmp_path / "log").read_text()


def test_the_end_of_the_log_is_shown_where_a_build_fails(tmp_path):
    allow(tmp_path, 1, 2, 3)
    process = started(script(tmp_path, "watched building log ninja_steps build 3", "echo next"), tmp_path)
    shown, _ = process.communicate()
    assert process.returncode == 1
    assert "[3/3] Building CXX object 3.o\nthe end of it\nfake: building failed (exit status 3)" in shown
    assert "next" not in shown


def test_a_terminal_has_one_line_that_changes(tmp_path):
    ours, theirs = pty.openpty()
    allow(tmp_path, 1, 2, 3)
    subprocess.run(
        script(tmp_path, "watched building log ninja_steps build 0"), cwd=tmp_path, stdout=theirs, check=True
    )
    os.close(theirs)
    pieces = []
    with contextlib.suppress(OSError):  # which says that no end is open any more
        while piece := os.read(ours, 10000):
            pieces.append(piece)
    os.close(ours)
    shown = b"".join(pieces).decode()
    assert shown.count("\n") == 1
    one = r"\r\033\[Kfake: building: "
    assert re.fullmatch(rf"{one}\d s({one}[^\r]*)*{one}3 of 3, \d+ s\r\n", shown)


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_all_that_was_started(tmp_path, kind):
    compiler = "sh -c 'sleep 60 & echo $! > compiler; wait'"
    process = started(script(tmp_path, f"watched building log true {compiler}", "echo next"), tmp_path)
    while not (tmp_path / "compiler").exists() or not (tmp_path / "compiler").read_text():
        time.sleep(0.05)
    process.send_signal(kind)
    shown, _ = process.communicate(timeout=10)
    assert process.returncode == 130
    assert "fake: stopped; the next try goes on from here" in shown
    assert "next\n" not in shown
    late = time.monotonic() + 10
    while not ended((tmp_path / "compiler").read_text().strip()):
        assert time.monotonic() < late
        time.sleep(0.05)


def test_times_and_steps_of_packages_are_told(tmp_path):
    (tmp_path / "log").write_text(
        "1 upgraded, 2 newly installed, 0 to remove and 0 not upgraded.\n"
        "Get:1 there cmake [1 kB]\nUnpacking cmake (3.25) ...\n"
        "Setting up cmake (3.25) ...\nSetting up b ...\n"
    )
    lines = ["duration 59; echo; duration 135; echo", f". {ROOT}/tools/debian.sh", "apt_steps log"]
    shown = subprocess.run(script(tmp_path, *lines), cwd=tmp_path, capture_output=True, text=True, check=True)
    assert shown.stdout == "59 s\n2 min 15 s\n4 of 9 steps"


def test_half_installed_packages_are_removed(tmp_path):
    """pip would take them for installed."""
    packages = tmp_path / ".venv/lib/python3.11/site-packages"
    for name, is_whole in (("half", False), ("whole", True)):
        about = packages / f"{name}-1.0.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").touch()
        if is_whole:
            (about / "INSTALLER").touch()
    lines = [function("installed"), function("remove_half_installed"), "remove_half_installed"]
    lines += ["! installed 'half-*'", "installed 'whole-*'"]
    subprocess.run(script(tmp_path, *lines), cwd=tmp_path, check=True)
    assert [path.name for path in packages.iterdir()] == ["whole-1.0.dist-info"]


HERE = "random double energy 0.25\nrandom single energy 0.25\n"


@pytest.mark.parametrize(
    ("there", "is_equal"),
    [
        (HERE, True),
        (HERE.replace("double energy 0.25", "double energy 0.2500000000001"), True),
        (HERE.replace("double energy 0.25", "double energy 0.250000000001"), False),
        (HERE.replace("single energy 0.25", "single energy 0.250001"), True),
        (HERE.replace("single energy 0.25", "single energy 0.25001"), False),
        (HERE.replace("single energy 0.25", "single energy 0.24999"), False),
        (HERE.replace("0.25", "nan"), False),
        (HERE.replace("energy", "dissipation"), False),
        (HERE.splitlines()[0] + "\n", False),
        ("", False),
    ],
)
def test_a_run_under_an_emulator_gives_the_same(tmp_path, there, is_equal):
    (tmp_path / "here").write_text(HERE)
    (tmp_path / "there").write_text(there)
    lines = [function("compare", "tools/portable-check"), "compare here there"]
    done = subprocess.run(script(tmp_path, *lines), cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode == 0) == is_equal, done.stdout
    assert ("the run under the emulator differs" in done.stderr) != is_equal

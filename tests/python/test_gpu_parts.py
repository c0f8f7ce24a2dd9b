"""What tools/gpu_check measures and prints, with cpu-as-gpu in a GPU's place."""

import argparse
import json
import os
import subprocess
import sys

import pytest
from support import devices
from support.tools import ROOT, load
from whorl import _core
from whorl.run.memory.fitting import choose_planes

GIB = 2**30
CHECK = str(ROOT / "tools/gpu_check")


@pytest.fixture
def parts(monkeypatch):
    if reason := devices.missing("cpu-as-gpu"):
        pytest.skip(reason)
    module = load("tools/gpu_parts.py")
    monkeypatch.setattr(module, "DEVICE", "cpu-as-gpu")
    monkeypatch.setitem(module.TOY, "memory", 8 * GIB)
    return module


def test_models_are_compared(parts, monkeypatch):
    for model in ("navier-stokes-2d", "rayleigh-benard"):
        found = parts.equality(model)["models"]
        assert list(found) == [model]
        assert all(0 < found[model][precision] < 100 for precision in ("single", "double"))
    monkeypatch.setattr(
        parts, "fill", lambda flow: flow.set_random([0.0, 1.0 + (flow.options.device == "cpu")], 1)
    )
    with pytest.raises(SystemExit, match="CPU and GPU differ by"):
        parts.equality("navier-stokes-2d")


def test_steps_and_choices_are_timed_and_printed(parts, monkeypatch):
    monkeypatch.setattr(parts, "largest", lambda *case: 20)
    steps = parts.steps("16,18,4096", "60")["steps"]
    cases = [step["case"] for step in steps]
    assert cases == [
        *(f"{n}³ {precision} phase-shift" for n in (16, 18) for precision in ("single", "double")),
        *("20³ single 2/3 sphere", "20³ single phase-shift", "20³ double phase-shift"),
    ]
    assert all(step["seconds"] > 0 and step["bytes"] > step["planned"] for step in steps)
    steps[0]["planes"] = [
        (24 << 20, 9, 0.0041),
        (512 << 20, 128, 0.0045),
    ]  # as on grids that are large enough
    choices = parts.choices("16:single,4096:double", "60")["choices"]
    named = [choice["choice"] for choice in choices]
    assert named[:2] == ["plane_bytes 512 MiB", "plane_bytes 24 MiB"]
    assert "lines fftw" in named
    assert len(set(named)) == len(parts.CHOICES)
    assert {name.split()[0] for name in named} == {
        *("plane_bytes", "planes", "lines", "lane_bytes", "block_threads", "block_pairs"),
    }
    tracers = parts.particles("16", "60")
    assert tracers["left_out"] == []
    ((case, count),) = ((of["case"], of["count"]) for of in tracers["particles"])
    assert (case, count) == ("16³ single", 64)
    found = {
        "machine": parts.machine(),
        "equality": parts.equality("navier-stokes-2d"),
        "steps": {"steps": steps},
        "particles": {"particles": [{"case": "9³", "count": 11, "seconds": 0.3, "without": 0.2}]},
        "choices": {"choices": choices},
    }
    text = load("tools/gpu_check").tables(json.loads(json.dumps(found)))
    assert "GPU: cpu-as-gpu, 8 GiB; copies 0.01 TB/s" in text
    assert all(f"| {name} |" in text for name in (*cases, *named, "navier-stokes-2d"))
    assert "| 24 MiB (9) 4.1 ms; 512 MiB (128) 4.5 ms |" in text
    assert "| 9³ | 11 | 0.3000 | 1.500 |" in text
    assert "Left out" not in text


def test_tracers_move_in_the_steps_that_are_timed(parts, monkeypatch):
    """Steps without come first, and those with have all of the tracers."""
    moving = []
    seconds_of = parts.seconds_of
    monkeypatch.setattr(
        parts,
        "seconds_of",
        lambda flow: moving.append(flow.memory().get("particles", 0)) or seconds_of(flow),
    )
    parts.particles("16", "60")
    assert moving[0] == 0 < moving[1]


def test_every_case_of_choices_has_its_part_of_the_time(parts, monkeypatch):
    """Those for which none is left are told, of each case."""
    now = Hours()
    monkeypatch.setattr(parts.time, "monotonic", now)

    def step(*_):
        now.seconds += 1.0
        return 0.5

    monkeypatch.setattr(parts, "a_flow", lambda chosen: None)
    monkeypatch.setattr(parts, "seconds_of", step)
    found = parts.choices("16:single,18:double", "10")
    of_case = [choice["case"] for choice in found["choices"]]
    assert 5 <= of_case.count("16³ single") <= 6
    assert 4 <= of_case.count("18³ double") <= 6
    assert len(found["choices"]) + len(found["left_out"]) == 2 * len(parts.CHOICES)
    assert "18³ double, lines fftw" in found["left_out"]


def test_checked_cases_have_every_kind_of_lines(parts):
    """Of the library, also of single rows, between walls, and in blocks with more memory and threads."""
    assert len(parts.small()["energies"]) == len(parts.SMALL)
    assert any(points[1] % 2 and of.get("lines") == "fftw" for _, points, of in parts.SMALL)
    long = max(points[2] for _, points, _ in parts.SMALL)
    _, of_block, _ = _core.block_of_lines(long, 3, "double", 227 << 10)
    assert of_block == 0  # three variables at once do not fit
    _, of_block, _ = _core.block_of_lines(long, 1, "double", 227 << 10)
    assert of_block > 113 << 10


class Hours:
    """A clock that a test sets."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_the_budget_adds_up():
    """Whatever each part takes of what it may, all end in time, and what is kept for a part is left."""
    check = load("tools/gpu_check")
    assert sum(part.seconds for part in check.PLAN) == 60 * check.MINUTES < 600
    needed = ("look", "build", "machine", "equality", "steps", "particles")
    for spent in (0.0, 0.5, 1.0):
        now = Hours()
        clock = check.Clock(check.MINUTES, now)
        for part in check.PLAN:
            may = clock.of(part.name)
            assert may >= (part.seconds if part.name in needed else 0.0), part
            now.seconds += spent * may
        assert now.seconds <= 60 * check.MINUTES
    names = [part.name for part in check.PLAN]
    behind = ("steps", "particles", "tests", "choices", "sanitizer")
    assert [name for name in names if name in behind] == list(behind)


def test_a_slow_build_leaves_time_for_what_is_needed(monkeypatch, tmp_path):
    """Of five minutes; tests are not begun that could not end, and what is left out is told."""
    check, may = load("tools/gpu_check"), {}
    usual = {part.name: part.seconds for part in check.PLAN}

    def behave(now, name, seconds):
        may[name] = seconds
        now.seconds += min(300.0 if name == "build" else usual[name.removeprefix("run_")], seconds)
        models = {"navier-stokes": {"single": 1.0, "double": 1.0}}
        return {"passed": True, "models": models if name == "equality" else list(models)}

    found = checked(monkeypatch, tmp_path, check.MINUTES, behave)
    assert may["build"] >= 300.0
    assert all(may[name] >= usual[name] for name in ("machine", "equality", "steps", "particles"))
    assert check.left_out(found) == ["tests", "sanitizer"]
    assert "Left out for want of time: tests; sanitizer" in (tmp_path / "gpu_check.md").read_text()
    assert may["choices"] > 30.0


@pytest.mark.slow
def test_a_dry_run_has_all_parts_but_the_build(tmp_path):
    if reason := devices.missing("cpu-as-gpu"):
        pytest.skip(reason)
    command = [sys.executable, CHECK, "--dry-run", "--out", str(tmp_path)]
    done = subprocess.run(command, text=True, capture_output=True, env=os.environ, timeout=300)
    found = json.loads((tmp_path / "gpu_check.json").read_text())
    names = [part.name for part in load("tools/gpu_check").PLAN if part.name != "build"]
    assert list(found) == names, done.stdout
    assert load("tools/gpu_check").left_out(found) == []
    failed = {name: part for name, part in found.items() if not part["passed"]}
    assert not failed, done.stdout
    assert list(found["equality"]["models"]) == list(_core.build_info()["models"])
    assert (tmp_path / "gpu_check.md").read_text() in done.stdout
    for line in ("steps: {", "particles: {", "choices: {", "equality: {"):
        assert f"gpu_check: {line}" in done.stdout


def checked(monkeypatch, tmp_path, minutes, behave, parts=None):
    """gpu_check whose parts are `behave`, (name, seconds) -> what it finds."""
    check = load("tools/gpu_check")
    parts = parts or [part.name for part in check.PLAN]
    cases = {"sizes": "8", "particles": "8", "choices": "8:single"}
    chosen = argparse.Namespace(out=tmp_path, dry_run=False, architecture="90", parts=parts, **cases)
    now = Hours()
    for name in ("look", "build", "run_tests", "sanitize"):
        monkeypatch.setattr(
            check, name, lambda run, seconds, *rest, name=name, **of: behave(now, name, seconds)
        )
    monkeypatch.setattr(check, "measure", lambda run, part, seconds, *rest, **of: behave(now, part, seconds))
    one = check.Check(chosen, None, check.Clock(minutes, now))
    one.all()
    return one.found


@pytest.mark.parametrize("lacking", ["NEEDED", "FOR_TESTS"])
def test_packages_that_are_missing_are_told_before_anything_is_built(monkeypatch, tmp_path, lacking):
    check = load("tools/gpu_check")
    monkeypatch.setattr(check, lacking, ("numpy", "a_package_of_nobody"))
    found = check.look(check.Run(dry=True), 10.0, "90", dry=True)
    assert found["passed"] == (lacking != "NEEDED")
    assert "a_package_of_nobody is missing" in found["verdict"]
    if lacking == "FOR_TESTS":
        found = check.run_tests(check.Run(dry=True), 10.0, tmp_path, dry=True)
        assert not found["passed"]
        assert "the Python packages a_package_of_nobody are missing" in found["verdict"]


def test_what_was_measured_is_kept_when_time_runs_out(monkeypatch, tmp_path):
    def behave(now, name, seconds):
        now.seconds += seconds
        models = {"navier-stokes": {"single": 1.0, "double": 1.0}}
        return {"passed": True, "models": models if name == "equality" else list(models)}

    found = checked(monkeypatch, tmp_path, 9.5, behave)
    assert found["steps"]["passed"]
    for name in ("tests", "choices", "sanitizer"):
        assert found[name] == {"passed": False, "verdict": load("tools/gpu_check").LEFT_OUT}
    assert json.loads((tmp_path / "gpu_check.json").read_text()) == found


def test_parts_that_are_asked_for_run_on_what_is_built(monkeypatch, tmp_path):
    def behave(now, name, seconds):
        return {"passed": True, "models": ["navier-stokes"]}

    found = checked(monkeypatch, tmp_path, 9.5, behave, ["choices", "tests"])
    assert list(found) == ["look", "build", "machine", "tests", "choices"]
    done = subprocess.run([CHECK, "--parts", "steps,everything"], text=True, capture_output=True)
    assert done.returncode == 2
    assert "--parts everything: choose of equality, steps, particles" in done.stderr


@pytest.mark.parametrize(
    ("fails", "left_out"), [("look", "build"), ("build", "machine"), ("equality", "steps")]
)
def test_nothing_is_timed_of_what_is_not_fit(monkeypatch, tmp_path, fails, left_out):
    def behave(now, name, seconds):
        models = {"navier-stokes": {"single": 1.0, "double": 1.0}} if name != "machine" else ["navier-stokes"]
        return {"passed": name != fails, **({"models": models} if name != fails else {})}

    found = checked(monkeypatch, tmp_path, 9.5, behave)
    assert fails in found
    assert left_out not in found
    assert ("tests" in found) == (fails == "equality")


def test_commands_end_in_time_and_what_they_printed_is_kept(capsys):
    check, seen = load("tools/gpu_check"), []
    command = [sys.executable, "-c", "import time; print('{}', flush=True); time.sleep(60)"]
    done = check.Run(dry=True)(command, 2.0, seen.append)
    assert done.returncode == check.STOPPED
    assert seen == ["{}\n"]
    assert done.stdout == "{}\nstopped after 2 s\n"
    assert "stopped after" in capsys.readouterr().out


def test_testing_stops_where_the_gpu_is_lost(tmp_path):
    (tmp_path / "test_faults.py").write_text(
        "def test_one():\n    assert 0, 'another failure'\n\n"
        "def test_two():\n    raise RuntimeError('CUDA failed on GPU 0 in f: misaligned address.')\n\n"
        "def test_three():\n    pass\n"
    )
    path = filter(None, [str(ROOT / "tests"), os.environ.get("PYTHONPATH")])
    own = os.environ | {"PYTHONPATH": os.pathsep.join(path)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "support.lost_gpu", "-p", "no:cacheprovider", "."]
    done = subprocess.run(command, cwd=tmp_path, env=own, text=True, capture_output=True)
    assert "2 failed" in done.stdout
    assert "a GPU was lost in test_faults.py::test_two" in done.stdout


@pytest.mark.parametrize(
    ("code", "verdict", "passed"),
    [
        (0, "800 passed, 8 skipped in 80.2s", True),
        (0, "808 skipped, 1594 deselected in 0.82s", False),
        (1, "1 failed, 807 passed in 80.2s", False),
        (0, "", False),
    ],
)
def test_tests_have_passed_if_some_have_and_none_failed(tmp_path, code, verdict, passed):
    check = load("tools/gpu_check")
    done = subprocess.CompletedProcess([], code, f"....\n{verdict}\n" if verdict else "")
    assert check.run_tests(lambda command, seconds: done, 60.0, tmp_path)["passed"] == passed
    assert (tmp_path / "gpu_check_tests.log").read_text() == done.stdout


@pytest.mark.parametrize(
    ("code", "said", "passed"),
    [
        (0, "========= ERROR SUMMARY: 0 errors", True),
        (9, "========= ERROR SUMMARY: 3 errors", False),
        (1, "========= Error: Device not supported", True),
        (0, '{"statistics": {}}', False),
    ],
)
def test_sanitizers_have_checked_where_they_say_so(monkeypatch, code, said, passed):
    check = load("tools/gpu_check")
    monkeypatch.setattr(check.shutil, "which", lambda name: name)
    run = lambda command, seconds: subprocess.CompletedProcess([], code, said)  # noqa: E731
    assert check.sanitize(run, 60.0)["passed"] == passed


def test_no_time_no_steps(parts):
    """But they are named."""
    steps = parts.steps("16", "-1")
    assert steps["steps"] == []
    assert steps["left_out"][:2] == ["16³ single phase-shift", "16³ double phase-shift"]
    assert parts.particles("16", "-1") == {"particles": [], "left_out": ["16³ single"]}
    choices = parts.choices("16:single", "-1")
    assert choices["choices"] == []
    assert len(choices["left_out"]) == len(parts.CHOICES)
    check = load("tools/gpu_check")
    text = check.tables({"steps": steps, "tests": {"verdict": check.LEFT_OUT}})
    assert "Left out for want of time: tests; steps 16³ single phase-shift; steps 16³ double" in text


@pytest.mark.parametrize("truncation", [("2/3", "sphere"), ("phase-shift", "cube")])
def test_the_largest_fits_and_the_next_does_not(parts, truncation):
    room = 2 * GIB
    n = parts.largest("single", *truncation, room)
    next_one = _core.next_good_size(n + 2)
    needed = [choose_planes(parts.cube(m, "single", *truncation), 1, room) for m in (n, next_one)]
    assert needed[0] <= room < needed[1]
    assert parts.largest("single", *truncation, 1e3) == 0


def test_bytes_of_a_step_are_at_least_the_least(parts):
    """Lines that do not fit into a block cost kernels of their own."""
    fused, least = parts.traffic(256, "phase-shift", "cube", 8, 227 << 10)
    apart, same = parts.traffic(256, "phase-shift", "cube", 8, 0)
    assert least == same < fused < apart

"""What tools/gpu_check measures and prints, with cpu-as-gpu in a GPU's place."""

import json
import subprocess
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest
from support import devices
from whorl import _core
from whorl.run.fitting import choose_planes

TOOLS = Path(__file__).resolve().parents[2] / "tools"
GIB = 2**30
CARD = {"name": "toy", "memory": 8 * GIB, "id": "0", "block_memory": 227 << 10}


def load(name: str):
    loader = SourceFileLoader(Path(name).stem, str(TOOLS / name))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


@pytest.fixture
def parts(monkeypatch):
    if reason := devices.missing("cpu-as-gpu"):
        pytest.skip(reason)
    module = load("gpu_parts.py")
    monkeypatch.setattr(module, "DEVICE", "cpu-as-gpu")
    monkeypatch.setattr(_core, "gpus", lambda: [CARD])
    monkeypatch.setattr(_core, "gpu_free_memory", lambda number: CARD["memory"])
    monkeypatch.setattr(_core, "gpu_copy_bandwidth", lambda: 1e10, raising=False)
    return module


@pytest.fixture
def few_models(monkeypatch):
    info = _core.build_info() | {"models": ["navier-stokes-2d", "rayleigh-benard"]}
    monkeypatch.setattr(_core, "build_info", lambda: info)
    return info["models"]


def test_models_are_compared(parts, few_models, monkeypatch):
    found = parts.equality()["models"]
    assert list(found) == few_models
    assert all(0 < found[model][precision] < 100 for model in found for precision in ("single", "double"))
    monkeypatch.setattr(
        parts, "fill", lambda flow: flow.set_random([0.0, 1.0 + (flow.options.device == "cpu")], 1)
    )
    with pytest.raises(SystemExit, match="CPU and GPU differ by"):
        parts.equality()


def test_steps_and_choices_are_timed_and_printed(parts, few_models, monkeypatch):
    monkeypatch.setattr(parts, "largest", lambda *case: 20)
    steps = parts.steps("16,18,4096", "60")["steps"]
    cases = [step["case"] for step in steps]
    assert cases == [
        *(f"{n}³ {precision} phase-shift" for n in (16, 18) for precision in ("single", "double")),
        *("20³ single 2/3 sphere", "20³ single phase-shift", "20³ double phase-shift"),
    ]
    assert all(step["seconds"] > 0 and step["bytes"] > step["planned"] for step in steps)
    monkeypatch.setattr(parts, "CHOICES", ((16, "single"), (4096, "double")))
    choices = parts.choices("60")["choices"]
    assert [choice["planes"] for choice in choices] == [0, 1, 2, 4, 8, 16, 0]
    found = {
        "machine": parts.machine(),
        "equality": parts.equality(),
        "steps": {"steps": steps},
        "choices": {"choices": choices},
    }
    text = load("gpu_check").tables(json.loads(json.dumps(found)))
    assert "GPU: toy, 8 GiB; copies 0.01 TB/s" in text
    assert all(f"| {name} |" in text for name in (*cases, *few_models))


@pytest.mark.parametrize(
    ("code", "verdict", "passed"),
    [
        (0, "800 passed, 8 skipped in 80.2s", True),
        (0, "808 skipped, 1594 deselected in 0.82s", False),
        (1, "1 failed, 807 passed in 80.2s", False),
        (0, "", False),
    ],
)
def test_tests_have_passed_if_some_have_and_none_failed(monkeypatch, tmp_path, code, verdict, passed):
    check = load("gpu_check")
    done = subprocess.CompletedProcess([], code, f"....\n{verdict}\n" if verdict else "")
    monkeypatch.setattr(check, "run", lambda command, seconds: done)
    assert check.run_tests(check.Clock(1.0), tmp_path)["passed"] == passed
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
    check = load("gpu_check")
    monkeypatch.setattr(check, "run", lambda command, seconds: subprocess.CompletedProcess([], code, said))
    monkeypatch.setattr(check.shutil, "which", lambda name: name)
    assert check.sanitize(check.Clock(1.0))["passed"] == passed


def test_no_time_no_steps(parts):
    assert parts.steps("16", "-1") == {"steps": []}
    assert parts.choices("-1") == {"choices": []}


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

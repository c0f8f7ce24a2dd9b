"""A device, a kind of plan, a basis of lines: each is one file, where there is more to it, and one line."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import relinked
from support.relinked import BUILD, LEVEL, ROOT
from whorl import _core

TOYS = ROOT / "tests/support/toys"

pytestmark = [relinked.needs_build, pytest.mark.build]

# Two steps of a flow of white noise, and what they make of it in the ordinary way.
SCRIPT = """
from support import flows
from support.twin import Twin
from whorl.base.ranks import MPI

def after_two_steps(**settings):
    twin = Twin((12, 10, 14), (6.0, 5.0, 4.0), viscosity=0.05)
    flow = flows.make(MPI.COMM_WORLD, twin, **settings)
    flows.write(flow, flows.noise(twin))
    for step in range(2):
        flow.step(0.01, step)
    return flows.read(MPI.COMM_WORLD, flow)

usual = after_two_steps(device="cpu")
for settings in {settings!r}:
    flows.assert_close(after_two_steps(**settings), usual, "double")
print("as usual")
"""


def runs(tree: Path, settings: list[dict[str, str]]) -> None:
    script = SCRIPT.replace("{settings!r}", repr(settings))
    command = [sys.executable, "-S", "-c", script]
    done = subprocess.run(command, env=relinked.environment(tree), capture_output=True, text=True)
    assert done.stdout == "as usual\n", done.stderr


def test_a_kind_of_plan_is_a_file_and_a_line(tmp_path):
    tree = relinked.copied(tmp_path)
    shutil.copy(TOYS / "backwards_plan.cpp", tree / "core/device")
    relinked.insert(
        tree / "core/device/line_plan.cpp",
        after='    of("fftw-estimate", make_estimated_plan) \\',
        line='    of("backwards", make_backwards_plan) \\',
    )
    like = "core/device/line_plan.cpp"
    new = [
        relinked.compile(tree, f"core/device/{name}.cpp", like, flags="-O0")
        for name in ("line_plan", "backwards_plan")
    ]
    relinked.link(tree, *new)
    runs(tree, [{"device": "cpu", "lines": "backwards"}, {"device": "cpu", "lines": "own,backwards,own"}])


def test_a_basis_of_lines_is_a_line(tmp_path):
    tree = relinked.copied(tmp_path)
    relinked.insert(
        tree / "core/device/line_plan.hpp",
        after="    {true, true, -1},  // odd",
        line="    {true, false, 1},  // even, its modes times i",
    )
    shutil.copy(TOYS / "new_basis.cpp", tree / "core/device")
    like = "core/device/line_plan.cpp"
    with_fftw = ["fftw_plan"] if _core.build_info()["fftw"] != "none" else []
    new = [
        relinked.compile(tree, f"core/device/{name}.cpp", like, flags="-O0")
        for name in ("new_basis", "line_plan", "lane_plan", *with_fftw)
    ]
    program = tree / "new_basis"
    subprocess.run(["c++", "-o", program, *new, *relinked.libraries()], check=True, cwd=BUILD)
    difference, change = map(float, subprocess.run([program], capture_output=True, check=True).stdout.split())
    assert difference < 1e-12
    assert change < 1e-13


def test_a_device_is_a_file_and_a_line(tmp_path):
    tree = relinked.copied(tmp_path)
    for name in ("CMakeLists.txt", "pyproject.toml", "cmake", "tools", "README.md"):
        path = ROOT / name
        (shutil.copytree if path.is_dir() else shutil.copy)(path, tree / name)
    shutil.copy(TOYS / "immediate.hpp", tree / "core/device")
    relinked.insert(
        tree / "python/whorl/base/declared.toml",
        after='hip = { type = "Hip", build = "", gpu = true, streams = true }',
        line='immediate = { type = "Immediate", build = "for tests", gpu = false, streams = true }',
    )
    # One model is enough.
    registry = tree / "core/flow/models.cpp"
    lines = registry.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if "_entry<Device>()" not in line or '"navier-stokes"' in line]
    registry.write_text("".join(kept), encoding="utf-8")
    for path in (tree / "core/flow").glob("models_*.cpp"):
        if path.stem != "models_navier_stokes":
            path.unlink()
    made = tree / "build"
    given = ["-C", BUILD / "CMakeInit.txt", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O0"]
    given += [f"-DWHORL_LEVELS={LEVEL}", "-DWHORL_IMMEDIATE=ON"]
    configure = ["cmake", "-S", tree, "-B", made, "-G", "Ninja", *given]
    subprocess.run(configure, check=True, capture_output=True)
    target = f"whorl_immediate_{LEVEL}"
    subprocess.run(["cmake", "--build", made, "--target", target], check=True, capture_output=True)
    shutil.copytree(made / f"generated/{LEVEL}/device", tree / "device")
    models = relinked.compile(tree, "core/flow/models.cpp", "core/flow/models.cpp")
    relinked.link(tree, models, *(made / f"CMakeFiles/{target}.dir").rglob("*.o"))
    runs(tree, [{"device": "immediate", "lines": "own"}, {"device": "immediate", "lines": "fftw"}])

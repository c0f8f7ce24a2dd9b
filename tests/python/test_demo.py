"""`make demo` repeats its run where something changed that the run follows from, and else does not."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = (
    *("CMakeLists.txt", "CMakePresets.json", "pyproject.toml", "core/grid/box.cpp", "cmake/core.cmake"),
    *("tools/setup", "tools/debian.sh", "tools/watched.sh", "python/whorl/base/declared.toml"),
    *(f"python/whorl/{folder}/module.py" for folder in ("config", "run", "results", "cli", "pictures")),
    *(f"python/whorl/diagnostics/{module}.py" for module in ("record", "draw/pdf", "results/means")),
    *("python/whorl/cases/forced-turbulence.toml", "python/whorl/cases/abc.toml"),
)
PACKAGES, CORE, RUN = ".venv/.packages", ".venv/.core-release", "runs/.forced-turbulence"


def make(tree, *words) -> str:
    """What make prints, with the variables of no make around the tests: LEVELS changes the core's stamp."""
    around = ("LEVELS", "PRESET", "MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES")
    environment = {name: value for name, value in os.environ.items() if name not in around}
    done = subprocess.run(
        ["make", *words], cwd=tree, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def commands(tree) -> str:
    return make(tree, "-n", "demo")


@pytest.fixture
def tree(tmp_path):
    """A tree whose demo has been run: sources, then stamps, each a second after the other."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for age, name in enumerate([*SOURCES, PACKAGES, CORE, RUN]):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (1e9 + age, 1e9 + age))
    for folder in ("core", "core/grid", "cmake"):
        os.utime(tmp_path / folder, (1e9, 1e9))
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "runs"),
    [
        *((None, False), (CORE, False), ("python/whorl/cli/module.py", False)),
        *(("python/whorl/results/module.py", False), ("python/whorl/cases/abc.toml", False)),
        *(("python/whorl/cases/forced-turbulence.toml", True), ("python/whorl/run/module.py", True)),
        *(("core/grid/box.cpp", True), ("python/whorl/base/declared.toml", True)),
        *(("python/whorl/diagnostics/record.py", True), ("python/whorl/diagnostics/draw/pdf.py", False)),
        *(("python/whorl/diagnostics/results/means.py", False), ("python/whorl/pictures/module.py", False)),
    ],
)
def test_the_run_is_repeated_for_what_changes_it(tree, changed, runs):
    if changed:
        os.utime(tree / changed, (2e9, 2e9))
    shown = commands(tree)
    assert ("whorl run forced-turbulence" in shown) == runs
    assert "whorl average runs/forced-turbulence --from 10" in shown
    assert ("tools/setup core" in shown) == (
        changed in ("core/grid/box.cpp", "python/whorl/base/declared.toml")
    )


def test_the_first_demo_runs(tree):
    (tree / RUN).unlink()
    assert "whorl run forced-turbulence" in commands(tree)


def test_the_end_of_a_demo_tells_its_remarks_once(tree):
    """Those of the averages; of the picture its path alone."""
    whorl = tree / ".venv/bin/whorl"
    whorl.parent.mkdir()
    whorl.write_text("#!/bin/sh\necho remark\necho output\necho picture\n")
    whorl.chmod(0o755)
    assert make(tree, "-s", "demo").split() == ["remark", "output", "picture", "output", "picture"]


def test_all_folders_that_a_run_imports_are_looked_at():
    [listed] = re.findall(r"^run_folders = (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    program = "import sys, whorl.run.simulation; print(*(name for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    modules = [name.split(".") for name in done.stdout.split() if name.startswith("whorl.")]
    folders = {name[1] for name in modules if (ROOT / "python" / "whorl" / name[1]).is_dir()}
    assert folders == set(listed.split())

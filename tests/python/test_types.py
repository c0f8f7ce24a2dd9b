"""The types of the core, and the modules that the type checker leaves out."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CALLS = """\
import _core
_core.Term(field=0, high=2.0)
_core.Term(0)
_core.Term(field="u")
_core.Term(fields=0)
_core.ProgramNeeds(input=3)
"""


def test_modules_left_out_are_there():
    """A list that names no module would let a renamed one in unnoticed."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    lists = [
        one["module"] for one in settings["overrides"] if {"ignore_errors", "strict_optional"} & one.keys()
    ]
    assert lists
    for module in (name for names in lists for name in names):
        assert (ROOT / "python" / module.replace(".", "/")).with_suffix(".py").is_file(), module


@pytest.mark.slow
def test_wrong_calls_of_the_core_are_found(tmp_path):
    shutil.copy(ROOT / "python/whorl/_core.pyi", tmp_path)
    (tmp_path / "calls.py").write_text(CALLS, encoding="utf-8")
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file=", "calls.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    lines = {int(line.split(":")[1]) for line in found.splitlines() if ": error: " in line}
    assert lines == {3, 4, 5, 6}, found

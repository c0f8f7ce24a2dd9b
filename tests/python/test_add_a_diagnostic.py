"""docs/diagnostics/add-a-diagnostic.md, done: its files and lines in a copy of the package, tested."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.pages import apply, copy_package, environment
from whorl import _core, _levels

PAGE = Path(__file__).parents[2] / "docs/diagnostics/add-a-diagnostic.md"


@pytest.mark.pages
def test_a_diagnostic_is_a_file_and_a_line(tmp_path):
    copy_package(tmp_path)
    for compiled in (_core.__file__, _levels.__file__):
        shutil.copy(compiled, tmp_path / "python/whorl")
    apply(PAGE.read_text(encoding="utf-8"), tmp_path)
    told = run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert "1 passed" in told
    listed = run(tmp_path, "-c", "from whorl.cli.main import main; main()", "diagnostics", "positive")
    assert "The part of the volume in which quantities are positive." in listed
    assert "expressions whose components are looked at" in listed


def run(folder: Path, *words: str) -> str:
    command = [sys.executable, "-S", *words]
    done = subprocess.run(
        command, cwd=folder, env=environment(folder), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout

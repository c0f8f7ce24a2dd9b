"""Each fault of tools/mutants*.toml stands once in its file; `make test-all` tries them."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_each_fault_stands_once_in_its_file():
    listed = subprocess.run(
        [sys.executable, "tools/mutants", "--list"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert listed.returncode == 0, listed.stderr
    assert "core/steppers/update.hpp" in listed.stdout
    assert "core/programs/program_pass.hpp" in listed.stdout

"""The programs of validation/ that keep runs: their commands."""

import subprocess
import sys

import pytest
from support.validations import VALIDATION, imported
from typer.testing import CliRunner

PROGRAMS = sorted(
    path.stem for path in VALIDATION.glob("*.py") if "= commands(" in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_lists_its_validations(program):
    with imported(program) as module:
        done = CliRunner().invoke(module.app, ["list"])
        assert done.exit_code == 0, done.output
        assert [line.split()[0] for line in done.output.splitlines()] == list(module.VALIDATIONS)


def test_a_name_that_there_is_not_is_refused_with_those_that_there_are():
    command = [sys.executable, VALIDATION / "taylor_green.py", "compare", "re16000-64"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "re16000-64 is none of re1600-64, re1600-128" in " ".join(done.stderr.split())

"""Small C++ programs that use the core's headers, for what Python cannot reach."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "core"


def run(folder: Path, program: str, *sources: str, given: str = "") -> str:
    """The output of a program with some sources of the core, which reads `given` and ends with 0.

    Skipped where there is no compiler.
    """
    if (compiler := shutil.which("c++")) is None:
        pytest.skip("there is no C++ compiler")
    source, binary = folder / "program.cpp", folder / "program"
    source.write_text(program)
    made = [ROOT / "python/whorl/base/declared.toml", folder / "base/declared.hpp", folder / "devices.txt"]
    subprocess.run([sys.executable, ROOT / "cmake/declared.py", *made], check=True)
    flags = ["-std=c++20", "-O0", "-fopenmp", "-Wall", "-Wextra", f"-I{CORE}"]
    flags.append(f"-I{folder}")
    built = subprocess.run(
        [compiler, *flags, source, *(CORE / other for other in sources), "-o", binary],
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    done = subprocess.run([str(binary)], input=given, capture_output=True, text=True, timeout=20)
    assert done.returncode == 0, f"it ended with {done.returncode}: {done.stdout}{done.stderr}"
    return done.stdout

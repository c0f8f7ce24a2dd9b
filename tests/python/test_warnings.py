"""Compilers have to be new enough, and their warnings are kept, which needs no second compilation."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# A file that the compiler warns of, and one that it does not; Python stands in for find_package.
PROJECT = f"""
cmake_minimum_required(VERSION 3.25)
project(fake LANGUAGES CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(Python_EXECUTABLE {sys.executable})
include(cmake/warnings.cmake)
add_library(fake STATIC core/warned.cpp core/fine.cpp)
target_compile_options(fake PRIVATE ${{WHORL_WARNINGS}})
"""


def built(folder, werror):
    configured = ["cmake", "-G", "Ninja", "-B", "build", f"-DWHORL_WERROR={werror}"]
    subprocess.run(configured, cwd=folder, check=True, capture_output=True)
    done = subprocess.run(["cmake", "--build", "build"], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout


@pytest.mark.skipif(not shutil.which("cmake") or not shutil.which("ninja"), reason="needs CMake and Ninja")
def test_warnings_are_errors_without_compiling_again(tmp_path):
    shutil.copytree(ROOT / "cmake", tmp_path / "cmake")
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    (tmp_path / "core").mkdir()
    warned = tmp_path / "core/warned.cpp"
    warned.write_text("int f(int unused) { return 0; }\n")
    (tmp_path / "core/fine.cpp").write_text("int g() { return 0; }\n")
    code, said = built(tmp_path, "OFF")
    assert code == 0
    assert "Building CXX" in said
    assert "-Wunused-parameter" in said
    for _ in range(2):
        code, said = built(tmp_path, "ON")
        assert code != 0
        assert "Building CXX" not in said
        assert "core/warned.cpp:1:11: warning: unused parameter" in said
        assert "The compiler warned of 1 objects" in said
    warned.write_text("int f(int) { return 0; }\n")
    code, said = built(tmp_path, "ON")
    assert code == 0, said
    assert said.count("Building CXX") == 1


def test_notes_of_own_files_are_warnings_too(tmp_path):
    """GCC says no more than a note of a changed ABI."""
    compiler = [sys.executable, "-c", "import sys; print('note: the ABI has changed', file=sys.stderr)"]
    said = {}
    for folder in ("core", ".venv/nanobind"):
        kept = tmp_path / folder / "x.o"
        kept.parent.mkdir(parents=True)
        command = ["sh", str(ROOT / "cmake/warnings_kept.sh"), *compiler, "-o", str(kept), "-c", "x.cpp"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stderr == "note: the ABI has changed\n"
        said[folder] = {"file": str(kept.with_suffix(".cpp")), "command": f"c++ -o {kept} -c x.cpp"}
    build = tmp_path / "build"
    build.mkdir()
    look = [sys.executable, str(ROOT / "cmake/no_warnings.py"), str(tmp_path), str(build)]
    for entries, code in ((list(said.values()), 1), ([said[".venv/nanobind"]], 0)):
        (build / "compile_commands.json").write_text(json.dumps(entries))
        done = subprocess.run(look, capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        assert ("the ABI has changed" in done.stderr) == bool(code)


def test_a_compiler_that_fails_leaves_no_warnings(tmp_path):
    command = ["sh", str(ROOT / "cmake/warnings_kept.sh"), "sh", "-c", "echo wrong >&2; exit 4", "-o", "x.o"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (4, "wrong\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not shutil.which("cmake"), reason="needs CMake")
@pytest.mark.parametrize(
    ("kind", "version", "is_old"),
    [
        ("GNU", "11.3.0", True),
        ("GNU", "12.2.0", False),
        ("Clang", "13.0.1", True),
        ("Clang", "14.0.6", False),
        ("Other", "1.0", False),
    ],
)
def test_old_compilers_are_refused(kind, version, is_old):
    known = {"": "/bin/old", "_ID": kind, "_VERSION": version}
    given = [f"-DCMAKE_CXX_COMPILER{name}={value}" for name, value in known.items()]
    command = ["cmake", *given, "-DPROJECT_BINARY_DIR=/folder", "-P", str(ROOT / "cmake/compiler.cmake")]
    done = subprocess.run(command, capture_output=True, text=True)
    said = " ".join(done.stderr.split())
    assert (done.returncode != 0) == is_old, said
    if is_old:
        assert f"The compiler is too old (/bin/old, {kind} {version}): " in said
        assert "remove /folder, and try again" in said

"""A copy of the sources with a few files changed: what changed is compiled, and linked with what has not."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest
from whorl import _core, _levels

from support import pages

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build/release"
LEVEL = _core.build_info()["level"]
CORE = f"_core_{LEVEL}"
ARCHIVE, BINDINGS = f"whorl_core_{LEVEL}", "whorl_bindings"
# The extension of another build (sanitizers) is not what BUILD holds.
needs_build = pytest.mark.skipif(
    not (BUILD / "compile_commands.json").is_file() or "-fsanitize" in _core.build_info()["flags"],
    reason="needs the build folder of make setup",
)


def copied(folder: Path) -> Path:
    """The sources of the core and the package, without the compiled core."""
    shutil.copytree(ROOT / "core", folder / "core")
    pages.copy_package(folder)
    shutil.copy(_levels.__file__, folder / "python/whorl")
    return folder


def insert(path: Path, after: str, line: str) -> None:
    """Puts a line behind the only one that reads so."""
    old = path.read_text(encoding="utf-8")
    assert old.count(f"{after}\n") == 1, after
    path.write_text(old.replace(f"{after}\n", f"{after}\n{line}\n"), encoding="utf-8")


def command_of(source: str, target: str) -> str:
    """How a file of the core is compiled into a target."""
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    commands = [entry["command"] for entry in entries if entry["file"] == str(ROOT / source)]
    return next(command for command in commands if f"/{target}.dir/" in command)


def compile(tree: Path, source: str, like: str, target: str = ARCHIVE, flags: str = "") -> Path:
    """Compiles a file of the tree as the build compiles the one that it is like, without CUDA."""
    devices = tree / "device/each_device.hpp"  # beside the CPU; CMake makes it
    if not devices.exists():
        devices.parent.mkdir(exist_ok=True)
        devices.write_text("#define WHORL_EACH_DEVICE(of)\n")
    made = tree / f"{Path(source).stem}.o"
    command = command_of(like, target).replace("-DWHORL_CUDA", "")
    command = command.replace("-Winvalid-pch", "")  # with other flags the headers are read themselves
    command = command.replace(f"{ROOT}/core", f"{tree}/core").replace(f"{BUILD}/generated/{LEVEL}", str(tree))
    command = command.replace(f"{tree}/{like}", f"{tree}/{source}")
    command = re.sub(r" -o \S+", f" -o {made}", command)
    subprocess.run(shlex.split(f"{command} {flags}"), check=True, cwd=tree)
    return made


def libraries() -> list[str]:
    """What the core is linked with, the archive of what all devices share first."""
    rules = (BUILD / "build.ninja").read_text()
    nccl = BUILD.glob(f"CMakeFiles/whorl_nccl_{LEVEL}.dir/**/*.o")
    known = [str(path) for path in nccl if str(path.relative_to(BUILD)) in rules]  # no earlier build's
    linked = rf"^build {CORE}\..*?^  LINK_LIBRARIES = (.*?)$"
    return [*known, *re.search(linked, rules, re.MULTILINE | re.DOTALL)[1].split()]


def link(tree: Path, *new: Path) -> None:
    """The core of the tree: new objects in place of those of their names, and the others of the build."""
    models, module = "core/flow/models.cpp", "core/bindings/module.cpp"
    if tree / "models.o" not in new:  # the build's knows more devices
        new = (*new, compile(tree, models, models))
    if "-DWHORL_CUDA" in command_of(module, BINDINGS):  # it would ask for GPUs
        new = (*new, compile(tree, module, module, BINDINGS))
    names = {path.name for path in new}
    known = [
        *(BUILD / f"CMakeFiles/{BINDINGS}.dir/core/bindings").glob("*.o"),
        BUILD / f"CMakeFiles/{CORE}.dir/core/bindings/levels/core.cpp.o",
    ]
    # An earlier build may have left objects of files that are gone.
    sources = {path.name for path in (ROOT / "core/bindings").glob("**/*.cpp")}
    others = [
        path
        for path in sorted(known)
        if path.name.replace(".cpp.o", ".o") not in names and path.name.removesuffix(".o") in sources
    ]
    output = tree / f"python/whorl/{CORE}{sysconfig.get_config_var('EXT_SUFFIX')}"
    compiler = shlex.split(command_of(module, BINDINGS))[0]
    subprocess.run([compiler, "-shared", "-o", output, *new, *others, *libraries()], check=True, cwd=BUILD)


def environment(tree: Path) -> dict[str, str]:
    """The copied package comes first, and what tests share behind it."""
    of_pages = pages.environment(tree)
    return of_pages | {"PYTHONPATH": os.pathsep.join([of_pages["PYTHONPATH"], str(ROOT / "tests")])}

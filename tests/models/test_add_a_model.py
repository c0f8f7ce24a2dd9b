"""docs/add-a-model.md, done: its files and lines in a copy of the sources, compiled, tested and run."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import whorl
from whorl import _core, _levels

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/add-a-model.md"
BUILD = ROOT / "build/release"
LEVEL = _core.build_info()["level"]
CORE = f"_core_{LEVEL}"
FENCE = re.compile(r"^```(?P<language>\w+)(?P<words>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
AFTER = re.compile(r" after: (?P<line>.+) in: (?P<path>\S+)")
# The extension of another build (sanitizers) is not what BUILD holds.
NO_BUILD = not (BUILD / "compile_commands.json").is_file()


def apply(page: str, tree: Path) -> list[str]:
    """Writes the page's files and lines into a copy of the sources; returns its shell scripts."""
    scripts = []
    for block in FENCE.finditer(page):
        place, text = block["words"], block["text"]
        if added := AFTER.fullmatch(place):
            target = tree / added["path"]
            old = target.read_text(encoding="utf-8")
            assert old.count(f"{added['line']}\n") == 1, added["line"]
            target.write_text(old.replace(f"{added['line']}\n", f"{added['line']}\n{text}"), encoding="utf-8")
        elif place.strip():
            target = tree / place.strip()
            assert not target.exists()
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        elif block["language"] == "sh":
            scripts.append(text)
    return scripts


def build(tree: Path) -> None:
    """What `make setup` would compile anew, linked with what it would not."""
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    commands = {entry["file"]: entry["command"] for entry in entries if f"/{CORE}.dir/" in entry["command"]}
    like = commands[str(ROOT / "core/bindings/models.cpp")].replace(f"{ROOT}/core", f"{tree}/core")
    new = ["models", "models_kuramoto_sivashinsky"]
    if "-DWHORL_CUDA" in like:
        new.append("module")  # which would ask for GPUs
    like = re.sub("-DWHORL_(CPU_AS_GPU|CUDA|HIP)", "", like)  # one device is enough
    for name in new:
        command = like.replace("bindings/models.cpp", f"bindings/{name}.cpp")
        command = re.sub(r" -o \S+", f" -o {tree / name}.o", command)
        subprocess.run(shlex.split(command), check=True, cwd=tree)
    known = sorted((BUILD / f"CMakeFiles/{CORE}.dir/core/bindings").glob("*.o"))
    objects = [str(path) for path in known if path.name[: -len(".cpp.o")] not in new] + [
        f"{tree / name}.o" for name in new
    ]
    rules = (BUILD / "build.ninja").read_text()
    nccl = BUILD.glob(
        f"CMakeFiles/whorl_nccl_{LEVEL}.dir/**/*.o"
    )  # and not what an earlier build has left there
    objects += [str(path) for path in nccl if str(path.relative_to(BUILD)) in rules]
    linked = rf"^build {CORE}\..*?^  LINK_LIBRARIES = (.*?)$"
    libraries = re.search(linked, rules, re.MULTILINE | re.DOTALL)[1]
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    output = tree / f"python/whorl/{CORE}{suffix}"
    compiler = shlex.split(like)[0]
    subprocess.run([compiler, "-shared", "-o", output, *objects, *libraries.split()], check=True, cwd=BUILD)


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("whorl")
    shutil.copytree(ROOT / "core", folder / "core")
    shutil.copytree(
        Path(whorl.__file__).parent, folder / "python/whorl", ignore=shutil.ignore_patterns("*.so")
    )
    shutil.copy(_levels.__file__, folder / "python/whorl")
    (folder / "scripts").write_text("\n".join(apply(PAGE.read_text(encoding="utf-8"), folder)))
    build(folder)
    return folder


def environment(tree: Path) -> dict[str, str]:
    """The copied package comes first; without site's hooks, which would find the installed one."""
    places = [str(tree / "python"), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(places), "OMP_NUM_THREADS": "2"}


@pytest.mark.skipif(NO_BUILD, reason="needs the build folder of make setup")
def test_the_page_s_test_passes(tree):
    command = [sys.executable, "-S", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/models"]
    done = subprocess.run(command, cwd=tree, env=environment(tree), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed" in done.stdout


@pytest.mark.skipif(NO_BUILD, reason="needs the build folder of make setup")
def test_the_page_s_commands_end_with_a_picture(tree):
    whorl_command = f'"{sys.executable}" -S -c "from whorl.cli.main import main; main()"'
    script = f'set -eu\nwhorl() {{ {whorl_command} "$@"; }}\n{(tree / "scripts").read_text()}'
    done = subprocess.run(
        ["bash", "-c", script], cwd=tree, env=environment(tree), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tree / "front/plot.png").stat().st_size > 50_000

"""Pages whose fenced blocks are files and lines of a copy of the sources, which a test puts there."""

import os
import re
import shutil
import sysconfig
from pathlib import Path

import whorl

FENCE = re.compile(r"^```(?P<language>\w+)(?P<words>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
AFTER = re.compile(r" after: (?P<line>.+) in: (?P<path>\S+)")


def copy_package(tree: Path) -> None:
    """The Python sources to python/whorl of a folder."""
    package = Path(whorl.__file__).parent
    shutil.copytree(package, tree / "python/whorl", ignore=shutil.ignore_patterns("*.so", "__pycache__"))


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


def environment(tree: Path) -> dict[str, str]:
    """The copied package comes first; with python -S, without site's hooks, which find the installed one."""
    places = [str(tree / "python"), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    places += filter(None, [os.environ.get("PYTHONPATH")])
    return os.environ | {"PYTHONPATH": os.pathsep.join(places), "OMP_NUM_THREADS": "2"}

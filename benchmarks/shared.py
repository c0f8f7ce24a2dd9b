"""Common parts of the scripts here: starting other programs, and writing tables into the pages of docs/."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "performance.md"
console = Console(width=None if sys.stdout.isatty() else 110)


def pip(python: Path, *arguments: str) -> bool:
    """Install with this Python's pip; False, with the end of its log shown, if it fails."""
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    result = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
    if result.returncode:
        console.print("\n".join(result.stderr.splitlines()[-6:]), markup=False, style="dim")
    return result.returncode == 0


def launcher(ranks: int) -> list[str]:
    """The words before a command that run it on `ranks` ranks."""
    return ["mpiexec", "-n", str(ranks)] if ranks > 1 else []


def environment(threads: int | None = None) -> dict[str, str]:
    """The environment of a command under mpiexec, as root or not."""
    variables = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return variables | ({"OMP_NUM_THREADS": str(threads)} if threads else {})


def seconds_of(states: Sequence[Any], steps: int) -> list[float]:
    """The least time of a step of each simulation; they step in turn."""
    least = [float("inf")] * len(states)
    for _ in range(steps):
        for i, state in enumerate(states):
            began = time.perf_counter()
            state.step()
            least[i] = min(least[i], time.perf_counter() - began)
    return least


def origin(result: dict[str, Any]) -> str:
    """The commit and date of a result, or the date alone where files had changed since the commit."""
    date = str(result["date"])[:10]
    clean = result["commit"] and not result["commit"].endswith("-dirty")
    return f"commit {result['commit']}, {date}" if clean else date


def table(titles: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    lines = [titles, tuple("---" for _ in titles), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write_page(mark: str, text: str, path: Path | None = None) -> None:
    """Write between <!-- mark --> and <!-- end of mark --> of a page, by default docs/performance.md."""
    begin, end = f"<!-- {mark} -->", f"<!-- end of {mark} -->"
    path = path or PAGE
    page = path.read_text(encoding="utf-8")
    marked = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if not marked.search(page):
        sys.exit(f"{path} has no place for the figures: put '{begin}' and '{end}' on lines there")
    path.write_text(marked.sub(lambda _: f"{begin}\n{text}\n{end}", page, count=1), encoding="utf-8")

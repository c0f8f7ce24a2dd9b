"""The programs of validation/: their modules, and what they keep."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
VALIDATION = ROOT / "validation"


@contextmanager
def imported(name: str) -> Iterator[ModuleType]:
    """A module of validation/, which is on the path meanwhile."""
    sys.path.insert(0, str(VALIDATION))
    try:
        yield import_module(name)
    finally:
        sys.path.remove(str(VALIDATION))


def kept(pattern: str) -> list[Path]:
    """The files of results with such names."""
    return sorted((VALIDATION / "results").glob(pattern))


def is_judged_as_the_page_tells(file: Path, judged: Callable[[dict[str, Any]], list[Any]]) -> None:
    """`judged` judges the numbers that are kept."""
    kept = json.loads(file.read_text(encoding="utf-8"))
    errors = judged(kept["run"]["numbers"])
    assert [(one.what, one.verdict) for one in errors] == [
        (one["what"], one["verdict"]) for one in kept["errors"]
    ]
    assert kept["passed"]
    page = (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")
    table = re.search(f"<!-- table {file.stem} -->(.*?)<!-- end -->", page, re.DOTALL).group(1)
    for one in errors:
        assert f"| {one.what.replace('|', chr(92) + '|')} | {one.value:.3g} |" in table
    assert (ROOT / "docs" / "figures" / f"validation-{file.stem}.png").is_file()

"""The runs below a folder: their standing, place, case and size, by few reads of each."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from whorl.base.errors import CaseError
from whorl.base.text import told_size
from whorl.config.case import read_toml
from whorl.output.directory import MARK, RunDirectory
from whorl.report.run_log import read_log, standing_of

END = 1 << 14  # bytes at the end of series.csv, with its last row
R_LAMBDA = "R_lambda"


@dataclass(frozen=True)
class Listed:
    """A run: its directory, how it stands, where it is, its equations, and its files.

    `time`, `step` and `R_lambda` are of the last row of series.csv, None without one. `until` and `steps` are
    the ends in its case, `changed` is the last change of a file in seconds since 1970.
    """

    directory: str
    standing: str
    model: str
    points: tuple[int, ...]
    time: float | None
    until: Any
    step: int | None
    steps: int | None
    R_lambda: float | None
    bytes: int
    changed: float

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def row(self) -> tuple[str, ...]:
        """The cells of a table (`HEADING`)."""
        place = _of(None if self.time is None else f"{self.time:.6g}", self.until)
        step = _of(None if self.step is None else str(self.step), self.steps)
        reynolds = "" if self.R_lambda is None else f"{self.R_lambda:.3g}"
        changed = datetime.fromtimestamp(self.changed).strftime("%d %b %H:%M")
        cube = len(self.points) == 3 and len(set(self.points)) == 1
        size = f"{self.points[0]}³" if cube else "×".join(map(str, self.points))
        about = (self.model, size, place, step, reynolds, told_size(self.bytes), changed)
        return (self.directory, self.standing, *(cell.replace(" ", "\u00a0") for cell in about))


HEADING = ("run", "standing", "model", "points", "t", "step", "R_λ", "size", "changed")


def _of(reached: str | None, end: Any) -> str:
    """A number that a run has reached, and its end if it has one."""
    there = "–" if reached is None else reached
    return there if end is None else f"{there}/{end if isinstance(end, str) else f'{end:g}'}"


def runs_below(folder: Path) -> list[Listed]:
    """The runs in a folder and below it, the last changed first. Raises CaseError if it is no folder."""
    if not folder.is_dir():
        raise CaseError(f"{folder} is no folder: name one that holds runs.")
    return sorted((_listed(place, folder) for place in _places(folder)), key=lambda one: -one.changed)


def _places(folder: Path) -> Iterator[Path]:
    """The directories of runs; nothing below one is looked at, nor hidden folders and links."""
    for place, folders, files in os.walk(folder):
        if MARK in files:
            folders.clear()
            yield Path(place)
        folders[:] = sorted(name for name in folders if not name.startswith("."))


def _listed(path: Path, folder: Path) -> Listed:
    place = RunDirectory(path)
    standing = standing_of(place, read_log(place.log)).word
    try:
        case = read_toml(place.case_file)
    except (CaseError, OSError):
        case = {}
    last = last_row(place.series)
    time, step, reynolds = (last.get(name) for name in ("time", "step", R_LAMBDA))
    files = list(_files(path))
    until, steps = (case.get("time", {}).get(name) for name in ("until", "steps"))
    return Listed(
        directory=str(path.relative_to(folder)) if path != folder else str(path),
        standing=standing,
        model=case.get("flow", {}).get("model", "unknown"),
        points=tuple(case.get("grid", {}).get("points", ())),
        time=time,
        until=until,
        step=None if step is None else int(step),
        steps=steps,
        R_lambda=reynolds,
        bytes=sum(file.st_size for file in files),
        changed=max((file.st_mtime for file in files), default=0.0),
    )


def _files(path: Path) -> Iterator[os.stat_result]:
    """The files of a run, without those that a run in progress removes meanwhile."""
    for file in path.rglob("*"):
        with suppress(OSError):
            found = file.stat()
            if stat.S_ISREG(found.st_mode):
                yield found


def last_row(path: Path) -> dict[str, float]:
    """The last whole row of a series.csv, by its columns; empty without one."""
    try:
        with path.open("rb") as file:
            heads = next((line for line in file if not line.startswith(b"#")), b"").decode()
            file.seek(max(file.tell(), path.stat().st_size - END))
            rows = file.read().decode(errors="replace").splitlines(keepends=True)
        cells = next(row for row in reversed(rows) if row.endswith("\n") and not row.startswith("#"))
        return dict(zip(heads.strip().split(","), map(float, cells.split(",")), strict=True))
    except (OSError, StopIteration, ValueError):
        return {}

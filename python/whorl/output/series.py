"""series.csv: comment lines that explain the columns, one header line, a row for each state written.

Rows are appended and flushed one by one, so that after a kill at most the last line is torn; readers drop it.
A checkpoint is written after its rows are on disk, so that a restart after a power failure has them all. A
line "# gap: …" reports rows that are missing nevertheless.
"""

import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from whorl.base.errors import CaseError
from whorl.base.files import synchronise, write_text
from whorl.base.text import counted
from whorl.config.columns import CLOCK, Column
from whorl.config.outputs import option_of
from whorl.output.sample import StateSample, row_of
from whorl.output.table import ColumnTable, Kept

if TYPE_CHECKING:
    import xarray as xr

GAP, BETWEEN = "# gap: ", "; "
ABOUT = re.compile(r"# (?P<name>\S+) +\[(?P<unit>[^]]*)\]  (?P<meaning>.*)")


class Series(ColumnTable):
    """A table of numbers, with a row for each state."""

    suffix = ".csv"

    _in_file: int | None = None
    """The number of rows in the file; None if it has to be written again, after a failure."""

    def no_rows(self) -> list[dict[str, float]]:
        return []

    def measure(self, sample: StateSample) -> dict[str, float]:
        return row_of(self.columns, sample)

    def add(self, sample: StateSample, measured: dict[str, float]) -> None:
        self.rows.append(measured)

    def read(self, step: int) -> Kept:
        columns, rows, gaps = read_table(self.path)
        self._check_meanings(columns)
        self.check_columns([column.name for column in columns])
        later = {column.name: math.nan for column in self.columns if column.later}
        rows = [later | row for row in rows if row["step"] <= step]
        return Kept(rows, len(rows), gaps)

    def _check_meanings(self, there: Iterable[Column]) -> None:
        """Raises CaseError if a column of the file has another meaning than that of its name in the table."""
        meanings = {column.name: column.meaning for column in there}
        for column in self.columns:
            found = meanings.get(column.name, column.meaning)
            if column.of == "expression" and found != column.meaning:
                raise CaseError(
                    f"{self.path} has a column {column.name} of another expression, {found}; give the new "
                    "one another name (output.columns)."
                )
            if found in column.before:
                raise CaseError(
                    f"{self.path} is of another version of whorl and has another {column.name}, {found}; "
                    "move it away, and the restart begins a new one."
                )

    def resume(self, rows: Iterable[dict[str, float]] | None, gaps: Iterable[str] = ()) -> None:
        """Resume after `rows`, and cut the file to them; `gaps` says which rows are missing."""
        self.rows, self.gaps = list(rows or ()), list(gaps)
        self._in_file = None
        self.put()

    def append(self, row: dict[str, float]) -> None:
        """Add a row, and write it."""
        self.rows.append(row)
        self.put()

    def put(self) -> None:
        """Write the rows that are not in the file, or the whole file if it is missing or may be torn."""
        if not self.path:
            return
        written = self._in_file if self.path.is_file() else None
        self._in_file = None
        if written is None:
            write_text(self.path, _head(self.columns, self.gaps) + "".join(map(self._line, self.rows)))
        else:
            with self.path.open("a", encoding="utf-8") as file:
                file.writelines(map(self._line, self.rows[written:]))
        self._in_file = len(self.rows)

    def synchronise(self) -> None:
        """Return when all rows are on disk."""
        if not (self.path and self.rows):
            return
        if self._in_file is None:
            self.put()
        written, self._in_file = self._in_file, None
        synchronise(self.path)
        self._in_file = written

    def dataset(self) -> "xr.Dataset":
        return as_dataset(self.columns, self.rows, self.gaps)

    def _line(self, row: dict[str, float]) -> str:
        names = (column.name for column in self.columns)
        cells = [repr(int(row[name])) if name == "step" else repr(float(row[name])) for name in names]
        return ",".join(cells) + "\n"


def read_series(path: Path) -> "xr.Dataset":
    """The table as a dataset over time, with a variable for each column, its unit and its meaning.

    The attribute `gaps` says which rows are missing, if any are. Raises CaseError, naming the file.
    """
    columns, rows, gaps = read_table(path)
    first = [column.name for column in CLOCK[:2]]
    if [column.name for column in columns[:2]] != first:
        raise CaseError(
            f"{path} is damaged: its head, which names the columns {' and '.join(first)}, was cut."
        )
    return as_dataset(columns, rows, gaps)


def check_written(path: Path, what: str) -> None:
    """Raises CaseError unless a file exists that `what` is written to."""
    if not path.is_file():
        raise CaseError(f"there is no {path}: {option_of(path)} says when {what} are written.")


def read_table(path: Path) -> tuple[tuple[Column, ...], list[dict[str, float]], list[str]]:
    """Columns, complete rows and gaps of a file; a torn last line is left out. Raises CaseError."""
    check_written(path, "its rows")
    text = path.read_bytes().decode("utf-8", errors="replace")
    whole = text[: text.rfind("\n") + 1].splitlines()
    about = (ABOUT.fullmatch(line) for line in whole if line.startswith("#"))
    columns = tuple(
        Column(found["name"], "" if found["unit"] == "1" else found["unit"], found["meaning"])
        for found in about
        if found
    )
    gaps = [line.removeprefix(GAP) for line in whole if line.startswith(GAP)]
    table = [line.split(",") for line in whole if line and not line.startswith("#")]
    names = [column.name for column in columns]
    if table and (table[0] != names or names[:2] != [column.name for column in CLOCK[:2]]):
        raise CaseError(
            f"{path} is not a series of this version of whorl; its columns are {','.join(table[0])}."
        )
    try:
        return columns, [_parse(names, cells) for cells in table[1:]], gaps
    except ValueError as error:
        raise CaseError(f"{path} is damaged: {error}.") from None


def as_dataset(
    columns: Iterable[Column], rows: Iterable[dict[str, float]], gaps: Iterable[str] = ()
) -> "xr.Dataset":
    import xarray as xr

    rows = list(rows)
    variables = {
        c.name: (
            "time",
            np.array([row[c.name] for row in rows]),
            {"units": c.unit or "1", "long_name": c.meaning},
        )
        for c in columns
    }
    variables["step"] = ("time", variables["step"][1].astype(int), variables["step"][2])
    time = variables.pop("time")
    return xr.Dataset(variables, {"time": time}, with_gaps(gaps))


def with_gaps(gaps: Iterable[str]) -> dict[str, str]:
    """The attributes of a dataset, with the gaps if rows are missing."""
    told = BETWEEN.join(gaps)
    return {"gaps": told} if told else {}


def gap_of(lost: int, written: int, step: int) -> str:
    return f"{lost} of {counted(written, 'row')} up to step {step} were lost before a restart"


def step_of(gap: str) -> int:
    """The step at which the run resumed after a gap; 0 for a text that is not from `gap_of`."""
    found = re.search(r"up to step (\d+)", gap)
    return int(found[1]) if found else 0


def gaps_of(data: "xr.Dataset") -> list[str]:
    """The gaps in a dataset, from its attributes."""
    return data.attrs["gaps"].split(BETWEEN) if "gaps" in data.attrs else []


def _parse(names: list[str], cells: list[str]) -> dict[str, float]:
    row: dict[str, float] = dict(zip(names, map(float, cells), strict=True))
    row["step"] = int(row["step"])
    return row


def _head(columns: tuple[Column, ...], gaps: Iterable[str] = ()) -> str:
    names = [column.name for column in columns]
    width = max(map(len, names))
    about = "".join(f"# {c.name:{width}}  [{c.unit or '1'}]  {c.meaning}\n" for c in columns)
    missing = "".join(f"{GAP}{gap}\n" for gap in gaps)
    return f"# whorl series; length and time are the case's own units\n{about}{missing}{','.join(names)}\n"

"""series.csv: comment lines that explain the columns, one header line, a row for each state written.

Rows are appended and flushed one by one, so that after a kill at most the last line is torn; readers drop it.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import xarray as xr

from whorl.columns import COLUMNS
from whorl.errors import CaseError
from whorl.files import write_text

NAMES = tuple(column.name for column in COLUMNS)


class Series:
    """The rows of a run, in memory and, where a path is given, in its file (write from one rank only)."""

    def __init__(self, path: Path | None = None):
        self.path = path
        self.rows: list[dict[str, float]] = []

    def resume(self, rows: list[dict[str, float]]) -> None:
        """Go on behind `rows`, and cut the file to them."""
        self.rows = list(rows)
        if self.path:
            write_text(self.path, _head() + "".join(map(_line, self.rows)))

    def append(self, row: dict[str, float]) -> None:
        self.rows.append(row)
        if self.path:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(_line(row))

    def dataset(self) -> xr.Dataset:
        return as_dataset(self.rows)


def read_series(path: Path) -> xr.Dataset:
    """The table as a dataset over time, a variable for each column with its unit and meaning."""
    return as_dataset(read_rows(path))


def read_rows(path: Path) -> list[dict[str, float]]:
    """Complete rows of a series file; a torn last line is left out. Raises CaseError on a foreign file."""
    text = path.read_bytes().decode("utf-8", errors="replace")
    whole = text[: text.rfind("\n") + 1]
    table = [line.split(",") for line in whole.splitlines() if line and not line.startswith("#")]
    if table and tuple(table[0]) != NAMES:
        raise CaseError(
            f"{path} is not a series of this version of whorl; its columns are {','.join(table[0])}."
        )
    try:
        return [_parse(cells) for cells in table[1:]]
    except ValueError as error:
        raise CaseError(f"{path} is damaged: {error}.") from None


def as_dataset(rows: Iterable[dict[str, float]]) -> xr.Dataset:
    rows = list(rows)
    columns = {
        c.name: (
            "time",
            np.array([row[c.name] for row in rows]),
            {"units": c.unit or "1", "long_name": c.meaning},
        )
        for c in COLUMNS
    }
    columns["step"] = ("time", columns["step"][1].astype(int), columns["step"][2])
    time = columns.pop("time")
    return xr.Dataset(columns, coords={"time": time})


def _parse(cells: list[str]) -> dict[str, float]:
    row: dict[str, float] = dict(zip(NAMES, map(float, cells), strict=True))
    row["step"] = int(row["step"])
    return row


def _head() -> str:
    width = max(map(len, NAMES))
    about = "".join(f"# {c.name:{width}}  [{c.unit or '1'}]  {c.meaning}\n" for c in COLUMNS)
    return f"# whorl series; length and time are the case's own units\n{about}{','.join(NAMES)}\n"


def _line(row: dict[str, float]) -> str:
    cells = [repr(int(row[name])) if name == "step" else repr(float(row[name])) for name in NAMES]
    return ",".join(cells) + "\n"

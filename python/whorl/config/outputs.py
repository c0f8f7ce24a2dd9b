"""The tables that a run writes, an entry each: the file, how often, and what is in it.

The recorder makes, fills, cuts and goes on with each of them, and a new run over an old one removes them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whorl.config.columns import CLOCK, Column
from whorl.config.measures import series_columns, spectra_columns


@dataclass(frozen=True)
class OutputFile:
    """A table, and the option output.QUANTITY_every, with its default and its help, of when it is written.

    A file .csv has a row for each state (`output.series`), a file .h5 spectra by shell (`output.spectra`);
    `columns` are those of a case.
    """

    quantity: str
    file: str
    every: str
    help: str
    columns: Callable[[Any], tuple[Column, ...]]

    def columns_of(self, case: Any) -> tuple[Column, ...]:
        """The columns of a case; a row begins with step and time, whatever is in it."""
        columns, first = self.columns(case), CLOCK[:2] if self.file.endswith(".csv") else ()
        return (*first, *(column for column in columns if column not in first))


FILES = {
    output.quantity: output
    for output in (
        OutputFile(
            "series",
            "series.csv",
            "10 steps",
            "rows of series.csv; also at the start and the end, unless never",
            series_columns,
        ),
        OutputFile(
            "spectra",
            "spectra.h5",
            "100 steps",
            "spectra in spectra.h5; also at the start and the end, unless never",
            spectra_columns,
        ),
    )
}


if unfit := FILES.keys() & {"checkpoint", "snapshot"}:
    raise ValueError(f"output.{unfit.pop()}_every is an option of its own; call the table something else")


def option_of(path: Path) -> str:
    """The option that says when a file is written."""
    quantities = [name for name, output in FILES.items() if output.file == path.name]
    return f"output.{quantities[0]}_every" if quantities else "[output]"

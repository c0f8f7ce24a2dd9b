"""The tables that a run writes; an entry declares the file, how often it is written, and its columns.

The recorder creates, fills, cuts and resumes each of them; a run that overwrites an earlier one removes them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl.config.columns import CLOCK, Column
from whorl.config.measures import series_columns, spectra_columns

if TYPE_CHECKING:
    from whorl.config.case import Case


@dataclass(frozen=True)
class OutputFile:
    """A table, with the default and the help of the option output.QUANTITY_every, its interval.

    A .csv file has a row for each state (`output.series`), a .h5 file spectra by shell (`output.spectra`);
    `columns` returns the columns of a case.
    """

    quantity: str
    file: str
    every: str
    help: str
    columns: Callable[[Any], tuple[Column, ...]]

    def columns_of(self, case: "Case") -> tuple[Column, ...]:
        """The columns of a case; every row begins with step and time."""
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


# Sections of the case with a growing file, SECTION.h5, and the word for how it is filled. The last rows may
# be in SECTION-STEP.h5.
GROWING = {"diagnostics": "measured", "probes": "written", "particles": "written"}

if unfit := FILES.keys() & {"checkpoint", "snapshot"}:
    raise ValueError(f"output.{unfit.pop()}_every is an option of its own; call the table something else")


def option_of(path: Path) -> str:
    """The option that sets how often a file is written."""
    quantities = [name for name, output in FILES.items() if output.file == path.name]
    return f"output.{quantities[0]}_every" if quantities else "[output]"

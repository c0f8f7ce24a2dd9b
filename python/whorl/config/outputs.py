"""The tables that a run writes; an entry declares the file, how often it is written, and its columns.

The recorder creates, fills, cuts and resumes each of them; a run that overwrites an earlier one removes them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl.base.dimension import common
from whorl.config.columns import CLOCK, Column
from whorl.config.measures import series_columns, spectra_columns
from whorl.expressions.parse import Parser
from whorl.expressions.vocabulary import vocabulary

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


def columns_with_units(case: "Case") -> tuple[Column, ...]:
    """The columns of series.csv, those of expressions with the units that follow from these."""
    parser = Parser(vocabulary(case))

    def unit_of(name: str) -> str:
        return str(common([parser.parse(case.output.columns[name]).unit]))

    return tuple(
        replace(one, unit=unit_of(one.name)) if one.of == "expression" else one
        for one in series_columns(case)
    )


FILES = {
    output.quantity: output
    for output in (
        OutputFile(
            "series",
            "series.csv",
            "10 steps",
            "rows of series.csv; also at the start and the end, unless never",
            columns_with_units,
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
    """The option that sets how often a file is written."""
    quantities = [name for name, output in FILES.items() if output.file == path.name]
    return f"output.{quantities[0]}_every" if quantities else "[output]"

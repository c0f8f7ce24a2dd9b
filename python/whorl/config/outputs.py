"""Options of [output], and the tables that a run writes.

An entry of FILES declares the file of a table, how often it is written, and its columns.
The recorder creates, fills, cuts and resumes each of them; a run that overwrites an earlier one removes them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, create_model

from whorl.base.dimension import common
from whorl.config.columns import CLOCK, Column
from whorl.config.measures import series_columns, spectra_columns
from whorl.config.section import CheckpointInterval, FilePath, Interval, Names, Precision, Section, option
from whorl.expressions.case import row_expressions

if TYPE_CHECKING:
    from whorl.config.case import Case


CheckpointFiles = Literal["single", "node"] | Annotated[int, Field(ge=1)]
CheckpointPrecision = Literal["run", "single"]


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
    means = dict(zip(row_expressions(case), case.planned.row().numbers, strict=True))
    return tuple(
        replace(one, unit=str(common([means[one.name].unit]))) if one.of == "expression" else one
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


# Sections of the case with a growing file, SECTION.h5, and the word for how it is filled. The last rows may
# be in SECTION-STEP.h5.
GROWING = {"diagnostics": "measured", "probes": "written", "particles": "written"}

if unfit := FILES.keys() & {"checkpoint", "snapshot"}:
    raise ValueError(f"output.{unfit.pop()}_every is an option of its own; call the table something else")


class OutputPlace(Section):
    """The directory of the output."""

    directory: FilePath | None = option(
        None, "output directory; the case's name by default, no files from a script"
    )


# [output] has an option output.QUANTITY_every for each table.
Tables: Any = create_model(  # type: ignore[call-overload]
    "Tables",
    __base__=OutputPlace,
    **{f"{name}_every": (Interval, option(output.every, output.help)) for name, output in FILES.items()},
)


class Output(Tables):
    """The files of a run and their intervals: a number (time), "20 steps", "0.5 turnovers" or "never"."""

    checkpoint_every: CheckpointInterval = option(
        "30 minutes",
        "checkpoints; in minutes the first after 100 steps or a minute; also at the end and when a signal or "
        "an exception stops the run, unless never",
    )
    checkpoint_files: CheckpointFiles = option(
        "single",
        "files of a checkpoint: one that all ranks write, or a set with one for each node, or for N groups "
        "of ranks (docs/checkpoints.md)",
    )
    checkpoint_precision: CheckpointPrecision = option(
        "run", "precision of checkpoints on disk: that of the run, or single in half of the space"
    )
    checkpoint_in_background: bool = option(
        False, "copy the state, and write the checkpoint from the copy while the run goes on"
    )
    snapshot_every: Interval = option("never", "snapshots; also at the start and the end unless never")
    fields: Names | None = option(
        None,
        'fields in a snapshot, and expressions as "NAME = EXPRESSION" (docs/expressions.md); by default some '
        "of the model's",
        min_length=1,
    )
    columns: dict[str, str] = option(
        {}, "columns of series.csv by name: expressions that are one number (docs/expressions.md)"
    )
    snapshot_precision: Precision = option("single", "precision of snapshots on disk")
    keep_checkpoints: int = option(2, "checkpoints kept on disk, the newest", ge=1)
    patience: float = option(
        0.0,
        "writing is tried again for so long while the file system is away or full; 0: the first failure ends "
        "the run",
        unit="seconds",
        ge=0,
    )


def option_of(path: Path) -> str:
    """The option that sets how often a file is written."""
    quantities = [name for name, output in FILES.items() if output.file == path.name]
    return f"output.{quantities[0]}_every" if quantities else "[output]"

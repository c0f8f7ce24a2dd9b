"""The columns, spectra and fields that a case measures and writes, including those of passive scalars."""

from typing import Any

from whorl.config.columns import CLOCK, Column
from whorl.config.models.base import FieldOf
from whorl.config.scalars import STATISTICS, VARIANCE
from whorl.config.turnovers import turnover_columns

# The unit of ½|f|² per unit of time, by the unit of f.
UNIT_OF_TRANSFER = {
    "length/time": "length²/time³",
    "1/time": "1/time³",
    "1": "1/time",
    "√density": "density/time",
}
GROWING = ("step", "time", "turnovers")  # columns that grow with the run and have no mean
SCALAR = FieldOf(1, "1", "passive scalar", ("",))


def series_columns(case: Any) -> tuple[Column, ...]:
    """The columns of series.csv in order."""
    return (*CLOCK, *turnover_columns(case), *case.flow.columns, *_of_scalars(case, STATISTICS))


def spectra_columns(case: Any) -> tuple[Column, ...]:
    """The spectra in spectra.h5: the model's, those of scalars, and the transfers."""
    return (*case.flow.spectra, *_of_scalars(case, (VARIANCE,)), *transfers(case).values())


def transfers(case: Any) -> dict[str, Column]:
    """The transfer of each field of the state: `transfer` for the first, transfer_FIELD for the others."""
    columns = {}
    for name, field in state_fields(case).items():
        own = f"transfer_{name}" if columns else "transfer"
        meaning = (
            f"½|{name}|² that all but the exactly integrated terms bring into the shell per unit of time"
        )
        columns[name] = Column(own, UNIT_OF_TRANSFER[field.unit], meaning)
    return columns


def state_fields(case: Any) -> dict[str, FieldOf]:
    """The fields of the state in the core's order, scalars behind the model's."""
    return case.flow.state | {scalar.name: SCALAR for scalar in case.scalars}


def output_fields(case: Any) -> dict[str, FieldOf]:
    """The fields that can be read and written."""
    return case.flow.outputs | {scalar.name: SCALAR for scalar in case.scalars}


def _of_scalars(case: Any, columns: tuple[Column, ...]) -> list[Column]:
    return [
        Column(f"{scalar.name}_{column.name}", column.unit, f"{scalar.name}: {column.meaning}")
        for scalar in case.scalars
        for column in columns
    ]

"""A column of the series or the spectra, and those of the clock; `config/measures` collects all of a case.

Columns of a model are in `models/`, such as `models/viscous`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

# The input of a column: `Known` for "statistics", the report of the last step for "step", the clock for
# "clock". For "forcing" it is the power and the work of forces by name, for "expression" the values of
# expressions by the name of their column. A column of "statistics" follows from sums of the core and from
# columns before it. A column of "state" is not written: results compute it from the spectra and the row of a
# state.
Of = Literal["statistics", "step", "clock", "forcing", "expression", "state"]


@dataclass(frozen=True)
class Column:
    """A number that a run measures, or a spectrum: its name, unit and meaning.

    The core measures it under this name, or `value` computes it from the input that `of` names. A column that
    may come `later` is NaN in the rows of a run that began without it. The meanings `before` are those of
    another number, which earlier versions wrote under this name.
    """

    name: str
    unit: str
    meaning: str
    value: Callable[[Any], float] | None = None
    of: Of = "statistics"
    later: bool = False
    before: tuple[str, ...] = ()


# The first columns of every model's series.
CLOCK = (
    Column("step", "", "number of time steps made", lambda clock: clock.step, of="clock"),
    Column("time", "time", "t", lambda clock: clock.time, of="clock"),
    Column("dt", "time", "step that led here", lambda report: report.dt, of="step"),
    Column(
        "courant",
        "",
        "Courant number of that step, dt max(|u|/dx + |v|/dy + |w|/dz)",
        lambda report: report.courant,
        of="step",
    ),
)


@dataclass
class Known:
    """The input of columns of "statistics": numbers by name, including those of the columns before.

    `flow` is the section of the case; `kmax` the largest wavenumber kept in every direction.
    """

    numbers: dict[str, float]
    flow: Any
    kmax: float

    def __getitem__(self, name: str) -> float:
        return self.numbers[name]

    def get(self, name: str, otherwise: float) -> float:
        return self.numbers.get(name, otherwise)


# Sums over modes by name, as the core gives them or with the columns before.
Measured = Known | Mapping[str, float]


@dataclass(frozen=True)
class ColumnState:
    """The input of columns of "state": spectra by name, with "k", and the row of the same time."""

    spectra: Mapping[str, np.ndarray]
    row: Mapping[str, float]


def derived(
    columns: Iterable[Column], statistics: Mapping[str, float], flow: Any, kmax: float
) -> dict[str, float]:
    """The columns that follow from statistics, in their order; NaN or infinite where they are undefined."""
    known, made = Known(dict(statistics), flow, kmax), {}
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        for column in columns:
            if column.value is not None and column.of == "statistics":
                made[column.name] = known.numbers[column.name] = float(column.value(known))
    return made

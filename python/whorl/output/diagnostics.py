"""The numbers of a state that a row of a table holds, each from what its column is made of."""

import math
from collections.abc import Iterable

from whorl import _core
from whorl.config.case import Case
from whorl.config.clock import Clock
from whorl.config.columns import Column, derived


def row_of(
    columns: Iterable[Column],
    case: Case,
    flow: _core.Flow,
    clock: Clock,
    statistics: dict[str, float],
    report: _core.StepReport | None,
) -> dict[str, float]:
    """The columns of a row; NaN for what the first one has not. Collective."""
    columns = tuple(columns)
    numbers = statistics | derived(columns, statistics, case.flow, flow.kmax)
    spectra = flow.spectra() if any(column.of == "spectra" for column in columns) else {}
    made_of = {"spectra": spectra, "step": report, "clock": clock}
    row = {}
    for column in columns:
        if column.of == "statistics":
            row[column.name] = numbers.get(column.name, math.nan)
        else:
            source = made_of[column.of]
            row[column.name] = math.nan if source is None else column.value(source)
    return row

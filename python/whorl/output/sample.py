"""The measurement of a state: the numbers of a row and the spectra by shell, each from its column's input."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from whorl.config.case import Case
from whorl.config.clock import Clock
from whorl.config.columns import Column, Known
from whorl.config.measures import injections, transfers
from whorl.expressions.case import row_expressions
from whorl.expressions.questions import Answers


@dataclass
class StateSample:
    """A state of a run: the core's sums over its modes, and the report of the last step (None: no step).

    `columns(flow, time)` answers the questions of the case's `row_expressions`.
    """

    case: Case
    flow: Any  # of the core
    clock: Clock
    statistics: dict[str, float]
    report: Any = None
    columns: Callable[[Any, float], Answers] | None = None

    @cached_property
    def spectra(self) -> dict[str, np.ndarray]:
        """The spectra by shell, with "k". Collective."""
        return {name: np.asarray(values) for name, values in self.flow.spectra().items()}

    @property
    def spectra_known(self) -> dict[str, np.ndarray]:
        """The spectra if a row of this sample has needed them, else none."""
        return vars(self).get("spectra", {})

    @cached_property
    def forcing(self) -> dict[str, tuple[float, float]]:
        """The mean power of each force in the last step, and its work since t = 0, by its name."""
        measured = by_force(self.case, self.flow.work_of_sources())
        if self.report is None:
            return {name: (math.nan, work) for name, (_, work) in measured.items()}
        return measured

    @cached_property
    def expression(self) -> dict[str, float]:
        """The values of the case's `row_expressions`, by their names. Collective."""
        values = self.columns(self.flow, self.clock.time).numbers
        return {name: float(value) for name, value in zip(row_expressions(self.case), values, strict=True)}

    @cached_property
    def injections(self) -> dict[str, np.ndarray]:
        """The power of each force by shell, by the names of their columns. Collective."""
        spectra = by_force(self.case, [np.asarray(power) for power in self.flow.power_of_sources()])
        unknown = math.nan if self.report is None else 0.0  # no force acts before the first step
        return {column.name: spectra[name] + unknown for name, column in injections(self.case).items()}

    @cached_property
    def transfers(self) -> dict[str, np.ndarray]:
        """The transfers by shell, by the names of their columns. Collective."""
        of_fields = self.flow.transfer()
        return {column.name: of_fields[field] for field, column in transfers(self.case).items()}


def row_of(columns: Iterable[Column], sample: StateSample) -> dict[str, float]:
    """The columns of a row; NaN for columns that the first row does not have. Collective."""
    known = Known(dict(sample.statistics), sample.case.flow, sample.flow.kmax)
    row = {}
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        for column in columns:
            row[column.name] = known.numbers[column.name] = _number(column, sample, known)
    return row


def _number(column: Column, sample: StateSample, known: Known) -> float:
    if column.of == "expression":
        return sample.expression[column.name]
    if column.of in ("clock", "forcing"):
        return column.value(getattr(sample, column.of))
    if column.of == "step":
        return math.nan if sample.report is None else column.value(sample.report)
    return float(column.value(known)) if column.value else known.get(column.name, math.nan)


def shells_of(columns: Iterable[Column], sample: StateSample) -> dict[str, np.ndarray]:
    """The columns by shell, and "k". Collective."""
    spectra, transferred = sample.spectra, {column.name for column in transfers(sample.case).values()}
    injected = {column.name for column in injections(sample.case).values()}
    shells = {"k": spectra["k"]}
    for column in columns:
        if column.name in transferred:
            shells[column.name] = sample.transfers[column.name]
        else:
            shells[column.name] = (sample.injections if column.name in injected else spectra)[column.name]
    return shells


def by_force(case: Case, of_sources: Sequence[Any]) -> dict[str, Any]:
    """The sums, over the sources of each force, of the core's numbers `of_sources`, by the force's name."""
    sums, left = {}, iter(of_sources)
    for force in case.forcing:
        parts = [np.asarray(next(left), float) for _ in force.sources(case)]
        sums[force.label] = sum(parts[1:], parts[0])
    return sums

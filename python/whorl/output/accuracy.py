"""Whether the means of a run are as accurate as time.until_error asks, from the rows of its series alone."""

import math
from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from whorl.base.parallel import on_root
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.clock import NEAR, Instant
from whorl.output.means import Mean, mean_of

# A run that looks at its error often ends when the estimate happens to be small. Means of AR(1) noise, taken
# with each row from 20 independent samples on, missed by twice the error asked for (root mean square). With
# these numbers they missed by 0.9 to 1.2 times.
FEWEST, GROWTH = 50, 1.1  # independent samples; rows over those of the last look

Rows = Sequence[dict[str, float]]


class Accuracy:
    """The means of the columns in time.until_error, and whether all their errors are as small as asked.

    It follows from the rows, so that a restart ends where the uninterrupted run ends.
    """

    def __init__(self, case: Case, comm: MPI.Intracomm):
        self.wanted = case.time.until_error or {}
        self.beginning = case.time.beginning
        self.comm = comm
        self.means: dict[str, Mean] = {}

    @property
    def reached(self) -> bool:
        return bool(self.means) and all(
            is_accurate(mean, self.wanted[name]) for name, mean in self.means.items()
        )

    @property
    def done(self) -> float:
        """The fraction of the necessary rows, 0 to 1: an error falls with the square root of their number."""
        shares = [
            min(
                mean.samples / FEWEST,
                (self.wanted[name] * abs(mean.mean) / mean.error) ** 2 if mean.error else 1.0,
            )
            for name, mean in self.means.items()
        ]
        return min([1.0, *shares]) if shares and all(map(math.isfinite, shares)) else 0.0

    def check(self, rows: Rows) -> None:
        """Compute the means of the rows so far, if it is time to. Collective."""
        if self.wanted and is_time(len(rows) - self._first(rows)):
            self.means = on_root(self.comm, lambda: self._means(self.window(rows)))

    def window(self, rows: Rows) -> Rows:
        """The rows from time.average_from on, or the second half of the time that they span."""
        if self.beginning != Instant():
            return rows[self._first(rows) :]
        middle = (rows[0]["time"] + rows[-1]["time"]) / 2
        return rows[bisect_left(rows, middle * (1 - NEAR), key=lambda row: row["time"]) :]

    def _first(self, rows: Rows) -> int:
        """The index of the first row from time.average_from on; 0 without it."""
        column, first = "time", self.beginning.time or 0.0
        if self.beginning.turnovers is not None:
            column, first = "turnovers", self.beginning.turnovers

        def reached(row: dict[str, float]) -> bool:
            return row[column] >= first * (1 - NEAR)  # false for NaN, before turnovers are counted

        return bisect_left(rows, True, key=reached)

    def _means(self, window: Rows) -> dict[str, Mean]:
        """The means in the window; none if a column has fewer than FEWEST finite values there."""
        time = np.array([row["time"] for row in window])
        means = {}
        for name in self.wanted:
            values = np.array([row[name] for row in window])
            finite = np.isfinite(values)
            if finite.sum() < FEWEST:
                return {}
            means[name] = mean_of(time[finite], values[finite])
        return means

    def __str__(self) -> str:
        """The means with their errors."""
        told = (
            f"{name} = {mean.mean:.4g} ± {mean.error:.2g} ({math.floor(mean.samples)} independent samples)"
            for name, mean in self.means.items()
        )
        return ", ".join(told)


def is_time(rows: int) -> bool:
    """Whether to compute means: at FEWEST rows, and whenever their number has grown by the factor GROWTH."""
    looks, before = (math.floor(math.log(max(n, 1) / FEWEST) / math.log(GROWTH)) for n in (rows, rows - 1))
    return rows >= FEWEST and looks > before


def is_accurate(mean: Mean, wanted: float) -> bool:
    """Whether the relative error is at most `wanted`, with enough independent samples and without a trend."""
    return mean.samples >= FEWEST and not mean.trend and mean.error <= wanted * abs(mean.mean)

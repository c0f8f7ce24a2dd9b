"""The diagnostics of a run: measured together when they are due, each state at once in diagnostics.h5."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.base.hdf5 import has_h5py
from whorl.base.parallel import agreed, on_root
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.clock import Clock
from whorl.diagnostics.options import Array
from whorl.expressions.answers import answer
from whorl.output.growing_table import GrowingTable, Rows
from whorl.output.sample import StateSample

if TYPE_CHECKING:
    import xarray as xr

Row = Mapping[str, np.ndarray]


class Measured(Rows):
    """The states of one diagnostic."""

    def attributes_of(self, array: Array) -> dict[str, str]:
        """The attributes of an array: also how several states are combined."""
        ways = {"over_time": array.over_time, "weighted_by": array.weighted_by, "about": array.about}
        return super().attributes_of(array) | {name: value for name, value in ways.items() if value}

    def check(self, path: Path, there: "xr.Dataset", arrays: Collection[str]) -> None:
        """Raises CaseError if a group has other options, axes or arrays, as one of an earlier version may."""
        super().check(path, there, arrays)
        for axis in self.layout.axes:
            known = there[axis.name].values if axis.name in there.coords else np.empty(0)
            if list(known) != list(axis.values):
                raise self.refused(path, f"with another axis {axis.name}")
        now = {array.name for array in self.layout.arrays}
        if differ := sorted(now ^ {*arrays}):
            what = "without" if differ[0] in now else "with"
            raise self.refused(path, f"{what} {differ[0]}, unlike that of the case", "")


class Diagnostics(GrowingTable[Measured]):
    """The diagnostics of a run, in a file, or in memory if it `keeps` them or h5py is not installed."""

    at_once = True

    def __init__(self, case: Case, comm: MPI.Intracomm, path: Path | None = None, *, keeps: bool = False):
        self.planned, self.comm = case.planned, comm
        measured = [Measured(one, self.planned.together(one)[1][0]) for one in case.diagnostics]
        super().__init__(measured, path, keeps=keeps or not has_h5py())

    def datasets(self) -> "dict[str, xr.Dataset]":
        """All states of each, over `time` and the axes; no states on ranks other than 0."""
        there = self.file.read() if self.file and self.file.is_there() else {}
        return {name: there.get(name, one) for name, one in super().datasets().items()}

    def measure(self, sample: StateSample, names: Sequence[str]) -> dict[str, Row | None]:
        """The arrays of the named diagnostics, on rank 0. Collective."""
        questions, layouts = self.planned.together(*(self.rows[name].options for name in names))
        answers = answer(questions, sample.flow, sample.clock.time, comm=self.comm)
        if self.comm.rank:
            return dict.fromkeys(names)
        rows = [{array.name: np.asarray(array.of(answers)) for array in one.arrays} for one in layouts]
        return dict(zip(names, rows, strict=True))


def measured_now(case: Case, flow: Any, clock: Clock, comm: MPI.Intracomm) -> "xr.Dataset":
    """The diagnostic of a case in the present state, over its axes, the same on every rank. Collective."""
    table = Diagnostics(case, comm, keeps=True)
    [(name, rows)] = table.rows.items()
    table.write(StateSample(case, flow, clock, {}), [name], partial(agreed, comm))
    return on_root(comm, lambda: rows.dataset().isel(time=0))

"""The diagnostics of a run: measured together when they are due, each state at once in diagnostics.h5."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.base.hdf5 import has_h5py
from whorl.base.parallel import on_root
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.clock import Clock
from whorl.diagnostics.options import Array, ArrayLayout, Diagnostic
from whorl.expressions.answers import answer
from whorl.output.growing_table import GrowingTable, Rows
from whorl.output.sample import StateSample

if TYPE_CHECKING:
    import xarray as xr

Row = Mapping[str, np.ndarray]


class Measured(Rows):
    """The states of one diagnostic."""

    def __init__(self, diagnostic: Diagnostic, layout: ArrayLayout):
        super().__init__(diagnostic, layout)

    def arrays(self, raw: Sequence[Row], times: np.ndarray) -> list[np.ndarray]:
        if not raw:
            return [np.empty((0, *self.layout.shape_of(one))) for one in self.layout.arrays]
        return [np.stack([row[one.name] for row in raw]) for one in self.layout.arrays]

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


def measured_now(
    case: Case, diagnostic: Diagnostic, flow: Any, clock: Clock, comm: MPI.Intracomm
) -> "xr.Dataset":
    """A diagnostic of the present state, over its axes, the same on every rank. Collective."""
    together = Together(case, [diagnostic])
    state = Measured(diagnostic, together.layouts[0])
    state.add(clock.step, clock.time, together.measure(flow, clock.time, comm)[0])
    return on_root(comm, lambda: state.dataset().isel(time=0))


class Together:
    """Diagnostics that are measured in the same sample, by the same round trips."""

    def __init__(self, case: Case, diagnostics: Sequence[Diagnostic]):
        self.questions, self.layouts = case.planned.together(*diagnostics)

    def measure(self, flow: Any, time: float, comm: MPI.Intracomm) -> list[Row | None]:
        """The arrays of each, on rank 0; elsewhere None. Collective."""
        answers = answer(self.questions, flow, time, comm=comm)
        return [
            {one.name: np.asarray(one.of(answers)) for one in layout.arrays} if comm.rank == 0 else None
            for layout in self.layouts
        ]


class Diagnostics(GrowingTable[Measured]):
    """The diagnostics of a run, in a file, or in memory if it `keeps` them or h5py is not installed."""

    at_once = True

    def __init__(self, case: Case, comm: MPI.Intracomm, path: Path | None = None, *, keeps: bool = False):
        measured = [Measured(one, Together(case, [one]).layouts[0]) for one in case.diagnostics]
        super().__init__(measured, path, keeps=keeps or not has_h5py())
        self.case, self.comm = case, comm
        self._together: dict[tuple[str, ...], Together] = {}

    def datasets(self) -> "dict[str, xr.Dataset]":
        """All states of each, over `time` and the axes; no states on ranks other than 0."""
        there = self.file.read() if self.file and self.file.is_there() else {}
        return {name: there.get(name, one) for name, one in super().datasets().items()}

    def measure(self, sample: StateSample, names: Sequence[str]) -> dict[str, Row | None]:
        """The arrays of the named diagnostics, on rank 0. Collective."""
        if (key := tuple(names)) not in self._together:
            self._together[key] = Together(self.case, [self.rows[name].options for name in names])
        found = self._together[key].measure(sample.flow, sample.clock.time, self.comm)
        return dict(zip(names, found, strict=True))

"""The diagnostics of a run: measured together when they are due, kept by rank 0 in diagnostics.h5.

Without a file, rank 0 keeps them in memory. Each state is on disk when it has been added, in diagnostics.h5
or in a file of its own (`growing_file`), and a kill never damages it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.base.errors import CaseError
from whorl.base.parallel import on_root
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.clock import Clock
from whorl.config.earlier import renamed
from whorl.diagnostics.options import Array, Diagnostic, Layout
from whorl.expressions.answers import answer
from whorl.output.diagnostic_files import cut_group
from whorl.output.growing_file import GrowingFile
from whorl.output.moment import Moment
from whorl.output.series import gaps_of, with_gaps
from whorl.output.table import Kept, Table

if TYPE_CHECKING:
    import h5py
    import xarray as xr

CLOCK = (("time", "time", "t"), ("step", "1", "number of time steps made"))
Row = dict[str, np.ndarray]
Clocks = tuple[list[int], list[float]]  # steps and times


@dataclass
class Measured:
    """The states of one diagnostic so far; on rank 0 also their arrays, unless these are in a file."""

    diagnostic: Diagnostic
    layout: Layout
    steps: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    def dataset(self, rows: Sequence[Row]) -> "xr.Dataset":
        """The last states, whose arrays are given, over `time` and the axes."""
        import xarray as xr

        variables = {
            one.name: (
                ("time", *one.axes),
                self._all(one, rows),
                _told(one),
            )
            for one in self.layout.arrays
        }
        coordinates: dict[str, Any] = {
            axis.name: (axis.name, list(axis.values), {"units": axis.unit or "1", "long_name": axis.meaning})
            for axis in self.layout.axes
        }
        first = len(self.steps) - len(rows)
        of_clock = {"time": np.array(self.times[first:], float), "step": np.array(self.steps[first:], int)}
        for name, unit, meaning in CLOCK:
            coordinates[name] = ("time", of_clock[name], {"units": unit, "long_name": meaning})
        return xr.Dataset(variables, coordinates, about(self.diagnostic))

    def _all(self, array: Array, rows: Sequence[Row]) -> np.ndarray:
        found = [row[array.name] for row in rows]
        return np.stack(found) if found else np.empty((0, *self.layout.shape_of(array)))


def _told(array: Array) -> dict[str, str]:
    """The attributes of an array: its unit and meaning, and how several states are combined."""
    ways = {"over_time": array.over_time, "weighted_by": array.weighted_by, "about": array.about}
    told = {"units": array.unit or "1", "long_name": array.meaning}
    return told | {name: value for name, value in ways.items() if value}


def about(diagnostic: Diagnostic) -> dict[str, str]:
    """The attributes of a group: its kind, meaning, reference and options."""
    options = diagnostic.model_dump(exclude_none=True, mode="json")
    meaning = (type(diagnostic).__doc__ or "").strip()
    told = {"kind": diagnostic.kind, "about": meaning, "options": json.dumps(options, ensure_ascii=False)}
    return told | ({"reference": diagnostic.reference} if diagnostic.reference else {})


def measures(attributes: Mapping[str, str], free: Sequence[str] = ("name", "every")) -> dict[str, Any]:
    """The options of a diagnostic in the attributes of its group, without the `free` ones."""
    options = renamed("diagnostics", json.loads(attributes.get("options", "{}")))
    return {key: value for key, value in options.items() if key not in free}


def measured_now(
    case: Case, diagnostic: Diagnostic, flow: Any, clock: Clock, comm: MPI.Intracomm
) -> "xr.Dataset":
    """A diagnostic of the present state, over its axes, the same on every rank. Collective."""
    together = Together(case, [diagnostic])
    rows = together.measure(flow, clock.time, comm)
    state = Measured(diagnostic, together.layouts[0], [clock.step], [clock.time])
    return on_root(comm, lambda: state.dataset(rows).isel(time=0))


class Together:
    """Diagnostics that are measured at the same moment, by the same round trips."""

    def __init__(self, case: Case, diagnostics: Sequence[Diagnostic]):
        self.questions, self.layouts = case.planned.together(*diagnostics)

    def measure(self, flow: Any, time: float, comm: MPI.Intracomm) -> list[Row]:
        """The arrays of each, on rank 0; elsewhere none. Collective."""
        answers = answer(self.questions, flow, time, comm=comm)
        return [
            {one.name: np.asarray(one.of(answers)) for one in layout.arrays} if comm.rank == 0 else {}
            for layout in self.layouts
        ]


class Diagnostics(Table):
    """The diagnostics of a run: every rank has the steps and times of the states, rank 0 also the arrays."""

    suffix = ".h5"

    def __init__(self, case: Case, comm: MPI.Intracomm, path: Path | None = None):
        super().__init__((), path)
        self.file = GrowingFile(path) if path else None
        self.case, self.comm = case, comm
        self.by_name = {one.label: one for one in case.diagnostics}
        self._together: dict[tuple[str, ...], Together] = {}
        self.measured = {
            name: Measured(one, Together(case, [one]).layouts[0]) for name, one in self.by_name.items()
        }
        self.gaps: list[str] = []

    def datasets(self) -> "dict[str, xr.Dataset]":
        """All states of each, over `time` and the axes; no states on ranks other than 0."""
        there = self.file.read() if self.file and self.file.is_there() else {}
        return {name: there.get(name, one.dataset(one.rows)) for name, one in self.measured.items()}

    def begin(self) -> None:
        """Do nothing: the first state creates the file."""

    def measure(self, moment: Moment) -> dict[str, Row]:
        return self.measure_some(moment, tuple(self.by_name))

    def measure_some(self, moment: Moment, names: tuple[str, ...]) -> dict[str, Row]:
        """The arrays of the named diagnostics, on rank 0. Collective."""
        if names not in self._together:
            self._together[names] = Together(self.case, [self.by_name[name] for name in names])
        found = self._together[names].measure(moment.flow, moment.clock.time, self.comm)
        return dict(zip(names, found, strict=True))

    def record(self, moment: Moment, measured: dict[str, Row]) -> None:
        for name, row in measured.items():
            one = self.measured[name]
            one.steps.append(moment.clock.step)
            one.times.append(moment.clock.time)
            if self.comm.rank == 0 and not self.file:
                one.rows.append(row)
        if self.file:
            told = with_gaps(self.gaps)
            states = {name: self.measured[name].dataset([row]) for name, row in measured.items()}
            self.file.add(moment.clock.step, {name: one.assign_attrs(told) for name, one in states.items()})

    def finish(self) -> None:
        """Merge all states into diagnostics.h5."""
        if self.file and self.file.is_there():
            self.file.merge()

    @property
    def states(self) -> int:
        return sum(len(one.steps) for one in self.measured.values())

    def kept(self, step: int) -> Kept:
        if self.file is None or not self.file.is_there():
            return Kept({}, 0, [])
        return self.read(step)[1]

    def read(self, step: int) -> tuple[list[str], Kept]:
        """The names of the groups, and the steps and times of their states up to a step."""
        there = self.file.read(without_arrays=True)
        self._check(there)
        gaps = [gap for data in there.values() for gap in gaps_of(data)]
        kept = {}
        for name, data in there.items():
            until = data["step"].values <= step
            kept[name] = (data["step"].values[until].tolist(), data["time"].values[until].tolist())
        return list(there), Kept(kept, sum(len(steps) for steps, _ in kept.values()), gaps)

    def _check(self, kept: "dict[str, xr.Dataset]") -> None:
        """Raises CaseError if a group has another diagnostic than the case has by this name."""
        names = self.file.names()
        for name, data in kept.items():
            if (one := self.measured.get(name)) and measures(data.attrs) != measures(about(one.diagnostic)):
                raise CaseError(
                    f"{self.path} has a diagnostic {name} with other options; give the new one another name "
                    "(diagnostics.name), or leave its options as they were."
                )
            if (one := self.measured.get(name)) and one.layout.axes:
                for axis in one.layout.axes:
                    there = data[axis.name].values if axis.name in data.coords else np.empty(0)
                    if list(there) != list(axis.values):
                        raise CaseError(
                            f"{self.path} has a diagnostic {name} with another axis {axis.name}; give the "
                            "new one another name (diagnostics.name), or leave its options as they were."
                        )
            if one:
                self._check_arrays(one, name, names[name] - set(map(str, data.coords)))

    def _check_arrays(self, one: Measured, name: str, there: set[str]) -> None:
        """Raises CaseError if a group has other arrays, as one of an earlier version may."""
        now = {array.name for array in one.layout.arrays}
        if differ := sorted(now ^ there):
            what = "without" if differ[0] in now else "with"
            raise CaseError(
                f"{self.path} has a diagnostic {name} {what} {differ[0]}, unlike that of the case; give the "
                "new one another name (diagnostics.name)."
            )

    def nothing(self) -> dict[str, Clocks]:
        return {}

    def resume(self, data: dict[str, Clocks], gaps: Iterable[str] = ()) -> None:
        """Resume after the states of `data`; groups that the case no longer has stay in the file."""
        self.gaps = list(dict.fromkeys(gaps))
        for name, (steps, times) in data.items():
            if one := self.measured.get(name):
                one.steps, one.times = list(steps), list(times)
        if self.file and data:
            self.file.merge(lambda file: self._cut(file, data))

    def _cut(self, file: "h5py.File", data: dict[str, Clocks]) -> None:
        for name, (steps, _) in data.items():
            cut_group(file[name], len(steps))
            file[name].attrs.pop("gaps", None)
            file[name].attrs.update(with_gaps(self.gaps))

    def synchronise(self) -> None:
        """Do nothing: each state is on disk."""

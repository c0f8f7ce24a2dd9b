"""The diagnostics of a run: measured together when they are due, kept in memory and in diagnostics.h5.

Each addition is made in a copy of the file that takes its place, so that a kill never damages it.
"""

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from whorl.base.errors import CaseError
from whorl.base.files import whole_file
from whorl.base.hdf5 import open_hdf5
from whorl.config.case import Case
from whorl.config.clock import Clock
from whorl.config.diagnostics import Array, Diagnostic, Layout
from whorl.measure.answers import answer, questions_of
from whorl.output.diagnostic_files import read_diagnostics, write_group
from whorl.output.moment import Moment
from whorl.output.series import gaps_of, with_gaps
from whorl.output.table import Kept, Table
from whorl.programs.plan import Plan
from whorl.programs.questions import Questions

if TYPE_CHECKING:
    import h5py

CLOCK = (("time", "time", "t"), ("step", "1", "number of time steps made"))
Row = dict[str, np.ndarray]


@dataclass
class Measured:
    """The states of one diagnostic so far."""

    diagnostic: Diagnostic
    layout: Layout
    steps: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    def dataset(self) -> xr.Dataset:
        """All states, over `time` and the axes."""
        variables = {
            one.name: (
                ("time", *one.axes),
                self._all(one),
                {"units": one.unit or "1", "long_name": one.meaning},
            )
            for one in self.layout.arrays
        }
        coordinates: dict[str, Any] = {
            axis.name: (axis.name, list(axis.values), {"units": axis.unit or "1", "long_name": axis.meaning})
            for axis in self.layout.axes
        }
        of_clock = {"time": np.array(self.times), "step": np.array(self.steps, int)}
        for name, unit, meaning in CLOCK:
            coordinates[name] = ("time", of_clock[name], {"units": unit, "long_name": meaning})
        return xr.Dataset(variables, coordinates, about(self.diagnostic))

    def _all(self, array: Array) -> np.ndarray:
        rows = [row[array.name] for row in self.rows]
        return np.stack(rows) if rows else np.empty((0, *self.layout.shape_of(array)))


def about(diagnostic: Diagnostic) -> dict[str, str]:
    """The attributes of a group: its kind, meaning, reference and options."""
    options = diagnostic.model_dump(exclude_none=True, mode="json")
    meaning = (type(diagnostic).__doc__ or "").strip()
    told = {"kind": diagnostic.kind, "about": meaning, "options": json.dumps(options, ensure_ascii=False)}
    return told | ({"reference": diagnostic.reference} if diagnostic.reference else {})


def measures(attributes: Mapping[str, str]) -> dict[str, Any]:
    """What a diagnostic measures, by the attributes of its group: its options but name and interval."""
    options = json.loads(attributes.get("options", "{}"))
    return {key: value for key, value in options.items() if key not in ("name", "every")}


def measured_now(case: Case, diagnostic: Diagnostic, flow: Any, clock: Clock) -> xr.Dataset:
    """A diagnostic of the present state, over its axes. Collective."""
    together = Together(case, [diagnostic])
    rows = together.measure(flow, clock.time)
    states = Measured(diagnostic, together.layouts[0], [clock.step], [clock.time], rows)
    return states.dataset().isel(time=0)


class Together:
    """Diagnostics that are measured at the same moment, by the same round trips."""

    def __init__(self, case: Case, diagnostics: Sequence[Diagnostic]):
        self.questions: Questions = questions_of(case)
        self.layouts = [one.ask(self.questions, case) for one in diagnostics]

    def measure(self, flow: Any, time: float) -> list[Row]:
        """The arrays of each. Collective."""
        answers = answer(self.questions, flow, time)
        return [{one.name: np.asarray(one.of(answers)) for one in layout.arrays} for layout in self.layouts]


class Diagnostics(Table):
    """The diagnostics of a run, in memory and in their file."""

    suffix = ".h5"

    def __init__(self, case: Case, path: Path | None = None):
        super().__init__((), path)
        self.case = case
        self.by_name = {one.label: one for one in case.diagnostics}
        self._together: dict[tuple[str, ...], Together] = {}
        self.measured = {
            name: Measured(one, Together(case, [one]).layouts[0]) for name, one in self.by_name.items()
        }
        self.gaps: list[str] = []

    def plans(self) -> dict[str, Plan]:
        """How each diagnostic alone is worked out."""
        alone = {name: Together(self.case, [one]) for name, one in self.by_name.items()}
        return {f"diagnostics.{name}": of.questions.plan for name, of in alone.items()}

    def begin(self) -> None:
        """Do nothing: there is no file before the first state."""

    def measure(self, moment: Moment) -> dict[str, Row]:
        return self.measure_some(moment, tuple(self.by_name))

    def measure_some(self, moment: Moment, names: tuple[str, ...]) -> dict[str, Row]:
        """The arrays of those that are due. Collective."""
        if names not in self._together:
            self._together[names] = Together(self.case, [self.by_name[name] for name in names])
        found = self._together[names].measure(moment.flow, moment.clock.time)
        return dict(zip(names, found, strict=True))

    def record(self, moment: Moment, measured: dict[str, Row]) -> None:
        for name, row in measured.items():
            one = self.measured[name]
            one.steps.append(moment.clock.step)
            one.times.append(moment.clock.time)
            one.rows.append(row)
        if self.path:
            self._append(list(measured))

    @property
    def states(self) -> int:
        return sum(len(one.steps) for one in self.measured.values())

    def kept(self, step: int) -> Kept:
        if self.path is None or not self.path.is_file():
            return Kept({}, 0, [])
        return self.read(step)[1]

    def read(self, step: int) -> tuple[list[str], Kept]:
        there = read_diagnostics(self.path)
        kept = {name: data.isel(time=data["step"].values <= step) for name, data in there.items()}
        self._check(kept)
        gaps = [gap for data in kept.values() for gap in gaps_of(data)]
        return list(there), Kept(kept, sum(data.sizes["time"] for data in kept.values()), gaps)

    def _check(self, kept: dict[str, xr.Dataset]) -> None:
        """Raises CaseError if a group is of another diagnostic than that of its name."""
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

    def nothing(self) -> dict[str, xr.Dataset]:
        return {}

    def resume(self, data: dict[str, xr.Dataset], gaps: Iterable[str] = ()) -> None:
        """Resume after `data`; groups of diagnostics that the case has no longer stay in the file."""
        self.gaps = list(dict.fromkeys(gaps))
        for name, of_group in data.items():
            if one := self.measured.get(name):
                one.steps = [int(step) for step in of_group["step"].values]
                one.times = [float(time) for time in of_group["time"].values]
                names = [array.name for array in one.layout.arrays if array.name in of_group]
                one.rows = [{key: of_group[key].values[n] for key in names} for n in range(len(one.steps))]
        if self.path and data:
            with whole_file(self.path) as beside, open_hdf5(beside, "w") as file:
                for name, of_group in data.items():
                    write_group(file, name, of_group.assign_attrs(with_gaps(self.gaps)))

    def synchronise(self) -> None:
        """Do nothing: each addition has put the whole file on disk."""

    def _append(self, names: list[str]) -> None:
        with whole_file(self.path) as beside:
            if self.path.is_file():
                shutil.copyfile(self.path, beside)
            with open_hdf5(beside, "a") as file:
                for name in names:
                    if name in file:
                        _append_row(file[name], self.measured[name])
                    else:
                        data = self.measured[name].dataset().assign_attrs(with_gaps(self.gaps))
                        write_group(file, name, data)


def _append_row(group: "h5py.Group", measured: Measured) -> None:
    last = {"time": measured.times[-1], "step": measured.steps[-1], **measured.rows[-1]}
    for key, value in last.items():
        data = group[key]
        data.resize(data.shape[0] + 1, axis=0)
        data[-1] = value

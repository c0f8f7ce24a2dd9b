"""Groups of rows over time in a growing file, such as probes.h5: appended, cut by a restart, and resumed.

Rows are kept in memory for a while. They are appended with each checkpoint, at the end, and when many are in
memory. A kill never damages the file and loses only rows after the last checkpoint, which a restart makes
again. A kind of file is a `GrowingTable` with `Rows`, which describe its groups.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np

from whorl.base.errors import CaseError
from whorl.config.clock import Every
from whorl.config.earlier import renamed
from whorl.diagnostics.options import Array, Layout
from whorl.output.groups import cut_group, write_group
from whorl.output.growing_file import GrowingFile, Write
from whorl.output.moment import Moment
from whorl.output.series import gaps_of, with_gaps
from whorl.output.table import Agree, Kept, Table

if TYPE_CHECKING:
    import h5py
    import xarray as xr

MOST_ROWS = 1000  # of a group in memory
MOST_BYTES = 1 << 26
CLOCK = (("time", "time", "t"), ("step", "1", "number of time steps made"))
Coordinates = Mapping[str, tuple[np.ndarray, str, str]]  # values, unit and meaning


class Rows(ABC):
    """A group: its axes and arrays, the rows of it in memory, and the number of those in its file.

    A row has what was read of a state, on rank 0 or on all ranks, and None on the others. `width` is its
    length, and `coordinates` are further ones along the second axis.
    """

    def __init__(self, options: Any, layout: Layout, width: int = 0, coordinates: Coordinates | None = None):
        self.options, self.layout, self.width, self.coordinates = options, layout, width, coordinates or {}
        self.steps: list[int] = []
        self.times: list[float] = []
        self.raw: list[Any] = []
        self.written = 0
        self.first: tuple[int, float] | None = None  # the step and the time of the first row
        self.last: int | None = None  # the step of the last row

    def __len__(self) -> int:
        return len(self.steps)

    @abstractmethod
    def arrays(self, raw: Sequence[Any], times: np.ndarray) -> Sequence[np.ndarray]:
        """The arrays of the layout over time, from what was read."""

    def is_lost(self, raw: Any) -> bool:
        """Whether a row is of a state that is not finite."""
        return False

    def attributes_of(self, array: Array) -> dict[str, str]:
        """The attributes of an array: its unit and its meaning."""
        return {"units": array.unit or "1", "long_name": array.meaning}

    def attributes(self) -> dict[str, Any]:
        """The attributes of the group."""
        return about(self.options)

    @property
    def full(self) -> bool:
        """Whether it is time to write."""
        return len(self) >= MOST_ROWS or (len(self) > 0 and len(self) * self.width * 8 >= MOST_BYTES)

    def add(self, step: int, time: float, raw: Any) -> None:
        """Keep what was read of a state."""
        self.first, self.last = self.first or (step, time), step
        self.steps.append(step)
        self.times.append(time)
        self.raw.append(raw)

    def dataset(self) -> "xr.Dataset":
        """The rows in memory over `time` and the axes; none on ranks that have only their times."""
        import xarray as xr

        there = [number for number, raw in enumerate(self.raw) if raw is not None]
        times, steps = ([values[number] for number in there] for values in (self.times, self.steps))
        of_clock = {"time": np.array(times, float), "step": np.array(steps, int)}
        values = self.arrays([self.raw[number] for number in there], of_clock["time"])
        variables = {
            array.name: (("time", *array.axes), of_array, self.attributes_of(array))
            for array, of_array in zip(self.layout.arrays, values, strict=True)
        }
        coordinates: dict[str, Any] = {
            axis.name: (
                axis.name,
                _listed(axis.values),
                {"units": axis.unit or "1", "long_name": axis.meaning},
            )
            for axis in self.layout.axes
        }
        for name, (along, unit, meaning) in self.coordinates.items():
            coordinates[name] = (self.layout.axes[1].name, along, {"units": unit, "long_name": meaning})
        for name, unit, meaning in CLOCK:
            coordinates[name] = ("time", of_clock[name], {"units": unit, "long_name": meaning})
        return xr.Dataset(variables, coordinates, self.attributes())

    def drop_lost(self) -> None:
        """Drop the last rows that are not finite."""
        while self.raw and self.raw[-1] is not None and self.is_lost(self.raw[-1]):
            for rows in (self.steps, self.times, self.raw):
                rows.pop()

    def clear(self) -> None:
        """Drop the rows after they are written."""
        self.written += len(self)
        self.steps, self.times, self.raw = [], [], []

    def resume(self, data: "xr.Dataset | None") -> None:
        """Resume after the coordinates of the rows in the file."""
        self.steps, self.times, self.raw = [], [], []
        self.written, self.first, self.last = 0, None, None
        if data is not None and data.sizes["time"]:
            steps = data["step"].values
            self.written, self.first = len(steps), (int(steps[0]), float(data["time"][0]))
            self.last = int(steps[-1])

    def check(self, path: Path, there: "xr.Dataset", arrays: Collection[str]) -> None:
        """Raises CaseError if the group of its name in a file, with these coordinates and arrays, differs."""
        free = self.options.free
        if measures(there.attrs, free) != measures(self.attributes(), free):
            raise self.refused(path, "with other options")

    def refused(self, path: Path, how: str, remedy: str = ", or leave its options as they were") -> CaseError:
        """The error for a group of a file that differs."""
        kind, label, section = self.options.called[0], self.options.label, self.options.section
        name = f"give the new one another name ({section}.name)"
        return CaseError(f"{path} has {kind} {label} {how}; {name}{remedy}.")


Group = TypeVar("Group", bound=Rows)


class GrowingTable(Table, Generic[Group]):
    """Rows of groups, in a growing file of rank 0, or in memory if it `keeps` them."""

    suffix = ".h5"
    at_once: ClassVar[bool] = False
    """Whether each state is written at once."""

    write_group: ClassVar[Write] = staticmethod(write_group)
    """The function that makes a group of the file."""

    def __init__(self, rows: Iterable[Group], path: Path | None = None, *, keeps: bool = False):
        self.rows = {one.options.label: one for one in rows}
        every = {name: Every.parse(one.options.every) for name, one in self.rows.items()}
        super().__init__(every, path)
        self.file, self.keeps = GrowingFile(path, self.write_group) if path else None, keeps
        self.gaps: list[str] = []

    def write(self, moment: Moment, names: Sequence[str], agree: Agree) -> None:
        self.record(moment, self.measure(moment, names))
        if not self.keeps and (self.at_once or any(self.rows[name].full for name in names)):
            agree(self.synchronise)

    def record(self, moment: Moment, measured: Mapping[str, Any]) -> None:
        for name, raw in measured.items():
            self.rows[name].add(moment.clock.step, moment.clock.time, raw)

    @property
    def states(self) -> int:
        return sum(one.written + len(one) for one in self.rows.values())

    def datasets(self) -> "dict[str, xr.Dataset]":
        """The rows in memory, by the names of the groups."""
        return {name: one.dataset() for name, one in self.rows.items()}

    def read(self, step: int) -> Kept:
        """The coordinates of each group up to a step; arrays stay in the file."""
        there, arrays = self.file.read(without_arrays=True), self.file.names()
        for name in there.keys() & self.rows.keys():
            self.rows[name].check(self.path, there[name], arrays[name] - set(map(str, there[name].coords)))
        kept = {name: data.isel(time=data["step"].values <= step) for name, data in there.items()}
        gaps = [gap for data in kept.values() for gap in gaps_of(data)]
        return Kept(kept, sum(data.sizes["time"] for data in kept.values()), gaps)

    def resume(self, data: "dict[str, xr.Dataset] | None", gaps: Iterable[str] = ()) -> None:
        """Resume after the rows of `data`; groups that the case no longer has stay in the file."""
        data = data or {}
        self.gaps = list(dict.fromkeys(gaps))
        for name, one in self.rows.items():
            one.resume(data.get(name))
        if self.file and data:
            self.file.merge(lambda file: self.cut(file, data))

    def cut(self, file: "h5py.File", data: "dict[str, xr.Dataset]") -> None:
        """Cut the groups of the file to the rows of `data`."""
        for name, group in data.items():
            cut_group(file[name], group.sizes["time"])
            file[name].attrs.pop("gaps", None)
            file[name].attrs.update(with_gaps(self.gaps))

    def drop_lost(self) -> None:
        for one in self.rows.values():
            one.drop_lost()

    def synchronise(self) -> None:
        """Write all rows in memory; each addition puts them on disk."""
        unwritten = {name: one for name, one in self.rows.items() if len(one)}
        if self.keeps or not unwritten:
            return
        if self.file:
            gaps = with_gaps(self.gaps)
            states = {name: one.dataset().assign_attrs(gaps) for name, one in unwritten.items()}
            self.file.add(max(one.steps[-1] for one in unwritten.values()), states)
        for one in unwritten.values():
            one.clear()

    def finish(self) -> None:
        """Write all rows, and merge them into the file."""
        self.synchronise()
        if self.file and self.file.is_there():
            self.file.merge()


def about(options: Any) -> dict[str, str]:
    """The attributes of a group: its kind, meaning, reference and options."""
    written = options.model_dump(exclude_none=True, mode="json")
    meaning = (type(options).__doc__ or "").strip()
    told = {"kind": options.kind, "about": meaning, "options": json.dumps(written, ensure_ascii=False)}
    return told | ({"reference": options.reference} if options.reference else {})


def measures(attributes: Mapping[str, str], free: Sequence[str] = ("name", "every")) -> dict[str, Any]:
    """The options in the attributes of a group, without the `free` ones."""
    options = renamed("diagnostics", json.loads(attributes.get("options", "{}")))
    return {key: value for key, value in options.items() if key not in free}


def _listed(values: Sequence[Any]) -> Any:
    """The values of an axis; a range becomes an array only here, to save memory."""
    return np.array(values) if isinstance(values, range) else list(values)

"""Groups of rows over time in a growing file, such as probes.h5: appended, cut by a restart, and resumed.

Rows are kept in memory for a while. They are appended with each checkpoint, at the end, and when many are in
memory. A kill never damages the file and loses only rows after the last checkpoint, which a restart makes
again. A kind of file is a `GrowingTable` with `Rows`, which describe its groups.
"""

import json
from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np

from whorl.base.errors import CaseError
from whorl.config.clock import Every
from whorl.config.earlier import renamed
from whorl.diagnostics.options import Array, ArrayLayout
from whorl.output.groups import States, Variable, cut_group, write_group
from whorl.output.growing_file import GrowingFile, Write
from whorl.output.sample import StateSample
from whorl.output.series import gaps_of, with_gaps
from whorl.output.table import Agree, Kept, Table

if TYPE_CHECKING:
    import h5py
    import xarray as xr

MOST_ROWS = 1000  # of a group in memory
MOST_BYTES = 1 << 26
NO_GAPS: Mapping[str, str] = {}
Coordinates = Mapping[str, tuple[np.ndarray, str, str]]  # values, unit and meaning


class Rows:
    """A group: its axes and arrays, the rows of it in memory, and the number of those in its file.

    A row is a step, a time and data of `width` numbers, which are None on ranks that do not get them. Further
    `coordinates` are along the second axis.
    """

    def __init__(
        self, options: Any, layout: ArrayLayout, width: int = 0, coordinates: Coordinates | None = None
    ):
        self.options, self.width, self.coordinates = options, width, coordinates or {}
        self.lay(layout)
        self.resume(None)

    def lay(self, layout: ArrayLayout) -> None:
        """Set the axes and the arrays."""
        self.layout = layout
        self._told = {one.name: self.attributes_of(one) for one in layout.arrays}
        along = {one.name: (one.name, np.array(one.values), one.unit, one.meaning) for one in layout.axes}
        along |= {name: (layout.axes[1].name, *one) for name, one in self.coordinates.items()}
        self._along = {name: _variable(*one) for name, one in along.items()}

    def resume(self, data: "xr.Dataset | None") -> None:
        """Resume after the coordinates of the rows in the file."""
        at = [] if data is None else list(zip(data["step"].values, data["time"].values, strict=True))
        self.rows: list[tuple[int, float, Any]] = []  # in memory
        self.written = len(at)
        # The step and the time of the first row, and the step of the last.
        self.first = (int(at[0][0]), float(at[0][1])) if at else None
        self.last = int(at[-1][0]) if at else None

    def arrays(self, raw: Sequence[Any], times: np.ndarray) -> Sequence[np.ndarray]:
        """The arrays of the layout over time, from the data of rows: here each has all arrays by name."""
        shapes = {one.name: (len(raw), *self.layout.shape_of(one)) for one in self.layout.arrays}
        return [np.array([row[name] for row in raw]).reshape(shape) for name, shape in shapes.items()]

    def is_lost(self, raw: Any) -> bool:
        """Whether a row is of a state that is not finite."""
        return False

    def attributes_of(self, array: Array) -> dict[str, str]:
        """The attributes of an array: its unit and its meaning."""
        return {"units": array.unit or "1", "long_name": array.meaning}

    @cached_property
    def attributes(self) -> dict[str, Any]:
        """The attributes of the group, for its first rows."""
        return about(self.options)

    @property
    def full(self) -> bool:
        """Whether it is time to write."""
        return len(self) >= MOST_ROWS or len(self) * self.width * 8 >= MOST_BYTES

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, step: int, time: float, raw: Any) -> None:
        """Add the row of a state."""
        self.first, self.last = self.first or (step, time), step
        self.rows.append((step, time, raw))

    def states(self, gaps: Mapping[str, str] = NO_GAPS) -> States:
        """The rows in memory over `time` and the axes; none on ranks without their data."""
        there = [row for row in self.rows if row[2] is not None]
        steps, times = np.array([row[0] for row in there], int), np.array([row[1] for row in there], float)
        values = self.arrays([row[2] for row in there], times)
        arrays = {
            one.name: Variable(("time", *one.axes), of_array, self._told[one.name])
            for one, of_array in zip(self.layout.arrays, values, strict=True)
        }
        clock = {"time": _variable("time", times, "time", "t")}
        clock["step"] = _variable("time", steps, "1", "number of time steps made")
        return States(arrays, self._along | clock, {**self.attributes, **gaps})

    def dataset(self) -> "xr.Dataset":
        """The states as a dataset."""
        import xarray as xr

        return xr.Dataset(*self.states())

    def drop_lost(self) -> None:
        """Drop the last rows that are not finite."""
        while self.rows and self.rows[-1][2] is not None and self.is_lost(self.rows[-1][2]):
            self.rows.pop()

    def check(self, path: Path, there: "xr.Dataset", arrays: Collection[str]) -> None:
        """Raises CaseError if the group of its name in a file, with these coordinates and arrays, differs."""
        if measures(there.attrs, self.options) != measures(about(self.options), self.options):
            raise self.refused(path, "with other options")

    def refused(self, path: Path, how: str, remedy: str = ", or leave its options as they were") -> CaseError:
        """The error for a group of a file that differs."""
        group = f"{self.options.called[0]} {self.options.label}"
        name = f"give the new one another name ({self.options.section}.name)"
        return CaseError(f"{path} has {group} {how}; {name}{remedy}.")


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
        self.file, self.keeps = GrowingFile(path, self.write_group) if path else None, keeps  # type: ignore[arg-type]
        self.gaps: dict[str, str] = {}  # as attributes of groups

    @abstractmethod
    def measure(self, sample: StateSample, names: Sequence[str]) -> Mapping[str, Any]:
        """Measure the rows of some groups. Collective."""

    def write(self, sample: StateSample, names: Sequence[str], agree: Agree) -> None:
        for name, raw in self.measure(sample, names).items():
            self.rows[name].add(sample.clock.step, sample.clock.time, raw)
        if not self.keeps and (self.at_once or any(self.rows[name].full for name in names)):
            agree(self.synchronise)

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
        self.gaps = with_gaps(dict.fromkeys(gaps))
        for name, one in self.rows.items():
            one.resume(data.get(name))
        if self.file and data:
            self.file.merge(lambda file: self.cut(file, data))

    def cut(self, file: "h5py.File", data: "dict[str, xr.Dataset]") -> None:
        """Cut the groups of the file to the rows of `data`."""
        for name, group in data.items():
            cut_group(file[name], group.sizes["time"])
            file[name].attrs.pop("gaps", None)
            file[name].attrs.update(self.gaps)

    def drop_lost(self) -> None:
        for one in self.rows.values():
            one.drop_lost()

    def synchronise(self) -> None:
        """Write all rows in memory; each addition puts them on disk."""
        unwritten = {name: one for name, one in self.rows.items() if one.rows}
        if self.keeps or not unwritten:
            return
        if self.file:
            groups = {name: one.states(self.gaps) for name, one in unwritten.items()}
            self.file.add(max(one.last for one in unwritten.values()), groups)
        for one in unwritten.values():
            one.written, one.rows = one.written + len(one), []

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


def measures(attributes: Mapping[str, str], like: Any) -> dict[str, Any]:
    """The options in the attributes of a group `like` a block, by the names of today, without free ones."""
    options = renamed(like.section, json.loads(attributes.get("options", "{}")))
    return {key: value for key, value in options.items() if key not in like.free}


def _variable(along: str, values: np.ndarray, unit: str, meaning: str) -> Variable:
    return Variable((along,), values, {"units": unit or "1", "long_name": meaning})

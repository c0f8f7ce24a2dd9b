"""The probes of a run: kept in memory for a while, and appended to probes.h5.

Rows are appended with each checkpoint, at the end, and when many are in memory. A copy of the file gets them
and replaces the file, so that a kill never damages it. A kill loses only rows after the last checkpoint,
which a restart reads again.
"""

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.base.errors import CaseError
from whorl.base.files import whole_file
from whorl.base.hdf5 import open_hdf5
from whorl.diagnostics.record import CLOCK, about, measures
from whorl.output.diagnostic_files import append_states, write_group
from whorl.output.moment import Moment
from whorl.output.probe_files import as_complex, read_groups
from whorl.output.series import gaps_of, with_gaps
from whorl.output.table import Kept, Table

if TYPE_CHECKING:
    import h5py
    import xarray as xr

MOST_ROWS = 1000  # in memory, or a quarter of those in the file if that is more: then the copies stay few
MOST_BYTES = 1 << 26
CHUNK_BYTES = 1 << 18


class Rows:
    """The rows that one probe has read and not yet written."""

    def __init__(self, reading: Any):
        self.reading = reading
        self.steps: list[int] = []
        self.times: list[float] = []
        self.raw: list[np.ndarray] = []
        self.written = 0
        # The step and the time of the first row, from which intervals are counted: rows are evenly spaced.
        self.first: tuple[int, float] | None = None

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def full(self) -> bool:
        """Whether it is time to write."""
        many = max(MOST_ROWS, self.written // 4)
        return len(self) >= many or (len(self) > 0 and len(self) * self.reading.width * 8 >= MOST_BYTES)

    def dataset(self) -> "xr.Dataset":
        """The rows over `time` and the axes of the probe."""
        import xarray as xr

        reading = self.reading
        times = np.array(self.times, float)
        raw = np.array(self.raw) if self.raw else np.empty((0, reading.width))
        variables = {
            array.name: (
                ("time", *array.axes),
                values,
                {"units": array.unit or "1", "long_name": array.meaning},
            )
            for array, values in zip(reading.layout.arrays, reading.arrays(raw, times), strict=True)
        }
        coordinates: dict[str, Any] = {
            axis.name: (
                axis.name,
                _listed(axis.values),
                {"units": axis.unit or "1", "long_name": axis.meaning},
            )
            for axis in reading.layout.axes
        }
        along = reading.layout.axes[1].name
        for name, (values, unit, meaning) in reading.coordinates.items():
            coordinates[name] = (along, values, {"units": unit, "long_name": meaning})
        of_clock = {"time": times, "step": np.array(self.steps, int)}
        for name, unit, meaning in CLOCK:
            coordinates[name] = ("time", of_clock[name], {"units": unit, "long_name": meaning})
        return xr.Dataset(variables, coordinates, about(reading.probe))

    def drop_lost(self) -> None:
        """Forget the last rows that are not finite."""
        while self.raw and self.reading.is_lost(self.raw[-1]):
            for rows in (self.steps, self.times, self.raw):
                rows.pop()

    def clear(self) -> None:
        """Forget the rows after they are written."""
        self.written += len(self)
        self.steps, self.times, self.raw = [], [], []


class Probes(Table):
    """The probes of a run: in their file, or in memory if it `keeps` them."""

    suffix = ".h5"

    def __init__(self, readings: Iterable[Any], path: Path | None = None, *, keeps: bool = False):
        super().__init__((), path)
        self.keeps = keeps
        self.rows = {one.probe.label: self.rows_of(one) for one in readings}
        self.gaps: list[str] = []

    def rows_of(self, reading: Any) -> Rows:
        """Empty rows of a reading."""
        return Rows(reading)

    def begin(self) -> None:
        """Do nothing: the first rows create the file."""

    def measure(self, moment: Moment) -> dict[str, np.ndarray]:
        return self.read_some(moment.flow, list(self.rows))

    def read_some(self, flow: Any, names: Sequence[str]) -> dict[str, np.ndarray]:
        """The values that the named probes read of the present state. Collective."""
        return {name: self.rows[name].reading.read(flow) for name in names}

    def record(self, moment: Moment, measured: dict[str, np.ndarray]) -> None:
        self.keep(moment.clock.step, moment.clock.time, measured)

    def keep(self, step: int, time: float, read: dict[str, np.ndarray]) -> bool:
        """Keep the values read; return whether it is time to write, the same on all ranks."""
        for name, raw in read.items():
            rows = self.rows[name]
            rows.first = rows.first or (step, time)
            rows.steps.append(step)
            rows.times.append(time)
            rows.raw.append(raw)
        return not self.keeps and any(self.rows[name].full for name in read)

    def drop_lost(self) -> None:
        """Forget the last rows in memory that are not finite, such as those of a flow that blew up."""
        for one in self.rows.values():
            one.drop_lost()

    @property
    def states(self) -> int:
        return sum(one.written + len(one) for one in self.rows.values())

    def datasets(self) -> "dict[str, xr.Dataset]":
        """The rows in memory, by the names of the probes."""
        return {name: as_complex(one.dataset()) for name, one in self.rows.items()}

    def nothing(self) -> "dict[str, xr.Dataset]":
        return {}

    def read(self, step: int) -> tuple[list[str], Kept]:
        there = read_groups(self.path)
        kept = {name: data.isel(time=data["step"].values <= step) for name, data in there.items()}
        self.check(kept)
        gaps = [gap for data in kept.values() for gap in gaps_of(data)]
        return list(there), Kept(kept, sum(data.sizes["time"] for data in kept.values()), gaps)

    def check(self, there: "dict[str, xr.Dataset]") -> None:
        """Raises CaseError if a group has other options than the probe of its name."""
        for name, data in there.items():
            probe = self.rows[name].reading.probe if name in self.rows else None
            if probe and measures(data.attrs, probe.free) != measures(about(probe), probe.free):
                raise CaseError(
                    f"{self.path} has {probe.called[0]} {name} with other options; give the new one another "
                    f"name ({probe.section}.name), or leave its options as they were."
                )

    def kept(self, step: int) -> Kept:
        if self.path is None or not self.path.is_file():
            return Kept({}, 0, [])
        return self.read(step)[1]

    def resume(self, data: "dict[str, xr.Dataset]", gaps: Iterable[str] = ()) -> None:
        """Resume after `data`; groups of probes that the case no longer has stay in the file."""
        self.gaps = list(dict.fromkeys(gaps))
        for name, one in self.rows.items():
            one.clear()
            one.written = data[name].sizes["time"] if name in data else 0
            one.first = first_of(data.get(name))
        if self.path and data:
            with whole_file(self.path) as beside, open_hdf5(beside, "w") as file:
                for name, of_group in data.items():
                    write_rows(file, name, of_group.assign_attrs(with_gaps(self.gaps)))

    def synchronise(self) -> None:
        """Write all rows in memory; each addition puts the whole file on disk."""
        if self.keeps or not any(map(len, self.rows.values())):
            return
        if self.path:
            self._append()
        for one in self.rows.values():
            one.clear()

    def _append(self) -> None:
        with whole_file(self.path) as beside:
            if self.path.is_file():
                shutil.copyfile(self.path, beside)
            with open_hdf5(beside, "a") as file:
                for name, one in self.rows.items():
                    if len(one):
                        data = one.dataset().assign_attrs(with_gaps(self.gaps))
                        if name in file:
                            append_states(file[name], data)
                        else:
                            write_rows(file, name, data)


def first_of(data: "xr.Dataset | None") -> tuple[int, float] | None:
    """The step and the time of the first row; None without one."""
    if data is None or not data.sizes["time"]:
        return None
    return int(data["step"][0]), float(data["time"][0])


def _listed(values: Sequence[Any]) -> Any:
    """The values of an axis; a range becomes an array only here, to save memory."""
    return np.array(values) if isinstance(values, range) else list(values)


def write_rows(file: "h5py.File", name: str, data: "xr.Dataset") -> None:
    """Write the rows of a probe as a group that can grow."""
    row = sum(one.nbytes for one in data.data_vars.values()) // max(data.sizes["time"], 1)
    write_group(file, name, data, rows=int(np.clip(CHUNK_BYTES // max(row, 1), 1, 4096)))

"""The paths of particles: their rows in particles.h5, which grows at a cost in proportion to them.

Rows are added with each checkpoint, at the end, and when many are in memory. The last of them may be in files
of their own (growing_file.py), so that a kill neither damages nor doubles any. A restart may change the
expressions that are read. The file then has those of all times, with nan at times that did not read one.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from whorl.config.clock import Clock, Every
from whorl.diagnostics.record import about
from whorl.output.diagnostic_files import cut_group, read_group
from whorl.output.growing_file import GrowingFile
from whorl.output.probe_files import of_group, ordered
from whorl.output.series import gaps_of, with_gaps
from whorl.output.table import Kept
from whorl.particles.options import VALUE, quantity_axis
from whorl.particles.views import remove_view, write_view
from whorl.probes.record import MOST_BYTES, MOST_ROWS, Probes, Rows, first_of, write_rows

if TYPE_CHECKING:
    import h5py
    import xarray as xr


class PathRows(Rows):
    """The rows that one group of particles has read and not yet written."""

    last: int | None = None  # the step of the last row in the file
    quantities: tuple[str, ...] = ()  # of the file

    @property
    def full(self) -> bool:
        return len(self) >= MOST_ROWS or (len(self) > 0 and len(self) * self.reading.width * 8 >= MOST_BYTES)

    def dataset(self) -> "xr.Dataset":
        rows = super().dataset().assign_attrs(self.reading.found)
        return with_quantities(ordered(rows, self.reading.probe.order), self.quantities)


class Paths(Probes):
    """The particles of a run: in their file, or in memory if it `keeps` them."""

    def __init__(self, readings: Iterable[object], path: Path | None = None, *, keeps: bool = False):
        super().__init__(readings, path, keeps=keeps)
        self.file = path_file(path) if path else None

    def rows_of(self, reading: object) -> PathRows:
        return PathRows(reading)

    def read(self, step: int) -> tuple[list[str], Kept]:
        """The names of the groups, and of each its coordinates up to a step; arrays stay in the file."""
        there = self.file.read(without_arrays=True)
        self.check(there)
        kept = {name: data.isel(time=data["step"].values <= step) for name, data in there.items()}
        gaps = [gap for data in kept.values() for gap in gaps_of(data)]
        states = sum(data.sizes["time"] for data in kept.values())
        for name in kept.keys() & self.rows.keys():
            kept[name] = _without_end(kept[name], self.rows[name].reading.probe.every)
        return list(there), Kept(kept, states, gaps)

    def resume(self, data: "dict[str, xr.Dataset]", gaps: Iterable[str] = ()) -> None:
        """Resume after `data`, which has the coordinates of the rows that stay."""
        self.gaps = list(dict.fromkeys(gaps))
        for name, one in self.rows.items():
            one.clear()
            one.first = first_of(data.get(name))
            steps = data[name]["step"].values if name in data else np.empty(0, int)
            one.written, one.last = len(steps), int(steps[-1]) if len(steps) else None
            known = _quantities(data[name]) if name in data else []
            own = [read.text for read in one.reading.reads]
            one.quantities = tuple(dict.fromkeys([*known, *own])) if known != own else ()
        if self.file and data:
            self.file.merge(lambda file: self._cut(file, data))
            for name in data:
                remove_view(self.path, name)

    def _cut(self, file: "h5py.File", data: "dict[str, xr.Dataset]") -> None:
        """Cut the groups of the file; a group whose quantities have changed is written again."""
        for name, group in data.items():
            cut_group(file[name], group.sizes["time"])
            told = about(self.rows[name].reading.probe) if name in self.rows else {}
            file[name].attrs.pop("gaps", None)
            file[name].attrs.update(told | with_gaps(self.gaps))
        for name, one in self.rows.items():
            if name in data and one.quantities and one.quantities != tuple(_quantities(data[name])):
                whole = with_quantities(of_group(read_group(file[name])), one.quantities)
                del file[name]
                write_rows(file, name, whole)

    def _append(self) -> None:
        told = with_gaps(self.gaps)
        written = {name: one for name, one in self.rows.items() if len(one)}
        states = {name: one.dataset().assign_attrs(told) for name, one in written.items()}
        self.file.add(max(one.steps[-1] for one in written.values()), states)

    def finish(self) -> None:
        """Merge all rows into particles.h5, and write the files for ParaView."""
        if self.file and self.file.is_there():
            self.file.merge()
            for name, one in self.rows.items():
                write_view(self.path, name, one.reading.grid)


def path_file(path: Path) -> GrowingFile:
    """The growing file of the paths of a run."""
    return GrowingFile(path, write_rows)


def _without_end(data: "xr.Dataset", every: str | float) -> "xr.Dataset":
    """The data without the last row, if that was not due but written at an end that the restart moves.

    A row is due by the interval with which it was written, or by the present one. The uninterrupted run has
    no other row, and its statistics need evenly spaced rows.
    """
    own = json.loads(data.attrs.get("options", "{}")).get("every", every)
    if data.sizes["time"] < 2 or any(_is_due(data, Every.parse(one)) for one in (own, every)):
        return data
    return data.isel(time=slice(None, -1))


def _is_due(data: "xr.Dataset", every: Every) -> bool:
    """Whether the last row is due, counted from the first; True for turnovers, which rows do not have."""
    if every.unit not in ("steps", "time"):
        return True
    steps, times = data["step"].values, data["time"].values
    clock = Clock(times[-1], step=steps[-1])
    clock.previous = times[-2]
    return every.due(clock, (steps[0], times[0]))


def _quantities(data: "xr.Dataset") -> list[str]:
    return list(map(str, data["quantity"].values)) if "quantity" in data.coords else []


def with_quantities(data: "xr.Dataset", names: tuple[str, ...]) -> "xr.Dataset":
    """The data with the values of these quantities, nan for those it lacks; unchanged without names."""
    if not names:
        return data
    axis = quantity_axis([])
    if "value" in data:
        wide = data.reindex(quantity=list(names))
    else:
        shape = (data.sizes["time"], data.sizes["particle"], len(names))
        told = {"units": VALUE.unit, "long_name": VALUE.meaning}
        wide = data.assign(value=(("time", *VALUE.axes), np.full(shape, np.nan), told))
        wide = wide.assign_coords(quantity=list(names))
    wide["quantity"].attrs.update({"units": "1", "long_name": axis.meaning})
    return ordered(wide, data["position"].dims[0])

"""The paths of particles: rows of particles.h5, which may be read along with values of the flow.

A restart may change the expressions that are read. The file then has those of all times, with NaN at times
that did not read one.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.config.case import Case
from whorl.config.clock import Clock, Every
from whorl.output.groups import read_group, write_rows
from whorl.output.growing_table import about
from whorl.output.sample import StateSample
from whorl.output.table import Kept
from whorl.particles.ask import PathReading
from whorl.particles.files import ordered
from whorl.particles.options import VALUE, quantity_axis
from whorl.particles.views import remove_view, write_view
from whorl.probes.record import ReadRows, ReadTable

if TYPE_CHECKING:
    import h5py
    import xarray as xr


class PathRows(ReadRows):
    """The rows of one group of particles."""

    quantities: tuple[str, ...] = ()  # of the file, if the case has others

    def attributes(self) -> dict[str, Any]:
        return super().attributes() | self.reading.found

    def dataset(self) -> "xr.Dataset":
        return with_quantities(ordered(super().dataset(), self.options.order), self.quantities)

    def resume(self, data: "xr.Dataset | None") -> None:
        super().resume(data)
        known, own = _quantities(data), [read.text for read in self.reading.reads]
        self.quantities = tuple(dict.fromkeys([*known, *own])) if known != own else ()


class Paths(ReadTable[PathRows]):
    """The particles of a run; `groups` are those that are placed, by name.

    `check` raises BlowUp if particles of some names are not finite.
    """

    def __init__(
        self,
        case: Case,
        groups: Mapping[str, Any],
        check: Callable[[Iterable[str]], None],
        path: Path | None = None,
        *,
        keeps: bool = False,
    ):
        rows = [PathRows(PathReading(case, one, groups)) for one in case.particles]
        super().__init__(rows, path, keeps=keeps)
        self._groups, self._check = groups, check

    def wanted(self) -> list[str]:
        return [name for name in super().wanted() if name in self._groups]

    def due(self, clock: Clock, *, last: bool, released: Collection[str] = ()) -> list[str]:
        due = {*released, *super().due(clock, last=last)}
        return [name for name in self.wanted() if name in due]

    def measure(self, sample: StateSample, names: Sequence[str]) -> dict[str, np.ndarray | None]:
        self._check(names)
        return super().measure(sample, names)

    def read(self, step: int) -> Kept:
        """The coordinates of each group up to a step, without a row at the end that was not due."""
        kept = super().read(step)
        for name in kept.data.keys() & self.rows.keys():
            kept.data[name] = _without_end(kept.data[name], self.rows[name].options.every)
        return kept

    def resume(self, data: "dict[str, xr.Dataset] | None", gaps: Iterable[str] = ()) -> None:
        super().resume(data, gaps)
        for name in data or () if self.file else ():
            remove_view(self.path, name)

    def cut(self, file: "h5py.File", data: "dict[str, xr.Dataset]") -> None:
        """Cut the groups of the file; a group whose quantities have changed is written again."""
        super().cut(file, data)
        for name, one in self.rows.items():
            if name in data:
                file[name].attrs.update(about(one.options))
                if one.quantities and one.quantities != tuple(_quantities(data[name])):
                    whole = with_quantities(read_group(file[name]), one.quantities)
                    del file[name]
                    write_rows(file, name, whole)

    def finish(self) -> None:
        """Write all rows, merge them into the file, and write the files for ParaView."""
        super().finish()
        if self.file and self.file.is_there():
            for name, one in self.rows.items():
                write_view(self.path, name, one.reading.grid)


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


def _quantities(data: "xr.Dataset | None") -> list[str]:
    there = data is not None and "quantity" in data.coords
    return list(map(str, data["quantity"].values)) if there else []


def with_quantities(data: "xr.Dataset", names: tuple[str, ...]) -> "xr.Dataset":
    """The data with the values of these quantities, NaN for those it lacks; unchanged without names."""
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

"""The paths of particles: their rows in particles.h5, written as those of probes are.

The expressions that are read may change with a restart: the file then has those of all times, and nan where
one was not read.
"""

import shutil
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from whorl.base.files import whole_file
from whorl.base.hdf5 import open_hdf5
from whorl.config.particles import VALUE, quantity_axis
from whorl.output.diagnostic_files import cut_group, read_diagnostics
from whorl.output.diagnostics import about
from whorl.output.probe_files import read_groups
from whorl.output.probes import Probes, Rows, write_rows
from whorl.output.series import gaps_of, with_gaps
from whorl.output.table import Kept

if TYPE_CHECKING:
    import xarray as xr


class PathRows(Rows):
    """What one group of particles has read and not yet written."""

    last: int | None = None  # the step of the last row in the file
    quantities: tuple[str, ...] = ()  # of the file

    def dataset(self) -> "xr.Dataset":
        return with_quantities(super().dataset(), self.quantities)


class Paths(Probes):
    """The particles of a run: in their file, or in memory if it `keeps` them."""

    def rows_of(self, reading: object) -> PathRows:
        return PathRows(reading)

    def read(self, step: int) -> tuple[list[str], Kept]:
        """The names of the groups, and of each its coordinates up to a step; arrays stay in the file."""
        there = read_diagnostics(self.path, without_arrays=True)
        self.check(there)
        kept = {name: data.isel(time=data["step"].values <= step) for name, data in there.items()}
        gaps = [gap for data in kept.values() for gap in gaps_of(data)]
        return list(there), Kept(kept, sum(data.sizes["time"] for data in kept.values()), gaps)

    def resume(self, data: "dict[str, xr.Dataset]", gaps: Iterable[str] = ()) -> None:
        """Resume after `data`, which has the coordinates of the rows that stay."""
        self.gaps = list(dict.fromkeys(gaps))
        for name, one in self.rows.items():
            one.clear()
            steps = data[name]["step"].values if name in data else np.empty(0, int)
            one.written, one.last = len(steps), int(steps[-1]) if len(steps) else None
            known = _quantities(data[name]) if name in data else []
            own = [read.text for read in one.reading.reads]
            one.quantities = tuple(dict.fromkeys([*known, *own])) if known != own else ()
        if self.path and data:
            self._cut(data)

    def _cut(self, data: "dict[str, xr.Dataset]") -> None:
        """Cut the groups of the file; one whose quantities are others now is written anew."""
        with whole_file(self.path) as beside:
            shutil.copyfile(self.path, beside)
            with open_hdf5(beside, "a") as file:
                for name, group in data.items():
                    cut_group(file[name], group.sizes["time"])
                    told = about(self.rows[name].reading.probe) if name in self.rows else {}
                    file[name].attrs.update(told | with_gaps(self.gaps))
            for name, one in self.rows.items():
                if name in data and one.quantities and one.quantities != tuple(_quantities(data[name])):
                    whole = with_quantities(read_groups(beside)[name], one.quantities)
                    with open_hdf5(beside, "a") as file:
                        del file[name]
                        write_rows(file, name, whole)


def _quantities(data: "xr.Dataset") -> list[str]:
    return list(map(str, data["quantity"].values)) if "quantity" in data.coords else []


def with_quantities(data: "xr.Dataset", names: tuple[str, ...]) -> "xr.Dataset":
    """The same with the values of these quantities, nan where there are none; as it is without names."""
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
    return wide

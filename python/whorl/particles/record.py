"""The paths of particles: rows of particles.h5, which may be read along with values of the flow.

A restart may change the expressions that are read. The file then has those of all times, with NaN at times
that did not read one.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.config.case import Case
from whorl.config.clock import Clock, Every
from whorl.diagnostics.options import ArrayLayout
from whorl.output.groups import States, Variable, read_states, write_rows
from whorl.output.growing_table import NO_GAPS, about
from whorl.output.sample import StateSample
from whorl.output.table import Kept
from whorl.particles.ask import PathReading
from whorl.particles.options import VALUE, quantity_axis
from whorl.particles.views import remove_view, write_view
from whorl.probes.record import ReadRows, ReadTable

if TYPE_CHECKING:
    import h5py
    import xarray as xr


class PathRows(ReadRows):
    """The rows of one group of particles."""

    @property
    def attributes(self) -> dict[str, Any]:
        return about(self.options) | self.reading.found

    def resume(self, data: "xr.Dataset | None") -> None:
        """Resume after rows that may have other quantities; further rows have those of both."""
        super().resume(data)
        self.own = [one.text for one in self.reading.reads]
        self.quantities = list(dict.fromkeys([*_quantities(data), *self.own]))
        if self.quantities != self.own:
            layout = self.reading.layout
            arrays = layout.arrays if self.own else (*layout.arrays, VALUE)
            axis = replace(quantity_axis([]), values=self.quantities)
            self.lay(ArrayLayout((*layout.axes[:2], axis), arrays))

    def arrays(self, raw: Sequence[np.ndarray], times: np.ndarray) -> list[np.ndarray]:
        *vectors, values = super().arrays(raw, times)
        return [*vectors, _wide(values, self.own, self.quantities)][: len(self.layout.arrays)]

    def states(self, gaps: Mapping[str, str] = NO_GAPS) -> States:
        found = super().states(gaps)
        if self.options.order == "time":
            return found
        arrays = {
            name: Variable(("particle", "time", *dims[2:]), values.swapaxes(0, 1), told)
            for name, (dims, values, told) in found.arrays.items()
        }
        return found._replace(arrays=arrays)

    def completed(self, there: States, known: Sequence[str]) -> States:
        """The states of a file, which has the `known` quantities, with all quantities."""
        none, shape = self.states(), there.arrays["position"].values.shape[:2]
        value = Variable(none.arrays["value"].dims, np.empty((*shape, 0)), self.attributes_of(VALUE))
        value = there.arrays.get("value", value)
        value = value._replace(values=_wide(value.values, known, self.quantities))
        axis = {"quantity": none.coordinates["quantity"]}
        return States({**there.arrays, "value": value}, {**there.coordinates, **axis}, there.attrs)


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
                known = _quantities(data[name])
                if one.quantities != known:
                    whole = one.completed(read_states(file[name]), known)
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


def _wide(values: np.ndarray, known: Sequence[str], names: Sequence[str]) -> np.ndarray:
    """The values of the quantities `names` from those of `known`, NaN for others."""
    wide = np.full((*values.shape[:2], len(names)), np.nan)
    wide[..., [names.index(name) for name in known]] = values
    return wide

"""spectra.h5: sums over shells of the model's spectra (energy, helicity, …, transfer) at the times written.

The file has a dataset (time, k) for each, and `time`, `step` and `k`, with units and dimension scales. The
spectra are sums over a shell, not densities: `energy` summed over k is the mean kinetic energy. The file is
small, so each addition writes all of it and renames it: a kill never damages it.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from whorl.base.errors import CaseError
from whorl.base.files import whole_file
from whorl.base.hdf5 import DAMAGE, members, open_hdf5
from whorl.config.columns import Column
from whorl.config.outputs import option_of
from whorl.output.moment import Moment, shells_of
from whorl.output.series import gaps_of, with_gaps
from whorl.output.table import Kept, Table

if TYPE_CHECKING:
    import xarray as xr

COORDINATES = (
    ("time", "time", "t"),
    ("step", "", "number of time steps made"),
    ("k", "1/length", "wavenumber in the middle of the shell"),
)


class States(NamedTuple):
    """Shells k and, for each state, its time, its step and the sums over shells of each column."""

    k: np.ndarray
    times: list[float]
    steps: list[int]
    sums: dict[str, list[np.ndarray]]


class Spectra(Table):
    """A table of sums over shells, at the times of its states."""

    suffix = ".h5"

    def __init__(self, columns: tuple[Column, ...], path: Path | None = None):
        super().__init__(columns, path)
        self._states = self.nothing()
        self._attributes: dict[str, str] = {}

    def resume(self, data: States, gaps: Iterable[str] = ()) -> None:
        """Resume after `data`, and cut the file to it; `gaps` says which states are missing."""
        self._states = data
        self._attributes = with_gaps(gaps)
        if self.path:
            self._write()

    def begin(self) -> None:
        """Do nothing: the first state creates the file."""

    def measure(self, moment: Moment) -> dict[str, np.ndarray]:
        return shells_of(self.columns, moment)

    def record(self, moment: Moment, measured: dict[str, np.ndarray]) -> None:
        self.append(moment.clock.time, moment.clock.step, measured["k"], measured)

    @property
    def states(self) -> int:
        return len(self._states.times)

    def read(self, step: int) -> tuple[list[str], Kept]:
        data = read_spectra(self.path)
        kept = data.isel(time=data["step"].values <= step)
        sums = {str(name): list(kept[name].values) for name in kept.data_vars if name != "step"}
        states = States(kept["k"].values, kept["time"].values.tolist(), kept["step"].values.tolist(), sums)
        return list(data.data_vars), Kept(states, len(states.times), gaps_of(kept))

    def nothing(self) -> States:
        return States(np.empty(0), [], [], {column.name: [] for column in self.columns})

    def synchronise(self) -> None:
        """Do nothing: each addition has written the whole file."""

    def append(self, time: float, step: int, k: np.ndarray, shells: dict[str, np.ndarray]) -> None:
        """Add a state; `shells` has each column on the shells `k`."""
        if not self._states.times:
            self._states = self._states._replace(k=np.array(k))
        self._states.times.append(time)
        self._states.steps.append(step)
        for column in self.columns:
            self._states.sums[column.name].append(np.array(shells[column.name]))
        if self.path:
            self._write()

    def dataset(self) -> "xr.Dataset":
        """All states over (time, k)."""
        import xarray as xr

        variables = self._variables()
        coordinates = {name: variables.pop(name) for name in ("time", "k")}
        return xr.Dataset(variables, coordinates, self._attributes)

    def _variables(self) -> dict[str, tuple[tuple[str, ...], np.ndarray, dict[str, str]]]:
        """The dimensions, values and attributes of each array of the file."""
        k, times, steps, sums = self._states
        shape = (len(times), k.size)
        arrays = {"time": (("time",), np.array(times, float)), "step": (("time",), np.array(steps, int))}
        arrays["k"] = (("k",), k.copy())
        arrays |= {c.name: (("time", "k"), np.array(sums[c.name]).reshape(shape)) for c in self.columns}
        told = (*COORDINATES, *((c.name, c.unit, c.meaning) for c in self.columns))
        return {
            name: (*arrays[name], {"units": unit or "1", "long_name": meaning})
            for name, unit, meaning in told
        }

    def _write(self) -> None:
        variables = self._variables()
        with whole_file(self.path) as beside, open_hdf5(beside, "w") as file:
            file.attrs["about"] = "whorl spectra; length and time are the case's own units"
            file.attrs.update(self._attributes)
            for name, (_, values, attributes) in variables.items():
                file[name] = values
                file[name].attrs.update(attributes)
            for name in ("time", "k"):
                file[name].make_scale(name)
            for name in variables.keys() - {"time", "k"}:
                for axis, dimension in enumerate(variables[name][0]):
                    file[name].dims[axis].attach_scale(file[dimension])


def read_spectra(path: Path) -> "xr.Dataset":
    """The spectra as a dataset over (time, k). Raises CaseError, naming the file, if it is not one."""
    if not path.is_file():
        raise CaseError(f"there is no {path}: {option_of(path)} says when spectra are written.")
    try:
        return _read(path)
    except DAMAGE as error:
        raise CaseError(
            f"{path} is damaged or was not written by whorl ({error}); remove it to start a new one."
        ) from None


def _read(path: Path) -> "xr.Dataset":
    import xarray as xr

    with open_hdf5(path) as file:
        shells = {name: data for name, data in members(file) if data.ndim == 2}
        data = xr.Dataset(
            {name: (("time", "k"), values[:]) for name, values in shells.items()},
            {name: file[name][:] for name in ("time", "k")},
        )
        data["step"] = ("time", file["step"][:])
        if "gaps" in file.attrs:
            data.attrs["gaps"] = str(file.attrs["gaps"])
        for name in data.variables:
            data[name].attrs = {key: str(file[name].attrs[key]) for key in ("units", "long_name")}
    return data

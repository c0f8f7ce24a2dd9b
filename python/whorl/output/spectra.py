"""spectra.h5: sums over shells of the model's spectra (energy, helicity, …, transfer) at the times written.

The file has a dataset (time, k) for each, and `time`, `step` and `k`, with units and dimension scales. The
spectra are sums over a shell, not densities: `energy` summed over k is the mean kinetic energy. The file is
small, so each addition writes all of it and renames it: a kill never damages it.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import xarray as xr

from whorl.base.errors import CaseError
from whorl.base.files import whole_file
from whorl.base.hdf5 import open_hdf5
from whorl.config.columns import Column
from whorl.config.outputs import option_of
from whorl.output.moment import Moment, shells_of
from whorl.output.series import gaps_of, with_gaps
from whorl.output.table import Kept, Table

COORDINATES = (
    ("time", "time", "t"),
    ("step", "", "number of time steps made"),
    ("k", "1/length", "wavenumber in the middle of the shell"),
)


class Spectra(Table):
    """A table of sums over shells, at the times of its states."""

    suffix = ".h5"

    def __init__(self, columns: tuple[Column, ...], path: Path | None = None):
        super().__init__(columns, path)
        self.data = self._empty()

    def resume(self, data: xr.Dataset, gaps: Iterable[str] = ()) -> None:
        """Resume after `data`, and cut the file to it; `gaps` says which states are missing."""
        self.data = data.assign_attrs(with_gaps(gaps))
        if self.path:
            self._write()

    def begin(self) -> None:
        """Do nothing: there is no file before the first state."""

    def measure(self, moment: Moment) -> dict[str, np.ndarray]:
        return shells_of(self.columns, moment)

    def record(self, moment: Moment, measured: dict[str, np.ndarray]) -> None:
        self.append(moment.clock.time, moment.clock.step, measured["k"], measured)

    @property
    def states(self) -> int:
        return self.data.sizes["time"]

    def read(self, step: int) -> tuple[list[str], Kept]:
        data = read_spectra(self.path)
        kept = data.isel(time=data["step"].values <= step)
        return list(data.data_vars), Kept(kept, kept.sizes["time"], gaps_of(kept))

    def nothing(self) -> xr.Dataset:
        return self._empty()

    def synchronise(self) -> None:
        """Do nothing: each addition has written the whole file."""

    def append(self, time: float, step: int, k: np.ndarray, shells: dict[str, np.ndarray]) -> None:
        """Add a state; `shells` has each column on the shells `k`."""
        row = xr.Dataset(
            {c.name: (("time", "k"), shells[c.name][None, :]) for c in self.columns}, {"time": [time], "k": k}
        )
        row["step"] = ("time", [step])
        self.data = (
            row.assign_attrs(self.data.attrs)
            if self.data.sizes["time"] == 0
            else xr.concat([self.data, row], "time", join="override", combine_attrs="override")
        )
        self._describe(self.data)
        if self.path:
            self._write()

    def _empty(self) -> xr.Dataset:
        data = xr.Dataset(
            {c.name: (("time", "k"), np.empty((0, 0))) for c in self.columns},
            {"time": np.empty(0), "k": np.empty(0)},
        )
        data["step"] = ("time", np.empty(0, int))
        return self._describe(data)

    def _describe(self, data: xr.Dataset) -> xr.Dataset:
        for name, unit, meaning in (*COORDINATES, *((c.name, c.unit, c.meaning) for c in self.columns)):
            data[name].attrs = {"units": unit or "1", "long_name": meaning}
        return data

    def _write(self) -> None:
        names = [column.name for column in self.columns]
        with whole_file(self.path) as beside, open_hdf5(beside, "w") as file:
            file.attrs["about"] = "whorl spectra; length and time are the case's own units"
            file.attrs.update(self.data.attrs)
            for name in (*(name for name, _, _ in COORDINATES), *names):
                variable = self.data[name]
                file[name] = variable.values
                file[name].attrs.update(variable.attrs)
            for name in ("time", "k"):
                file[name].make_scale(name)
            for name in ("step", *names):
                for axis, dimension in enumerate(self.data[name].dims):
                    file[name].dims[axis].attach_scale(file[dimension])


def read_spectra(path: Path) -> xr.Dataset:
    """The spectra as a dataset over (time, k). Raises CaseError, naming the file, if it is not one."""
    if not path.is_file():
        raise CaseError(f"there is no {path}: {option_of(path)} says when spectra are written.")
    try:
        return _read(path)
    except (OSError, KeyError) as error:
        raise CaseError(
            f"{path} is damaged or was not written by whorl ({error}); remove it, and spectra begin anew."
        ) from None


def _read(path: Path) -> xr.Dataset:
    with open_hdf5(path) as file:
        shells = {name: data for name, data in file.items() if data.ndim == 2}
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

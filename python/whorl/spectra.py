"""spectra.h5: energy, helicity and transfer by shell at the times they were written.

Datasets `energy`, `helicity`, `transfer` (time, k), `time`, `step` and `k`, with units and dimension scales.
The file is small, so each addition writes it whole and renames it: a kill never damages it.
"""

from pathlib import Path

import h5py
import numpy as np
import xarray as xr

from whorl.errors import CaseError
from whorl.files import whole_file

# Name: unit, meaning. Sums over a shell, not densities: `energy` summed over k is the mean kinetic energy.
VARIABLES = {
    "energy": ("length²/time²", "kinetic energy of the shell, E(k)"),
    "helicity": ("length/time²", "helicity of the shell, H(k)"),
    "transfer": ("length²/time³", "energy the nonlinear term brings into the shell in a unit of time, T(k)"),
}
COORDINATES = {
    "time": ("time", "t"),
    "step": ("", "number of time steps made"),
    "k": ("1/length", "wavenumber in the middle of the shell"),
}


class Spectra:
    """The spectra of a run, in memory and, where a path is given, in its file (write from one rank only)."""

    def __init__(self, path: Path | None = None):
        self.path = path
        self.data = _empty(np.empty(0))

    def resume(self, data: xr.Dataset) -> None:
        """Go on behind `data`, and cut the file to it."""
        self.data = data
        if self.path:
            self._write()

    def append(self, time: float, step: int, k: np.ndarray, shells: dict[str, np.ndarray]) -> None:
        """Adds E, H and T of one state; `shells` holds the VARIABLES on the shells `k`."""
        row = xr.Dataset(
            {name: (("time", "k"), shells[name][None, :]) for name in VARIABLES}, {"time": [time], "k": k}
        )
        row["step"] = ("time", [step])
        self.data = (
            row if self.data.sizes["time"] == 0 else xr.concat([self.data, row], "time", join="override")
        )
        _describe(self.data)
        if self.path:
            self._write()

    def _write(self) -> None:
        with whole_file(self.path) as beside, h5py.File(beside, "w") as file:
            file.attrs["about"] = "whorl spectra; length and time are the case's own units"
            for name in (*COORDINATES, *VARIABLES):
                variable = self.data[name]
                file[name] = variable.values
                file[name].attrs.update(variable.attrs)
            for name in ("time", "k"):
                file[name].make_scale(name)
            for name in ("step", *VARIABLES):
                for axis, dimension in enumerate(self.data[name].dims):
                    file[name].dims[axis].attach_scale(file[dimension])


def read_spectra(path: Path) -> xr.Dataset:
    """The spectra as a dataset over (time, k). Raises CaseError, naming the file, if it is not ours."""
    try:
        return _read(path)
    except (OSError, KeyError) as error:
        raise CaseError(
            f"{path} is damaged or was not written by whorl ({error}); remove it, and spectra begin anew."
        ) from None


def _read(path: Path) -> xr.Dataset:
    with h5py.File(path, "r") as file:
        data = xr.Dataset(
            {name: (("time", "k"), file[name][:]) for name in VARIABLES},
            {name: file[name][:] for name in ("time", "k")},
        )
        data["step"] = ("time", file["step"][:])
    return _describe(data)


def _empty(k: np.ndarray) -> xr.Dataset:
    data = xr.Dataset(
        {name: (("time", "k"), np.empty((0, k.size))) for name in VARIABLES}, {"time": np.empty(0), "k": k}
    )
    data["step"] = ("time", np.empty(0, int))
    return _describe(data)


def _describe(data: xr.Dataset) -> xr.Dataset:
    for name, (unit, meaning) in (VARIABLES | COORDINATES).items():
        data[name].attrs = {"units": unit or "1", "long_name": meaning}
    return data

"""Reads probes.h5 and particles.h5: a group for each probe, or group of particles, as datasets over time."""

from pathlib import Path
from typing import TYPE_CHECKING

from whorl.base.errors import CaseError
from whorl.output.diagnostic_files import read_diagnostics

if TYPE_CHECKING:
    import xarray as xr


ARRAYS = ("amplitude", "value", "position", "velocity")


def read_probes(path: Path) -> "dict[str, xr.Dataset]":
    """The probes in a file, amplitudes of modes as complex numbers. Raises CaseError."""
    return {name: as_complex(data) for name, data in read_groups(path).items()}


def as_complex(data: "xr.Dataset") -> "xr.Dataset":
    """The same with one complex number in place of its parts."""
    if "part" not in data.dims:
        return data
    amplitude = data["amplitude"]
    whole = amplitude.sel(part="real", drop=True) + 1j * amplitude.sel(part="imaginary", drop=True)
    return data.drop_vars(["amplitude", "part"]).assign(amplitude=whole.assign_attrs(amplitude.attrs))


def read_groups(path: Path) -> "dict[str, xr.Dataset]":
    """The groups of the file as they are, amplitudes by parts. Raises CaseError."""
    if not path.is_file():
        raise CaseError(f"there is no {path}: the case has no [[{path.stem}]], or none has been written yet.")
    there = read_diagnostics(path)
    return {
        name: data.set_coords([key for key in data.data_vars if key not in ARRAYS])
        for name, data in there.items()
    }

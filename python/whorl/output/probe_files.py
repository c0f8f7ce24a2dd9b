"""Reads probes.h5 and particles.h5: a group for each probe, or group of particles, as datasets over time."""

from pathlib import Path
from typing import TYPE_CHECKING

from whorl.base.errors import CaseError
from whorl.output.diagnostic_files import read_diagnostics
from whorl.output.growing_file import GrowingFile

if TYPE_CHECKING:
    import xarray as xr


ARRAYS = ("amplitude", "value", "position", "velocity")


def read_probes(path: Path) -> "dict[str, xr.Dataset]":
    """The probes in a file, amplitudes of modes as complex numbers. Raises CaseError."""
    return {name: as_complex(data) for name, data in read_groups(path).items()}


def as_complex(data: "xr.Dataset") -> "xr.Dataset":
    """The data with one complex number in place of its parts."""
    if "part" not in data.dims:
        return data
    amplitude = data["amplitude"]
    whole = amplitude.sel(part="real", drop=True) + 1j * amplitude.sel(part="imaginary", drop=True)
    return data.drop_vars(["amplitude", "part"]).assign(amplitude=whole.assign_attrs(amplitude.attrs))


def read_groups(path: Path) -> "dict[str, xr.Dataset]":
    """The groups of the file as they are, amplitudes by parts. Raises CaseError."""
    if not path.is_file():
        raise nothing_there(path)
    return {name: of_group(data) for name, data in read_diagnostics(path).items()}


def nothing_there(path: Path) -> CaseError:
    """The error for a missing file."""
    return CaseError(f"there is no {path}: the case has no [[{path.stem}]], or none has been written yet.")


def of_group(data: "xr.Dataset") -> "xr.Dataset":
    """The data with all but the arrays as coordinates."""
    return data.set_coords([key for key in data.data_vars if key not in ARRAYS])


def read_paths(path: Path) -> "dict[str, xr.Dataset]":
    """The groups in a growing file, with arrays [time][particle]. Raises CaseError."""
    if not path.is_file():
        raise nothing_there(path)
    return {name: ordered(of_group(data), "time") for name, data in GrowingFile(path).read().items()}


def ordered(data: "xr.Dataset", order: str) -> "xr.Dataset":
    """Arrays over time and particles, with the axis `order` first."""
    return data.transpose(*(("particle", "time") if order == "particle" else ("time", "particle")), ...)

"""Reads probes.h5: a group for each probe, as datasets over time."""

from pathlib import Path
from typing import TYPE_CHECKING

from whorl.output.growing_file import GrowingFile

if TYPE_CHECKING:
    import xarray as xr

ARRAYS = ("amplitude", "value")


def read_probes(path: Path) -> "dict[str, xr.Dataset]":
    """The probes in a file, amplitudes of modes as complex numbers. Raises CaseError."""
    return {name: as_complex(_with_coordinates(data)) for name, data in GrowingFile(path).read().items()}


def as_complex(data: "xr.Dataset") -> "xr.Dataset":
    """The data with one complex number in place of its parts."""
    if "part" not in data.dims:
        return data
    amplitude = data["amplitude"]
    whole = amplitude.sel(part="real", drop=True) + 1j * amplitude.sel(part="imaginary", drop=True)
    return data.drop_vars(["amplitude", "part"]).assign(amplitude=whole.assign_attrs(amplitude.attrs))


def _with_coordinates(data: "xr.Dataset") -> "xr.Dataset":
    """The data with all but the arrays as coordinates."""
    return data.set_coords([key for key in data.data_vars if key not in ARRAYS])

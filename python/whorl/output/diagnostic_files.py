"""diagnostics.h5: what the diagnostics of a case measured, a group for each, at the times written.

A group has `time`, `step`, the axes and the arrays (time, …) of its diagnostic, with units and dimension
scales, and as attributes its kind, meaning and options: xarray opens it by `open_dataset(path, group=NAME)`.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import xarray as xr

from whorl.base.errors import CaseError
from whorl.base.hdf5 import open_hdf5, python_value, text_type

if TYPE_CHECKING:
    import h5py


def write_group(file: "h5py.File", name: str, data: xr.Dataset, rows: int | None = None) -> None:
    """Write a dataset over time as a group that can grow, by so many rows at a time if they are given."""
    group = file.create_group(name)
    group.attrs.update(data.attrs)
    for key, variable in data.variables.items():
        values = variable.values
        if values.dtype.kind in "UO":
            values = values.astype(object)
        over_time = variable.dims[:1] == ("time",)
        chunks = (rows, *values.shape[1:]) if rows else True
        growing = {"maxshape": (None, *values.shape[1:]), "chunks": chunks} if over_time else {}
        if values.dtype.kind == "O":
            made = group.create_dataset(key, data=list(values), dtype=text_type(file), **growing)
        else:
            made = group.create_dataset(key, shape=values.shape, dtype=values.dtype, data=values, **growing)
        made.attrs.update(variable.attrs)
        if key in data.data_vars:
            made.attrs["coordinates"] = "step"  # by which other readers know that it is one
    for key in data.dims:
        group[key].make_scale(key)
    for key, variable in data.variables.items():
        if variable.dims != (key,):
            for place, dimension in enumerate(variable.dims):
                group[key].dims[place].attach_scale(group[dimension])


def read_diagnostics(path: Path) -> dict[str, xr.Dataset]:
    """The groups of the file, each as a dataset over time. Raises CaseError if it is damaged or not there."""
    if not path.is_file():
        raise CaseError(
            f"there is no {path}: the case has no [[diagnostics]], or none has been measured yet."
        )
    try:
        with open_hdf5(path) as file:
            return {name: _read_group(group) for name, group in file.items()}
    except (OSError, KeyError, RuntimeError) as error:
        raise CaseError(
            f"{path} is damaged or was not written by whorl ({error}); remove it, and diagnostics begin anew."
        ) from None


def _read_group(group: "h5py.Group") -> xr.Dataset:
    variables = {}
    for key, data in group.items():
        own = [data.dims[n].keys() for n in range(data.ndim)] if not data.is_scale else [[key]]
        dims = tuple(names[0] for names in own)
        values = data.asstr()[:] if data.dtype.kind == "O" else data[()]
        told = {
            name: python_value(value) for name, value in data.attrs.items() if name in ("units", "long_name")
        }
        variables[key] = (dims, values, told)
    coordinates = {key for key, (dims, *_) in variables.items() if dims == (key,)} | {"step"}
    attributes = {name: python_value(value) for name, value in group.attrs.items()}
    return xr.Dataset(
        {key: of for key, of in variables.items() if key not in coordinates},
        {key: of for key, of in variables.items() if key in coordinates},
        attributes,
    )

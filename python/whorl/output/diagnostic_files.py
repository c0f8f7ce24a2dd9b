"""diagnostics.h5: what the diagnostics of a case measured, a group for each, at the times written.

A group has `time`, `step`, the axes and the arrays (time, …) of its diagnostic, with units and dimension
scales, and as attributes its kind, meaning and options: xarray opens it by `open_dataset(path, group=NAME)`.
"""

import math
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from whorl.base.errors import CaseError
from whorl.base.files import check_folder
from whorl.base.hdf5 import open_hdf5, python_value, text_type

if TYPE_CHECKING:
    import h5py
    import xarray as xr


MOST_OF_CHUNK = 1 << 24  # bytes
TOLD = ("units", "long_name", "over_time", "weighted_by", "about")  # attributes of an array


def write_group(file: "h5py.File", name: str, data: "xr.Dataset", rows: int | None = None) -> None:
    """Write a dataset over time as a group that can grow, by so many rows at a time if they are given."""
    group = file.create_group(name)
    group.attrs.update(data.attrs)
    for key, variable in data.variables.items():
        values = variable.values
        if values.dtype.kind in "UO":
            values = values.astype(object)
        over_time = variable.dims[:1] == ("time",)
        chunks = _chunks(rows, values) if rows else True
        growing = {"maxshape": (None, *values.shape[1:]), "chunks": chunks} if over_time else {}
        if values.dtype.kind == "O":
            made = group.create_dataset(key, data=list(values), dtype=text_type(file), **growing)
        else:
            made = group.create_dataset(key, shape=values.shape, dtype=values.dtype, data=values, **growing)
        made.attrs.update(variable.attrs)
        if key in data.data_vars and "step" in data.coords:
            made.attrs["coordinates"] = "step"  # by which other readers know that it is one
    for key in data.dims:
        group[key].make_scale(key)
    for key, variable in data.variables.items():
        if variable.dims != (key,):
            for place, dimension in enumerate(variable.dims):
                group[key].dims[place].attach_scale(group[dimension])


def _chunks(rows: int, values: np.ndarray) -> tuple[int, ...]:
    """So many rows together, or parts of one row that is large, which HDF5 limits."""
    _, *shape = values.shape
    if shape:
        each = values.itemsize * math.prod(shape[1:])
        shape[0] = max(1, min(shape[0], MOST_OF_CHUNK // max(each * rows, 1)))
    return (rows, *shape)


def check_replaceable(path: Path, what: str, about: str) -> None:
    """Raises CaseError, calling the file by `what`, unless there is none or one with this `about`."""
    check_folder(path, f"the {what} {path}")
    if path.is_dir():
        raise CaseError(f"{path} is a directory; name a file in it.")
    if path.exists():
        with suppress(OSError), open_hdf5(path) as file:
            if file.attrs.get("about") == about:
                return
        raise CaseError(f"{path} is no earlier {what}, so it is not replaced; choose another with -o.")


def append_states(group: "h5py.Group", states: "xr.Dataset") -> None:
    """Append states to a group of the same diagnostic or probe."""
    if not (count := states.sizes["time"]):
        return
    for key, variable in states.variables.items():
        if variable.dims[:1] == ("time",):
            data = group[key]
            data.resize(data.shape[0] + count, axis=0)
            data[-count:] = variable.values


def cut_group(group: "h5py.Group", states: int) -> None:
    """Cut a group to its first states."""
    for data in group.values():
        if data.maxshape[:1] == (None,):
            data.resize(states, axis=0)


def read_diagnostics(path: Path, *, without_arrays: bool = False) -> "dict[str, xr.Dataset]":
    """The groups of the file, each as a dataset over time, or only its coordinates.

    Raises CaseError if it is damaged or not there.
    """
    if not path.is_file():
        raise CaseError(
            f"there is no {path}: the case has no [[diagnostics]], or none has been measured yet."
        )
    try:
        with open_hdf5(path) as file:
            return {name: _read_group(group, without_arrays) for name, group in file.items()}
    except (OSError, KeyError, RuntimeError) as error:
        raise CaseError(
            f"{path} is damaged or was not written by whorl ({error}); remove it, and diagnostics begin anew."
        ) from None


def _read_group(group: "h5py.Group", without_arrays: bool) -> "xr.Dataset":
    import xarray as xr

    variables = {}
    for key, data in group.items():
        if without_arrays and not data.is_scale and key != "step":
            continue
        own = [data.dims[n].keys() for n in range(data.ndim)] if not data.is_scale else [[key]]
        dims = tuple(names[0] for names in own)
        values = data.asstr()[:] if data.dtype.kind == "O" else data[()]
        told = {name: python_value(value) for name, value in data.attrs.items() if name in TOLD}
        variables[key] = (dims, values, told)
    coordinates = {key for key, (dims, *_) in variables.items() if dims == (key,)} | {"step"}
    attributes = {name: python_value(value) for name, value in group.attrs.items()}
    return xr.Dataset(
        {key: of for key, of in variables.items() if key not in coordinates},
        {key: of for key, of in variables.items() if key in coordinates},
        attributes,
    )

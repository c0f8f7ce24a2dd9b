"""Groups of datasets over time in an HDF5 file: written, appended to, cut and read.

A group has `time`, `step`, the axes and the arrays (time, …), with units and dimension scales. Its attributes
say what it holds. xarray opens it by `open_dataset(path, group=NAME)`.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from whorl.base.errors import CaseError
from whorl.base.files import check_folder
from whorl.base.hdf5 import DAMAGE, members, open_hdf5, python_value, text_type

if TYPE_CHECKING:
    import h5py
    import xarray as xr


MOST_OF_CHUNK = 1 << 24  # bytes
TOGETHER, ROWS_TOGETHER = 1 << 18, 32  # bytes and rows of a chunk of an array whose first axis is not time
CHUNK_BYTES = 1 << 18  # of some rows of a table of many
TOLD = ("units", "long_name", "over_time", "weighted_by", "about")  # attributes of an array


class Variable(NamedTuple):
    """An array with its dimensions and attributes, without xarray, which takes long to import."""

    dims: tuple[str, ...]
    values: np.ndarray
    attrs: dict[str, Any]


def write_group(
    file: "h5py.File", name: str, data: "xr.Dataset", rows: int | None = None, *, grows: bool = True
) -> None:
    """Write a dataset over time as a group, which can grow; its chunks have `rows` rows, if given."""
    group = file.create_group(name)
    group.attrs.update(data.attrs)
    variables = {key: Variable(one.dims, one.values, one.attrs) for key, one in data.variables.items()}
    write_variables(group, variables, list(map(str, data.dims)), rows, grows=grows, at_steps=data.data_vars)


def write_variables(
    group: "h5py.Group",
    variables: Mapping[str, Variable],
    dimensions: Sequence[str],
    rows: int | None = None,
    *,
    grows: bool,
    at_steps: Collection[str] = (),
) -> None:
    """Write variables; those `at_steps` name the coordinate `step`, so that other readers find it."""
    for key, one in variables.items():
        values = one.values.astype(object) if one.values.dtype.kind == "U" else one.values
        growing = _growing(one, rows) if grows and "time" in one.dims else {}
        if values.dtype.kind == "O":
            made = group.create_dataset(key, data=list(values), dtype=text_type(group.file), **growing)
        else:
            made = group.create_dataset(key, shape=values.shape, dtype=values.dtype, data=values, **growing)
        made.attrs.update(one.attrs)
        if key in at_steps and "step" in variables:
            made.attrs["coordinates"] = "step"
    for key in dimensions:
        group[key].make_scale(key)
    for key, one in variables.items():
        if one.dims != (key,):
            for place, dimension in enumerate(one.dims):
                group[key].dims[place].attach_scale(group[dimension])


def write_rows(file: "h5py.File", name: str, data: "xr.Dataset") -> None:
    """Write a dataset of many rows as a group that can grow."""
    row = sum(one.nbytes for one in data.data_vars.values()) // max(data.sizes["time"], 1)
    write_group(file, name, data, rows=int(np.clip(CHUNK_BYTES // max(row, 1), 1, 4096)))


def _growing(variable: Variable, rows: int | None) -> dict[str, Any]:
    """Storage of a variable that grows along time; its chunks have `rows` rows, or h5py chooses them."""
    time = variable.dims.index("time")
    most = tuple(None if axis == time else size for axis, size in enumerate(variable.values.shape))
    return {"maxshape": most, "chunks": _chunks(rows, variable.values, time) if rows else True}


def _chunks(rows: int, values: np.ndarray, time: int) -> tuple[int, ...]:
    """The shape of chunks of `rows` rows, or of parts of large rows: HDF5 limits the size of chunks."""
    if time:
        # A chunk has a few entries of the first axis, and ROWS_TOGETHER successive rows of each.
        each = values.itemsize * math.prod(values.shape[time + 1 :])
        together = max(1, min(values.shape[0], TOGETHER // (each * ROWS_TOGETHER)))
        return (together, ROWS_TOGETHER, *values.shape[time + 1 :])
    _, *shape = values.shape
    if shape:
        each = values.itemsize * math.prod(shape[1:])
        shape[0] = max(1, min(shape[0], MOST_OF_CHUNK // max(each * rows, 1)))
    return (rows, *shape)


def check_replaceable(path: Path, what: str, about: str) -> None:
    """Raises CaseError, naming the file `what`, unless `path` is free or a file with this `about`."""
    check_folder(path, f"the {what} {path}")
    if path.is_dir():
        raise CaseError(f"{path} is a directory; name a file in it.")
    if path.exists():
        with suppress(OSError), open_hdf5(path) as file:
            if file.attrs.get("about") == about:
                return
        raise CaseError(f"{path} is no earlier {what}, so it is not replaced; choose another with -o.")


def append_states(group: "h5py.Group", states: "xr.Dataset") -> None:
    """Append states to a group with the same arrays."""
    if not (count := states.sizes["time"]):
        return
    for key, variable in states.variables.items():
        if "time" in variable.dims:
            time, data = variable.dims.index("time"), group[key]
            there = data.shape[time]
            data.resize(there + count, axis=time)
            data[(*(slice(None),) * time, slice(there, None))] = variable.values


def cut_group(group: "h5py.Group", states: int) -> None:
    """Cut a group to its first states."""
    for data in group.values():
        if None in data.maxshape:
            data.resize(states, axis=data.maxshape.index(None))


@contextmanager
def damage_named(path: Path) -> Iterator[None]:
    """Raises CaseError, naming the file, for errors by damage in the block that reads it."""
    try:
        yield
    except DAMAGE as error:
        raise CaseError(
            f"{path} is damaged or was not written by whorl ({error}); remove it to start a new one."
        ) from None


def read_group(group: "h5py.Group", without_arrays: bool = False) -> "xr.Dataset":
    """A group as a dataset over time, or only its coordinates."""
    import xarray as xr

    variables = {}
    for key, data in members(group):
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

"""Groups of datasets over time in an HDF5 file: written, appended to, cut and read.

A group has `time`, `step`, the axes and the arrays (time, …), with units and dimension scales. Its attributes
say what it holds. xarray opens it by `open_dataset(path, group=NAME)`.
"""

import math
from collections.abc import Collection, Iterator, Mapping
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


class States(NamedTuple):
    """Arrays over time, their coordinates, `time` and `step` among them, and the attributes of a group."""

    arrays: Mapping[str, Variable]
    coordinates: Mapping[str, Variable]
    attrs: Mapping[str, Any]

    @classmethod
    def of(cls, data: "xr.Dataset") -> "States":
        """The states of a dataset."""
        arrays, coordinates = (
            {str(key): Variable(one.dims, one.values, one.attrs) for key, one in part.items()}
            for part in (data.data_vars, data.coords)
        )
        return cls(arrays, coordinates, data.attrs)

    @property
    def variables(self) -> dict[str, Variable]:
        """All arrays and coordinates."""
        return {**self.arrays, **self.coordinates}


def write_group(
    file: "h5py.File", name: str, states: States, rows: int | None = None, *, grows: bool = True
) -> None:
    """Write states as a group, which can grow; its chunks have `rows` rows, if given."""
    group = file.create_group(name)
    group.attrs.update(states.attrs)
    write_variables(group, states.variables, rows, grows=grows, at_steps=states.arrays)


def write_variables(
    group: "h5py.Group",
    variables: Mapping[str, Variable],
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
    for key in dict.fromkeys(dimension for one in variables.values() for dimension in one.dims):
        group[key].make_scale(key)
    for key, one in variables.items():
        if one.dims != (key,):
            for place, dimension in enumerate(one.dims):
                group[key].dims[place].attach_scale(group[dimension])


def write_rows(file: "h5py.File", name: str, states: States) -> None:
    """Write many rows as a group that can grow."""
    row = sum(one.values.nbytes for one in states.arrays.values())
    row //= max(len(states.coordinates["time"].values), 1)
    write_group(file, name, states, rows=int(np.clip(CHUNK_BYTES // max(row, 1), 1, 4096)))


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


def append_states(group: "h5py.Group", states: States) -> None:
    """Append states after the last one of a group with the same arrays."""
    steps, there = states.coordinates["step"].values, group["step"]
    first = np.searchsorted(steps, there[-1], side="right") if len(there) else 0
    if first == len(steps):
        return
    for key, one in states.variables.items():
        if "time" in one.dims:
            before, data = (slice(None),) * one.dims.index("time"), group[key]
            count = data.shape[len(before)]
            data.resize(count + len(steps) - first, axis=len(before))
            data[(*before, slice(count, None))] = one.values[(*before, slice(first, None))]


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

    return xr.Dataset(*read_states(group, without_arrays))


def read_states(group: "h5py.Group", without_arrays: bool = False) -> States:
    """The states of a group, or only their coordinates."""
    variables = {}
    for key, data in members(group):
        if without_arrays and not data.is_scale and key != "step":
            continue
        own = [data.dims[n].keys() for n in range(data.ndim)] if not data.is_scale else [[key]]
        dims = tuple(names[0] for names in own)
        values = data.asstr()[:] if data.dtype.kind == "O" else data[()]
        told = {name: python_value(value) for name, value in data.attrs.items() if name in TOLD}
        variables[key] = Variable(dims, values, told)
    coordinates = {key: one for key, one in variables.items() if key == "step" or one.dims == (key,)}
    arrays = {key: one for key, one in variables.items() if key not in coordinates}
    attributes = {name: python_value(value) for name, value in group.attrs.items()}
    return States(arrays, coordinates, attributes)

"""Snapshots (VTKHDF image data) for xarray: `open_dataset("00000100.vtkhdf", engine="whorl")`.

Without the engine named, xarray takes them for netCDF: the same fields and positions, but no units, and the
time among the attributes.
"""

import os
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import xarray as xr
from xarray.backends import BackendArray, BackendEntrypoint
from xarray.core import indexing

ROOT = "VTKHDF"
UNITS = {"velocity": "length/time", "vorticity": "1/time"}


class SnapshotBackend(BackendEntrypoint):
    """Opens a snapshot of whorl: variables (z, y, x, component), coordinates x, y, z, component and time."""

    description = "Snapshots of whorl (VTKHDF image data)"

    def open_dataset(self, filename_or_obj: Any, *, drop_variables: Any = None) -> xr.Dataset:
        path = Path(os.fspath(filename_or_obj))
        with h5py.File(path, "r") as file:
            image = file[ROOT]
            attributes = {name: _plain(value) for name, value in file.attrs.items()}
            variables = {
                name: _lazy(path, data)
                for name, data in image["PointData"].items()
                if name not in (drop_variables or ())
            }
            coordinates = _coordinates(image)
        coordinates["time"] = ((), attributes["time"], {"units": "time"})
        return xr.Dataset(variables, coordinates, attributes)

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        return isinstance(filename_or_obj, str | os.PathLike) and Path(filename_or_obj).suffix == ".vtkhdf"


def open_snapshot(path: str | Path) -> xr.Dataset:
    """A snapshot as a dataset whose fields stay on disk until used."""
    return xr.open_dataset(path, engine=SnapshotBackend, cache=False)


class _DatasetOnDisk(BackendArray):
    """Reads the asked part of one HDF5 dataset, the file being open only meanwhile."""

    def __init__(self, path: Path, dataset: h5py.Dataset):
        self.path = path
        self.name = dataset.name
        self.shape = dataset.shape
        self.dtype = dataset.dtype

    def __getitem__(self, key: indexing.ExplicitIndexer) -> np.ndarray:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.BASIC, self._read)

    def _read(self, key: tuple) -> np.ndarray:
        with h5py.File(self.path, "r") as file:
            return file[self.name][key]


def _lazy(path: Path, dataset: h5py.Dataset) -> xr.Variable:
    name = dataset.name.rpartition("/")[2]
    dimensions = ("z", "y", "x", "component")[-dataset.ndim :]  # two-dimensional flow has no z
    array = indexing.LazilyIndexedArray(_DatasetOnDisk(path, dataset))
    return xr.Variable(dimensions, array, {"units": UNITS.get(name, "1")})


def _coordinates(image: h5py.Group) -> dict[str, Any]:
    extent, spacing, origin = (image.attrs[name] for name in ("WholeExtent", "Spacing", "Origin"))
    axes = {
        axis: (
            axis,
            origin[i] + spacing[i] * np.arange(extent[2 * i], extent[2 * i + 1] + 1),
            {"units": "length"},
        )
        for i, axis in enumerate("xyz")
    }
    return {**axes, "component": ["x", "y", "z"]}


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode()
    return value.item() if isinstance(value, np.generic) else value

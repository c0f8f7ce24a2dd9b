"""Snapshots (VTKHDF image data) for xarray: `open_dataset("00000100.vtkhdf", engine="whorl")`.

Without a named engine, xarray opens them as netCDF, with the same fields and positions, but without units and
with the time among the attributes.
"""

import os
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from xarray.backends import BackendArray, BackendEntrypoint
from xarray.core import indexing

from whorl.base.dimension import UNITS_OF_CASE, common
from whorl.base.errors import CaseError
from whorl.base.hdf5 import open_hdf5, python_value
from whorl.config.case import Case
from whorl.expressions.case import snapshot_expressions
from whorl.models import DEFAULT, MODELS, declared_by
from whorl.output.snapshot_format import LAST, ROOT, scalars_in

if TYPE_CHECKING:
    import h5py


class SnapshotBackend(BackendEntrypoint):
    """The backend of xarray that opens a snapshot, by `engine="whorl"` or by its ending .vtkhdf.

    Examples
    --------
    >>> snapshot = xarray.open_dataset("vortex/snapshots/00000100.vtkhdf", engine="whorl")
    >>> plane = snapshot["vorticity"].isel(z=0)
    """

    description = "Snapshots of whorl (VTKHDF image data)"

    def open_dataset(self, filename_or_obj: Any, *, drop_variables: Any = None) -> xr.Dataset:
        """Open a snapshot, whose fields stay on disk until they are used.

        Parameters
        ----------
        filename_or_obj : str or path-like
            The file, STEP.vtkhdf.
        drop_variables : str or iterable of str, optional
            Fields to leave out.

        Returns
        -------
        Dataset
            The fields, with units, over (z, y, x), followed by `component` for vectors and by `part` for ψ,
            with the coordinates x, y and z, and `time`. The dataset has the attributes of the file, such as
            its step and its case.

        Raises
        ------
        CaseError
            If h5py is not installed.
        """
        path = Path(os.fspath(filename_or_obj))
        dropped = [drop_variables] if isinstance(drop_variables, str) else list(drop_variables or ())
        with open_hdf5(path) as file:
            image = file[ROOT]
            attributes = {name: python_value(value) for name, value in file.attrs.items()}
            coordinates = _coordinates(image)
            units, names = _about(attributes)
            variables = {}
            for name, data in image["PointData"].items():
                own = names.get(name, name)
                if own not in dropped:
                    variables[own] = _lazy(path, data, coordinates, units.get(own, UNITS_OF_CASE))
        present = {dimension for variable in variables.values() for dimension in variable.dims}
        coordinates |= {label: values for label, values in LAST.values() if label in present}
        coordinates["time"] = ((), attributes["time"], {"units": "time"})
        return xr.Dataset(variables, coordinates, attributes)

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Return whether a path is that of a snapshot, by its ending .vtkhdf."""
        return isinstance(filename_or_obj, str | os.PathLike) and Path(filename_or_obj).suffix == ".vtkhdf"


def open_snapshot(path: str | Path) -> xr.Dataset:
    """Open a snapshot as a dataset whose fields stay on disk until used.

    Parameters
    ----------
    path : str or Path
        The file, STEP.vtkhdf.

    Returns
    -------
    Dataset
        The fields over (z, y, x) and component, with units; see `SnapshotBackend.open_dataset`.
    """
    return xr.open_dataset(path, engine=SnapshotBackend, cache=False)


def open_snapshots(paths: Sequence[Path], times: Sequence[float]) -> xr.Dataset:
    """Open snapshots of one run as a dataset over time; its fields stay on disk until used.

    Parameters
    ----------
    paths : sequence of Path
        The files, in the order of time.
    times : sequence of float
        The time of each, in the case's unit of time.

    Returns
    -------
    Dataset
        The fields over (time, z, y, x, component), with `step` over `time`; without snapshots it has no field
        and no time.

    Notes
    -----
    Only the first and the last snapshot are opened; the dataset has the fields of both. Another snapshot that
    lacks a field raises KeyError when it is read.
    """
    if not paths:
        return xr.Dataset(coords={"time": ("time", np.empty(0), {"units": "time"})})
    first, last = open_snapshot(paths[0]), open_snapshot(paths[-1])
    variables = {
        name: (
            ("time", *field.dims),
            indexing.LazilyIndexedArray(
                _FieldOverTime(
                    paths,
                    field.encoding["path"],
                    (len(paths), *field.shape),
                    np.result_type(field.dtype, last[name].dtype),
                )
            ),
            field.attrs,
        )
        for name, field in first.data_vars.items()
        if name in last.data_vars
    }
    steps = [int(path.stem) for path in paths]
    coordinates = {name: values for name, values in first.coords.items() if name != "time"}
    coordinates |= {"time": ("time", list(times), {"units": "time"}), "step": ("time", steps)}
    own = ("time", "step", "format", "version")
    about = {name: value for name, value in first.attrs.items() if name not in own}
    return xr.Dataset(variables, coordinates, about)


class _FieldOverTime(BackendArray):
    """Reads the requested part of a field from its snapshots, one file after another."""

    def __init__(self, paths: Sequence[Path], name: str, shape: tuple[int, ...], dtype: np.dtype):
        self.paths = tuple(paths)
        self.name = name
        self.shape = shape
        self.dtype = dtype

    def __getitem__(self, key: indexing.ExplicitIndexer) -> np.ndarray:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.BASIC, self._read)

    def _read(self, key: tuple) -> np.ndarray:
        chosen, inner = self.paths[key[0]], key[1:]
        if isinstance(chosen, Path):
            return self._of(chosen, inner)
        parts = [self._of(path, inner) for path in chosen]
        return (
            np.stack(parts)
            if parts
            else np.empty((0, *np.empty(self.shape[1:], "?")[inner].shape), self.dtype)
        )

    def _of(self, path: Path, key: tuple) -> np.ndarray:
        with open_hdf5(path) as file:
            if self.name not in file:
                raise KeyError(f"{path} has no {self.name.rpartition('/')[2]}; other snapshots of the run do")
            return file[self.name][key].astype(self.dtype, copy=False)


class _DatasetOnDisk(BackendArray):
    """Reads the requested part of an HDF5 dataset; the file is open only during the read."""

    def __init__(self, path: Path, dataset: "h5py.Dataset"):
        self.path = path
        self.name = dataset.name
        self.shape = dataset.shape
        self.dtype = dataset.dtype

    def __getitem__(self, key: indexing.ExplicitIndexer) -> np.ndarray:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.BASIC, self._read)

    def _read(self, key: tuple) -> np.ndarray:
        with open_hdf5(self.path) as file:
            return file[self.name][key]


def _about(attributes: dict[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Units of the fields, and names of the scalars by their names in the file, from the case in it."""
    sections = tomllib.loads(attributes.get("case", ""))
    model = declared_by(sections.get("flow", {})) or MODELS[DEFAULT]
    units = {name: field.unit for name, field in model.outputs.items()}
    scalars = {scalar["name"]: "1" for scalar in sections.get("scalars", [])}
    return units | scalars | _of_expressions(attributes.get("case", "")), scalars_in(attributes)


@lru_cache(maxsize=16)
def _of_expressions(text: str) -> dict[str, str]:
    """The units of the fields that are expressions in a case; those that this version of whorl can read."""
    units = {}
    with suppress(CaseError):
        case = Case.of_run(tomllib.loads(text))
        parser = case.planned.questions().parser
        for name, expression in snapshot_expressions(case).items():
            with suppress(CaseError):
                units[name] = str(common([parser.parse(expression).unit])) or "1"
    return units


def _lazy(path: Path, dataset: "h5py.Dataset", coordinates: dict[str, Any], unit: str) -> xr.Variable:
    """The dataset on disk. It may lack an axis of one point (two-dimensional flow) or of one component."""
    axes = [axis for axis in "zyx" if coordinates[axis][1].size > 1]
    if dataset.shape[: len("zyx")] == tuple(coordinates[axis][1].size for axis in "zyx"):
        axes = ["z", "y", "x"]
    last = [LAST[dataset.shape[-1]][0]] if dataset.ndim > len(axes) else []
    array = indexing.LazilyIndexedArray(_DatasetOnDisk(path, dataset))
    return xr.Variable((*axes, *last), array, {"units": unit}, {"path": dataset.name})


def _coordinates(image: "h5py.Group") -> dict[str, Any]:
    extent, spacing, origin = (image.attrs[name] for name in ("WholeExtent", "Spacing", "Origin"))
    return {
        axis: (
            axis,
            origin[i] + spacing[i] * np.arange(extent[2 * i], extent[2 * i + 1] + 1),
            {"units": "length"},
        )
        for i, axis in enumerate("xyz")
    }

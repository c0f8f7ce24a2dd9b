"""Initial fields in files: a snapshot of whorl, or arrays (nz, ny, nx) in HDF5 or npz."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from whorl.errors import CaseError

SUFFIXES = {1: ("",), 2: ("_real", "_imaginary"), 3: ("_x", "_y", "_z")}

# Of a block z0:z1, y0:y1 of one component.
Reader = Callable[[int, int, int, int], np.ndarray]


def names_of(field: str, components: int) -> list[str]:
    """What arrays are called: u, v, w; magnetic_x …; psi_real, psi_imaginary; temperature."""
    return ["u", "v", "w"] if field == "velocity" else [field + end for end in SUFFIXES[components]]


def check_file(path: str, field: str, components: int, points: tuple[int, int, int], place: str) -> None:
    """Raises CaseError, naming the option `place`, unless the file holds the field in the grid's shape."""
    nx, ny, nz = points
    names = names_of(field, components)
    try:
        with _open(Path(path)) as file:
            own = _in_snapshot(field)
            found = [own] if own in file else names
            shapes = {name: _grid_shape(file[name].shape, name == own and components > 1) for name in found}
    except (OSError, KeyError, ValueError) as error:
        listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        raise CaseError(
            f"{place} = {path} cannot be used: {error}. It must be a whorl snapshot with {field}, "
            f"or an HDF5 (.h5) or NumPy (.npz) file with {listed}."
        ) from None
    for name, shape in shapes.items():
        if shape != (nz, ny, nx):
            raise CaseError(
                f"{place} = {path} holds {name} of shape {shape}; grid.points asks for (nz, ny, nx) = "
                f"{(nz, ny, nx)}."
            )


@contextmanager
def open_field(path: str, field: str, components: int) -> Iterator[list[Reader]]:
    """A reader for each component, while the file is open."""
    with _open(Path(path)) as file:
        own = _in_snapshot(field)
        if own in file and components > 1:
            yield [_reader(file[own], (..., part)) for part in range(components)]
        else:
            names = [own] if own in file else names_of(field, components)
            yield [_reader(file[name], ()) for name in names]


def _reader(data: Any, last: tuple) -> Reader:
    """Of the array `data` (nz, ny, nx), or (ny, nx) where the flow is flat; `last` takes one component."""
    dimensions = data.ndim - (1 if last else 0)

    def read(z0: int, z1: int, y0: int, y1: int) -> np.ndarray:
        if dimensions == 2:
            return data[(slice(y0, y1), *last)][None]
        return data[(slice(z0, z1), slice(y0, y1), *last)]

    return read


def _open(path: Path) -> Any:
    return np.load(path) if path.suffix == ".npz" else h5py.File(path, "r")


def _in_snapshot(field: str) -> str:
    return f"VTKHDF/PointData/{field}"


def _grid_shape(shape: tuple[int, ...], with_components: bool) -> tuple[int, ...]:
    """(nz, ny, nx) of an array; a vector of a snapshot ends with the components, a flat one has no z."""
    points = shape[:-1] if with_components else shape
    return (1, *points) if len(points) == 2 else points

"""HDF5 files by h5py, imported when the first file is opened: runs without HDF5 files do not need it."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.base.errors import CaseError

if TYPE_CHECKING:
    import h5py


# Exceptions that h5py raises if a part of a file is damaged.
DAMAGE = (OSError, KeyError, IndexError, RuntimeError, TypeError, ValueError)


def has_h5py() -> bool:
    return importlib.util.find_spec("h5py") is not None


def open_hdf5(path: Path, mode: str = "r") -> "h5py.File":
    """Opens a file. Raises CaseError if h5py is not installed."""
    return _h5py(path).File(path, mode)


def is_hdf5(path: Path) -> bool:
    """Whether an existing file begins like an HDF5 file. Raises CaseError if h5py is not installed."""
    return _h5py(path).is_hdf5(path)


def text_type(file: "h5py.File") -> Any:
    """The type of strings of variable length in an open file."""
    return _h5py(Path(file.filename)).string_dtype()


def python_value(value: Any) -> Any:
    """An attribute as a Python value: text from bytes, a number from NumPy's."""
    if isinstance(value, bytes):
        return value.decode()
    return value.item() if isinstance(value, np.generic) else value


def members(group: Any) -> Iterator[tuple[str, Any]]:
    """Names and contents of a group. Raises OSError if the file does not contain a member it names."""
    for name, content in group.items():
        if content is None:
            raise OSError(f"{name} cannot be opened")
        yield name, content


def _h5py(path: Path) -> ModuleType:
    if not has_h5py():
        raise CaseError(f"{path} needs h5py, which is not installed: pip install h5py.")
    import h5py

    return h5py

"""Checks that files and scripts give real numbers: NumPy converts other values without a message."""

from typing import Any

import numpy as np

OTHER_KINDS = {
    "c": "complex numbers",
    "M": "dates",
    "m": "times",
    "S": "text",
    "U": "text",
    "O": "text or other objects",
    "V": "records",
}


def check_real(values: Any, name: str) -> None:
    """Raises ValueError, with the name, unless an array or a data set of HDF5 holds real numbers."""
    kind = values.dtype.kind
    if kind in OTHER_KINDS:
        raise ValueError(f"{name} holds {OTHER_KINDS[kind]}, not real numbers")


def floats(values: Any, name: str) -> np.ndarray:
    """The values of a script as floats. Raises ValueError, with the name, unless they are real numbers."""
    found = np.asarray(values)
    check_real(found, name)
    return found.astype(float)

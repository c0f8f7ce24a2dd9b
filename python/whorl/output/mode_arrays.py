"""The modes of a field as arrays: amplitudes a of exp(i k·x), so that u(x) = Σ a exp(i k·x) over all k.

A periodic x has only kx ≥ 0, because a(−k) is the conjugate of a(k). An axis between walls has only k ≥ 0,
because a cosine has a(−k) = a(k) and a sine a(−k) = −a(k). A mode then stands for two for each of these axes
along which it varies.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.config.case import Grid
from whorl.config.wavenumbers import smallest_wavenumbers
from whorl.output.snapshot_format import LAST

if TYPE_CHECKING:
    import xarray as xr


def labelled(array: np.ndarray, numbers: tuple[np.ndarray, ...], grid: Grid, unit: str) -> "xr.DataArray":
    """Return modes with their wavenumbers and their unit.

    Parameters
    ----------
    array : ndarray
        Amplitudes of shape (components, kx, ky, kz), with one, two or three components.
    numbers : tuple of three ndarray
        The wavenumbers along x, y and z in multiples of the smallest of each axis.
    grid : Grid
        The box, which sets the smallest wavenumbers.
    unit : str
        The unit of the field.

    Returns
    -------
    DataArray
        The amplitudes over (component, kx, ky, kz), with wavenumbers in units of 1/length. A field of one
        component has no dimension `component`; a field of two, a complex field, has `part` instead.
    """
    import xarray as xr

    coordinates: dict[str, Any] = {
        f"k{axis}": (f"k{axis}", n * smallest, {"units": "1/length"})
        for axis, n, smallest in zip("xyz", numbers, smallest_wavenumbers(grid), strict=True)
    }
    dimensions = ["kx", "ky", "kz"]
    if len(array) == 1:
        array = array[0]
    else:
        label, names = LAST[len(array)]
        coordinates[label] = names
        dimensions.insert(0, label)
    return xr.DataArray(array, coordinates, dimensions, attrs={"units": unit})

"""Results of measured structure functions: means over the axes, and scaling exponents."""

import numpy as np
import xarray as xr

from whorl.base.errors import CaseError
from whorl.results.estimate import Rows


def over_axes(data: xr.Dataset, name: str) -> xr.DataArray:
    """The mean of an array over the axes along which it was measured.

    Parameters
    ----------
    data : xarray.Dataset
        The data of a diagnostic `structure-functions`.
    name : str
        The name of the array without its axis, such as "longitudinal" or "signed_transverse".

    Returns
    -------
    xarray.DataArray
        The mean over `r`, which replaces r_x, r_y and r_z.

    Raises
    ------
    CaseError
        If the data have no such array, or the separations along the axes differ.
    """
    found = [data[f"{name}_{axis}"].rename({f"r_{axis}": "r"}) for axis in "xyz" if f"{name}_{axis}" in data]
    if not found:
        known = sorted({str(one)[:-2] for one in data.data_vars if str(one)[-2:] in ("_x", "_y", "_z")})
        raise CaseError(f"The data have no structure functions {name}; known: {', '.join(known) or 'none'}.")
    for one in found[1:]:
        if one["r"].shape != found[0]["r"].shape or not np.allclose(one["r"], found[0]["r"], rtol=1e-12):
            raise CaseError(
                f"The separations of {name} differ from axis to axis; use {name}_x, {name}_y or {name}_z."
            )
    mean = sum(one.assign_coords(r=found[0]["r"].values) for one in found) / len(found)
    return mean.rename(name).assign_attrs(found[0].attrs)


def scaling_exponents(
    states: xr.Dataset, between: tuple[float, float], name: str = "longitudinal", quantity: int = 0
) -> xr.Dataset:
    """Exponents relative to the third order: the slopes of ln S_n over ln S₃ (extended self-similarity).

    Parameters
    ----------
    states : xarray.Dataset
        The data of a diagnostic `structure-functions`, over time.
    between : tuple of float
        The smallest and the largest separation of the fit, in units of length.
    name : str
        "longitudinal", "transverse" or "scalar".
    quantity : int
        The number of the vector or scalar among those measured.

    Returns
    -------
    xarray.Dataset
        `exponent` over `order`, the least-squares slope of the means over the states and axes. The estimator
        of `whorl average`, for its linear part, gives `exponent_error` and `exponent_samples`.

    Raises
    ------
    CaseError
        If the data have fewer than two states or separations, or no third order.

    References
    ----------
    Benzi et al., Phys. Rev. E 48, R29 (1993).
    """
    array = over_axes(states, name)
    array = array.isel({dim: quantity for dim in ("vector", "number") if dim in array.dims})
    array = array.sel(r=(array["r"] >= between[0] * (1 - 1e-9)) & (array["r"] <= between[1] * (1 + 1e-9)))
    if "time" not in array.dims or array.sizes["time"] < 2 or array.sizes["r"] < 2:
        raise CaseError(
            "Scaling exponents need two states and two separations at least; widen `between` or measure more."
        )
    if 3 not in array["order"]:
        raise CaseError("Scaling exponents need the third order; measure up to order 3 or more.")
    order, values = array["order"].values, array.transpose("time", "order", "r").values
    y = Rows(array["time"].values).mean(values).log()
    y -= y.mean()[:, None]
    x = y[order == 3]
    exponent = (x * y).sum() / (x * x).sum()
    found = exponent.variables("exponent", "order", "1", "d ln S_n / d ln S₃")
    return xr.Dataset(found, {"order": order})

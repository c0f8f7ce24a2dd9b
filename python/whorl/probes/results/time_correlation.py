"""Correlations in time of probes, with errors: of series, of modes, and of shells of modes."""

import math
from collections.abc import Sequence

import numpy as np
import xarray as xr

from whorl.base.errors import CaseError
from whorl.probes.mode_shells import SLACK
from whorl.probes.results.correlated_groups import grouped_correlation
from whorl.results.estimate import Estimate


def time_correlation(
    data: xr.DataArray,
    *,
    over: str | Sequence[str] = (),
    longest: float | None = None,
    lags: int = 200,
    resample: bool = False,
    remove_mean: bool = True,
) -> xr.Dataset:
    """Return the correlation in time of series, with errors, and the times that follow from it.

    Parameters
    ----------
    data : DataArray
        The values of a probe over `time` and any other dimensions; real or complex.
    over : str or sequence of str, optional
        Dimensions whose series are correlated together: products and mean squares are summed over them. They
        may be the components of a vector, the points of a homogeneous direction or the modes of a shell.
    longest : float, optional
        The longest lag, at most half of the series; a quarter of it by default.
    lags : int, default 200
        The most lags that are returned in addition to 0, evenly spaced if `longest` has more steps.
    resample : bool, default False
        As for `frequency_spectrum`.
    remove_mean : bool, default True
        Whether the mean of each series is subtracted first. C(τ) is then too low by about twice the integral
        time over the length of the series.

    Returns
    -------
    Dataset
        Over `lag` and the other dimensions: `correlation`, C(τ). Over the other dimensions: `mean_square`,
        ⟨|f|²⟩, summed over `over`; `integral_time`, ∫ C dτ up to the first zero of C; `first_zero`, that
        zero; `micro_time`, (−½ C''(0))^(−½), where C is smooth at τ = 0. Each but the zero has its standard
        error NAME_error and its number of independent samples NAME_samples. Without a zero the integral ends
        at `longest` if C is less than 0.02 there; otherwise it is nan.

    Raises
    ------
    CaseError
        If the data have fewer than 16 times, if steps differ and `resample` is false, if a value is not
        finite, or if `longest` is beyond half of the series.

    Notes
    -----
    The mean over N − m products, for m steps of lag, has no bias but that of the mean. The integral is that
    of straight lines between all steps of lag, and its error that of its linear part. The micro time is that
    of 1 − C = A τ² + B τ⁴ through the two smallest lags. It is nan where 1 − C grows less than threefold from
    one to two steps, as for noise and for series that the steps do not resolve.

    References
    ----------
    S. B. Pope, Turbulent Flows (Cambridge 2000), section 3.6; errors as in docs/method.md.
    """
    together = (over,) if isinstance(over, str) else tuple(over)
    if unknown := [name for name in together if name not in data.dims or name == "time"]:
        there = ", ".join(str(name) for name in data.dims if name != "time")
        raise CaseError(f"the data have no series over {', '.join(unknown)}; known: {there or 'none'}.")
    apart = tuple(str(name) for name in data.dims if name != "time" and name not in together)
    shape = tuple(data.sizes[name] for name in apart)
    each = math.prod(data.sizes[name] for name in together)
    groups = np.repeat(np.arange(math.prod(shape)), each)
    flat = data.transpose("time", *apart, *together)
    names = [*apart, *together]
    found = grouped_correlation(
        flat.stack(series=names, create_index=False) if names else flat.expand_dims("series", -1),
        groups,
        longest=longest,
        lags=lags,
        resample=resample,
        remove_mean=remove_mean,
    )
    kept = {
        name: one for name, one in data.coords.items() if set(one.dims) <= set(apart) and name != "series"
    }
    arrays = {
        name: ((*apart, *one.dims[1:]), one.values.reshape((*shape, *one.shape[1:])), one.attrs)
        for name, one in found.data_vars.items()
    }
    return xr.Dataset(arrays, {**kept, "lag": found["lag"]}, found.attrs)


def mode_correlation(
    data: xr.Dataset,
    *,
    longest: float | None = None,
    lags: int = 200,
    resample: bool = False,
    remove_mean: bool = False,
) -> xr.Dataset:
    """Return the correlation in time of each mode of a probe, C(k, τ), over all its quantities together.

    Parameters
    ----------
    data : Dataset
        A probe of kind "modes", as `RunResults.probes` returns it.
    longest, lags, resample, remove_mean : float, int, bool, bool
        As for `time_correlation`; the mean is kept by default, since that of a slow mode is not of the flow.

    Returns
    -------
    Dataset
        The result of `time_correlation` over `mode` and `lag`, with kx, ky and kz.

    Raises
    ------
    CaseError
        If the probe is not one of modes, or as for `time_correlation`.
    """
    how = {"longest": longest, "lags": lags, "resample": resample, "remove_mean": remove_mean}
    return time_correlation(_amplitudes(data), over="quantity", **how)


def shell_correlation(
    data: xr.Dataset,
    edges: Sequence[float] | None = None,
    *,
    longest: float | None = None,
    lags: int = 200,
    resample: bool = False,
    remove_mean: bool = False,
) -> xr.Dataset:
    """Return the correlation in time C(k, τ) of shells, over all modes and quantities of each together.

    Parameters
    ----------
    data : Dataset
        A probe of kind "modes", as `RunResults.probes` returns it.
    edges : sequence of float, optional
        The edges of the shells, rising, in units of 1/length; a shell has the modes on its lower edge. By
        default the shells are those of the probe.
    longest, lags, resample, remove_mean : float, int, bool, bool
        As for `mode_correlation`.

    Returns
    -------
    Dataset
        The result of `time_correlation` over `shell` and `lag`, with `k`, the mean of |k| of the modes,
        `k_lower`, `k_upper` and `modes`, their number. `mean_square` is the mean over the modes. Shells
        without modes are left out.

    Raises
    ------
    CaseError
        If the probe is not one of modes, if neither it nor `edges` has shells, if no mode lies between the
        edges, or as for `time_correlation`.

    Notes
    -----
    Each mode of the probe counts once.
    """
    amplitudes = _amplitudes(data)
    k = np.sqrt(sum(data[f"k{axis}"].values ** 2 for axis in "xyz"))
    lower, upper, shell = _shells(data, edges, k)
    inside = shell >= 0
    if not inside.any():
        raise CaseError("the probe has no modes between these edges; choose others.")
    there, shell = np.unique(shell[inside], return_inverse=True)
    series = amplitudes.isel(mode=inside).transpose("time", "mode", "quantity")
    quantities = series.sizes["quantity"]
    found = grouped_correlation(
        series.stack(series=["mode", "quantity"], create_index=False),
        np.repeat(shell, quantities),
        longest=longest,
        lags=lags,
        resample=resample,
        remove_mean=remove_mean,
    )
    counts = np.bincount(shell)
    per_length = {"units": "1/length"}
    return mean_squares_over(found.rename(group="shell"), counts, "modes").assign_coords(
        k=("shell", np.bincount(shell, k[inside]) / counts, per_length | {"long_name": "mean of |k|"}),
        k_lower=("shell", lower[there], per_length | {"long_name": "lower edge of the shell"}),
        k_upper=("shell", upper[there], per_length | {"long_name": "upper edge of the shell"}),
        modes=("shell", counts, {"units": "1", "long_name": "number of modes"}),
    )


def mean_squares_over(found: xr.Dataset, count: int | np.ndarray, what: str) -> xr.Dataset:
    """The correlations with mean squares divided by the number of series that were summed."""
    name, square = "mean_square", found["mean_square"]
    mean, of = Estimate.read(found, name) / count, square.attrs
    return found.assign(
        mean.variables(name, square.dims, of["units"], f"{of['long_name']}, the mean over the {what}")
    )


def _amplitudes(data: xr.Dataset) -> xr.DataArray:
    if "amplitude" not in data:
        raise CaseError('C(k, τ) needs a probe of kind "modes"; this one has values at points.')
    return data["amplitude"]


def _shells(
    data: xr.Dataset, edges: Sequence[float] | None, k: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lower and upper edges of the shells, and the shell of each mode, −1 for none. Raises CaseError."""
    if edges is None:
        if "shell_lower" not in data.coords:
            raise CaseError("the probe has modes by themselves, not shells; give the edges of shells.")
        lower, shell = np.unique(data["shell_lower"].values, return_inverse=True)
        upper = np.empty(len(lower))
        upper[shell] = data["shell_upper"].values
        return lower, upper, shell
    given = np.asarray(edges, float)
    if given.ndim != 1 or len(given) < 2 or not (np.diff(given) > 0).all() or not np.isfinite(given).all():
        raise CaseError("the edges of shells are two numbers at least, which rise.")
    shell = np.searchsorted(given * (1 - SLACK), k, side="right") - 1
    return given[:-1], given[1:], np.where(shell < len(given) - 1, shell, -1)

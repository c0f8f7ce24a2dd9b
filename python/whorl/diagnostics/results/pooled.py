"""The combination of the states of a diagnostic: means over a window of time with errors, sums of counts.

The attributes of an array choose its rule; see `whorl.diagnostics.options.base.Array`. In the table f are the
values of the states, n their numbers of points, and ⟨·⟩ the means over time of `whorl.output.means`.

    | rule           | value               | error                              |
    | mean           | F = ⟨f⟩             | that of ⟨f⟩                        |
    | mean, weighted | F = ⟨n f⟩/⟨n⟩       | that of ⟨n (f − F)⟩/⟨n⟩            |
    | std, weighted  | S = (⟨n v⟩/⟨n⟩)^½   | that of ⟨n (v − S²)⟩/⟨n⟩, over 2 S |
    | sum            | Σ f over the states | none                               |

A standard deviation f is about the mean m of its state: v = f² + (m − M)² with M the weighted mean of m.
Errors of ratios and roots are those of their linear parts.
"""

import numpy as np
import xarray as xr

from whorl.output.means import FEWEST, means_of

Pooled = tuple[np.ndarray, np.ndarray, np.ndarray]  # values, errors, independent samples


def pooled(states: xr.Dataset) -> xr.Dataset:
    """The means of all arrays of two states or more, over their axes.

    A mean NAME has its standard error NAME_error and its number of independent samples NAME_samples; a sum
    has neither. Arrays without numbers are left out.
    """
    data = xr.Dataset(coords={name: one for name, one in states.coords.items() if "time" not in one.dims})
    for name, array in states.data_vars.items():
        if "time" not in array.dims or array.dtype.kind not in "biuf":
            continue
        axes = tuple(axis for axis in array.dims if axis != "time")
        unit, meaning = array.attrs.get("units", "1"), array.attrs.get("long_name", name)
        if array.attrs.get("over_time") == "sum":
            told = {"units": unit, "long_name": f"sum over the states of {meaning}"}
            data[name] = (axes, array.sum("time").values, told | {"over_time": "sum"})
            continue
        value, error, samples = _of(states, array.transpose("time", *axes))
        counted = array.attrs.get("weighted_by")
        over = f"all points of the window ({counted})" if counted else "the window"
        data[name] = (axes, value, {"units": unit, "long_name": f"over {over}: {meaning}"})
        data[f"{name}_error"] = (axes, error, {"units": unit, "long_name": f"standard error of {name}"})
        data[f"{name}_samples"] = (
            axes,
            samples,
            {"units": "1", "long_name": f"independent samples of {name}"},
        )
    return data


def _of(states: xr.Dataset, array: xr.DataArray) -> Pooled:
    """The mean, or the standard deviation, of an array (time, …)."""
    time, values = states["time"].values, array.values.astype(float)

    def like(name: str) -> np.ndarray:
        return states[name].broadcast_like(array).transpose(*array.dims).values.astype(float)

    weighted_by = array.attrs.get("weighted_by")
    if not weighted_by:
        return plain_mean(time, values)
    counts = like(weighted_by)
    if array.attrs.get("over_time") != "std":
        return weighted_mean(time, values, counts)
    about = like(array.attrs["about"])
    squares = values**2 + (about - weighted_mean(time, about, counts)[0]) ** 2
    square, error, samples = weighted_mean(time, squares, counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.sqrt(square), np.where(square > 0, error / (2 * np.sqrt(square)), np.nan), samples


def plain_mean(time: np.ndarray, values: np.ndarray) -> Pooled:
    """The mean of values [time, …], each element over the states in which it is finite.

    It is nan if these are fewer than two.
    """
    series = values.reshape(len(time), -1)
    finite = np.isfinite(series)
    found = np.full((3, series.shape[1]), np.nan)
    patterns, which = np.unique(finite, axis=1, return_inverse=True)
    for number, rows in enumerate(patterns.T):
        if rows.sum() > 1:
            columns = np.flatnonzero(which.ravel() == number)
            found[:, columns] = means_of(time[rows], series[np.ix_(rows, columns)])
    value, error, samples = found.reshape(3, *values.shape[1:])
    return value, error, samples


def weighted_mean(time: np.ndarray, values: np.ndarray, counts: np.ndarray) -> Pooled:
    """The mean of values [time, …], each weighted by its number of points.

    It is nan if no value has points; its error is nan if fewer than four states have any.
    """
    counts = np.where(np.isfinite(values), counts, 0.0)
    values = np.where(counts > 0, values, 0.0)
    length = time[-1] - time[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        points = np.trapezoid(counts, time, axis=0) / length
        value = np.trapezoid(counts * values, time, axis=0) / length / points
        share = np.where(points > 0, counts * (values - value) / points, 0.0)
    _, error, samples = means_of(time, share)
    known = (counts > 0).sum(axis=0) >= FEWEST
    return value, np.where(known, error, np.nan), np.where(known, samples, np.nan)

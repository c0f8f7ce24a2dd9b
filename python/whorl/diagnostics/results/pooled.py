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

from whorl.output.means import FEWEST
from whorl.results.estimate import Estimate, Rows


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
        counted = array.attrs.get("weighted_by")
        over = f"all points of the window ({counted})" if counted else "the window"
        found = _of(states, array.transpose("time", *axes))
        data.update(found.variables(str(name), axes, unit, f"over {over}: {meaning}"))
    return data


def _of(states: xr.Dataset, array: xr.DataArray) -> Estimate:
    """The mean, or the standard deviation, of an array (time, …)."""
    rows, values = Rows(states["time"].values), array.values.astype(float)

    def like(name: str) -> np.ndarray:
        return states[name].broadcast_like(array).transpose(*array.dims).values.astype(float)

    weighted_by = array.attrs.get("weighted_by")
    if not weighted_by:
        return rows.mean(values)
    counts = like(weighted_by)
    if array.attrs.get("over_time") != "std":
        return weighted_mean(rows, values, counts)
    about = like(array.attrs["about"])
    squares = values**2 + (about - weighted_mean(rows, about, counts).value) ** 2
    return weighted_mean(rows, squares, counts).sqrt()


def weighted_mean(rows: Rows, values: np.ndarray, counts: np.ndarray) -> Estimate:
    """The mean of values [time, …], each weighted by its number of points.

    It is nan if no value has points; its error is nan if fewer than four states have any.
    """
    counts = np.where(np.isfinite(values), counts, 0.0)
    values = np.where(counts > 0, values, 0.0)
    mean = rows.mean(counts * values) / rows.mean(counts)
    known = (counts > 0).sum(axis=0) >= FEWEST
    errors = (np.where(known, one, np.nan) for one in (mean.error, mean.samples))
    return Estimate.known(mean.value, *errors)

"""Means of a run's diagnostics over a window of time, with errors."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import xarray as xr

from whorl.base.dimension import UNITS_OF_CASE
from whorl.base.errors import CaseError
from whorl.base.files import whole_file
from whorl.base.hdf5 import open_hdf5
from whorl.base.text import in_words
from whorl.config.case import Case
from whorl.config.explain import did_you_mean
from whorl.output.groups import States, check_replaceable, write_group
from whorl.output.means import ENOUGH, FEWEST
from whorl.results.as_text import counted_samples, finite_or_none, listed, told_of_box
from whorl.results.averages import window_of
from whorl.results.by_name import ByName, averaged, records_of, tree_of
from whorl.results.estimate import Estimate, Rows
from whorl.results.window import between, check_order, missing


def pooled(states: xr.Dataset) -> xr.Dataset:
    """The means of all arrays of two states or more, over their axes.

    A mean NAME has its standard error NAME_error and its number of independent samples NAME_samples; a sum
    has neither. Arrays without numbers are left out. The attributes of an array choose its rule; see
    `whorl.diagnostics.options.base.Array`. In the table f are the values of the states, n their numbers of
    points, and ⟨·⟩ the means over time of `whorl.output.means`.

        | rule           | value               | error                              |
        | mean           | F = ⟨f⟩             | that of ⟨f⟩                        |
        | mean, weighted | F = ⟨n f⟩/⟨n⟩       | that of ⟨n (f − F)⟩/⟨n⟩            |
        | std, weighted  | S = (⟨n v⟩/⟨n⟩)^½   | that of ⟨n (v − S²)⟩/⟨n⟩, over 2 S |
        | sum            | Σ f over the states | none                               |

    A standard deviation f is about the mean m of its state: v = f² + (m − M)² with M the weighted mean of m.
    Errors of ratios and roots are those of their linear parts.
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


ABOUT = "whorl means of diagnostics; length and time are the case's own units"
HEADING = ("diagnostic", "quantity", "number", "mean ± error", "samples")
SHORT = 10  # the most elements, for each quantity, of arrays in the table


@dataclass(frozen=True, repr=False)
class DiagnosticMeans(ByName[xr.Dataset]):
    """Means of diagnostics over a window, from `RunResults.mean_diagnostics`; printing shows a table.

    It is a mapping: `means["pdf"]` is a dataset over the axes of the diagnostic. It has the mean of each
    array NAME, the standard error `NAME_error` and the number of independent samples `NAME_samples`; counts
    have only their sum. `to_csv` and `to_dataframe` have a row for each number, `to_xarray` is a tree of the
    datasets.

    Attributes
    ----------
    start, end : float
        The ends of the window.
    verdict : str
        Sentences on the window, and on whether the flow is stationary in it if the run has a series.
    means : dict of str to Dataset
        The means by the name of the diagnostic; the attribute `states` is the number of its states.
    notes : tuple of str
        Sentences on missing states and means, and on values that are not finite.
    """

    start: float
    end: float
    verdict: str
    means: dict[str, xr.Dataset]
    notes: tuple[str, ...]

    first: ClassVar[str] = "diagnostic"
    heading: ClassVar[tuple[str, ...]] = HEADING

    @property
    def by_name(self) -> dict[str, xr.Dataset]:
        """The means of each diagnostic."""
        return self.means

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each number of all arrays, with its place along all axes."""
        return records_of(self.means, self.first)

    def to_xarray(self) -> xr.DataTree:
        """Return a tree of the datasets by name."""
        return tree_of(self.means)

    def write(self, path: str | Path) -> Path:
        """Write all means to an HDF5 file with a group for each diagnostic, and return its path.

        xarray opens a group by `open_dataset(path, group=NAME)`. Raises CaseError if the file cannot be
        written, or if the path has a file other than earlier means.
        """
        path = Path(path)
        check_means_file(path)
        with whole_file(path) as beside, open_hdf5(beside, "w") as file:
            file.attrs["about"] = ABOUT
            for name, data in self.means.items():
                write_group(file, name, States.of(data))
        return path

    def to_dict(self) -> dict[str, Any]:
        """Return all results as lists, numbers and text for JSON, where None replaces nan and infinity."""
        return {
            "window": {"start": self.start, "end": finite_or_none(self.end)},
            "verdict": self.verdict,
            "notes": list(self.notes),
            "diagnostics": {
                name: {"states": data.attrs["states"]}
                | {str(key): listed(one.values) for key, one in data.variables.items()}
                for name, data in self.means.items()
            },
        }

    def cells(self) -> list[tuple[str, ...]]:
        """Return the rows of the table as text, in the order of its heading: numbers and short arrays."""
        return [row for name, data in self.means.items() for row in rows_of(name, data)]

    def remarks(self, *, of_table: bool = True) -> list[str]:
        """Return the sentences below the table, or of a picture: states, doubtful errors, the window."""
        states = ", ".join(f"{name} {data.attrs['states']}" for name, data in self.means.items())
        doubts = [line for name, data in self.means.items() for line in _doubts(name, data, of_table)]
        return [*self.notes, *doubts, f"States in the window: {states}.", self.verdict]


def check_means_file(path: Path) -> None:
    """Raises CaseError unless means may be written there: nothing but earlier means is replaced."""
    check_replaceable(path, "file of means", ABOUT)


def check_measured(name: str, found: Mapping[str, xr.Dataset]) -> None:
    """Raises CaseError unless the run has a diagnostic of this name."""
    if name not in found:
        near = did_you_mean(name, found) or "."
        raise CaseError(f"the run has measured no diagnostic {name}: it has {', '.join(found)}{near}")


def diagnostic_means(
    found: Mapping[str, xr.Dataset],
    rows: xr.Dataset | None,
    case: Case,
    names: Sequence[str] = (),
    start: float | None = None,
    end: float | None = None,
) -> DiagnosticMeans:
    """The means of diagnostics, all by default; see `RunResults.mean_diagnostics`. Raises CaseError.

    Without `rows` of a series the window is as given, and the verdict does not judge it.
    """
    for name in names:
        check_measured(name, found)
    first, last, verdict = window_of(rows, case, start, end)
    means, notes = {}, []
    own = [one.label for one in case.diagnostics if one.label in found]
    for name in names or dict.fromkeys([*own, *found]):
        check_order(found[name], f"diagnostics.h5, {name}")
        states = between(found[name], first, last)
        count = states.sizes["time"]
        if count < 2:
            notes.append(f"{name} has {'only one state' if count else 'no state'} in the window, so no mean.")
            continue
        notes += [*missing(states, f"diagnostics.h5, {name}"), *_not_finite(name, states)]
        told = {
            key: states.attrs[key] for key in ("kind", "about", "options", "reference") if key in states.attrs
        }
        of_window = {"states": count, "start": first, "end": last}
        means[name] = pooled(states).assign_attrs(told | of_window)
    if not means:
        raise CaseError(f"means need two states in the window. {' '.join(notes)} {verdict}")
    return DiagnosticMeans(first, last, verdict, means, tuple(notes))


def _not_finite(name: str, states: xr.Dataset) -> list[str]:
    """A sentence on arrays that are finite in some states only; their means leave out the other states."""
    most, arrays = 0, []
    for key, array in states.data_vars.items():
        counted = "weighted_by" in array.attrs or array.attrs.get("over_time") == "sum"
        if counted or "time" not in array.dims or array.dtype.kind != "f":
            continue
        there = np.isfinite(array.transpose("time", ...).values.reshape(states.sizes["time"], -1))
        some = there[:, there.any(axis=0) & ~there.all(axis=0)]
        if some.size:
            arrays.append(str(key))
            most = max(most, int((~some).sum(axis=0).max()))
    if not arrays:
        return []
    return [
        f"{name}: {in_words(arrays)} {'is' if len(arrays) == 1 else 'are'} not finite in up to {most} of "
        f"{states.sizes['time']} states, which the means leave out there."
    ]


def rows_of(
    name: str, data: xr.Dataset, most: float = SHORT, *, placed: bool = False
) -> Iterator[tuple[str, ...]]:
    """A row of the table for each number of short arrays, except for zero counts outside of bins.

    If `placed`, the place of a number has the names of its axes.
    """
    for array in sorted(averaged(data), key=lambda one: one.ndim):
        others = [axis for axis in array.dims if axis != "quantity"]
        if math.prod(array.sizes[axis] for axis in others) > most:
            continue
        of_strays = str(array.name).endswith("outside")
        for index in np.ndindex(array.shape):
            place = array[index]
            if of_strays and place == 0:
                continue
            quantity = str(place["quantity"].values) if "quantity" in array.dims else ""
            places = [f"{axis} = " * placed + _label(place[axis].values) for axis in others]
            number = " ".join([str(array.name), *places])
            yield (name, quantity, number, *_cells(data, array, index))


def _cells(data: xr.Dataset, array: xr.DataArray, index: tuple[int, ...]) -> tuple[str, str]:
    value = array.values[index]
    if f"{array.name}_error" not in data:
        return f"{value:g}" if value % 1 else f"{int(value)}", "sum"
    number = Estimate.read(data, str(array.name))[index]
    unit = str(array.attrs.get("units", "1")) if array.ndim == 0 else UNITS_OF_CASE
    return told_of_box(number, unit), "" if number.error == 0 else counted_samples(float(number.samples))


def _label(value: np.ndarray) -> str:
    return f"{float(value):g}" if value.dtype.kind in "fiu" else str(value)


def _doubts(name: str, data: xr.Dataset, of_table: bool) -> Iterator[str]:
    """Sentences on errors that are not known or not reliable, which have a mark in a table."""
    if data.attrs["states"] < FEWEST:
        yield (
            f"{name} has only {data.attrs['states']} states in the window, and an error needs {FEWEST}: its "
            "errors are not known."
        )
        return
    yield from few_samples(
        name, data, of_table, f", or not known where fewer than {FEWEST} states have points"
    )


def few_samples(name: str, data: xr.Dataset, of_table: bool, more: str = "") -> Iterator[str]:
    """A sentence on errors that are not reliable, which ends in `more`."""
    numbers = [Estimate.read(data, str(one.name)) for one in averaged(data) if f"{one.name}_error" in data]
    if few := sum(int((~one.reliable).sum()) for one in numbers):
        yield (
            f"{few} of {sum(one.value.size for one in numbers)} errors of {name} rest on fewer than "
            f"{ENOUGH:.0f} independent samples{' (a question mark)' if of_table else ''}: they are not "
            f"reliable and probably too small{more}."
        )

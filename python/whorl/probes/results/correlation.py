"""The correlations in time of a probe of a run over a window, with the times that follow, as a table."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import xarray as xr

from whorl.base.errors import CaseError
from whorl.config.explain import did_you_mean
from whorl.probes.results.spectra import finite_part
from whorl.probes.results.time_correlation import (
    mean_squares_over,
    mode_correlation,
    shell_correlation,
    time_correlation,
)
from whorl.results.as_text import counted_samples, listed
from whorl.results.averages import DOUBTFUL, window_of
from whorl.results.by_name import ByName, records_of, tree_of
from whorl.results.estimate import Estimate
from whorl.results.runs import RunResults
from whorl.results.window import between, check_order, missing

HEADING = ("series", "mean square", "integral time", "samples", "micro time")


@dataclass(frozen=True, repr=False)
class ProbeCorrelation(ByName[xr.Dataset]):
    """Correlations in time of a probe over a window, from `correlate_probe`; printing shows a table.

    It is a mapping of "shell", "mode", "point" or "quantity" to datasets.

    Attributes
    ----------
    name : str
        The name of the probe.
    start, end : float
        The times of the first and the last row in the window.
    verdict : str
        Sentences on the window, and on whether the flow is stationary in it if the run has a series.
    found : dict of str to Dataset
        The results of `time_correlation`. A probe of modes has "shell", or "mode" if it has no shells. A
        probe of points has "point", and one of several points also "quantity", for all points together.
    notes : tuple of str
        Sentences on missing rows, and on rows and quantities left out.
    """

    name: str
    start: float
    end: float
    verdict: str
    found: dict[str, xr.Dataset]
    notes: tuple[str, ...]

    first: ClassVar[str] = "by"
    heading: ClassVar[tuple[str, ...]] = HEADING

    @property
    def by_name(self) -> dict[str, xr.Dataset]:
        """The correlations by "shell", "mode", "point" or "quantity"."""
        return self.found

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each number, with its lag and its shell, mode, point or quantity."""
        return records_of(self.found, self.first)

    def to_xarray(self) -> xr.DataTree:
        """Return a tree of the datasets."""
        return tree_of(self.found)

    def to_dict(self) -> dict[str, Any]:
        """Return all results as lists, numbers and text for JSON, where None replaces nan and infinity."""
        return {
            "probe": self.name,
            "window": {"start": self.start, "end": self.end},
            "verdict": self.verdict,
            "notes": list(self.notes),
            "correlations": {
                by: data.attrs | {str(key): listed(one.values) for key, one in data.variables.items()}
                for by, data in self.found.items()
            },
        }

    def cells(self) -> list[tuple[str, ...]]:
        """Return the rows of the table as text, in the order of its heading."""
        return [(label, *_cells(one)) for data in self.found.values() for label, one in each(data)]

    def remarks(self) -> list[str]:
        """Return the sentences below the table: on missing rows and times, doubtful errors and the window."""
        told = [*self.notes]
        if any("?" in cell for row in self.cells() for cell in row):
            told.append(DOUBTFUL)
        if any(not np.isfinite(data["integral_time"]).all() for data in self.found.values()):
            told.append(
                "Without an integral time the correlation does not end within a quarter of the window, or "
                "the series is zero."
            )
        return [*told, self.verdict]


def correlate_probe(
    run: RunResults,
    name: str,
    start: float | None = None,
    end: float | None = None,
    *,
    longest: float | None = None,
    lags: int = 200,
    resample: bool = False,
    remove_mean: bool | None = None,
) -> ProbeCorrelation:
    """Return the correlations in time of a probe of a run, over a window of time.

    Parameters
    ----------
    run : RunResults
        The run, from `whorl.open_run`.
    name : str
        The name of the probe.
    start, end : float, optional
        The window; by default that of `RunResults.average`.
    longest, lags, resample : float, int, bool
        As for `whorl.probes.results.time_correlation.time_correlation`.
    remove_mean : bool, optional
        As for `time_correlation`; by default the means of points are removed, and those of modes are not.

    Returns
    -------
    ProbeCorrelation
        The correlations, with a table of the times that follow from them.

    Raises
    ------
    CaseError
        If the probe is unknown, if the window is wrong or has too few rows, or if its steps of time differ
        and `resample` is false.

    Examples
    --------
    >>> found = correlate_probe(whorl.open_run("forced"), "shells", start=10)
    >>> found["shell"]["integral_time"]
    """
    data = chosen_probe(run.probes, name, str(run.directory))
    rows, notes, first, last, verdict = in_window(run, data, name, start, end)
    how = {"longest": longest, "lags": lags, "resample": resample, "remove_mean": remove_mean}
    found = {by: correlated(rows, by, **how) for by in ways(rows)}
    return ProbeCorrelation(name, first, last, verdict, found, tuple(notes))


def chosen_probe(probes: Mapping[str, xr.Dataset], name: str, run: str) -> xr.Dataset:
    """The probe of this name. Raises CaseError if the run has none."""
    if name not in probes:
        near = did_you_mean(name, probes) or "."
        raise CaseError(f"the run {run} has no probe {name}{near} Probes: {', '.join(probes)}.")
    return probes[name]


def in_window(
    run: RunResults, data: xr.Dataset, name: str, start: float | None, end: float | None
) -> tuple[xr.Dataset, list[str], float, float, str]:
    """The rows of a probe in a window, notes on missing ones, its ends and its verdict. Raises CaseError."""
    file = f"probes.h5, {name}"
    check_order(data, file)
    first, last, verdict = window_of(run.rows_of_window(start), run.case, start, end)
    rows = between(data, first, last)
    if rows.sizes["time"] < 2:
        raise CaseError(f"{file} has fewer than two rows in the window. {verdict}")
    rows, left_out = finite_part(rows)
    times = rows["time"].values
    return rows, [*missing(rows, file), *left_out], float(times[0]), float(times[-1]), verdict


def ways(data: xr.Dataset) -> tuple[str, ...]:
    """The names of the correlations that a probe has, the most important first."""
    if "mode" in data.dims:
        return ("shell",) if "shell_lower" in data.coords else ("mode",)
    return ("quantity", "point") if data.sizes["point"] > 1 else ("point",)


def correlated(data: xr.Dataset, by: str, *, remove_mean: bool | None = None, **how: Any) -> xr.Dataset:
    """The correlations of a probe by shell, mode, point or quantity. Raises CaseError."""
    if by in ("mode", "shell"):
        function = mode_correlation if by == "mode" else shell_correlation
        return function(data, remove_mean=bool(remove_mean), **how)
    over = "point" if by == "quantity" else ()
    found = time_correlation(data["value"], over=over, remove_mean=remove_mean is not False, **how)
    if by == "point":
        return found
    return mean_squares_over(found, data.sizes["point"], "points").assign_attrs(points=data.sizes["point"])


def each(data: xr.Dataset) -> list[tuple[str, xr.Dataset]]:
    """Correlations one by one, each with its label."""
    apart = [str(name) for name in data["mean_square"].dims]
    found = []
    for index in np.ndindex(data["mean_square"].shape):
        one = data.isel(dict(zip(apart, index, strict=True)))
        found.append((_label(one, apart), one))
    return found


def _label(one: xr.Dataset, apart: list[str]) -> str:
    if apart == ["shell"]:
        return f"k = {float(one['k']):.3g}"
    if apart == ["mode"]:
        return f"mode {one['mode'].values}"
    quantity = str(one["quantity"].values)
    if apart == ["quantity"]:
        return f"{quantity}   all {one.attrs['points']} points"
    return f"{quantity}   point {place_of(one)}"


def place_of(one: xr.Dataset | xr.DataArray) -> str:
    """The position of a point as text."""
    return f"({', '.join(f'{float(one[axis]):.4g}' for axis in 'xyz')})"


def _cells(one: xr.Dataset) -> tuple[str, ...]:
    square, integral, micro = (_told(one, name) for name in ("mean_square", "integral_time", "micro_time"))
    known = np.isfinite(float(one["integral_time"]))
    samples = counted_samples(float(one["integral_time_samples"])) if known else ""
    return square, integral, samples, micro


def _told(one: xr.Dataset, name: str) -> str:
    number = Estimate.read(one, name)
    return str(number) if np.isfinite(number.value) else ""

"""Averages of a run over a window of time, with errors, and whether the flow is stationary in it."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import xarray as xr

from whorl.base.errors import CaseError
from whorl.base.text import counted, in_words
from whorl.config.case import Case
from whorl.config.columns import Column, ColumnState
from whorl.config.measures import growing_columns, series_columns
from whorl.config.outputs import FILES
from whorl.output.means import ENOUGH, Mean, end_of_transient, evenly, mean_of
from whorl.results.as_text import counted_samples, finite_or_none, told
from whorl.results.by_name import ByName
from whorl.results.estimate import Rows
from whorl.results.window import between, check_order, check_window, missing

DECISIVE = ("energy", "dissipation")  # quantities that decide whether a flow is stationary
OF_FIELDS = ("_energy", "_variance", "mass")  # endings of others that decide, those of its other fields
STATES = f"states of {FILES['spectra'].file}"
HEADING = ("quantity", "mean ± error", "unit", "independent samples", "trend")
DOUBTFUL = (
    f"An error with a question mark rests on fewer than {ENOUGH:.0f} independent samples; it is not reliable "
    "and probably too small."
)


@dataclass(frozen=True, repr=False)
class Averages(ByName[Mean]):
    """Averages over a window of time, as `RunResults.average` returns them; printing shows them as a table.

    It is a mapping: `averages["energy"]` is a `Mean`, with the attributes `mean`, `error`, `samples`, ….
    `to_csv`, `to_dataframe` and `to_xarray` return the table.

    Attributes
    ----------
    start, end : float
        The times of the first and the last row of series.csv in the window.
    rows : int
        The number of these rows.
    rule : str
        The rule that set the beginning of the window; "" if it was given.
    means : dict of str to Mean
        The mean of each column of series.csv, and of the numbers that follow from each state in spectra.h5.
    spectra : Dataset
        The mean of each spectrum NAME over `k`, with its standard error NAME_error and its number of
        independent samples NAME_samples. Empty if the window has fewer than two spectra.
    notes : tuple of str
        Sentences on missing rows, means and spectra, and on columns of earlier formulas.
    turnovers : float
        The turnovers of the window, ∫ u'/L dt over its rows; nan if the series has no turnover time.
    """

    start: float
    end: float
    rows: int
    rule: str
    means: dict[str, Mean]
    spectra: xr.Dataset
    notes: tuple[str, ...]
    turnovers: float = math.nan

    first: ClassVar[str] = "quantity"
    heading: ClassVar[tuple[str, ...]] = HEADING

    @property
    def by_name(self) -> dict[str, Mean]:
        """The means."""
        return self.means

    @property
    def stationary(self) -> bool:
        """Whether energy and dissipation have no trend, and enough independent samples to say so."""
        decisive = self._decisive().values()
        return all(one.reliable and not one.trend for one in decisive) and len(decisive) > 0

    @property
    def verdict(self) -> str:
        """Sentences on the window, and on whether the flow is stationary in it."""
        length = "" if math.isnan(self.turnovers) else f", {self.turnovers:.3g} turnovers"
        rule = f" ({self.rule})" if self.rule else ""
        window = f"The window is t = {self.start:.6g} to {self.end:.6g}{rule}: "
        window += f"{counted(self.rows, 'row')}{length}."
        return f"{window} {self._whether_stationary()}"

    @property
    def dataset(self) -> xr.Dataset:
        """The numbers of the table over `quantity`: mean, error, samples, change, chance and unit."""
        numbers = ("mean", "error", "samples", "change", "chance", "unit")
        columns = {name: [getattr(one, name) for one in self.means.values()] for name in numbers}
        return xr.Dataset(
            {name: ("quantity", values) for name, values in columns.items()}, {"quantity": list(self.means)}
        )

    def to_xarray(self) -> xr.Dataset:
        """Return `dataset` merged with the mean spectra over k."""
        return self.dataset.merge(self.spectra)

    def records(self) -> list[dict[str, Any]]:
        """Return mean, error, samples, change, chance, trend and unit of each quantity, without spectra."""
        names = ("mean", "error", "samples", "change", "chance", "trend", "unit")
        return [
            {self.first: name} | {key: getattr(one, key) for key in names} for name, one in self.means.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return all results as lists, numbers and text for JSON, where None replaces nan and infinity."""
        window = {"start": self.start, "end": self.end, "rows": self.rows, "rule": self.rule}
        numbers = ("mean", "error", "samples", "change", "chance")
        quantities = {
            name: {key: finite_or_none(getattr(one, key)) for key in numbers}
            | {"rows": one.rows, "unit": one.unit, "meaning": one.meaning}
            | {"reliable": one.reliable, "trend": one.trend}
            for name, one in self.means.items()
        }
        return {
            "window": window | {"turnovers": finite_or_none(self.turnovers)},
            "stationary": self.stationary,
            "verdict": self.verdict,
            "notes": list(self.notes),
            "quantities": quantities,
            "spectra": {
                str(name): finite_or_none(self.spectra[name].values) for name in self.spectra.variables
            },
        }

    def cells(self) -> list[tuple[str, str, str, str, str]]:
        """Return the rows of the table as text, in the order of its heading."""
        return [(name, *_cells(one)) for name, one in self.means.items()]

    def remarks(self) -> list[str]:
        """Return the sentences below the table: on missing rows, on doubtful errors, and the verdict."""
        doubtful = [one for one in self.means.values() if not one.reliable]
        return [*self.notes, *([DOUBTFUL] if doubtful else []), self.verdict]

    def _decisive(self) -> dict[str, Mean]:
        others = [name for name in self.means if name.endswith(OF_FIELDS)]
        return {name: self.means[name] for name in (*DECISIVE, *others) if name in self.means}

    def _whether_stationary(self) -> str:
        decisive = self._decisive()
        if moving := [
            f"{name} {one.trend} (p = {one.chance:.2g})" for name, one in decisive.items() if one.trend
        ]:
            return f"The flow is not stationary in it: {in_words(moving)}."
        few = {name: one.samples for name, one in decisive.items() if not one.reliable}
        if few or not decisive:
            return f"Whether the flow is stationary cannot be told: {self._too_few(few)}."
        counts = in_words([counted_samples(one.samples) for one in decisive.values()])
        names, have = in_words(list(decisive)), "have" if len(decisive) > 1 else "has"
        return f"The flow is stationary: {names} {have} no trend in {counts} independent samples."

    def _too_few(self, few: dict[str, float]) -> str:
        if not few:
            return f"the series has no {' or '.join(DECISIVE)}"
        counts = in_words(
            [
                f"{name} {'' if n else 'has '}{counted_samples(samples)}"
                for n, (name, samples) in enumerate(few.items())
            ]
        )
        known = [samples for samples in few.values() if samples > 0]
        longer = ""
        if known:
            length = float(f"{(self.end - self.start) * ENOUGH / min(known):.2g}")
            longer = f"; a window of length {length:g} may do"
        return f"it needs {ENOUGH:.0f} independent samples, and {counts}{longer}"


def averages_of(
    series: xr.Dataset, spectra: xr.Dataset | None, case: Case, start: float | None, end: float | None
) -> Averages:
    """The averages of tables over a window; see `RunResults.average`. Raises CaseError."""
    check_order(series, FILES["series"].file)
    rule = ""
    if start is None:
        start, rule = _beginning(series, end)
    rows = _within(series, start, end)
    growing = growing_columns(case)
    columns = {str(name): rows[name] for name in rows.data_vars if name not in growing}
    found, left_out = _means(rows["time"].values, columns)
    notes = [*missing(rows, FILES["series"].file), *_of_before(rows, case), *left_out]
    first, last = (float(time) for time in rows["time"].values[[0, -1]])
    kept, without = _spectra_within(spectra, first, last)
    notes += without
    of_states, without = _of_states(kept, rows, () if 1 in case.grid.points else case.flow.of_states)
    found |= of_states
    mean_spectra, without_spectra = _mean_spectra(kept)
    notes += without + without_spectra
    count = _turnovers(rows)
    return Averages(first, last, rows.sizes["time"], rule, found, mean_spectra, tuple(notes), count)


def _turnovers(rows: xr.Dataset) -> float:
    """∫ u'/L dt over rows, which is 0 at rest; nan if the series has no turnover time."""
    if "turnover_time" not in rows:
        return math.nan
    time = rows["turnover_time"].values
    rate = np.divide(1.0, time, where=time > 0, out=np.zeros_like(time))
    return float(np.trapezoid(rate, rows["time"].values))


def window_of(
    rows: xr.Dataset | None, case: Case, start: float | None, end: float | None
) -> tuple[float, float, str]:
    """The ends of a window and the sentences on it; the rows of a series choose the ends not given.

    Without rows the ends are as given, and the sentence only names them. Raises CaseError.
    """
    if rows is None:
        first, last = check_window(start, end)
        until = "" if end is None else f" and ends at t = {end:.6g}"
        return (
            first,
            last,
            f"The window begins at t = {first:.6g}{until}, and the series tells nothing of it.",
        )
    averages = averages_of(rows, None, case, start, end)
    first, last = (averages.start if start is None else start), (averages.end if end is None else end)
    return first, last, averages.verdict


def _beginning(series: xr.Dataset, end: float | None) -> tuple[float, str]:
    """The default beginning of a window, and the rule that it follows."""
    known = _within(series, None, end)
    time, ends = known["time"].values, {}
    for name in (name for name in DECISIVE if name in known):
        finite = np.isfinite(known[name].values)
        if finite.sum() < 2:
            continue
        even, values = evenly(time[finite], known[name].values[finite])
        index = end_of_transient(values)
        if index is None:
            half = float((time[0] + time[-1]) / 2)
            return half, f"the second half, since no end of a transient of {name} was found in the first"
        ends[name] = float(even[index])
    if not ends:
        return float(time[0]), f"all rows, none of which has a finite {' or '.join(DECISIVE)}"
    return max(ends.values()), f"from the end of the transient of {' and '.join(ends)}, by White's rule MSER"


def _within(series: xr.Dataset, start: float | None, end: float | None) -> xr.Dataset:
    """The rows in a window; None stands for the first or the last row."""
    time = series["time"].values
    rows = between(series, *check_window(start, end))
    if rows.sizes["time"] < 2:
        found = "only one row" if rows.sizes["time"] else "no row"
        edges = {"from": start, "to": end}
        window = "".join(f" {word} t = {edge:.6g}" for word, edge in edges.items() if edge is not None)
        raise CaseError(
            f"{found} of {FILES['series'].file} lies in the window{window}, and averages need two; "
            f"it has {counted(len(time), 'row')}, from t = {time[0]:.6g} to t = {time[-1]:.6g}."
        )
    return rows


def _means(
    time: np.ndarray, columns: Mapping[str, xr.DataArray], rows: str = "rows"
) -> tuple[dict[str, Mean], list[str]]:
    """The mean of each column over its finite values, and sentences on those that are left out."""
    finite = {name: np.isfinite(column.values) for name, column in columns.items()}
    means = {}
    for name, column in columns.items():
        there = finite[name]
        if there.sum() > 1:
            unit, meaning = column.attrs["units"], column.attrs["long_name"]
            means[name] = mean_of(time[there], column.values[there], "" if unit == "1" else unit, meaning)
    return means, _left_out(finite, rows)


def _left_out(finite: Mapping[str, np.ndarray], rows: str) -> list[str]:
    """Sentences on rows at which quantities are not finite, and on quantities left without a mean."""
    without, empty = {}, [name for name, there in finite.items() if there.sum() < 2]
    for name, there in finite.items():
        if name not in empty and not there.all():
            without.setdefault((int((~there).sum()), len(there)), []).append(name)
    notes = [
        f"{lacking} of {count} {rows} {'has' if lacking == 1 else 'have'} no finite {', '.join(names)}; "
        "the means are those of the others."
        for (lacking, count), names in without.items()
    ]
    if empty:
        notes.append(f"{', '.join(empty)}: fewer than two {rows} have a finite value, so there is no mean.")
    return notes


def _of_before(rows: xr.Dataset, case: Case) -> list[str]:
    """Sentences on columns that an earlier version of whorl wrote by other formulas."""
    told = {str(name): rows[name].attrs.get("long_name") for name in rows.data_vars}
    return [
        f"{column.name} was written by an earlier version of whorl: {told[column.name]}, which today is "
        f"{column.meaning}; columns that follow from it differ, too."
        for column in series_columns(case)
        if told.get(column.name) in column.before
    ]


def _spectra_within(
    spectra: xr.Dataset | None, first: float, last: float
) -> tuple[xr.Dataset | None, list[str]]:
    """The spectra in the window, None if fewer than two, and sentences on missing ones."""
    count = 0
    if spectra is not None:
        check_order(spectra, FILES["spectra"].file)
        spectra = between(spectra, first, last)
        count = spectra.sizes["time"]
    if count > 1:
        return spectra, missing(spectra, FILES["spectra"].file)
    told = {0: "no state", 1: "only one state"}[count]
    file = FILES["spectra"].file
    return None, [f"{file} has {told} in the window, so there are no mean spectra (output.spectra_every)."]


def _of_states(
    spectra: xr.Dataset | None, series: xr.Dataset, columns: Iterable[Column]
) -> tuple[dict[str, Mean], list[str]]:
    """The means of numbers computed from the spectra and row of each state, and sentences on gaps in them."""
    if spectra is None:
        return {}, []
    time = spectra["time"].values
    rows = {str(name): np.interp(time, series["time"], series[name]) for name in series.data_vars}
    states = [
        ColumnState(spectra.isel(time=i), {name: float(values[i]) for name, values in rows.items()})
        for i in range(len(time))
    ]
    found = {
        column.name: xr.DataArray(
            [column.value(state) for state in states],
            attrs={"units": column.unit or "1", "long_name": column.meaning},
        )
        for column in columns
    }
    return _means(time, found, STATES)


def _mean_spectra(spectra: xr.Dataset | None) -> tuple[xr.Dataset, list[str]]:
    """The mean of each spectrum with error and independent samples, and sentences on those that have none."""
    if spectra is None:
        return xr.Dataset(), []
    data = xr.Dataset(coords={"k": spectra["k"]})
    names = (str(name) for name in spectra.data_vars if name != "step")
    # The first state has no power.
    finite = {name: np.isfinite(spectra[name].values).all(axis=1) for name in names}
    for name, there in finite.items():
        if there.sum() < 2:
            continue
        mean = Rows(spectra["time"].values[there]).mean(spectra[name].values[there])
        unit, meaning = spectra[name].attrs["units"], spectra[name].attrs["long_name"]
        data.update(mean.variables(name, "k", unit, f"mean of {meaning}"))
    return data, _left_out(finite, STATES)


def _cells(one: Mean) -> tuple[str, str, str, str]:
    """The cells of a mean in the table."""
    if one.error == 0:
        return told(one), one.unit, "", "constant"
    trend = one.trend or ("none" if one.reliable else "unknown")
    return told(one), one.unit, counted_samples(one.samples), trend

"""Several runs together, to compare them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import xarray as xr

from whorl.base.dimension import UNITS_OF_CASE
from whorl.base.errors import CaseError
from whorl.base.files import resolved
from whorl.config.explain import show
from whorl.output.series import with_gaps
from whorl.results.runs import RunResults, open_run

SAME = 1e-9  # of the largest time: the difference that rounding and landing on a time may make


@dataclass(frozen=True)
class Runs(Mapping[str, RunResults]):
    """Several runs to compare, a mapping of names to results; `open_runs` returns it.

    Attributes
    ----------
    runs : dict of str to RunResults
        The runs by their names, which are the labels of the dimension `run`.
    """

    runs: dict[str, RunResults]

    def __getitem__(self, name: str) -> RunResults:
        """Return a run by its name."""
        return self.runs[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self.runs)

    def __len__(self) -> int:
        """Return the number of runs."""
        return len(self.runs)

    @property
    def series(self) -> xr.Dataset:
        """The columns that all runs have, over (run, time): NaN where a run has no row at a time.

        Times that are the same but for rounding count as one. CaseError is raised if units differ.
        """
        return self._together([run.series for run in self.runs.values()])

    @property
    def spectra(self) -> xr.Dataset:
        """The spectra that all runs have, over (run, time, k): NaN where a run has none at a time or shell.

        Times, and wavenumbers, that are the same but for rounding count as one. CaseError is raised if
        units differ.
        """
        return self._together([run.spectra for run in self.runs.values()])

    def _together(self, tables: list[xr.Dataset]) -> xr.Dataset:
        shared = [name for name in tables[0].data_vars if all(name in table for table in tables)]
        units = {name: {table[name].attrs["units"] for table in tables} - {UNITS_OF_CASE} for name in shared}
        if mixed := [name for name in shared if len(units[name]) > 1]:
            raise CaseError(
                f"{', '.join(mixed)} of {', '.join(self.runs)} differ in their units: open these one by one."
            )
        label = xr.DataArray(list(self.runs), dims="run", name="run")
        how = {"coords": "minimal", "compat": "override", "join": "outer", "combine_attrs": "override"}
        together = xr.concat(_aligned([table[shared] for table in tables]), label, **how)
        gaps = [
            f"{run}: {table.attrs['gaps']}"
            for run, table in zip(self.runs, tables, strict=True)
            if "gaps" in table.attrs
        ]
        together.attrs = with_gaps(gaps)
        return together


def _aligned(tables: list[xr.Dataset]) -> list[xr.Dataset]:
    """The tables with identical values for times and wavenumbers that are the same but for rounding."""
    for name in ("time", "k"):
        if not all(name in table.coords for table in tables):
            continue
        known = np.unique(np.concatenate([table[name].values for table in tables]))
        apart = np.diff(known, prepend=-np.inf) > SAME * np.abs(known).max(initial=0.0)
        first = known[np.maximum.accumulate(np.where(apart, np.arange(known.size), 0))]
        tables = [
            table.assign_coords({name: table[name].copy(data=first[np.searchsorted(known, table[name])])})
            for table in tables
        ]
    return tables


def open_runs(*directories: str | Path) -> Runs:
    """Open several runs to compare.

    Parameters
    ----------
    *directories : str or Path
        The output directories, one after another. Their names become the names of the runs, or their paths
        if names are the same.

    Returns
    -------
    Runs
        The runs together.

    Raises
    ------
    CaseError
        If no directory is given, if one is given twice, or if one is not that of a run of whorl; the message
        names the first such directory.

    See Also
    --------
    open_run : One run.

    Examples
    --------
    >>> runs = open_runs("vortex", "finer")
    >>> energy = runs.series["energy"].sel(run="finer").dropna("time")
    """
    if mistaken := [given for given in directories if not isinstance(given, str | Path)]:
        raise CaseError(
            f"{show(mistaken[0])} is no directory; give one after another: open_runs(*directories)."
        )
    if not directories:
        raise CaseError("no run is given to open: give one output directory or more.")
    paths = [resolved(Path(directory)) for directory in directories]
    names = [path.name for path in paths]
    if len(set(names)) < len(names):
        names = [str(directory) for directory in directories]
    if len(set(paths)) < len(names):
        raise CaseError(f"one run is given twice: {', '.join(names)}.")
    return Runs(dict(zip(names, map(open_run, directories), strict=True)))

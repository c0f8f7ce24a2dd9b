"""The results of a sweep as one dataset, with the options that vary as dimensions."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from whorl.base.errors import CaseError
from whorl.config.sweeps import Sweep, read_sweep, short_names
from whorl.output.directory import RunDirectory
from whorl.results.runs import RunResults, open_run
from whorl.results.several_runs import Runs


@dataclass(frozen=True)
class SweepResults:
    """The runs of a sweep; `open_sweep` returns it.

    Attributes
    ----------
    sweep : Sweep
        The options and their values.
    runs : dict of str to RunResults
        The runs that have begun, by the names of their directories.
    missing : list of str
        The names of the others.
    """

    sweep: Sweep
    runs: dict[str, RunResults] = field(repr=False)
    missing: list[str]

    @property
    def series(self) -> xr.Dataset:
        """The columns of all runs over the options and `time`; NaN where a run has no row, or is missing."""
        return self._spread(lambda runs: runs.series)

    @property
    def spectra(self) -> xr.Dataset:
        """The spectra of all runs over the options, `time` and `k`."""
        return self._spread(lambda runs: runs.spectra)

    def means(self, *columns: str, start: float | None = None) -> xr.Dataset:
        """Means over time of columns from `start` on, with errors, over the options.

        The mean of a column has its name, its error is NAME_error. Raises CaseError for a run without the
        column, or without rows from `start` on.
        """
        found = {name: run.average(start=start) for name, run in self.runs.items()}
        tables = []
        for name, averages in found.items():
            table: dict[str, float] = {}
            for column in columns:
                mean = averages[column]
                table |= {column: mean.mean, f"{column}_error": mean.error}
            tables.append(xr.Dataset(table).expand_dims(run=[name]))
        return self._over_options(xr.concat(tables, "run"))

    def _spread(self, of: Callable[[Runs], xr.Dataset]) -> xr.Dataset:
        return self._over_options(of(Runs(self.runs)))

    def _over_options(self, data: xr.Dataset) -> xr.Dataset:
        """The data with the options in place of the dimension `run`."""
        members, values = self.sweep.members, self.sweep.numbers()
        whole = data.reindex(run=[one.name for one in members])
        names = short_names(values)
        shape = [len(of) for of in values.values()]

        def parted(array: xr.DataArray) -> xr.DataArray:
            if "run" not in array.dims:
                return array
            turned = array.transpose("run", ...)
            given = turned.values.reshape(*shape, *turned.shape[1:])
            return xr.DataArray(given, dims=(*names, *turned.dims[1:]), attrs=array.attrs)

        arrays = {name: parted(array) for name, array in whole.data_vars.items()}
        along: dict[str, Any] = {
            name: (name, np.array(of), {"long_name": key})
            for name, (key, of) in zip(names, values.items(), strict=True)
        }
        along |= {name: whole[name] for name in whole.coords if name != "run"}
        return xr.Dataset(arrays, along, whole.attrs)


def open_sweep(folder: str | Path) -> SweepResults:
    """Open a sweep, finished or in progress.

    Parameters
    ----------
    folder : str or Path
        The folder that `whorl sweep` has written.

    Returns
    -------
    SweepResults
        Its runs.

    Raises
    ------
    CaseError
        If it is no folder of a sweep, or if none of its runs has begun.

    Examples
    --------
    >>> sweep = open_sweep("viscosities")
    >>> sweep.series["energy"].sel(viscosity=0.01, seed=1)
    """
    sweep = read_sweep(Path(folder))
    places = {one.name: sweep.folder / one.name for one in sweep.members}
    begun = {name: open_run(place) for name, place in places.items() if RunDirectory(place).is_run()}
    if not begun:
        raise CaseError(f"no run of the sweep in {folder} has begun: go on with it by whorl sweep {folder}.")
    return SweepResults(sweep, begun, [name for name in places if name not in begun])

"""What a run left behind, as xarray datasets; nothing is computed and MPI is not needed."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import xarray as xr

from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.config.explain import show
from whorl.output.directory import RunDirectory
from whorl.output.series import read_series, with_gaps
from whorl.output.snapshot_series import times_of
from whorl.output.snapshots import open_snapshots
from whorl.output.spectra import read_spectra
from whorl.results.checkpoint_modes import open_modes

SAME = 1e-9  # of the largest time: what rounding and steps that land on a time may differ by


@dataclass(frozen=True)
class RunResults:
    """An output directory to read from; also while the run goes on.

    Attributes: `directory` (Path) and `case` (the resolved Case).
    """

    directory: Path
    case: Case

    @property
    def series(self) -> xr.Dataset:
        """The time series over `time`; a variable for each column of series.csv, with units."""
        return read_series(RunDirectory(self.directory).series)

    @property
    def spectra(self) -> xr.Dataset:
        """The model's spectra, such as energy, and the transfers, by shell over (time, k)."""
        return read_spectra(RunDirectory(self.directory).spectra)

    @property
    def snapshots(self) -> xr.Dataset:
        """All snapshots over `time`, with `step`; fields (time, z, y, x, component) stay on disk until used.

        `snapshots.isel(time=-1)` is the last, `snapshots.sel(time=2.0, method="nearest")` that near t = 2.
        """
        place = RunDirectory(self.directory)
        paths = place.snapshots()
        return open_snapshots(paths, times_of(paths, place.snapshot_series))

    def checkpoint(self, step: int | None = None) -> xr.Dataset:
        """The modes of the newest checkpoint, or of that of `step`: amplitudes of exp(i k·x), all in memory.

        Each field of the state is over (component, kx ≥ 0, ky, kz), zero where no mode is kept; `time`,
        `step` and the case are attributes. `whorl.output.mode_arrays` tells of walls. Raises CaseError where
        it is damaged.
        """
        return open_modes(RunDirectory(self.directory).path_of_checkpoint(step))

    @property
    def checkpoints(self) -> list[Path]:
        """Checkpoint files, the oldest first."""
        return RunDirectory(self.directory).checkpoints()


@dataclass(frozen=True)
class Runs:
    """Several output directories to compare; `runs` by their names, which are the labels of `run`."""

    runs: dict[str, RunResults]

    @property
    def series(self) -> xr.Dataset:
        """The columns that all have, over (run, time): NaN where a run has no row at a time."""
        return self._together([run.series for run in self.runs.values()])

    @property
    def spectra(self) -> xr.Dataset:
        """The spectra that all have, over (run, time, k)."""
        return self._together([run.spectra for run in self.runs.values()])

    def _together(self, tables: list[xr.Dataset]) -> xr.Dataset:
        shared = [name for name in tables[0].data_vars if all(name in table for table in tables)]
        units = {name: {table[name].attrs["units"] for table in tables} for name in shared}
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
    """Times, and wavenumbers, that are the same but for rounding are the same bits in all."""
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
    """Several runs to compare, by the names of their directories, or their paths where names are the same.

    Raises CaseError, naming the first that is not one of whorl's.
    """
    if mistaken := [given for given in directories if not isinstance(given, str | Path)]:
        raise CaseError(
            f"{show(mistaken[0])} is no directory; give one after another: open_runs(*directories)."
        )
    if not directories:
        raise CaseError("there is no run to open: give one output directory or more.")
    names = [Path(directory).resolve().name for directory in directories]
    if len(set(names)) < len(names):
        names = [str(directory) for directory in directories]
    if len({Path(directory).resolve() for directory in directories}) < len(names):
        raise CaseError(f"one run is given twice: {', '.join(names)}.")
    return Runs(dict(zip(names, map(open_run, directories), strict=True)))


def open_run(directory: str | Path) -> RunResults:
    """The results in an output directory. Raises CaseError if it is not one of whorl's."""
    return RunResults(Path(directory), RunDirectory(directory).read_case())

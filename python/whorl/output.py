"""What a run left behind, as xarray datasets; nothing is computed and MPI is not needed."""

from dataclasses import dataclass
from pathlib import Path

import xarray as xr

from whorl.case import Case
from whorl.directory import RunDirectory
from whorl.series import read_series
from whorl.snapshot_series import times_of
from whorl.snapshots import open_snapshots
from whorl.spectra import read_spectra


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

    @property
    def checkpoints(self) -> list[Path]:
        """Checkpoint files, the oldest first."""
        return RunDirectory(self.directory).checkpoints()


def open_run(directory: str | Path) -> RunResults:
    """The results in an output directory. Raises CaseError if it is not one of whorl's."""
    return RunResults(Path(directory), RunDirectory(directory).read_case())

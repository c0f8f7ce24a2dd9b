"""What a run has recorded so far, in a script."""

from typing import TYPE_CHECKING

from whorl.base.ranks import MPI
from whorl.output.recorder import Recorder

if TYPE_CHECKING:
    import xarray as xr


class Records:
    """The part of a simulation that tells what has been recorded."""

    comm: MPI.Intracomm
    _recorder: Recorder

    @property
    def series(self) -> "xr.Dataset":
        """The time series so far, over `time`, with units; the same on every rank."""
        return self._recorder.tables["series"].dataset()

    @property
    def spectra(self) -> "xr.Dataset":
        """The spectra so far, over (time, k); the same on every rank."""
        return self._recorder.tables["spectra"].dataset()

    @property
    def diagnostics(self) -> "dict[str, xr.Dataset]":
        """What the case's diagnostics have measured so far, by their names; on rank 0, elsewhere no states.

        With an output directory it is read from diagnostics.h5.
        """
        return self._recorder.diagnostics.datasets()

    @property
    def probes(self) -> "dict[str, xr.Dataset]":
        """What the case's probes have read, by their names; with a directory what is not written yet."""
        return self._recorder.followed["probes"].datasets()

    @property
    def paths(self) -> "dict[str, xr.Dataset]":
        """Paths of the case's particles, by their names, on rank 0; with a directory what is not written yet.

        The particles themselves are in `tracers`, by the same names.
        """
        return self._recorder.followed["particles"].datasets() if self.comm.rank == 0 else {}

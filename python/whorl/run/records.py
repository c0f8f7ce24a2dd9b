"""Records of a run so far, in a script."""

from typing import TYPE_CHECKING

from whorl.base.ranks import MPI
from whorl.output.recorder import Recorder

if TYPE_CHECKING:
    import xarray as xr


class Records:
    """The part of a simulation that returns its records."""

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
        """Results of the case's diagnostics so far, by their names; only rank 0 has states.

        With an output directory they are read from diagnostics.h5.
        """
        return self._recorder.diagnostics.datasets()

    @property
    def probes(self) -> "dict[str, xr.Dataset]":
        """Rows of the case's probes, by their names; with a directory only rows not written yet."""
        return self._recorder.probes.datasets()

    @property
    def paths(self) -> "dict[str, xr.Dataset]":
        """Paths of the case's particles, by their names, on rank 0; with a directory only unwritten rows.

        The particles themselves are in `tracers`, by the same names.
        """
        return self._recorder.particles.datasets() if self.comm.rank == 0 else {}

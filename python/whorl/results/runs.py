"""The results of a run as xarray datasets and averages, without MPI."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import xarray as xr

from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.config.explain import did_you_mean
from whorl.config.outputs import FILES
from whorl.diagnostics.results.means import DiagnosticMeans, diagnostic_means
from whorl.output.directory import RunDirectory
from whorl.output.growing_file import GrowingFile
from whorl.output.series import read_series
from whorl.output.snapshot_series import times_of
from whorl.output.snapshots import open_snapshots
from whorl.output.spectra import read_spectra
from whorl.particles.files import read_paths
from whorl.probes.files import read_probes
from whorl.results.averages import Averages, averages_of
from whorl.results.checkpoint_modes import open_modes
from whorl.results.shown import html_of


@dataclass(frozen=True)
class RunResults:
    """The results in an output directory, also while the run is in progress; `open_run` returns them.

    Each access to a property reads its files again.

    Attributes
    ----------
    directory : Path
        The output directory.
    case : Case
        The case of the run with every option resolved.

    See Also
    --------
    Runs : Several runs to compare.
    """

    directory: Path
    case: Case

    def _repr_html_(self) -> str:
        return html_of(self)

    @property
    def series(self) -> xr.Dataset:
        """The time series over `time`, with a variable and its unit for each column of series.csv."""
        return self.table("series")

    @property
    def spectra(self) -> xr.Dataset:
        """The model's spectra, such as energy, and the transfers, by shell over (time, k).

        They are sums over a shell, not densities: energy summed over k is the mean kinetic energy.
        """
        return self.table("spectra")

    def table(self, quantity: str) -> xr.Dataset:
        """Read a table of the run, by the quantity in the name of its option `output.QUANTITY_every`.

        Parameters
        ----------
        quantity : str
            "series", "spectra" or the quantity of another table.

        Returns
        -------
        Dataset
            Its columns over `time`, or over (time, k), with units.

        Raises
        ------
        CaseError
            If the table is unknown or the run has not written it.
        """
        if quantity not in FILES:
            near = did_you_mean(quantity, FILES) or "."
            raise CaseError(f"no table is named {quantity}{near} Tables: {', '.join(FILES)}.")
        path = self.directory / FILES[quantity].file
        return read_series(path) if path.suffix == ".csv" else read_spectra(path)

    def rows(self) -> xr.Dataset:
        """Return the series if it has a row; otherwise raises CaseError, which says why it has none."""
        series = self.series if RunDirectory(self.directory).series.is_file() else None
        if series is not None and series.sizes["time"]:
            return series
        never = self.case.output.series_every == "never"  # type: ignore[attr-defined]
        advice = "output.series_every is never" if never else "wait for the first ones"
        raise CaseError(f"{self.directory} has no rows in series.csv yet; {advice}.")

    def rows_of_window(self, start: float | None) -> xr.Dataset | None:
        """Return the series, or None if it has no rows and `start` is given, so that a window needs none."""
        written = RunDirectory(self.directory).series.is_file() and self.series.sizes["time"] > 0
        return self.rows() if written or start is None else None

    def average(self, start: float | None = None, end: float | None = None) -> Averages:
        """Average all columns of the series and all spectra over a window of time, with errors.

        Parameters
        ----------
        start : float, optional
            The beginning of the window. By default it is the end of the transient of energy and dissipation,
            by the rule MSER. If that end is not in the first half of the rows, it is their middle.
        end : float, optional
            The end of the window; the last row by default.

        Returns
        -------
        Averages
            Means with standard errors, the numbers of independent samples, and trends. Printing shows them
            as a table.

        Raises
        ------
        CaseError
            If the run has no rows, the window has fewer than two, or `start` is after `end`.

        Notes
        -----
        A mean of a column such as R_lambda is the mean of its values, not a ratio of means. For the
        estimators see docs/method.md.

        Examples
        --------
        >>> averages = open_run("forced").average(start=20)
        >>> energy = averages["energy"]
        >>> print(energy.mean, energy.error, averages.stationary)
        """
        spectra = self.spectra if RunDirectory(self.directory).spectra.is_file() else None
        return averages_of(self.rows(), spectra, self.case, start, end)

    @property
    def diagnostics(self) -> dict[str, xr.Dataset]:
        """The states of all diagnostics by name, each a dataset over `time` and its axes, with units.

        Examples
        --------
        The densities of a diagnostic "pdf", and their mean over the second half of its states:

        >>> pdf = run.diagnostics["pdf"]["pdf"]
        >>> mean = pdf.isel(time=slice(pdf.sizes["time"] // 2, None)).mean("time")

        See Also
        --------
        mean_diagnostics : Means with errors.
        """
        return GrowingFile(RunDirectory(self.directory).diagnostics).read()

    def mean_diagnostics(
        self,
        names: str | Sequence[str] = (),
        start: float | None = None,
        end: float | None = None,
        *,
        found: Mapping[str, xr.Dataset] | None = None,
    ) -> DiagnosticMeans:
        """Average diagnostics over a window of time, with errors.

        Parameters
        ----------
        names : str or sequence of str, optional
            The names of diagnostics; all by default.
        start, end : float, optional
            The window; by default that of `average`.
        found : dict of str to Dataset, optional
            The states, as `whorl.analyse` returns them; those of diagnostics.h5 by default.

        Returns
        -------
        DiagnosticMeans
            Means of all arrays with standard errors and numbers of independent samples; counts are summed,
            and means over the points of bins are weighted by their counts. Printing shows numbers and short
            arrays as a table; `write` writes all to a file.

        Raises
        ------
        CaseError
            If a diagnostic is unknown, if the window has fewer than two states, or if it needs a series
            that the run has not written.

        Notes
        -----
        Standardised moments, and densities on an axis in units of σ, are means of the values of the states,
        each with its own σ; see docs/diagnostics/README.md.

        Examples
        --------
        >>> means = open_run("forced").mean_diagnostics("moments", start=20)
        >>> skewness = means["moments"].sel(quantity="dx(u.x)", order=3)
        >>> print(float(skewness["moment"]), float(skewness["moment_error"]))
        """
        names = (names,) if isinstance(names, str) else tuple(names)
        states = found or self.diagnostics
        return diagnostic_means(states, self.rows_of_window(start), self.case, names, start, end)

    @property
    def probes(self) -> dict[str, xr.Dataset]:
        """The values of all probes by name, each a dataset over `time` and its axes, with units.

        Examples
        --------
        The frequency spectrum of the first quantity of a probe "points" at its first point:

        >>> from whorl.probes.results.spectra import frequency_spectrum
        >>> frequency_spectrum(run.probes["points"]["value"][:, 0, 0])
        """
        return read_probes(RunDirectory(self.directory).probes)

    @property
    def particles(self) -> dict[str, xr.Dataset]:
        """The paths of particles over `time` by the name of their group, with the quantities read on them.

        Examples
        --------
        The distance that each particle has gone:

        >>> position = run.particles["tracer"]["position"]
        >>> distance = np.sqrt(((position - position[0]) ** 2).sum("axis"))
        """
        return read_paths(RunDirectory(self.directory).particles)

    @property
    def snapshots(self) -> xr.Dataset:
        """All snapshots over `time`, with `step`; fields (time, z, y, x, component) stay on disk until used.

        Examples
        --------
        The last snapshot, and the one nearest to t = 2:

        >>> last = run.snapshots.isel(time=-1)
        >>> near = run.snapshots.sel(time=2.0, method="nearest")
        """
        place = RunDirectory(self.directory)
        paths = place.snapshots()
        return open_snapshots(paths, times_of(paths, place.snapshot_series))

    def checkpoint(self, step: int | None = None) -> xr.Dataset:
        """Read the modes of a checkpoint, the amplitudes of exp(i k·x), all in memory.

        Parameters
        ----------
        step : int, optional
            The step of the checkpoint; the newest by default.

        Returns
        -------
        Dataset
            Each field of the state over (component, kx, ky, kz) with kx ≥ 0, zero where no mode is kept. A
            field of one component has no dimension `component`. The attributes are `time`, `step`, the case
            as TOML and more.

        Raises
        ------
        CaseError
            If the checkpoint does not exist, or if it is damaged.

        See Also
        --------
        whorl.output.mode_arrays : The modes of a field between walls.

        Examples
        --------
        The mean kinetic energy of the newest checkpoint; a mode with kx > 0 also stands for its conjugate:

        >>> modes = run.checkpoint()["velocity"]
        >>> weight = np.where(modes["kx"] > 0, 1.0, 0.5)[:, None, None]
        >>> energy = float((weight * (abs(modes) ** 2).sum("component")).sum())
        """
        return open_modes(RunDirectory(self.directory).path_of_checkpoint(step))

    @property
    def checkpoints(self) -> list[Path]:
        """The checkpoint files, the oldest first."""
        return RunDirectory(self.directory).checkpoints()


def open_run(directory: str | Path) -> RunResults:
    """Open the results in an output directory, also while the run is in progress.

    Parameters
    ----------
    directory : str or Path
        The output directory of a run.

    Returns
    -------
    RunResults
        The results that the run has written so far; only its case is read immediately.

    Raises
    ------
    CaseError
        If the directory is not that of a run of whorl.

    See Also
    --------
    open_runs : Several runs to compare.

    Examples
    --------
    >>> run = open_run("vortex")
    >>> run.case.grid.points
    (64, 64, 64)
    >>> dissipation = run.series["dissipation"]
    >>> spectrum = run.spectra["energy"].isel(time=-1)
    >>> plane = run.snapshots["vorticity"].isel(time=-1, z=0)
    """
    return RunResults(Path(directory), RunDirectory(directory).read_case())

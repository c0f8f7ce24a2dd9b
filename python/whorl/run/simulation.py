"""A run in a script: the flow of a case, from its beginning to its end."""

from typing import TYPE_CHECKING, Any

from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.parallel import world
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.explain import show
from whorl.run import opening, restart
from whorl.run.begin import begin
from whorl.run.callbacks import Callbacks
from whorl.run.core_options import describe
from whorl.run.current import CurrentRun
from whorl.run.delegate import method_of, property_of
from whorl.run.ends import Ends
from whorl.run.fields import Fields
from whorl.run.loop import Loop
from whorl.run.placing import Placing
from whorl.run.shown import html_of
from whorl.run.turnovers import Counts

if TYPE_CHECKING:
    import xarray as xr


class Simulation:
    """A flow in time; every method must be called on all ranks of `comm`.

    Parameters
    ----------
    case : Case
        The case to compute. Files go to `case.output.directory`; none are written without it.
    initial : callable, array_like or dict, optional
        The initial field, instead of the case's [initial]: a function (x, y, z) → (u, v, w) or an array
        (3, nz, ny, nx), as for `set_field`. Several fields: a dict of these, {"velocity": function,
        "magnetic": array}. A field that neither it nor the case gives is zero. The case's "zero" gives none.
    forcing : array_like, callable or dict, optional
        A force on the model's first field, besides those of the case, or a dict of forces by field. A force
        is an array (components, nz, ny, nx), a function of (x, y, z), or a function that is called at each
        stage. That is one of (x, y, z, t), or one of (t, modes). The latter gets this rank's modes as from
        `modes` and returns those of the force.
    comm : mpi4py.MPI.Intracomm, optional
        The ranks that share the flow, all by default.
    overwrite : bool, default False
        Whether to replace an earlier run in the directory.

    Raises
    ------
    CaseError
        If the case cannot be run, for example because `initial` and the case give the same field; nothing is
        written then.

    Examples
    --------
    >>> case = Case(grid={"points": 16}, flow={"viscosity": 0.1}, time={"dt": 0.05, "until": 0.5})
    >>> simulation = Simulation(case, lambda x, y, z: (np.sin(z), np.sin(x), np.sin(y)))
    >>> simulation.run(progress=False)
    True
    """

    def __init__(
        self,
        case: Case,
        initial: Any = None,
        *,
        forcing: Any = None,
        comm: MPI.Intracomm | None = None,
        overwrite: bool = False,
    ):
        if not isinstance(case, Case):
            raise CaseError(f"a Simulation needs a Case, not {show(case)}: load_case makes one of a file.")
        self._compose(begin(case, initial, forcing, comm or world(), overwrite))

    restart = classmethod(restart.restart)
    open = classmethod(opening.open)

    @classmethod
    def _of(cls, run: CurrentRun) -> "Simulation":
        self = cls.__new__(cls)
        self._compose(run)
        return self

    def _compose(self, run: CurrentRun) -> None:
        self.case, self.comm, self.directory, self.origin = run.case, run.comm, run.directory, run.origin
        self.flow, self.clock, self.tracers, self.trials = run.flow, run.clock, run.tracers, run.trials
        self.log = run.notices.log
        self._recorder, self._notices = run.recorder, run.notices
        self._fields, self._loop = Fields(run), Loop(run)

    def close(self) -> None:
        """Free the memory, MPI's windows and the directory; only series and spectra stay usable.

        A block `with Simulation(case) as simulation:` that ends without an exception calls it. Collective.
        Without it, resources of MPI on several ranks (windows, shared memory) stay until the program ends:
        Python deletes objects on each rank at its own time, and MPI waits for all ranks.
        """
        self._loop.close()

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        """Close it, but not on an exception: ranks without the exception would not take part."""
        if kind is None:
            self.close()

    def __reduce__(self) -> str:
        raise TypeError(
            "a Simulation cannot be pickled, nor sent to another process: its state is in the core; send its "
            "case, its series or other datasets, or the directory, which open_run reads."
        )

    def __repr__(self) -> str:
        return f"<Simulation: {self.summary()}, t = {self.time:.6g}, step {self.step_number}>"

    def _repr_html_(self) -> str:
        return html_of(self.summary(), self._loop)

    # the loop

    def step(self) -> _core.StepReport:
        """Make one step, call the callbacks, then write the output due, which has the state they leave.

        Returns
        -------
        StepReport
            With the attributes `dt`, the time step, `courant`, its Courant number, and `maximum_velocity`.

        Raises
        ------
        BlowUp
            If the flow is not finite.
        CaseError, RunFault
            If a force is not known (`Simulation.open`), or if the flow is at rest, or has come to rest, so
            that time.courant sets no step.
        ValueError
            If the run is finished or has released its directory.
        """
        return self._loop.step(self)

    def run(self, *, until: float | str | None = None, progress: bool = True) -> bool:
        """Make steps until the end of the run, or until a time, or a count of turnovers, before it.

        With an output directory, SIGTERM, SIGINT, SIGUSR1 and SIGHUP stop the run after the present step,
        with a checkpoint, and so does the end of run.wall_time. Standard output may be closed meanwhile.
        Without a directory Ctrl-C, or an interrupted cell of a notebook, raises KeyboardInterrupt after the
        step; the simulation is whole, and `run` goes on.

        Parameters
        ----------
        until : float or str, optional
            A time to pause at; the last step is shortened to land on it. Or "N turnovers": the pause is after
            the first step with this count. No step is made if it has passed.
        progress : bool, default True
            Whether rank 0 shows how far the run is.

        Returns
        -------
        bool
            Whether the end is reached, as `ended` says; if not, `stopped_by` names the signal that stopped
            the run, or run.wall_time, or is None. Called again after a signal, the run goes on.

        Raises
        ------
        BlowUp, CaseError, RunFault
            As from `step`; RunFault also if the run cannot go on, for example on a full disk, and CaseError
            if the model has no turnovers, or if others had the directory after a signal stopped the run.
        ValueError
            If `until` is negative or not finite, or text that is not "N turnovers".

        Examples
        --------
        >>> simulation.run(until=0.25, progress=False)
        False
        """
        return self._loop.run_until(self, until, progress)

    every = method_of("_loop.callbacks", Callbacks.every)
    stop = method_of("_loop.ends", Ends.stop)
    particles = method_of("_loop.placing", Placing.add)

    @property
    def time(self) -> float:
        """The time t of the present state, in the case's unit of time."""
        return self.clock.time

    @property
    def step_number(self) -> int:
        """The number of time steps made since t = 0."""
        return self.clock.step

    turnovers = property_of("_loop.counts", Counts.count)

    finished = property_of("_loop.ends", Ends.finished)
    ended = property_of("_loop.ends", Ends.ended)

    @property
    def stopped_by(self) -> str | None:
        """The signal that stopped `run`, or "run.wall_time" if its time was over; else None."""
        return self._loop.ends.stopped_by

    @property
    def report(self) -> _core.StepReport | None:
        """The report of the last step; None before the first."""
        return self._loop.report

    def summary(self) -> str:
        """Return one line that describes the case and how it runs."""
        return describe(self.case, self.flow)

    # the state

    velocity = method_of("_fields", Fields.velocity)
    vorticity = method_of("_fields", Fields.vorticity)
    field = method_of("_fields", Fields.field)
    gather = method_of("_fields", Fields.gather)
    modes = method_of("_fields", Fields.modes)
    mean = method_of("_fields", Fields.mean)
    maximum = method_of("_fields", Fields.maximum)
    diagnose = method_of("_fields", Fields.diagnose)
    set_field = method_of("_fields", Fields.set_field)
    set_modes = method_of("_fields", Fields.set_modes)

    block = property_of("_fields", Fields.block)
    coordinates = property_of("_fields", Fields.coordinates)

    def statistics(self) -> dict[str, float]:
        """Return the numbers of the present state, by the names of the columns of the series.

        They are sums over modes (energy, dissipation, …) and numbers that follow from them (R_lambda, a
        Nusselt number); see `whorl models MODEL`. Collective. Raises BlowUp if the state is not finite.
        """
        values = dict(self._recorder.sums.values())
        return values | self.case.flow.derived(values, self.flow.kmax)

    # the records

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

"""Functions of a script that a run calls between steps."""

from collections.abc import Callable
from typing import Any

from whorl.base import parallel
from whorl.base.ranks import MPI
from whorl.config.clock import Every
from whorl.run.current import CurrentRun
from whorl.run.turnovers import Counts


class Callbacks:
    """The functions of a script that a run calls."""

    def __init__(self, run: CurrentRun, counts: Counts):
        self.comm, self.clock, self._counts = run.comm, run.clock, counts
        self._callbacks: list[tuple[Every, Callable[[Any], None]]] = []
        self._aside: MPI.Intracomm | None = None  # for agreements on callbacks, which may use `comm`

    def every(self, interval: float | str, function: Callable[[Any], None] | None = None) -> Any:
        """Call a function of the simulation after each step that completes an interval.

        A function ends the run by `stop`. If it raises an exception on a rank, also by `sys.exit`, all ranks
        write the output that is due and a checkpoint, and raise it. The log has the exception, too.

        Parameters
        ----------
        interval : float or str
            An interval of time, such as 0.5, or a number of steps or turnovers, such as "10 steps" or "0.5
            turnovers".
        function : callable, optional
            The function, called as `function(simulation)`. Without it `every` returns a decorator.

        Raises
        ------
        ValueError
            If the interval has another form, such as "5 minutes", or if `function` cannot be called.
        CaseError
            If the model has no turnovers.

        Examples
        --------
        >>> @simulation.every("10 steps")
        ... def watch(flow):
        ...     print(flow.time, flow.statistics()["energy"])
        """
        if function is not None and not callable(function):
            raise ValueError(f"{function!r} cannot be called; give a function of the simulation")
        try:
            every = Every.parse(interval)
        except ValueError as error:
            raise ValueError(f"the interval {interval!r}: {error}") from None
        if every.unit == "minutes":
            raise ValueError(f"{interval}: callbacks follow steps, time or turnovers, not real time")
        if every.unit == "turnovers":
            self._counts.count_for(f'every("{interval}")')

        def register(callback: Callable[[Any], None]) -> Callable[[Any], None]:
            self._callbacks.append((every, callback))
            return callback

        return register if function is None else register(function)

    def call(self, simulation: Any, keep: Callable[[BaseException], None]) -> None:
        """Call the functions that are due. Collective.

        If a function raises an exception on a rank, all ranks `keep` the state and the exception, and raise
        it. A rank that fails where others wait for it ends all.
        """
        due = [function for every, function in self._callbacks if every.due(self.clock)]
        own = None

        def call() -> None:
            nonlocal own
            try:
                for function in due:
                    function(simulation)
            except (Exception, SystemExit) as error:
                error.of_rank = self.comm.rank
                own = error
                raise

        if not due:
            return
        if self._aside is None:
            self._aside = self.comm.Dup()
        try:
            parallel.agreed(self._aside, call, parallel.PATIENCE)
        except (Exception, SystemExit) as error:
            own = own or error
            keep(own)
            self._aside.Barrier()  # whoever catches the error on any rank finds it in the log
            raise own from None
        finally:
            own = None  # else it and this frame refer to each other

    def close(self) -> None:
        """Free the communicator. Collective."""
        if self._aside:
            self._aside.Free()
            self._aside = None


def is_told(error: BaseException) -> bool:
    """Whether the error is the exception of a callback, which is in the log already."""
    return hasattr(error, "of_rank")

"""Collective helpers: work that one rank does for all, errors agreed among ranks, and a common exit."""

import pickle
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from whorl.base.endings import PATIENCE
from whorl.base.errors import CaseError, RunFault
from whorl.base.ranks import MPI, launched

Result = TypeVar("Result")


def world() -> MPI.Intracomm:
    return MPI.COMM_WORLD


def copies() -> str:
    """A sentence if a launcher started several processes and MPI knows of this one only, else nothing."""
    if launched() == 1 or world().size > 1:
        return ""
    return (
        f"A launcher started {launched()} processes, and each is a run of its own on one rank: the launcher "
        "is not that of the MPI of mpi4py (python -m mpi4py --mpi-lib-version). Start them by its mpiexec; "
        "independent runs each need an output directory of their own."
    )


def on_root(comm: MPI.Intracomm, function: Callable[[], Result]) -> Result:
    """Run `function` on rank 0; return its result, or raise its exception, on every rank."""
    outcome: Any = None
    if comm.rank == 0:
        try:
            outcome = (function(), None)
        except (Exception, SystemExit) as error:
            outcome = (None, _to_send(error))
    result, error = comm.bcast(outcome)  # type: ignore[misc]
    if error is not None:
        raise error
    return result


def in_directory(comm: MPI.Intracomm, function: Callable[[], Result]) -> Result:
    """`on_root` for work on an output directory; its error mentions copies of the run that may use it."""
    try:
        return on_root(comm, function)
    except CaseError as error:
        if told := copies():
            raise CaseError(f"{error} {told}") from None
        raise


def agreed(
    comm: MPI.Intracomm, work: Callable[[], Result], patience: float | None = None, advice: str = ""
) -> Result:
    """Returns the result of `work` on this rank once it has returned on all; each rank does its own work.

    If some ranks fail, all raise the exception of the lowest of them. A rank that fails while others wait
    for it within `work` cannot inform them. It waits `patience` seconds for them and then ends all ranks;
    its message ends with `advice`. With a patience, `work` must not use `comm`; without one, it must not
    wait for other ranks. Collective.
    """
    result = failure = failures = None
    try:
        result = work()
    except (Exception, SystemExit) as error:
        failure = _to_send(error)
    try:
        if patience is not None:
            _meet(comm, failure, patience, advice)
        failures = comm.allgather(failure)
        first = next((rank for rank, found in enumerate(failures) if found is not None), None)
        if first == comm.rank:
            raise failure
        if first is not None:
            raise failures[first] from failure
        return result
    finally:
        failure = failures = None  # else exception and frame keep each other, and objects of `work`, alive


def _meet(comm: MPI.Intracomm, failure: BaseException | None, patience: float, advice: str) -> None:
    """Wait until all ranks arrive; a rank that failed ends all after `patience`: others may wait for it."""
    arrived = comm.Ibarrier()
    if failure is None:
        arrived.Wait()
        return
    if _ends_within(patience, arrived):
        return
    reason = f"{str(failure).rstrip('.') or type(failure).__name__}. {advice}".rstrip()
    if hasattr(failure, "of_rank"):  # an error of the user's script
        sys.stderr.write("".join(traceback.format_exception(failure)))
    where = f"rank {comm.rank} of {comm.size} failed where the others wait for it, and ends all"
    sys.stderr.write(f"whorl: {where}: {reason}\n")
    sys.stderr.flush()
    comm.Abort(RunFault.exit_code)


def _ends_within(patience: float, request: Any) -> bool:
    deadline = time.monotonic() + patience
    while not request.Test():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def _to_send(error: BaseException) -> BaseException:
    """The error, or one with the same message if it cannot be sent to other ranks."""
    try:
        if type(pickle.loads(pickle.dumps(error))) is type(error):
            return error
    except Exception:  # its class may raise anything when pickled
        pass
    fault = RunFault(f"{type(error).__name__}: {error}")
    if hasattr(error, "of_rank"):  # an error of the user's script
        fault.of_rank = error.of_rank  # type: ignore[attr-defined]
    fault.__cause__ = error
    return fault


def leave_together(message: str, code: int, show: Callable[[str], None]) -> NoReturn:
    """End the program on all ranks with `code`, the message shown once.

    Normally every rank arrives here with the same error and rank 0 shows it. A rank that the others do not
    join within PATIENCE shows its own message and ends them all.
    """
    comm = world()
    if not _ends_within(PATIENCE, comm.Ibarrier()):
        show(f"on rank {comm.rank}: {message}")
        sys.stderr.flush()
        comm.Abort(code)
    if comm.rank == 0:
        show(message)
    sys.exit(code)

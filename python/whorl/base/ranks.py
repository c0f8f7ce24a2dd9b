"""MPI by mpi4py, or, without it, a substitute on a single rank.

It is the only module that imports mpi4py; mpi4py.MPI is imported when `MPI` is first used, and the core then
calls MPI in the library that mpi4py has loaded.
"""

import os
import shutil
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from whorl.base.errors import CaseError

SHARED_MEMORY = Path("/dev/shm")
# Bytes for buffers between ranks of a node. MPICH 5.0.2 with four ranks crashes with 20 MiB, but not with 32.
ENOUGH_SHARED = 2**25
THREAD_LEVELS = ("single", "funneled", "serialized", "multiple")


def prepare() -> None:
    """Sets the thread level with which MPI starts when it is first imported; run.threading may need it.

    Raises ImportError if WHORL_MPI_THREADS is not a thread level of MPI.
    """
    level = os.environ.get("WHORL_MPI_THREADS", "multiple")
    if level not in THREAD_LEVELS:
        raise ImportError(
            f'WHORL_MPI_THREADS = "{level}" is unknown; choose one of: {", ".join(THREAD_LEVELS)}.'
        )
    with suppress(ModuleNotFoundError):  # whorl without MPI does not need mpi4py
        import mpi4py

        mpi4py.rc.thread_level = level


def launched() -> int:
    """The number of processes that mpiexec or srun started, including this one.

    A variable that holds no number, such as an empty one, was not set by them.
    """
    return _told("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS") or 1


def rank_launched() -> int:
    """The number of this process among those that mpiexec or srun started."""
    return _told("OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID") or 0


def _told(*names: str) -> int | None:
    """The number in the first of these variables of launchers that has one."""
    for name in names:
        with suppress(KeyError, ValueError):
            return int(os.environ[name])
    return None


class Alone:
    """A communicator of one rank, with the methods of mpi4py that whorl uses."""

    rank, size = 0, 1

    def bcast(self, value: Any) -> Any:
        return value

    def allreduce(self, value: Any, operation: Any = None) -> Any:
        return value

    def gather(self, value: Any, root: int = 0) -> list[Any]:
        return [value]

    def send(self, value: Any, rank: int) -> None:
        raise RuntimeError(f"rank {rank} cannot receive: without MPI whorl has one rank")

    def recv(self, room: Any, rank: int) -> Any:
        raise RuntimeError(f"rank {rank} cannot send: without MPI whorl has one rank")

    def allgather(self, value: Any) -> list[Any]:
        return [value]

    def Allreduce(self, sent: Any, received: Any, operation: Any = None) -> None:
        if sent is not ONE_RANK.IN_PLACE:
            received[...] = sent

    def Barrier(self) -> None:
        """Return at once: one rank waits for no others."""

    def Ibarrier(self) -> SimpleNamespace:
        return SimpleNamespace(Test=lambda: True, Wait=lambda: True)

    def Dup(self) -> "Alone":
        return Alone()

    def Split(self, color: int = 0, key: int = 0) -> "Alone | None":
        return ONE_RANK.COMM_NULL if color == ONE_RANK.UNDEFINED else Alone()

    def Split_type(self, kind: Any) -> "Alone":
        return Alone()

    def Free(self) -> None:
        """Do nothing: the communicator holds no resources."""

    def Abort(self, code: int) -> None:
        os._exit(code)

    def py2f(self) -> int:
        return -1  # as core/exchange/mpi/mpi.hpp


ONE_RANK = SimpleNamespace(
    Intracomm=Alone,
    COMM_WORLD=Alone(),
    COMM_SELF=Alone(),
    COMM_NULL=None,
    COMM_TYPE_SHARED="shared",
    UNDEFINED=-1,
    IN_PLACE=object(),
    SUM="sum",
    MIN="minimum",
    MAX="maximum",
)


def _start(mpi: Any) -> None:
    """Initialize MPI, unless it would abort.

    Raises CaseError if Open MPI's launcher started this process for another MPI, or if MPICH lacks the shared
    memory without which it ends by a signal.
    """
    if mpi.Is_initialized():
        return
    if mpi.get_vendor()[0] == "MPICH" and SHARED_MEMORY.exists():
        free = shutil.disk_usage(SHARED_MEMORY).free
        if free < ENOUGH_SHARED:
            raise CaseError(
                f"{SHARED_MEMORY} has {free / 2**20:.1f} MiB free, and MPICH needs {ENOUGH_SHARED >> 20} to "
                "start. Make it larger (a container: --shm-size=1g), or run on one rank without MPI "
                "(MPI4PY_LIBMPI=none)."
            )
    within_another = "PMI_SIZE" in os.environ  # launched by MPICH's mpiexec within a job of Open MPI
    if "OMPI_COMM_WORLD_SIZE" in os.environ and not within_another and mpi.get_vendor()[0] != "Open MPI":
        raise CaseError(
            "the launcher of Open MPI started this process, but mpi4py has loaded another MPI "
            f"({_short(mpi.Get_library_version())}), "
            "which cannot join it. Use the mpiexec of that library, or name the library of the launcher, "
            "MPI4PY_LIBMPI=/path/to/libmpi.so."
        )
    level = os.environ.get("WHORL_MPI_THREADS", "multiple")
    with warnings.catch_warnings():  # of another launcher: `copies` warns of it itself
        warnings.simplefilter("ignore", RuntimeWarning)
        mpi.Init_thread(getattr(mpi, f"THREAD_{level.upper()}"))


@cache
def _mpi() -> tuple[Any, str]:
    """mpi4py.MPI, to whose library the core is connected, or the substitute and the reason for it."""
    from whorl import _core

    try:
        import mpi4py

        mpi4py.rc.initialize = False
        if mpi4py.rc.finalize is None:
            mpi4py.rc.finalize = True
        from mpi4py import MPI as mpi
    except ModuleNotFoundError:
        return ONE_RANK, "mpi4py is not installed"
    except (ImportError, RuntimeError) as error:  # mpi4py finds no library of MPI, or one that does not start
        return ONE_RANK, str(error).splitlines()[0]
    _start(mpi)
    try:
        _core.connect_mpi(mpi.__file__)
    except _core.Error as error:
        raise CaseError(str(error)) from None
    return mpi, ""


def library() -> str:
    """The name and version of the MPI library; `none` without MPI."""
    from whorl import _core

    return "none" if without_mpi() else _short(_core.build_info()["mpi"])


def _short(version: str) -> str:
    """The first line of a library's text."""
    return " ".join(version.splitlines()[0].split())


def without_mpi() -> str:
    """The reason why whorl runs on one rank without MPI; empty with MPI."""
    return _mpi()[1]


def __getattr__(name: str) -> Any:
    """Import `MPI` on first use, because loading and starting it takes long."""
    if name != "MPI":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _mpi()[0]

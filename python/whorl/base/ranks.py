"""MPI by mpi4py, or, if whorl was built without MPI, a substitute on a single rank.

It is the only module that imports mpi4py; mpi4py.MPI is imported when `MPI` is first used.
"""

import os
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

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
    for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"):
        with suppress(KeyError, ValueError):
            return int(os.environ[name])
    return 1


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
        raise RuntimeError(f"rank {rank} cannot receive: this whorl was built without MPI and has one rank")

    def recv(self, room: Any, rank: int) -> Any:
        raise RuntimeError(f"rank {rank} cannot send: this whorl was built without MPI and has one rank")

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
        return 0


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


def __getattr__(name: str) -> Any:
    """Import `MPI` on first use, because loading and starting it takes long."""
    if name != "MPI":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from whorl import _core

    if _core.build_info()["mpi"] == "none":
        return ONE_RANK
    try:
        from mpi4py import MPI
    except ModuleNotFoundError:
        raise ImportError(
            "this whorl was built with MPI and needs mpi4py, which is not installed: pip install mpi4py, or "
            "build whorl without MPI (cmake -DWHORL_MPI=OFF)."
        ) from None
    return MPI

"""Patience with a file system that is away, or full: writing is tried again after pauses that grow.

An attempt must not depend on the one before: files are written under another name and renamed.
"""

import errno
import re
import time
from collections.abc import Callable
from typing import TypeVar

from whorl import _core
from whorl.base.ranks import MPI

FIRST, LONGEST = 1.0, 60.0  # seconds of a pause
# Errors of file systems over a network whose server is away, and of full ones.
PASSING = frozenset(
    getattr(errno, name)
    for name in (
        *("EIO", "ESTALE", "ENOENT", "ENODEV", "ETIMEDOUT", "EAGAIN", "ENOTCONN", "ESHUTDOWN", "EHOSTDOWN"),
        *("EHOSTUNREACH", "ECONNREFUSED", "EREMOTEIO", "ENOSPC", "EDQUOT"),
    )
    if hasattr(errno, name)
)
OF_HDF5 = re.compile(r"errno = (\d+)")
OF_CORE = "cannot be written"

Result = TypeVar("Result")


class Patience:
    """Does work on files, and repeats it for some seconds while its errors may pass."""

    def __init__(self, comm: MPI.Intracomm, seconds: float):
        self.comm, self.seconds = comm, seconds
        self.tell: Callable[[str], None] = lambda text: None

    def __call__(self, work: Callable[[], Result]) -> Result:
        """Return the result of `work`, which raises the same error on all ranks. Collective.

        Rank 0 decides for all whether it is tried again. After the last attempt the error is raised.
        """
        if self.seconds <= 0:
            return work()
        began, pause, attempts = time.monotonic(), FIRST, 1
        while True:
            try:
                result = work()
            except (OSError, RuntimeError, _core.Error) as error:
                left = self.seconds - (time.monotonic() - began)
                rest = self.comm.bcast(min(pause, left) if may_pass(error) else 0.0)
                if rest <= 0:
                    raise
                self.tell(f"{str(error).rstrip('.')}; tried again in {rest:.3g} s (output.patience)")
            else:
                if attempts > 1:
                    self.tell(f"written at attempt {attempts}, after {time.monotonic() - began:.3g} s")
                return result
            time.sleep(rest)
            pause, attempts = min(2 * pause, LONGEST), attempts + 1


def may_pass(error: Exception) -> bool:
    """Whether an error is one of the file system, and of a kind that passes."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno in PASSING
    if isinstance(error, _core.Error):
        return OF_CORE in str(error)
    return any(int(number) in PASSING for number in OF_HDF5.findall(str(error)))

"""The lock by which only one run at a time works in a directory."""

import fcntl
import os
import weakref
from pathlib import Path
from typing import ClassVar

from whorl.base.errors import CaseError


class Lock:
    """Keeps other runs out of a directory until the lock is released or deleted, or the process ends.

    A file system without locks does not keep other processes out.
    Raises CaseError if another process, or this one, holds the directory.
    """

    _held: ClassVar[set[tuple[int, int]]] = set()  # directories that this process holds

    def __init__(self, directory: Path):
        place = directory.stat()
        key = (place.st_dev, place.st_ino)
        if key in self._held:
            raise CaseError(
                f"the run in {directory} is still open in this program: close it first, by its close() or at "
                "the end of a with block."
            )
        descriptor = _locked(directory)
        self._held.add(key)
        self.release = weakref.finalize(self, self._release, key, descriptor)

    @classmethod
    def _release(cls, key: tuple[int, int], descriptor: int) -> None:
        cls._held.discard(key)
        os.close(descriptor)


def is_held(directory: Path) -> bool:
    """Whether a process of this machine, this one among them, holds the directory; it is not disturbed."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        pass
    finally:
        os.close(descriptor)
    return False


def _locked(directory: Path) -> int:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise CaseError(
            f"the run in {directory} still goes on in another process: wait for its end, or stop it first."
        ) from None
    except OSError:
        pass
    return descriptor

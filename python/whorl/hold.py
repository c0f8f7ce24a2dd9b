"""One process at a time works in a directory."""

import fcntl
import os
import weakref
from pathlib import Path
from typing import ClassVar

from whorl.errors import CaseError


class Hold:
    """Keeps other processes out of a directory until it is released or forgotten, or the process ends.

    Of one process there may be several. Where a file system has no locks nobody is kept out.
    Raises CaseError where another process holds the directory.
    """

    _held: ClassVar[dict[tuple[int, int], list[int]]] = {}  # of this process: a descriptor, and how many

    def __init__(self, directory: Path):
        place = directory.stat()
        key = (place.st_dev, place.st_ino)
        if key in self._held:
            self._held[key][1] += 1
        else:
            self._held[key] = [_locked(directory), 1]
        self.release = weakref.finalize(self, self._release, key)

    @classmethod
    def _release(cls, key: tuple[int, int]) -> None:
        cls._held[key][1] -= 1
        if cls._held[key][1] == 0:
            os.close(cls._held.pop(key)[0])


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

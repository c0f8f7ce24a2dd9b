"""The lock of a run's directory: when a run takes it, and when others may have it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from whorl.base.parallel import in_directory, on_root
from whorl.base.ranks import MPI
from whorl.output.directory import RunDirectory
from whorl.output.lock import Lock


class Hold:
    """A run's hold on its directory; rank 0 has the lock until the run ends."""

    def __init__(self, directory: RunDirectory | None, comm: MPI.Intracomm):
        self.directory, self.comm = directory, comm
        self._lock: Lock | None = None
        self._left: tuple[int, int] | None = None  # when the directory was last written, as the run left it

    def take(self, lock: Callable[[], Lock]) -> None:
        """Keep the lock that a function returns on rank 0. Collective."""
        in_directory(self.comm, lambda: self._keep(lock()))

    def take_again(self) -> None:
        """Lock the directory that the run has left. Collective. Raises CaseError if others had it."""
        on_root(self.comm, lambda: self._keep(self.directory.lock_again(self._left)))

    def leave(self) -> None:
        """Release the directory, to which the run may come back."""
        self._left = self.directory.written() if self._lock else None
        self.release()

    def release(self) -> None:
        """Release the directory for other processes."""
        if self._lock:
            self._lock.release()

    def withdraw(self) -> None:
        """Remove the files of a run that has not begun, and release the directory. Collective."""
        if self.directory:
            on_root(self.comm, self.directory.remove)
        self.release()

    @contextmanager
    def released_on_error(self) -> Iterator[None]:
        """Release the lock on an exception, whose traceback would keep it alive."""
        try:
            yield
        except BaseException:
            self.release()
            raise

    def _keep(self, lock: Lock) -> None:
        self._lock = lock

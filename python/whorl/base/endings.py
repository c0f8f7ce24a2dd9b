"""Python hooks through which a rank that ends with an error ends all ranks, if mpi4py is loaded."""

import atexit
import os
import sys
import time
import traceback
from typing import Any, NoReturn

from whorl.base.ranks import launched

# Seconds that a rank with an error waits for the others to fail as well.
PATIENCE = 10.0
# Seconds that a rank with the error of another rank waits, so that the other rank prints it first.
COURTESY = 1.0
TAG = 32285  # of messages between ranks that leave; nothing else uses it

_hooks: dict[str, Any] = {"process": os.getpid()}  # later also Python's own hook and the exit code


class Leaving(SystemExit):
    """The exception of `sys.exit`; it records its exit code when Python drops it uncaught."""

    def __del__(self):
        uncaught = sys._getframe().f_back is None
        if uncaught and self.code not in (None, 0):
            _hooks["code"] = self.code if isinstance(self.code, int) and 0 < self.code < 256 else 1


def abort_on_exception() -> None:
    """Let an uncaught exception of one of several ranks, or its `sys.exit` with an error, end all ranks."""
    if launched() == 1 and _world() is None:
        return
    if sys.exit is not _exit:
        sys.exit = _exit
        atexit.register(_leave)
    if sys.excepthook is not _abort:
        _hooks["exception"], sys.excepthook = sys.excepthook, _abort


def _world() -> Any:
    """COMM_WORLD of a program on several ranks while MPI is up, else None."""
    loaded = sys.modules.get("mpi4py.MPI")
    if loaded is None or os.getpid() != _hooks["process"] or loaded.Is_finalized():
        return None
    return loaded.COMM_WORLD if loaded.Is_initialized() and loaded.COMM_WORLD.size > 1 else None


def _exit(code: Any = None) -> NoReturn:
    raise Leaving(code)


def _abort(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    world = _world()
    if world is None:
        _hooks["exception"](kind, error, trace)
        return
    if getattr(error, "of_rank", world.rank) != world.rank:
        time.sleep(COURTESY)
    where = f"whorl: rank {world.rank} of {world.size} failed and ends all\n"
    _say(where + "".join(traceback.format_exception(kind, error, trace)))
    world.Abort(1)


def _leave() -> None:
    """End all ranks if this one exits with an error and others do not: they may wait for it."""
    code, world = _hooks.get("code"), _world()
    if code and world is not None and not _met(world):
        _say(f"whorl: rank {world.rank} of {world.size} left with exit code {code} and ends all\n")
        world.Abort(code)


def _met(several: Any) -> bool:
    """Whether all ranks arrive here within PATIENCE; rank 0 counts them and lets them go.

    The ranks exchange messages instead of a barrier, because others may be within other collective calls.
    `several` is the communicator of all ranks, which are more than one.
    """
    left, deadline = [0] if several.rank else [*range(1, several.size)], time.monotonic() + PATIENCE
    sent = [several.isend(None, 0, TAG)] if several.rank else []
    while left and time.monotonic() < deadline:
        arrived = [rank for rank in left if several.iprobe(source=rank, tag=TAG)]
        for rank in arrived:
            several.recv(source=rank, tag=TAG)
            left.remove(rank)
        time.sleep(0.01)
    if not (left or several.rank):
        sent += [several.isend(None, rank, TAG) for rank in range(1, several.size)]
    for request in [] if left else sent:
        request.wait()
    return not left


def _say(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()

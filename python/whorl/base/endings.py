"""Python's hooks by which a rank that ends with an error ends all; without mpi4py loaded they do nothing."""

import atexit
import os
import sys
import time
import traceback
from typing import Any, NoReturn

from whorl.base.ranks import launched

# Seconds that a rank with an error waits for the others to arrive with an error of theirs.
PATIENCE = 10.0
# Seconds for which a rank that got the error of another one lets that one speak first.
COURTESY = 1.0
TAG = 32285  # of messages to those that leave, which nobody else uses

_hooks: dict[str, Any] = {"process": os.getpid()}  # and Python's own ones


class Leaving(SystemExit):
    """The exit of `sys.exit`, which is known to be one when Python drops it where nobody has caught it."""

    def __del__(self):
        uncaught = sys._getframe().f_back is None
        if uncaught and self.code not in (None, 0):
            _hooks["code"] = self.code if isinstance(self.code, int) and 0 < self.code < 256 else 1


def abort_on_exception() -> None:
    """From now on an uncaught exception on one of several ranks, or its `sys.exit` by an error, ends all."""
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
    """End all ranks if this one ends by an error and others do not, though they may wait for it."""
    code, world = _hooks.get("code"), _world()
    if code and world is not None and not _met(world):
        _say(f"whorl: rank {world.rank} of {world.size} left with exit code {code} and ends all\n")
        world.Abort(code)


def _met(several: Any) -> bool:
    """Whether all ranks arrive here within PATIENCE; rank 0 counts them and lets them go.

    Messages, and no barrier: others may be within collective calls of their own. `several` are all ranks,
    and never one.
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

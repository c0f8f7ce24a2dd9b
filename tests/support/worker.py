"""One MPI rank of a Job (ranks.py): runs the functions it is sent until the connection closes.

A function runs on the first ranks of the job, whose communicator stands for MPI.COMM_WORLD meanwhile.

mpiexec -n N python -m support.worker SOCKET
"""

import contextlib
import ctypes
import faulthandler
import importlib.util
import math
import os
import pickle
import reprlib
import socket
import sys
import time
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from mpi4py import MPI

from support import devices, flows

SUPPORT = Path(__file__).parent
MODULES: dict[str, ModuleType] = {}
ALL = MPI.COMM_WORLD
KEPT: list[np.ndarray] = []  # for MPI, which may write there later
SOON = 1.0  # seconds


@cache
def first(ranks: int) -> MPI.Intracomm:
    """The first ranks of the job; only they call this."""
    return ALL if ranks == ALL.size else ALL.Create_group(ALL.group.Incl(range(ranks)))


@cache
def ends(ranks: int) -> MPI.Intracomm:
    """For the end of bodies, apart from their own messages."""
    return first(ranks).Dup()


def load(path: str) -> ModuleType:
    if path not in MODULES:
        spec = importlib.util.spec_from_file_location(f"on_ranks_{Path(path).stem}_{len(MODULES)}", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        MODULES[path] = module
    return MODULES[path]


def find(path: str, name: str) -> Callable[..., Any]:
    """A function of a module, or what `on_ranks` made a test of."""
    function = getattr(load(path), name)
    return getattr(function, "body", function)


def explain(error: BaseException) -> tuple[str, str]:
    """The traceback without this file, and the local values where a test's own code ended."""
    frames = [f for f in traceback.walk_tb(error.__traceback__) if f[0].f_code.co_filename != __file__]
    places = traceback.format_list(traceback.StackSummary.extract(iter(frames)))
    text = "".join(places + traceback.format_exception_only(error))
    own = [f for f, _ in frames if SUPPORT.parent in Path(f.f_code.co_filename).parents]
    short = reprlib.Repr()
    short.maxstring = short.maxother = 200
    values = own[0].f_locals.items() if own else ()
    return text, "\n".join(f"    {name} = {short.repr(value)}" for name, value in values)


def perform(request: dict[str, Any]) -> tuple[tuple[str, str] | None, Any]:
    """What went wrong, if anything did (see explain), and what the function returned."""
    faulthandler.dump_traceback_later(request["timeout"], exit=False)
    devices.use(request["device"])
    MPI.COMM_WORLD = world = first(request["ranks"])
    for_end = ends(request["ranks"])  # made before anything can fail
    failure = result = None
    try:
        result = find(request["path"], request["name"])(world, **request["arguments"])
    except BaseException as error:  # SystemExit too: the pytest process decides what ends the job
        failure = explain(error)
    close_flows(for_end, failed=failure is not None)
    faulthandler.cancel_dump_traceback_later()
    return failure, result


def close_flows(world: MPI.Intracomm, *, failed: bool) -> None:
    """Closes the flows of a body once all ranks have come to its end, and drops them where one has failed.

    A rank that failed helps those that come soon: some libraries need its calls for the sum to arrive.
    """
    failures = np.array([float(failed)])
    request = world.Iallreduce(MPI.IN_PLACE, failures)
    KEPT.append(failures)
    until = time.monotonic() + (SOON if failed else math.inf)
    while not request.Test() and time.monotonic() < until:
        time.sleep(1e-3)
    if failed or failures[0] > 0:
        flows.made.clear()
    while flows.made:
        flows.made.pop(0).close()


def plan_quickly() -> None:
    """FFTW measures its plans, which takes long where ranks share cores and changes nothing but rounding."""
    for library, prefix in (("libfftw3.so.3", "fftw"), ("libfftw3f.so.3", "fftwf")):
        with contextlib.suppress(OSError, AttributeError):
            getattr(ctypes.CDLL(library), f"{prefix}_set_timelimit")(ctypes.c_double(0.0))


def main(address: str) -> None:
    if ALL.size > 1:
        plan_quickly()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        with connection.makefile("rwb") as stream:
            hello = (ALL.rank, os.getpid())
            pickle.dump(hello, stream)
            stream.flush()
            while True:
                try:
                    request = pickle.load(stream)
                except EOFError:
                    return
                reply = perform(request)
                sys.stdout.flush()
                pickle.dump(reply, stream)
                stream.flush()


if __name__ == "__main__":
    main(sys.argv[1])

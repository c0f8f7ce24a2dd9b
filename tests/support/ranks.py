"""Runs the bodies of tests on MPI ranks.

A job of mpiexec is started when it is first needed and lives until pytest ends, so that a test costs what its
body costs. Each rank waits for its work on a socket, which costs no CPU. Tests of 2 to 6 ranks share a job of
six, whose first ranks they run on: one job for each number would be 24 processes instead of 15.

    @on_ranks()                      # a test for each of 1, 2, 3, 4 and 6 ranks
    @pytest.mark.parametrize("n", [3, 4])
    def test_sum(world, n):          # every rank runs this; world is MPI.COMM_WORLD there
        assert world.allreduce(n) == n * world.size

    values = run_on(3, body, n=3)    # body(world, n=3) of the same module, its result on each rank

Arguments and results travel pickled. A rank that fails, dies or hangs fails the test with what each rank
said; its job is ended, and the next test starts a fresh one.

A core without MPI runs bodies for one rank within pytest; tests of more are skipped.
"""

import atexit
import contextlib
import inspect
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from whorl.base.ranks import ONE_RANK

from support import devices, sleeping
from support.build import LEFT_OUT

SHARED = 6  # ranks of the job that tests of 2 and more share
COUNTS = (1,) if "mpi" in LEFT_OUT else (1, 2, 3, 4, 6)
START, GRACE = 120.0, 10.0  # seconds for a job to start; for other ranks once one has failed
ParameterSet = type(pytest.param(1))
DIED = ("died", "")
TESTS = Path(__file__).resolve().parents[1]


class RanksFailed(AssertionError):
    """A function failed on ranks; the message says on which, and how."""


def environment() -> dict[str, str]:
    """For mpiexec: more ranks than cores and root allowed; ranks that wait give way, threads sleep."""
    # Of this process's own start, whatever an MPI library has put into the environment since.
    allowed = dict.fromkeys(("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"), "1")
    crowded = {
        # Open MPI sees when its own ranks share cores, but not that other jobs and workers are there.
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_hwloc_base_binding_policy": "none",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
        "PRTE_MCA_hwloc_default_binding_policy": "none",
    }
    threads = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive", "OPENBLAS_NUM_THREADS": "1"}
    threads |= sleeping.waits()
    path = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))
    return {**os.environ, **allowed, **crowded, **threads, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"}


class Job:
    """One mpiexec and the sockets to its ranks."""

    def __init__(self, ranks: int):
        self.ranks = ranks
        self._folder = tempfile.TemporaryDirectory(prefix="whorl-")
        self._log = Path(self._folder.name, "log")
        self._streams: dict[int, Any] = {}
        self._sockets: dict[int, socket.socket] = {}
        self._pids: list[int] = []
        address = str(Path(self._folder.name, "socket"))
        command = ["mpiexec", "-n", str(ranks), sys.executable, "-m", "support.worker", address]
        with socket.socket(socket.AF_UNIX) as listener, self._log.open("wb") as log:
            listener.bind(address)
            listener.listen(ranks)
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment(), cwd=TESTS.parent
            )
            try:
                self._greet(listener)
            except BaseException:
                self.kill()
                raise

    def _greet(self, listener: socket.socket) -> None:
        listener.settimeout(1.0)
        deadline = time.monotonic() + START
        while len(self._streams) < self.ranks:
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RanksFailed(f"{self.ranks} ranks did not start; mpiexec said:\n{self._tail(0)}")
            with contextlib.suppress(TimeoutError):
                connection, _ = listener.accept()
                connection.setblocking(True)
                stream = connection.makefile("rwb")
                rank, pid = pickle.load(stream)
                self._streams[rank], self._sockets[rank] = stream, connection
                self._pids.append(pid)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def run(
        self, function: Callable[..., Any], ranks: int, timeout: float, arguments: dict[str, Any]
    ) -> list[Any]:
        """function(world, **arguments) on each of the first ranks; its results in their order."""
        body = getattr(function, "body", function)
        request = {"path": inspect.getfile(body), "name": body.__qualname__, "timeout": timeout - 2}
        request |= {"device": devices.current(), "ranks": ranks}
        log_start = self._log.stat().st_size
        for rank in range(ranks):
            pickle.dump({**request, "arguments": arguments}, self._streams[rank])
            self._streams[rank].flush()
        failures, results = self._collect(ranks, timeout)
        if len(failures) + len(results) < ranks or DIED in failures.values():
            self.kill()
        if len(results) < ranks:
            raise RanksFailed(self._report(ranks, failures, results, timeout, log_start))
        return [results[rank] for rank in range(ranks)]

    def _collect(self, ranks: int, timeout: float) -> tuple[dict[int, tuple[str, str]], dict[int, Any]]:
        """By rank: how it failed (the text, and the values there), or its result; neither when it hangs."""
        failures: dict[int, tuple[str, str]] = {}
        results: dict[int, Any] = {}
        waiting = set(range(ranks))
        deadline = time.monotonic() + timeout
        while waiting and (left := deadline - time.monotonic()) > 0:
            ready, _, _ = select.select([self._sockets[rank] for rank in waiting], [], [], left)
            for rank in [rank for rank in waiting if self._sockets[rank] in ready]:
                waiting.remove(rank)
                try:
                    failure, result = pickle.load(self._streams[rank])
                except (EOFError, OSError, pickle.UnpicklingError):
                    failure = DIED
                if failure is None:
                    results[rank] = result
                else:
                    failures[rank] = failure
                    # The others may be waiting for this rank within MPI.
                    deadline = min(deadline, time.monotonic() + GRACE)
        return failures, results

    def _report(self, count: int, failures: dict, results: dict, timeout: float, log_start: int) -> str:
        said: dict[str, list[int]] = {}
        for rank in range(count):
            if rank not in results:
                hung = (f"no answer within {GRACE if failures else timeout:g} s", "")
                said.setdefault(failures.get(rank, hung)[0], []).append(rank)
        parts = []
        for text, ranks in said.items():
            parts.append(f"on rank {', '.join(map(str, ranks))} of {count}: {text}")
            values = failures.get(ranks[0], ("", ""))[1]
            if values:
                parts.append(f"  values on rank {ranks[0]}:\n{values}")
        tail = self._tail(log_start)
        return "\n".join(parts + ([f"output of the ranks:\n{tail}"] if tail else []))

    def _tail(self, start: int) -> str:
        with self._log.open("rb") as log:
            log.seek(max(start, self._log.stat().st_size - 6000))
            return log.read().decode(errors="replace").strip()

    def close(self) -> None:
        """Ranks leave when their socket closes."""
        for stream, connection in zip(self._streams.values(), self._sockets.values(), strict=True):
            with contextlib.suppress(OSError):
                stream.close()
            connection.close()
        try:
            self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self.kill()
        self._folder.cleanup()

    def kill(self) -> None:
        for pid in self._pids if self.alive else []:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            self._process.wait(GRACE if self._pids else 0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


_jobs: dict[int, Job] = {}  # by their own ranks
_limits: list[int | None] = [None]  # ranks that tests may use; the last one counts
seconds_of_starts = 0.0  # so far


@contextlib.contextmanager
def at_most(ranks: int | None) -> Iterator[None]:
    """`run_on` refuses more ranks meanwhile; None: there is no limit."""
    _limits.append(ranks)
    try:
        yield
    finally:
        _limits.pop()


def size_of_job(ranks: int) -> int:
    """Ranks of the job that tests of `ranks` run on."""
    return SHARED if 1 < ranks <= SHARED else ranks


def job(ranks: int) -> Job:
    size = size_of_job(ranks)
    if size in _jobs and not _jobs[size].alive:
        _jobs.pop(size).close()
    if size not in _jobs:
        global seconds_of_starts
        began = time.monotonic()
        _jobs[size] = Job(size)
        seconds_of_starts += time.monotonic() - began
    return _jobs[size]


def end_job(ranks: int) -> None:
    """The next call on this number of ranks starts fresh processes."""
    if (size := size_of_job(ranks)) in _jobs:
        _jobs.pop(size).close()


@atexit.register
def end_all() -> None:
    for ranks in list(_jobs):
        end_job(ranks)


def run_on(ranks: int, function: Callable[..., Any], *, timeout: float = 120.0, **arguments: Any) -> list:
    """function(world, **arguments) on every rank of a job; its result on each of them.

    `function` is found by its name in its module. Raises RanksFailed with what every failing rank said.
    """
    if ranks > (_limits[-1] or ranks):
        raise RuntimeError(f"{ranks} ranks are too many for this test: mark it `mpi`")
    if "mpi" in LEFT_OUT:
        if ranks > 1:
            pytest.skip(LEFT_OUT["mpi"])
        return [getattr(function, "body", function)(ONE_RANK.COMM_WORLD, **arguments)]
    return job(ranks).run(function, ranks, timeout, arguments)


def counted(*counts: int | ParameterSet) -> list[ParameterSet]:
    """Numbers of ranks as parameters: more than one has the marker `mpi`."""
    cases = [one if isinstance(one, ParameterSet) else pytest.param(one) for one in counts]
    return [
        pytest.param(*one.values, marks=[*one.marks, *([pytest.mark.mpi] if one.values[0] > 1 else [])])
        for one in cases
    ]


def on_ranks(
    *counts: int | ParameterSet, timeout: float = 120.0
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Makes a test, body(world, ...), run on `counts` ranks (all of COUNTS by default), each its own test.

    Other parameters are pytest's, fixtures included; their values must pickle. A count may be a
    pytest.param with markers. Without MPI one rank is left, or all where none of the counts is one.
    """
    cases = counted(*(counts or COUNTS))
    if "mpi" in LEFT_OUT:
        cases = [one for one in cases if one.values[0] == 1] or cases

    def decorate(body: Callable[..., None]) -> Callable[..., None]:
        def test(ranks: int, **arguments: Any) -> None:
            message = None
            try:
                run_on(ranks, body, timeout=timeout, **arguments)
            except RanksFailed as failure:
                message = str(failure)
            if message is not None:
                pytest.fail(message, pytrace=False)

        own = list(inspect.signature(body).parameters.values())[1:]
        rank_count = inspect.Parameter("ranks", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        test.__signature__ = inspect.Signature([*own, rank_count])
        test.__name__, test.__qualname__, test.__doc__ = body.__name__, body.__qualname__, body.__doc__
        test.__module__ = body.__module__
        test.pytestmark = list(getattr(body, "pytestmark", []))
        test.body = body
        return pytest.mark.parametrize("ranks", cases, ids=lambda n: f"{n}-ranks")(test)

    return decorate

"""`whorl bench machine`: what a node does, measured by whorl's own steps and by exchanges of its own sizes.

Rates are taken from short runs of Navier–Stokes (2/3 cube, rk2) at a few sizes: each part of a step is a
median over steps, and its rate is what `Whorl.load` counts for it over that time. So the file holds what the
code reaches here, with cache and memory as they come at each size, not what the processor could.
"""

import gc
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import psutil
from mpi4py import MPI

from whorl import _core
from whorl.case import Case
from whorl.core_options import core_options
from whorl.errors import CaseError
from whorl.information import processor
from whorl.initial import set_initial
from whorl.parallel import on_root
from whorl.planner.machine import Machine, machine_from
from whorl.planner.whorl_load import Whorl

SIZES = (48, 80, 160, 320)
STEPS = {48: 40, 80: 30, 160: 10, 320: 4}
WARM_UP = 2
PASSES = 3  # over all sizes; the quickest counts, so that a moment's disturbance does not
MESSAGES = (2**14, 2**18, 2**22, 2**25)  # bytes a rank hands over in an all-to-all
PRECISIONS = ("single", "double")
BUFFER = 2**27  # bytes, beyond what a rank has of a cache
FILE_BYTES = 2**28
GIB = 2**30


def calibration_case(points: int, precision: str, threads: int) -> Case:
    """The flow whose steps are timed."""
    return Case(
        grid={"points": points},
        flow={"viscosity": 0.01},
        time={"scheme": "rk2", "dt": 0.1 / points, "steps": 1},
        initial={"name": "taylor-green"},
        run={"precision": precision, "threads": threads},
    )


def measure_machine(
    name: str, comm: MPI.Intracomm, sizes: Sequence[int] = SIZES, threads: int | None = None
) -> Machine:
    """This node, all ranks of `comm` at work at once, each on a flow of its own. Collective.

    `threads` of a rank are the cores shared evenly without. Raises CaseError if `comm` spans nodes.
    """
    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    if node.size < comm.size:
        raise CaseError(
            f"{comm.size} ranks are on more than one node; whorl bench machine measures one: start it there."
        )
    node.Free()
    threads = threads or max(1, (psutil.cpu_count(logical=False) or 1) // comm.size)
    memory = psutil.virtual_memory().available / GIB
    sections: dict[str, Any] = {
        "machine": {
            "name": name,
            "description": f"{processor()}, {comm.size} × {threads} of its cores",
            "source": f"whorl bench machine, {time.strftime('%Y-%m-%d')}",
        },
        "node": {
            "devices": comm.size * threads,
            "ranks": comm.size,
            "memory": comm.bcast(float(f"{memory:.3g}")),
        },
        "files": dict.fromkeys(("bandwidth", "bandwidth_node"), measure_files(comm)),
    }
    for precision in PRECISIONS:
        sections[precision] = measure_rates(precision, threads, comm, sizes)
    if comm.size > 1:
        sections["links"] = [{"level": "node", "ranks": 0} | measure_link(comm)]
    return machine_from(sections)


def measure_rates(
    precision: str, threads: int, comm: MPI.Intracomm, sizes: Sequence[int]
) -> dict[str, list[float]]:
    """The section [single] or [double]. Collective.

    What a step takes beside its parts (waiting, other work) makes all parts longer in proportion.
    """
    table: dict[str, list[float]] = {
        key: [] for key in ("points", "x", "y", "z", "working_set", "copies", "point", "modes")
    }
    cases = {points: calibration_case(points, precision, threads) for points in sizes}
    passes = [{points: time_parts(case, comm) for points, case in cases.items()} for _ in range(PASSES)]
    for points, case in cases.items():
        load = Whorl(case).load((1, 1), 1)
        step, parts = min((timed[points] for timed in passes), key=lambda timing: timing[0])
        taken = {part: seconds * step / sum(parts.values()) for part, seconds in parts.items()}
        table["points"].append(float(points))
        table["working_set"].append(load.working_set / threads / 1e6)
        for axis, count in load.operations.items():
            table[axis].append(count / taken[f"{axis}_lines"] / threads / 1e9)
        for key, count, part in (
            ("copies", load.copy, "pack"),
            ("point", load.point, "point"),
            ("modes", load.modes, "modes"),
        ):
            table[key].append(count / taken[part] / threads / 1e9)
    return {key: [float(f"{value:.4g}") for value in values] for key, values in table.items()}


def time_parts(case: Case, comm: MPI.Intracomm) -> tuple[float, dict[str, float]]:
    """Seconds of a right-hand side and of its parts: medians over steps, means over ranks.

    Every rank of `comm` runs the case by itself at the same time. Collective.
    """
    flow = _core.Flow(core_options(case, case.run.threads), MPI.COMM_SELF.py2f())
    set_initial(flow, case, None, MPI.COMM_SELF)
    stages = Whorl(case).stages
    rows: list[dict[str, float]] = []
    for number in range(WARM_UP + STEPS.get(case.grid.points[0], 10)):
        flow.reset_timings()
        comm.Barrier()
        begin = time.perf_counter()
        flow.step(case.time.dt, step_number=number)
        elapsed = time.perf_counter() - begin
        timings = flow.timings()
        lines = {part: timings[part] for part in ("x_lines", "y_lines", "z_lines", "pack", "point", "modes")}
        if number >= WARM_UP:
            rows.append({"step": elapsed} | lines)
    del flow
    gc.collect()
    medians = {key: statistics.median(row[key] for row in rows) / stages for key in rows[0]}
    means = {key: comm.allreduce(value) / comm.size for key, value in medians.items()}
    return means.pop("step"), means


def measure_link(comm: MPI.Intracomm) -> dict[str, float]:
    """Bandwidth and latency between ranks from all-to-alls of several sizes: t = q (m / B + λ). Collective.

    Every size weighs alike: the relative differences are least squares.
    """
    times = np.array([_time_exchange(comm, count) for count in MESSAGES])
    peers = comm.size - 1
    message = np.array(MESSAGES) / comm.size
    unknowns = np.stack([peers * message, np.full(len(MESSAGES), peers)], axis=1) / times[:, None]
    inverse_bandwidth, latency = np.linalg.lstsq(unknowns, np.ones(len(MESSAGES)), rcond=None)[0]
    return {
        "bandwidth": float(f"{1e-9 / inverse_bandwidth:.4g}"),
        "latency": float(f"{max(0.0, 1e6 * latency):.4g}"),
    }


def _time_exchange(comm: MPI.Intracomm, count: int) -> float:
    """Seconds of an all-to-all of `count` bytes a rank: the median of many, on the slowest rank.

    Each goes through another part of large arrays, as the batches of a run do: what is sent is in memory.
    """
    send = np.ones(max(count, BUFFER), np.uint8).reshape(-1, count)
    receive = np.ones_like(send)
    calls = min(len(send), 64)

    def walk() -> None:
        for i in range(calls):
            comm.Alltoall(send[i], receive[i])

    return _median_time(comm, walk, 5) / calls


def measure_files(comm: MPI.Intracomm) -> float:
    """GB/s at which rank 0 writes a file, flushed to disk, where the command runs. Collective."""

    def write() -> float:
        block = os.urandom(2**22)
        with tempfile.TemporaryFile(dir=".") as file:
            begin = time.perf_counter()
            for _ in range(FILE_BYTES // len(block)):
                file.write(block)
            file.flush()
            os.fsync(file.fileno())
            return FILE_BYTES / (time.perf_counter() - begin) / 1e9

    return float(f"{on_root(comm, write):.3g}")


def _median_time(comm: MPI.Intracomm, work: Callable[[], None], repeats: int) -> float:
    seconds = []
    for _ in range(repeats + WARM_UP):
        comm.Barrier()
        begin = time.perf_counter()
        work()
        seconds.append(comm.allreduce(time.perf_counter() - begin, MPI.MAX))
    return statistics.median(seconds[WARM_UP:])

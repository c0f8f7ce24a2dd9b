"""`whorl bench machine`: the rates of a node, measured by whorl's own steps.

Rates follow from short runs of Navier–Stokes (2/3 cube, rk2, a random field) at a few sizes. The rate of a
part is its work by `Whorl.load` over its time in the quickest step. So the file has the rates that the code
reaches here, with the effects of cache and memory at each size, not the limits of the processor.
"""

import gc
import os
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np
import psutil

from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.files import is_file
from whorl.base.host import processor
from whorl.base.parallel import on_root
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.clock import Clock
from whorl.config.schemes import SCHEMES
from whorl.config.section import Precision
from whorl.initial.fields import set_initial
from whorl.machine.planner.machine import Machine, load_machine, machine_from
from whorl.machine.planner.whorl_load import Whorl
from whorl.particles.options import KINDS, ParticleGroup
from whorl.particles.particles import added
from whorl.run.core_options import core_options
from whorl.run.memory.limits import available_memory
from whorl.run.threads import threads_of_rank

SIZES = (48, 80, 160, 256, 400)
STEPS = {32: 20, 48: 40, 64: 10, 80: 30, 128: 4, 160: 10, 256: 6, 400: 3}
WARM_UP = 2
PASSES = 3  # over all sizes; the quickest counts, so that a short disturbance does not matter
LINES = ("x_lines", "y_lines", "z_lines")
TRAFFIC = {"copies": "pack", "point": "point", "modes": "modes"}  # the core's timers of memory traffic
PRECISIONS = ("single", "double")
FILE_BYTES = 2**28
# For plans without a machine file, measured in some seconds: sizes in cache and beyond it, a shorter file.
BRIEF_SIZES, BRIEF_FILE_BYTES = (32, 64, 128), 2**25
GIB, MIB = 2**30, 2**20
SMALL = 16  # points of a flow whose arrays are negligible


def calibration_case(points: int, precision: str, threads: int) -> Case:
    """The case whose steps are timed."""
    return Case(
        grid={"points": points},
        flow={"viscosity": 0.01},
        time={"scheme": "rk2", "dt": 0.1 / points, "steps": 1},
        initial={"name": "random", "k0": 4.0},
        run={"precision": precision, "threads": threads},
    )


def measure_machine(
    name: str,
    comm: MPI.Intracomm,
    sizes: Sequence[int] = SIZES,
    threads: int | None = None,
    warn: Callable[[str], object] = warnings.warn,
) -> Machine:
    """Measures this node with all ranks of `comm` at work at once, each on its own flow. Collective.

    By default a rank has the `threads` of a run. Rank 0 calls `warn` about measurements without a result.
    Raises CaseError if `comm` spans nodes.
    """
    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    if node.size < comm.size:
        raise CaseError(
            f"{comm.size} ranks are on more than one node; whorl bench machine measures one: start it on one."
        )
    node.Free()
    threads = threads or threads_of_rank(comm)
    sections = measure_node(name, f"whorl bench machine, {time.strftime('%Y-%m-%d')}", comm, threads)
    for precision in PRECISIONS:
        sections[precision] = measure_rates(precision, threads, comm, sizes)
    sections["particles"] = measure_particles(threads, comm, sizes, warn)
    if comm.size > 1:
        sections["links"] = [{"level": "node", "ranks": 0} | measure_link(threads, comm, sizes)]
    return machine_from(sections)


def measure_brief(name: str, precision: str, threads: int) -> Machine:
    """Measures in some seconds the rates that one rank with these threads reaches in one precision.

    The rates are those of a few steps at BRIEF_SIZES, without the cost of particles.
    """
    began, comm = time.perf_counter(), MPI.COMM_SELF
    sections = measure_node(name, "", comm, threads, BRIEF_FILE_BYTES)
    sections[precision] = measure_rates(precision, threads, comm, BRIEF_SIZES, passes=1)
    sections["machine"]["source"] = (
        f"steps of {', '.join(f'{n}³' for n in BRIEF_SIZES)} points measured on it just now, in "
        f"{time.perf_counter() - began:.2g} s; whorl bench machine measures longer and keeps what it finds"
    )
    return machine_from(sections)


def measure_node(
    name: str, source: str, comm: MPI.Intracomm, threads: int, file_bytes: int = FILE_BYTES
) -> dict[str, Any]:
    """The sections of a machine file without its rates and links. Collective."""
    memory, overhead = available_memory()[0] / GIB, measure_overhead(threads, comm)
    return {
        "machine": {
            "name": name,
            "description": f"{processor()}, {comm.size} × {threads} of its cores",
            "source": source,
        },
        "node": {
            "devices": comm.size * threads,
            "ranks": comm.size,
            "memory": comm.bcast(float(f"{memory:.3g}")),
            "overhead": overhead,
        },
        "files": dict.fromkeys(("bandwidth", "bandwidth_node"), measure_files(comm, file_bytes)),
    }


def measure_overhead(threads: int, comm: MPI.Intracomm) -> float:
    """MiB of a rank's process with a small flow, besides the flow's arrays. Collective."""
    gc.collect()
    case = calibration_case(SMALL, "double", threads)
    flow = _core.Flow(core_options(case, threads), comm.py2f())
    set_initial(flow, case, None, comm)
    for step in range(WARM_UP):
        flow.step(case.time.dt, step_number=step)
    beside = psutil.Process().memory_info().rss - sum(flow.memory().values())
    flow.close()
    return float(f"{comm.allreduce(beside) / comm.size / MIB:.4g}")


def measure_rates(
    precision: str, threads: int, comm: MPI.Intracomm, sizes: Sequence[int], passes: int = PASSES
) -> dict[str, list[float]]:
    """The section [single] or [double]; all ranks work at the same time, each by itself. Collective.

    Time of a step outside its parts (waiting, other work) lengthens all parts in proportion.
    """
    table: dict[str, list[float]] = {
        key: [] for key in ("points", "x", "y", "z", "working_set", "copies", "point", "modes")
    }
    for case, timings in time_sizes(precision, threads, MPI.COMM_SELF, comm, sizes, passes):
        load = Whorl(case).load((1, 1), 1)
        stretch = timings["step"] / sum(timings[part] for part in (*LINES, *TRAFFIC.values()))
        table["points"].append(float(case.grid.points[0]))
        table["working_set"].append(load.working_set / threads / 1e6)
        for axis, count in load.operations.items():
            table[axis].append(count / (stretch * timings[f"{axis}_lines"]) / threads / 1e9)
        for key, part in TRAFFIC.items():
            count = getattr(load, "copy" if key == "copies" else key)
            table[key].append(count / (stretch * timings[part]) / threads / 1e9)
    return {key: [float(f"{value:.4g}") for value in values] for key, values in table.items()}


def measure_link(threads: int, comm: MPI.Intracomm, sizes: Sequence[int]) -> dict[str, float]:
    """Bandwidth and latency between ranks that share a flow in slabs: t = q (m / B + c λ). Collective.

    t is the time of a right-hand side in its exchange, including waiting. Every size has the same weight: the
    fit is by least squares of relative differences, with neither number below zero.
    """
    rows = []
    for precision in PRECISIONS:
        for case, timings in time_sizes(precision, threads, comm, comm, sizes):
            way = Whorl(case)
            grid = (1, comm.size)
            column = way.load(grid, way.own_batches(grid)).column
            peers = comm.size - 1
            rows.append(np.array([column.bytes / comm.size, column.calls]) * peers / timings["exchange"])
    inverse_bandwidth, latency = fit(np.array(rows))
    return {
        "bandwidth": float(f"{1e-9 / inverse_bandwidth:.4g}"),
        "latency": float(f"{1e6 * latency:.4g}"),
    }


def fit(rows: np.ndarray) -> tuple[float, float]:
    """The two numbers, first positive, second not negative, that make each row's product nearly one."""
    first, second = np.linalg.lstsq(rows, np.ones(len(rows)), rcond=None)[0]
    if first <= 0:
        return 1e-15, float(rows[:, 1].sum() / (rows[:, 1] ** 2).sum())
    if second < 0:
        return float(rows[:, 0].sum() / (rows[:, 0] ** 2).sum()), 0.0
    return float(first), float(second)


def time_sizes(
    precision: str,
    threads: int,
    sharing: MPI.Intracomm,
    comm: MPI.Intracomm,
    sizes: Sequence[int],
    passes: int = PASSES,
) -> list[tuple[Case, dict[str, float]]]:
    """The cases of all sizes with their timings, each from its quickest pass. Collective over `comm`."""
    cases = [calibration_case(points, precision, threads) for points in sizes]
    of_passes = [[time_parts(case, sharing, comm) for case in cases] for _ in range(passes)]
    quickest = (min(timings, key=lambda one: one["step"]) for timings in zip(*of_passes, strict=True))
    return list(zip(cases, quickest, strict=True))


def time_parts(case: Case, sharing: MPI.Intracomm, comm: MPI.Intracomm) -> dict[str, float]:
    """Seconds of a right-hand side ("step") and of its parts in the quickest step, as means over ranks.

    The ranks of `sharing` share a flow; all of `comm` work at the same time. Collective over `comm`.
    """
    flow = _core.Flow(core_options(case, case.run.threads), sharing.py2f())
    set_initial(flow, case, None, sharing)
    rows: list[dict[str, float]] = []
    for number in range(WARM_UP + STEPS.get(case.grid.points[0], 10)):
        flow.reset_timings()
        comm.Barrier()
        begin = time.perf_counter()
        flow.step(case.time.dt, step_number=number)
        elapsed = time.perf_counter() - begin
        timings = flow.timings()
        if number >= WARM_UP:
            parts = (*LINES, *TRAFFIC.values(), "exchange")
            rows.append({"step": elapsed} | {part: timings[part] for part in parts})
    flow.close()
    stages = Whorl(case).stages
    quickest = min(rows, key=lambda row: comm.allreduce(row["step"], MPI.MAX))
    return {key: comm.allreduce(value) / comm.size / stages for key, value in quickest.items()}


def measure_files(comm: MPI.Intracomm, size: int = FILE_BYTES) -> float:
    """GB/s at which rank 0 writes a file, flushed to disk. Collective.

    The file is in the working directory, or where that cannot be written to in that for temporary files.
    """

    def write() -> float:
        block = os.urandom(2**22)
        with tempfile.TemporaryFile(dir="." if os.access(".", os.W_OK) else None) as file:
            begin = time.perf_counter()
            for _ in range(size // len(block)):
                file.write(block)
            file.flush()
            os.fsync(file.fileno())
            return size / (time.perf_counter() - begin) / 1e9

    return float(f"{on_root(comm, write):.3g}")


POINTS = 80  # along each axis of the box, if no size that is measured is smaller
SHARE = 8  # points of the grid for each particle
PARTICLE_STEPS, PARTICLE_WARM_UP = 5, 1


def measure_particles(
    threads: int,
    comm: MPI.Intracomm,
    sizes: Sequence[int],
    warn: Callable[[str], object] = warnings.warn,
) -> list[dict[str, Any]]:
    """The sections [[particles]]; all ranks work at the same time, each by itself. Collective.

    Particles are timed by steps with many of them and with one. Steps with one contain all work that does not
    depend on the number, such as a round trip of the interpolated fields, which the planner counts itself.
    If many particles take no longer than one, as in a disturbance, rank 0 warns and these points have no
    cost.
    """
    box = min(POINTS, max(sizes))
    sections = []
    for kind, interpolation, precision in _ways():
        case = timed_case(kind, box, precision, threads)
        found = {n: nanoseconds(case, kind, (interpolation, n), comm) for n in choices("points")}
        known = {float(n): cost for n, cost in found.items() if cost > 0}
        if len(known) < len(found) and comm.rank == 0:
            without = ", ".join(str(n) for n, cost in found.items() if cost <= 0)
            warn(
                f"particles ({kind} by {interpolation}, {precision}) took no time with {without} points: "
                "that is left out; measure again while nothing else runs."
            )
        if known:
            way = {"kind": kind, "interpolation": interpolation, "precision": precision}
            sections.append(way | {"points": list(known), "nanoseconds": list(known.values())})
    return sections


def _ways() -> Iterator[tuple[str, str, str]]:
    for kind in KINDS:
        for interpolation in choices("interpolation"):
            for precision in get_args(Precision):
                yield kind, interpolation, precision


def choices(option: str) -> tuple[Any, ...]:
    """The values of an option of all groups."""
    return get_args(ParticleGroup.model_fields[option].annotation)


def timed_case(kind: str, points: int, precision: str, threads: int) -> Case:
    """The case whose steps are timed, without a trial of lines, which may choose differently each time."""
    return Case(
        grid={"points": points},
        flow=KINDS[kind].timed_in,
        time={"scheme": "rk2", "dt": 0.1 / points, "steps": 1},
        initial={"name": "random", "k0": 4.0},
        run={"precision": precision, "threads": threads, "lines": "own"},
    )


def nanoseconds(case: Case, kind: str, how: tuple[str, int], comm: MPI.Intracomm) -> float:
    """The time of a thread for a particle in a stage; zero or less in a disturbance. Collective."""
    count = max(2, case.grid.points[0] ** 3 // SHARE)
    one, many = (quickest(case, number, kind, how, comm) for number in (1, count))
    stages = SCHEMES[case.time.scheme].right_hand_sides
    return float(f"{1e9 * (many - one) / (count - 1) / stages * case.run.threads:.4g}")


def quickest(case: Case, count: int, kind: str, how: tuple[str, int], comm: MPI.Intracomm) -> float:
    """Seconds of the quickest step but the first with `count` particles, on the slowest rank. Collective."""
    flow = _core.Flow(core_options(case, case.run.threads), MPI.COMM_SELF.py2f())
    set_initial(flow, case, None, MPI.COMM_SELF)
    options = {"kind": kind, "interpolation": how[0], "points": how[1]} | KINDS[kind].timed_with
    group = added(case, MPI.COMM_SELF, flow, Clock(), count, options)
    found = []
    for number in range(PARTICLE_WARM_UP + PARTICLE_STEPS):
        comm.Barrier()
        begin = time.perf_counter()
        flow.step(case.time.dt, step_number=number)
        found.append(comm.allreduce(time.perf_counter() - begin, MPI.MAX))
    del group
    flow.close()
    return min(found[PARTICLE_WARM_UP:])


NAME = "this machine"
FILE = Path("local.toml")  # that whorl bench machine writes by default


def this_machine(case: Case, say: Callable[[str], object]) -> Machine:
    """This machine, by `local.toml` in the working directory, if that is of this processor, else measured.

    It is measured in some seconds, in the precision of the case, and `say` reports it. Raises CaseError for
    a file that is no machine file.
    """
    if is_file(FILE):
        known, here = load_machine(FILE), processor()
        if known.machine.description.startswith(here):
            return known
        say(f"{FILE} is of another processor ({known.machine.description}), this is {here}: it is left out.")
    say("measuring this machine for some seconds; whorl bench machine keeps its figures in a file.")
    return measure_brief(NAME, case.run.precision, threads_of_rank(MPI.COMM_SELF))

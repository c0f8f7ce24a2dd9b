"""`whorl bench machine`: the time of particles, by steps with many of them and with one.

Steps with one particle contain all work that does not depend on their number, such as a round trip of the
interpolated fields. The planner counts that as it counts every round trip.
"""

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, get_args

from whorl import _core
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.clock import Clock
from whorl.config.schemes import SCHEMES
from whorl.config.section import Precision
from whorl.initial.fields import set_initial
from whorl.particles.options import KINDS, ParticleGroup
from whorl.particles.particles import added
from whorl.run.core_options import core_options

POINTS = 80  # along each axis of the box, if no size that is measured is smaller
SHARE = 8  # points of the grid for each particle
STEPS, WARM_UP = 5, 1


def measure_particles(
    threads: int,
    comm: MPI.Intracomm,
    sizes: Sequence[int],
    warn: Callable[[str], object] = warnings.warn,
) -> list[dict[str, Any]]:
    """The sections [[particles]]; all ranks work at the same time, each by itself. Collective.

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
    for number in range(WARM_UP + STEPS):
        comm.Barrier()
        begin = time.perf_counter()
        flow.step(case.time.dt, step_number=number)
        found.append(comm.allreduce(time.perf_counter() - begin, MPI.MAX))
    del group
    flow.close()
    return min(found[WARM_UP:])

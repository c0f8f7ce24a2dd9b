"""Time a right-hand side with whorl's own lines, FFTW's and the chosen ones; run by processors.py.

It uses one grid on one rank, the Taylor–Green vortex, at the instruction level that WHORL_LEVEL names. The
ways take turns in every round, and so does the floor, so that a machine that becomes slower affects all.
It prints one line of JSON. For each way this has the kinds of lines, the seconds to make the flow and the
spread of the seconds of a right-hand side. It also has the spread of the floors, the rates of the last one,
and the machine. With phase shifts other modes are kept; the timed grid is the unshifted one.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import psutil
from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.initial.fields import set_initial
from whorl.machine.benches.common import WARM_UP, bench_case, measure_floor, provenance, spread
from whorl.machine.floor import STATES_OF_TENDENCY, work
from whorl.run.core_options import core_options

OWN, FFTW, CHOSEN, HALF = "own", "fftw", "auto", "own, half the cache"
FEWEST_ROUNDS = 2
ROUND_SECONDS = 0.03  # of each way in a round, with at least one right-hand side
MOST_REPEATS = 20
# Flows held at once: all that fit in memory; from LARGE points an axis on only OF_LARGE.
LARGE, OF_LARGE = 384, 2


def ways() -> list[str]:
    """The ways that this build has."""
    with_fftw = _core.build_info()["fftw"] != "none"
    return [OWN, *([FFTW] if with_fftw else []), CHOSEN, HALF]


def options_of(case: Case, way: str) -> _core.Options:
    lines = OWN if way == HALF else way
    options = core_options(case.updated([f"run.lines={lines}"]), case.run.threads)
    if way == HALF:
        options.second_cache = _core.second_cache() // 2
    return options


def groups(case: Case) -> list[list[str]]:
    """The ways that take turns with each other: own lines in each group, and as many as fit in memory.

    Raises CaseError if two do not fit.
    """
    bytes_of_flow = sum(_core.estimate_memory(options_of(case, OWN), 1).values())
    room = psutil.virtual_memory().available // bytes_of_flow
    if room < OF_LARGE:
        needed = OF_LARGE * bytes_of_flow / 2**30
        raise CaseError(
            f"{OF_LARGE} flows of {case.grid.points[0]}³ need {needed:.1f} GiB, more than is free; leave the "
            "size out (--points)."
        )
    others = ways()[1:]
    partners = (OF_LARGE if case.grid.points[0] >= LARGE else min(room, 1 + len(others))) - 1
    return [[OWN, *others[first : first + partners]] for first in range(0, len(others), partners)]


def make(case: Case, way: str) -> tuple[_core.Flow, dict[str, Any]]:
    """A flow that has been warmed up, and facts about its creation."""
    begun = time.perf_counter()
    flow = _core.Flow(options_of(case, way), MPI.COMM_SELF.py2f())
    made = time.perf_counter() - begun
    set_initial(flow, case, None, MPI.COMM_SELF)
    for _ in range(WARM_UP):
        flow.evaluate()
    return flow, {"lines": flow.options.lines, "seconds_to_make": made}


def seconds_of(flow: _core.Flow) -> float:
    begun = time.perf_counter()
    flow.evaluate()
    return time.perf_counter() - begun


def time_rounds(
    flows: dict[str, _core.Flow], rounds: int, budget: float, after_round: Callable[[], None] = lambda: None
) -> dict[str, list[float]]:
    """Seconds of each right-hand side; the flows take turns, every other round in the opposite order.

    A turn begins with a right-hand side that does not count, because the flow before has filled the caches.
    After FEWEST_ROUNDS no round begins beyond the budget, in seconds.
    """
    begun = time.perf_counter()
    taken: dict[str, list[float]] = {way: [] for way in flows}
    for number in range(rounds):
        if number >= FEWEST_ROUNDS and time.perf_counter() - begun > budget:
            break
        for way in list(flows)[:: -1 if number % 2 else 1]:
            once = seconds_of(flows[way])
            repeats = min(MOST_REPEATS, max(1, int(ROUND_SECONDS / once)))
            taken[way] += [seconds_of(flows[way]) for _ in range(repeats)]
        after_round()
    return taken


def time_ways(
    case: Case, rounds: int, budget: float, after_round: Callable[[], None] = lambda: None
) -> dict[str, dict[str, Any]]:
    """The results of each way; the flow with own lines is created once and kept."""
    found: dict[str, dict[str, Any]] = {}
    seconds: dict[str, list[float]] = {}
    kept: dict[str, _core.Flow] = {}
    turns = groups(case)
    for group in turns:
        for way in group:
            if way not in kept:
                kept[way], found[way] = make(case, way)
        for way, taken in time_rounds(kept, rounds, budget / len(turns), after_round).items():
            seconds.setdefault(way, []).extend(taken)
        kept = {OWN: kept[OWN]}
    return {way: about | {"seconds": spread(seconds[way])} for way, about in found.items()}


class Floors:
    """The floor of a case, measured at every call: one trial of each rate, as short as a right-hand side."""

    def __init__(self, case: Case):
        self._run, self._work = case.run, work(case, STATES_OF_TENDENCY)
        self._copies = _core.Copies(case.run.threads)
        self.seconds: list[float] = []
        self.limits: dict[str, Any] = {}

    def __call__(self) -> None:
        run = self._run
        seconds, self.limits = measure_floor(
            self._work, run, run.threads, MPI.COMM_SELF, self._copies, trials=1
        )
        self.seconds.append(seconds)


def measure(case: Case, rounds: int, budget: float) -> dict[str, Any]:
    floors = Floors(case)
    timed = time_ways(case, rounds, budget, floors)
    return {
        "level": _core.build_info()["level"],
        "points": case.grid.points[0],
        "dealias": case.grid.dealias,
        "precision": case.run.precision,
        "threads": case.run.threads,
        "ways": timed,
        "half_of_cache": _core.second_cache() // 2,
        "floor": {"seconds": spread(floors.seconds)},
        "limits": floors.limits,
    } | provenance(MPI.COMM_SELF)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--points", type=int, required=True)
    parser.add_argument("--dealias", required=True)
    parser.add_argument("--precision", required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True, help="after which no round begins")
    return parser.parse_args()


def main() -> None:
    given = parse()
    try:
        case = bench_case(
            given.points, given.precision, given.dealias, "navier-stokes", "rk2", given.threads, []
        )
        print(json.dumps(measure(case, given.rounds, given.seconds)))
    except (CaseError, _core.Error) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()

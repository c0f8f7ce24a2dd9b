"""Time every exchange on two ranks, and the choice of `run.transport = "auto"`, for docs/performance.md.

    mpiexec -n 2 .venv/bin/python benchmarks/exchange.py

It times a right-hand side of Navier–Stokes at 256³ with each transport and process grid and one thread per
rank, all of them in every round, and keeps the least of each. The choice of `auto` and options of a transport
are timed in the same rounds. Nothing else should run meanwhile; it takes about two minutes on two cores.
"""

import argparse
import itertools
import time

import shared
from mpi4py import MPI
from whorl import _core
from whorl.base.declared import PLAIN_TRANSPORT
from whorl.config.case import Case
from whorl.machine.benches.common import bench_case, slowest
from whorl.machine.information import machine
from whorl.run import tune
from whorl.run.core_options import core_options
from whorl.run.exchange_choice import Choice, plain

TIMES = 3  # a right-hand side is timed each round
# Options of a transport, on the process grid 1 × ranks.
WAYS = {
    "alltoall": (),
    "alltoall, serialized": ("run.threading=serialized",),
    "overlap": ("run.transport=overlap",),
    "overlap, serialized": ("run.transport=overlap", "run.threading=serialized"),
    "alltoall, one variable a message": ("run.variables_per_message=1",),
    "alltoall, single on the wire": ("run.wire=single",),
    "overlap, single on the wire": ("run.transport=overlap", "run.wire=single"),
}


def seconds_of(case: Case, comm: MPI.Intracomm) -> tuple[Choice, float]:
    """The resulting choice, and the least seconds of TIMES right-hand sides on the slowest rank."""
    flow = _core.Flow(core_options(case, 1), comm.py2f())
    seconds = [slowest(comm, flow.evaluate) for _ in range(1 + TIMES)]
    return Choice(case.run.transport, tuple(flow.process_grid), flow.batches), min(seconds[1:])


def table_of_ways(found: dict[str, float]) -> str:
    first = found[next(iter(WAYS))]
    rows = [(way, f"{1e3 * seconds:.1f} ms", f"{seconds / first:.3f}") for way, seconds in found.items()]
    return shared.table(("process grid 1 × ranks", "right-hand side", "÷ alltoall"), rows)


def table(found: dict[Choice, float], chosen: Choice) -> str:
    best = min(found.values())
    titles = ("transport", "process grid", "batches", "right-hand side", "÷ best")
    rows = []
    for choice, seconds in sorted(found.items(), key=lambda item: item[1]):
        grid = " × ".join(map(str, choice.process_grid))
        mark = " (auto)" if choice == chosen else ""
        milliseconds = f"{1e3 * seconds:.1f} ms"
        rows.append(
            (choice.transport + mark, grid, str(choice.batches), milliseconds, f"{seconds / best:.3f}")
        )
    return shared.table(titles, rows)


def main() -> None:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("--points", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3, help="times each is timed")
    parser.add_argument("--keep-page", action="store_true", help="print only")
    options = parser.parse_args()
    comm = MPI.COMM_WORLD
    case = bench_case(options.points, "double", None, "navier-stokes", "rk2", 1, ["run.transport=auto"])
    grids = [tuple(g) for g in _core.allowed_process_grids(core_options(plain(case), 1), comm.size)]
    chosen = tune.tune(case, 1, comm)[1][0].choice
    fixed = [Choice(name, grid, 0) for name, grid in
             itertools.product(_core.build_info()["transports"], grids)]  # fmt: skip
    found: dict[Choice, float] = {}
    ways: dict[str, float] = {}
    for _ in range(options.rounds):
        for choice in (*fixed, chosen):
            made, seconds = seconds_of(choice.applied_to(case), comm)
            found[made] = min(seconds, found.get(made, seconds))
        for way, settings in WAYS.items():
            on = [f"run.transport={PLAIN_TRANSPORT}", f"run.process_grid=[1, {comm.size}]", *settings]
            _, seconds = seconds_of(case.updated(on), comm)
            ways[way] = min(seconds, ways.get(way, seconds))
    if comm.rank > 0:
        return
    ratio = found[chosen] / min(found.values())
    host = machine(MPI.COMM_SELF)["processor"]
    text = f"{host}, {comm.size} ranks × 1 thread, {options.points}³, {time.strftime('%Y-%m-%d')}; "
    text += f"`auto` takes {ratio:.3f} of the time of the best fixed choice.\n\n{table(found, chosen)}"
    text += f"\n\n{table_of_ways(ways)}"
    print(text)
    if not options.keep_page:
        shared.write_page("exchange", text)


if __name__ == "__main__":
    main()

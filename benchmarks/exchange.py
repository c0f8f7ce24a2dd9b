"""Time every way to exchange on two ranks, and what `run.transport = "auto"` takes, into docs/performance.md.

    mpiexec -n 2 .venv/bin/python benchmarks/exchange.py

A right-hand side of Navier–Stokes at 256³ with each transport and process grid, one thread a rank, all of
them again each round; the least of each. Then what `auto` chooses, timed in the same rounds. Nothing else
should run meanwhile; it takes about four minutes on two cores.
"""

import argparse
import itertools
import re
import time
from pathlib import Path

from mpi4py import MPI
from whorl import _core, tune
from whorl.benches.common import bench_case
from whorl.case import Case
from whorl.core_options import core_options
from whorl.information import machine
from whorl.tune import Choice

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
TIMES = 3  # a right-hand side is timed each round


def seconds_of(case: Case, choice: Choice, comm: MPI.Intracomm) -> tuple[Choice, float]:
    """The choice as it was made, and the least of TIMES right-hand sides, on the slowest rank."""
    flow = _core.Flow(core_options(choice.applied_to(case), 1), comm.py2f())
    seconds = []
    for _ in range(1 + TIMES):
        comm.Barrier()
        start = time.perf_counter()
        flow.evaluate()
        seconds.append(comm.allreduce(time.perf_counter() - start, MPI.MAX))
    return Choice(choice.transport, tuple(flow.process_grid), flow.batches), min(seconds[1:])


def table(found: dict[Choice, float], chosen: Choice) -> str:
    best = min(found.values())
    rows = [("transport", "process grid", "batches", "right-hand side", "÷ best"), ("---",) * 5]
    for choice, seconds in sorted(found.items(), key=lambda item: item[1]):
        grid = " × ".join(map(str, choice.process_grid))
        mark = " (auto)" if choice == chosen else ""
        milliseconds = f"{1e3 * seconds:.1f} ms"
        rows.append(
            (choice.transport + mark, grid, str(choice.batches), milliseconds, f"{seconds / best:.3f}")
        )
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def write_page(text: str) -> None:
    """Between the marks of docs/performance.md."""
    page = PAGE.read_text(encoding="utf-8")
    marked = re.compile(r"(<!-- exchange -->\n).*?(\n?<!-- end of exchange -->)", re.DOTALL)
    PAGE.write_text(marked.sub(lambda m: f"{m[1]}{text}{m[2]}", page), encoding="utf-8")


def main() -> None:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("--points", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3, help="times each is timed")
    parser.add_argument("--keep-page", action="store_true", help="print only")
    options = parser.parse_args()
    comm = MPI.COMM_WORLD
    case = bench_case(options.points, "double", None, "navier-stokes", "rk2", 1, ["run.transport=auto"])
    grids = [tuple(g) for g in _core.allowed_process_grids(core_options(tune.plain(case), 1), comm.size)]
    chosen = tune.tune(case, 1, comm)[1][0].choice
    fixed = [Choice(name, grid, 0) for name, grid in
             itertools.product(_core.build_info()["transports"], grids)]  # fmt: skip
    found: dict[Choice, float] = {}
    for _ in range(options.rounds):
        for choice in (*fixed, chosen):
            made, seconds = seconds_of(case, choice, comm)
            found[made] = min(seconds, found.get(made, seconds))
    if comm.rank > 0:
        return
    ratio = found[chosen] / min(found.values())
    host = machine(MPI.COMM_SELF)["processor"]
    text = f"{host}, {comm.size} ranks × 1 thread, {options.points}³, {time.strftime('%Y-%m-%d')}; "
    text += f"`auto` takes {ratio:.3f} of the time of the best fixed choice.\n\n{table(found, chosen)}"
    print(text)
    if not options.keep_page:
        write_page(text)


if __name__ == "__main__":
    main()

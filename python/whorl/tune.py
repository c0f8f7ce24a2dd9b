"""`run.transport = "auto"`: the fastest way to exchange, measured on the case's own plan before it runs."""

import contextlib
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit
from rich.table import Table
from tomlkit.exceptions import TOMLKitError

from whorl import _core
from whorl.case import Case
from whorl.checks import check_memory
from whorl.core_options import core_options
from whorl.errors import CaseError
from whorl.exchange_choice import AUTO, PLAIN, Choice, plain
from whorl.ranks import MPI

SCREENING = 6.0  # seconds after which no further choice is tried
SECONDS = 12.0  # after which none is tried again
LARGE = 10  # right-hand sides, where they take longer than SCREENING, and so much more than SECONDS
TIMES = 3  # a right-hand side is timed, after one that warms up
SLOW = 1.0  # seconds beyond which one is enough
FINALISTS = 3  # so many of the fastest are tried again after each round, and once more after the last
CLOSE = 1.1  # times the fastest: what is slower after one right-hand side is not timed again
MOST_GRIDS = 4
BATCHES = (1, 2, 4, 8, 16)


@dataclass(frozen=True)
class Trial:
    """A choice, and the seconds of a right-hand side with it on the slowest rank."""

    choice: Choice
    seconds: float


def tune(case: Case, threads: int, comm: MPI.Intracomm) -> tuple[Case, list[Trial]]:
    """The case with the fastest choice, and what was tried, the fastest first.

    First process grids, then transports, then numbers of batches, each with the best of the others so far;
    what the case fixes stays. The fastest are tried again after each of the three. No choice is tried for the
    first time after SCREENING seconds and none again after SECONDS, or later where a right-hand side takes
    long; one that this machine refuses or that does not fit its memory is left out.
    Collective; a case that is not "auto" comes back as it is. Raises CaseError as core_options does, and what
    the plainest exchange raises.
    """
    if case.run.transport != AUTO:
        return case, []
    if comm.size == 1:
        return plain(case), []
    first = Choice(PLAIN, case.run.process_grid, case.run.batches)
    begin, found, checked = time.perf_counter(), {}, {}

    def try_it(choice: Choice) -> None:
        if choice not in checked:
            checked[choice] = check_memory(core_options(choice.applied_to(case), threads), comm)
        bound = CLOSE * min(found.values(), default=math.inf)
        trial = _try(checked[choice], choice, comm, bound)
        found[trial.choice] = min(trial.seconds, found.get(trial.choice, math.inf))
        checked[trial.choice] = checked[choice]

    def has_time(limit: float) -> bool:
        return comm.bcast(time.perf_counter() - begin) < longer * limit

    try_it(first)
    longer = max(1.0, LARGE * min(found.values()) / SCREENING)
    for candidates in (_grids, _transports, _batches):
        for choice in candidates(case, _fastest(found)[0], threads, comm):
            if choice not in found and has_time(SCREENING):
                with contextlib.suppress(_core.Error, CaseError):
                    try_it(choice)
        for choice in _fastest(found)[:FINALISTS] * (2 if candidates is _batches else 1):
            if has_time(SECONDS):
                try_it(choice)
    trials = [Trial(choice, found[choice]) for choice in _fastest(found)]
    return trials[0].choice.applied_to(case), trials


def recorded_grid(path: Path) -> tuple[int, int] | None:
    """The process grid of an exchange.toml; None where there is none that can be read."""
    try:
        rows, columns = tomlkit.parse(path.read_text(encoding="utf-8"))["run"]["process_grid"]
        return int(rows), int(columns)
    except (OSError, ValueError, KeyError, TypeError, TOMLKitError):
        return None


def on_grid(case: Case, grid: tuple[int, int] | None, ranks: int) -> Case:
    """The case on this process grid, where it is for these ranks and the case leaves it open.

    The process grid is what the bits of a run depend on: a restart has the one that was measured, however it
    exchanges.
    """
    if case.run.process_grid != (0, 0) or grid is None:
        return case
    return case.updated([f"run.process_grid={list(grid)}"]) if grid[0] * grid[1] == ranks else case


def _fastest(found: dict[Choice, float]) -> list[Choice]:
    return sorted(found, key=found.__getitem__)


def _try(options: _core.Options, choice: Choice, comm: MPI.Intracomm, bound: float) -> Trial:
    """Without further right-hand sides once one has taken longer than the bound."""
    flow = _core.Flow(options, comm.py2f())
    seconds = []
    for _ in range(1 + TIMES):
        comm.Barrier()
        start = time.perf_counter()
        flow.evaluate()
        seconds.append(comm.allreduce(time.perf_counter() - start, MPI.MAX))
        if seconds[-1] > SLOW or (len(seconds) > 1 and seconds[-1] > bound):
            break
    made = Choice(choice.transport, tuple(flow.process_grid), flow.batches)
    flow.close()
    return Trial(made, min(seconds[1:] or seconds))


def _grids(case: Case, best: Choice, threads: int, comm: MPI.Intracomm) -> Iterator[Choice]:
    """Those whose rows share a node first: a row exchange is the one that comes between two transforms."""
    if case.run.process_grid != (0, 0):
        return
    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    together = comm.allreduce(node.size, MPI.MIN)
    node.Free()
    options = core_options(best.applied_to(case), threads)
    grids = _core.allowed_process_grids(options, comm.size)
    for grid in sorted(grids, key=lambda grid: (together % grid[0] != 0, grid[0]))[:MOST_GRIDS]:
        if grid != best.process_grid:
            yield Choice(best.transport, tuple(grid), case.run.batches)


def _transports(case: Case, best: Choice, threads: int, comm: MPI.Intracomm) -> Iterator[Choice]:
    for name in _core.build_info()["transports"]:
        yield Choice(name, best.process_grid, best.batches)


def _batches(case: Case, best: Choice, threads: int, comm: MPI.Intracomm) -> Iterator[Choice]:
    if case.run.batches:
        return
    for batches in BATCHES:
        if batches != best.batches:
            yield Choice(best.transport, best.process_grid, batches)


def table(trials: list[Trial]) -> Table:
    """What was tried, the fastest first."""
    shown = Table("transport", "process grid", "batches", "right-hand side", title="Exchanges tried")
    for trial in trials:
        rows, columns = trial.choice.process_grid
        shown.add_row(
            trial.choice.transport,
            f"{rows} × {columns}",
            str(trial.choice.batches),
            f"{1e3 * trial.seconds:.3g} ms",
        )
    return shown


def to_toml(trials: list[Trial]) -> str:
    """The fastest choice as a section [run] that can be put into a case, and the others as comments."""
    document = tomlkit.document()
    fastest = trials[0].choice
    section: dict[str, Any] = {
        "transport": fastest.transport,
        "process_grid": list(fastest.process_grid),
        "batches": fastest.batches,
    }
    document.add("run", tomlkit.item(section))
    for trial in trials:
        choice = trial.choice
        text = f"{choice.transport}, {list(choice.process_grid)}, {choice.batches}: {trial.seconds:.6g} s"
        document.add(tomlkit.comment(text))
    return tomlkit.dumps(document)

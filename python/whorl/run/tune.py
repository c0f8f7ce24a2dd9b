"""`run.transport = "auto"`: the fastest way to exchange, measured on the case's own plan before it runs."""

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit
from rich.table import Table
from tomlkit.exceptions import TOMLKitError

from whorl import _core
from whorl.base.declared import PLAIN_TRANSPORT
from whorl.base.errors import CaseError
from whorl.base.parallel import PATIENCE, agreed, on_root
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.output.checkpoint import OPEN, Timed
from whorl.run.checks import check
from whorl.run.core_options import core_options
from whorl.run.exchange_choice import AUTO, Choice, plain
from whorl.run.memory.checks import check_memory
from whorl.run.threads import threads_of_rank

SCREENING = 6.0  # seconds after which no further choice is tried for the first time
SECONDS = 12.0  # seconds after which no choice is tried again
LARGE = 10  # right-hand sides; if they take longer than SCREENING, both limits grow by that factor
TIMES = 3  # right-hand sides timed per trial, after one to warm up
SLOW = 1.0  # seconds of a right-hand side beyond which one is enough
FINALISTS = 3  # number of the fastest choices tried again after each round, and once more after the last
CLOSE = 1.1  # times the fastest: a choice that is slower after one right-hand side is not timed further
MOST_GRIDS = 4
BATCHES = (1, 2, 4, 8, 16)
OWN_LINES = "own"
REFUSED = (_core.Error, CaseError, MemoryError)  # raised on any rank, they exclude the choice on all ranks
ADVICE = 'It was on trial for run.transport = "auto"; a transport given by its name is used without a trial.'


@dataclass(frozen=True)
class Trial:
    """A choice, and the seconds of a right-hand side with it on the slowest rank."""

    choice: Choice
    seconds: float


def tune(case: Case, threads: int, comm: MPI.Intracomm, timed: Timed = OPEN) -> tuple[Case, list[Trial]]:
    """The case with the fastest choice, and the trials, the fastest first.

    It tries process grids, then transports, then numbers of batches, each with the best of the others so
    far; options that the case sets are kept. All trials use the lines and planes that are known. Else
    they use whorl's own lines, if the case has "auto", and planes that fill a GPU, because lines and planes
    are timed once the exchange is chosen. The fastest choices are tried again after each of the three rounds.
    No choice is tried for the first time after SCREENING seconds, or again after SECONDS; both limits are
    longer if a right-hand side takes long. A choice that this machine refuses or that does not fit its
    memory, on any rank, is excluded on all. Collective, with the same trials on every rank; a case that
    is not "auto" is returned unchanged. Raises CaseError as core_options does, and the errors of the
    plainest exchange, on every rank. A rank that fails within a right-hand side, where the others wait
    for it, ends them all.
    """
    if case.run.transport != AUTO:
        return case, []
    if comm.size == 1:
        return plain(case), []
    trials = _Trials(case, threads, comm, timed)
    trials.add(Choice(PLAIN_TRANSPORT, case.run.process_grid, case.run.batches))
    longer = max(1.0, LARGE * min(trials.found.values()) / SCREENING)
    for candidates in (_grids, _transports, _batches):
        for choice in trials.choices(candidates):
            if choice not in trials.found and trials.took() < longer * SCREENING:
                with contextlib.suppress(*REFUSED):
                    trials.add(choice)
        for choice in trials.fastest()[:FINALISTS] * (2 if candidates is _batches else 1):
            if trials.took() < longer * SECONDS:
                trials.add(choice)
    trials.end()
    best = trials.fastest()
    return best[0].applied_to(case), [Trial(choice, trials.found[choice]) for choice in best]


def checked_options(
    case: Case, comm: MPI.Intracomm, timed: Timed = OPEN, measured_grid: tuple[int, int] | None = None
) -> tuple[_core.Options, list[Trial]]:
    """The core's options of a case that can run here, and the trials of `tune`.

    `measured_grid` is the process grid of the run so far. Raises CaseError. Collective.
    """
    threads, plainest = case.run.threads or threads_of_rank(comm), plain(case)
    options = core_options(plainest, threads)
    check(case, options, comm)
    fastest, trials = tune(on_grid(case, measured_grid, comm.size), threads, comm, timed)
    if (fastest, timed) == (plainest, OPEN):
        return options, trials
    return check_memory(core_options(fastest, threads, timed), comm), trials


class _Trials:
    """The shortest right-hand side of each choice so far, in `found`, the same on all ranks.

    Every method is collective and raises its errors on all ranks.
    """

    def __init__(self, case: Case, threads: int, comm: MPI.Intracomm, timed: Timed):
        self.case, self.threads, self.comm = case, threads, comm
        lines = timed.lines or (OWN_LINES if case.run.lines == AUTO else case.run.lines)
        self._timed = Timed(lines, timed.plane_bytes or _core.MOST_PLANE_BYTES)
        self.found: dict[Choice, float] = {}
        self._checked: dict[Choice, _core.Options] = {}
        self._aside = comm.Dup()  # not used by any flow
        self._begin = time.perf_counter()

    def took(self) -> float:
        """Seconds so far on rank 0."""
        return self.comm.bcast(time.perf_counter() - self._begin)

    def fastest(self) -> list[Choice]:
        return sorted(self.found, key=self.found.__getitem__)

    def choices(self, candidates: "Candidates") -> list[Choice]:
        """The choices to try next, as rank 0 sees them."""
        node = self.comm.Split_type(MPI.COMM_TYPE_SHARED)
        together = self.comm.allreduce(node.size, MPI.MIN)
        node.Free()
        best = self.fastest()[0]
        return on_root(self.comm, lambda: list(candidates(self.case, best, self.comm.size, together)))

    def add(self, choice: Choice) -> None:
        """Tries a choice, for the first time or again."""
        if choice not in self._checked:
            own = choice.applied_to(self.case)
            options = agreed(self.comm, lambda: core_options(own, self.threads, self._timed))
            self._checked[choice] = check_memory(options, self.comm)
        bound = CLOSE * min(self.found.values(), default=math.inf)
        trial = _try(self._checked[choice], choice, self.comm, bound, self._together)
        made = self.comm.bcast(trial.choice)
        self.found[made] = min(trial.seconds, self.found.get(made, math.inf))
        self._checked[made] = self._checked[choice]

    def end(self) -> None:
        self._aside.Free()

    def _together(self, work: Callable[[], Any]) -> Any:
        """Does work in which ranks wait for each other, and agrees on errors; it tolerates slow ranks."""
        return agreed(self._aside, work, PATIENCE + time.perf_counter() - self._begin, ADVICE)


def recorded_grid(path: Path) -> tuple[int, int] | None:
    """The process grid in an exchange.toml; None if the file does not exist or cannot be read."""
    try:
        rows, columns = tomlkit.parse(path.read_text(encoding="utf-8"))["run"]["process_grid"]
        return int(rows), int(columns)
    except (OSError, ValueError, KeyError, TypeError, TOMLKitError):
        return None


def on_grid(case: Case, grid: tuple[int, int] | None, ranks: int) -> Case:
    """The case on this process grid, if the grid fits the number of ranks and the case leaves it open.

    The bits of a run depend on the process grid: a restart uses the measured one, with any transport.
    """
    if case.run.process_grid != (0, 0) or grid is None:
        return case
    return case.updated([f"run.process_grid={list(grid)}"]) if grid[0] * grid[1] == ranks else case


def _try(
    options: _core.Options,
    choice: Choice,
    comm: MPI.Intracomm,
    bound: float,
    together: Callable[[Callable[[], Any]], Any],
) -> Trial:
    """Times a choice; it stops once a right-hand side has taken longer than the bound."""
    flow = together(lambda: _core.Flow(options, comm.py2f()))
    seconds = []
    for _ in range(1 + TIMES):
        comm.Barrier()
        seconds.append(comm.allreduce(together(lambda: _seconds(flow)), MPI.MAX))
        if seconds[-1] > SLOW or (len(seconds) > 1 and seconds[-1] > bound):
            break
    made = Choice(choice.transport, tuple(flow.process_grid), flow.batches)
    flow.close()
    return Trial(made, min(seconds[1:] or seconds))


def _seconds(flow: _core.Flow) -> float:
    """Seconds of a right-hand side."""
    start = time.perf_counter()
    flow.evaluate()
    return time.perf_counter() - start


# Choices that may be better than the best so far, for `ranks` ranks; at least `together` share each node.
Candidates = Callable[[Case, Choice, int, int], Iterator[Choice]]


def _grids(case: Case, best: Choice, ranks: int, together: int) -> Iterator[Choice]:
    """Process grids, first those whose rows share a node: row exchanges lie between two transforms."""
    if case.run.process_grid != (0, 0):
        return
    grids = _core.allowed_process_grids(core_options(best.applied_to(case), threads=1), ranks)
    for grid in sorted(grids, key=lambda grid: (together % grid[0] != 0, grid[0]))[:MOST_GRIDS]:
        if grid != best.process_grid:
            yield Choice(best.transport, grid, case.run.batches)


def _transports(case: Case, best: Choice, ranks: int, together: int) -> Iterator[Choice]:
    for name in _core.build_info()["transports"]:
        yield Choice(name, best.process_grid, best.batches)


def _batches(case: Case, best: Choice, ranks: int, together: int) -> Iterator[Choice]:
    if case.run.batches:
        return
    for batches in BATCHES:
        if batches != best.batches:
            yield Choice(best.transport, best.process_grid, batches)


def table(trials: list[Trial]) -> Table:
    """The trials, the fastest first."""
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

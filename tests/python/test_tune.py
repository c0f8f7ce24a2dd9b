"""Trials of exchanges where one rank fails: all ranks leave the choice out, or all end."""

from types import SimpleNamespace

import pytest
from mpi4py import MPI
from support.ranks import on_ranks, run_on
from whorl import _core
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.output.checkpoint import Timed
from whorl.run import checks, tune
from whorl.run.core_options import core_options
from whorl.run.exchange_choice import plain
from whorl.run.memory import checks as memory_checks

FAULTY = "overlap"
SECONDS = 30.0  # for what takes one; ranks that wait for each other would wait for ever


def case_of(**run):
    """Of which only transports are tried."""
    fixed = {"transport": "auto", "process_grid": [1, 2], "batches": 2} | run
    return Case(grid={"points": 8}, flow={"viscosity": 0.1}, time={"dt": 0.1, "steps": 1}, run=fixed)


def flows_that_fail(world, where, error, transport):
    """The core with flows that fail on rank 1, behind what they do together with those of other ranks."""

    class Failing:
        def __init__(self, options, handle):
            self.flow, self.fails = _core.Flow(options, handle), options.transport == transport and world.rank
            if self.fails and where == "flow":
                raise error

        def __getattr__(self, name):
            return getattr(self.flow, name)

        def evaluate(self):
            self.flow.evaluate()
            if self.fails and where == "evaluate":
                raise error

    few = {"transports": ["alltoall", FAULTY, "pairwise"]}
    own = {"Flow": Failing, "build_info": lambda: _core.build_info() | few}
    return SimpleNamespace(**(vars(_core) | own))


def failing(function, fails, error):
    """The function, but for the first arguments that fail."""

    def wrapped(first=True, *others):
        if fails(first):
            raise error
        return function(first, *others)

    return wrapped


def tried(world, where, error, transport=FAULTY):
    """Choices and seconds of tune() with an error on rank 1 in the trial of this transport."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tune, "_core", flows_that_fail(world, where, error, transport))
        if where == "options" and world.rank:
            found = failing(tune.core_options, lambda case: case.run.transport == transport, error)
            patch.setattr(tune, "core_options", found)
        if where == "memory" and world.rank:
            found = failing(_core.estimate_memory, lambda options: options.transport == transport, error)
            patch.setattr(
                memory_checks, "_core", SimpleNamespace(**(vars(_core) | {"estimate_memory": found}))
            )
        if where == "system" and world.rank:
            patch.setattr(memory_checks, "available_memory", failing(None, bool, error))
        chosen, trials = tune.tune(case_of(), 1, world)
    return chosen.run.transport, [(trial.choice.transport, trial.seconds) for trial in trials]


@pytest.mark.turns
@on_ranks(2, timeout=SECONDS)
@pytest.mark.parametrize("where", ["options", "memory", "flow", "evaluate"])
@pytest.mark.parametrize("error", [_core.Error("refused"), CaseError("too much"), MemoryError()])
def test_what_one_rank_refuses_all_leave_out(world, where, error):
    here = tried(world, where, error)
    assert world.allgather(here) == [here] * world.size
    assert {transport for transport, _ in here[1]} == {"alltoall", "pairwise"}


@on_ranks(2, timeout=SECONDS)
@pytest.mark.parametrize("where", ["options", "system", "memory", "flow", "evaluate"])
def test_what_is_no_refusal_is_raised_by_all(world, where):
    with pytest.raises(ZeroDivisionError, match="a mistake"):
        tried(world, where, ZeroDivisionError("a mistake"))
    world.Barrier()


@on_ranks(2, timeout=SECONDS)
@pytest.mark.parametrize("where", ["options", "memory", "flow", "evaluate"])
def test_the_plainest_exchange_is_not_left_out(world, where):
    with pytest.raises(CaseError, match="too much"):
        tried(world, where, CaseError("too much"), transport="alltoall")
    world.Barrier()


@on_ranks(2)
@pytest.mark.parametrize(("lines", "known", "taken"), [
    ("auto", Timed(), ("own", _core.MOST_PLANE_BYTES)),
    ("auto", Timed("own,own,own,40", 4096), ("own,own,own,40", 4096)),
    ("fftw", Timed(), ("fftw", _core.MOST_PLANE_BYTES)),
])  # fmt: skip
def test_exchanges_are_compared_with_the_same_lines(world, lines, known, taken):
    """They are timed when the exchange is known, not with each again, and so are planes."""
    given = set()
    with pytest.MonkeyPatch.context() as patch:
        trial = tune._try

        def trying(options, *arguments):
            given.add((options.lines, options.plane_bytes))
            return trial(options, *arguments)

        patch.setattr(tune, "_try", trying)
        tune.tune(case_of(lines=lines), 1, world, known)
    assert given == {taken}


def timed(world, seconds):
    """The seconds of a trial whose right-hand sides take so long, twice as long on the last rank."""
    case = case_of(transport="alltoall", process_grid=[0, 0])
    left = [each * (2 if world.rank == world.size - 1 else 1) for each in seconds]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tune, "_seconds", lambda flow: left.pop(0))
        options = core_options(plain(case), 1)
        choice = tune.Choice("alltoall", (0, 0), 0)
        return tune._try(options, choice, world, 1e9, lambda work: work()).seconds


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_a_trial_is_the_slowest_rank_s_without_what_warms_up(ranks):
    assert set(run_on(ranks, timed, seconds=[0.01, 0.4, 0.2, 0.3])) == {0.4}
    assert set(run_on(ranks, timed, seconds=[0.4, 0.2, 0.3, 0.25])) == {0.4}


@pytest.mark.parametrize(
    ("transport", "timed_before", "made"),
    [("alltoall", Timed(), 1), ("auto", Timed(), 1), ("alltoall", Timed(lines="own"), 2)],
)
def test_options_are_made_again_only_where_something_was_chosen(monkeypatch, transport, timed_before, made):
    cases = []

    def counted(case, *others):
        cases.append(case)
        return core_options(case, *others)

    monkeypatch.setattr(tune, "core_options", counted)
    monkeypatch.setattr(checks, "core_options", counted)
    case = case_of(transport=transport, process_grid=[1, 1])
    options, trials = tune.checked_options(case, MPI.COMM_SELF, timed_before)
    assert len(cases) == made
    assert (options.transport, options.lines, trials) == ("alltoall", timed_before.lines or "auto", [])

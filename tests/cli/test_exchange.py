"""Runs on ranks whose exchange is measured, chosen, or does not end."""

import re
import shlex
import sys
import time
import tomllib
from typing import get_args

import pytest
from cli.commands import SECONDS_TO_END_ALL, WHORL, mpiexec, settings
from mpi4py import MPI
from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.ranks import Alone
from whorl.config.case import Case
from whorl.config.run import Run
from whorl.run import tune
from whorl.run.checks import warnings
from whorl.run.exchange_choice import AUTO, Choice
from whorl.run.tune import Trial

HANGING = """
import time
from whorl import Case, Simulation
from mpi4py import MPI

case = Case(
    grid={"points": 16},
    flow={"viscosity": 0.1},
    time={"dt": 0.1, "steps": 5},
    initial={"name": "abc"},
    output={"directory": "out", "checkpoint_every": "1 steps"},
    run={"exchange_timeout": 1, "transport": "TRANSPORT", "threading": "THREADING", "process_grid": [GRID]},
)
simulation = Simulation(case)
while not simulation.finished:
    simulation.step()
    if MPI.COMM_WORLD.rank == 1 and simulation.step_number == 2:
        time.sleep(1000)
"""


@pytest.mark.long("ranks wait until the time of an exchange is over")
@pytest.mark.parametrize(
    ("transport", "threading", "grid", "name"),
    [
        ("pairwise", "multiple", "2, 1", "row"),
        ("rma", "funneled", "1, 2", "column"),
        pytest.param("alltoall", "serialized", "1, 2", "column", marks=pytest.mark.slow),
        pytest.param("overlap", "multiple", "2, 1", "row", marks=pytest.mark.slow),
    ],
)
def test_an_exchange_that_does_not_end_ends_the_run(shell, whorl, tmp_path, transport, threading, grid, name):
    """A rank that hangs: the others wait for it no longer than they are told, whoever waits.

    The watch is the same for all transports (core/exchange/watchdog.hpp).
    """
    text = HANGING.replace("TRANSPORT", transport).replace("GRID", grid).replace("THREADING", threading)
    (tmp_path / "hangs.py").write_text(text, encoding="utf-8")
    began = time.monotonic()
    finished = shell(sys.executable, "hangs.py", ranks=2)
    assert time.monotonic() - began < SECONDS_TO_END_ALL
    assert finished.code != 0
    said = rf"whorl: rank 0: the {name} exchange of batch 0 did not end within run.exchange_timeout = 1 s"
    assert re.search(said, finished.err)
    if transport == "rma":
        assert whorl("restart", "out", *settings("run.process_grid=[0, 0]")).code == 0


STOPPED = """
from whorl import Case, Simulation
from mpi4py import MPI
import os
import signal

case = Case(
    grid={"points": 16},
    flow={"viscosity": 0.1},
    time={"dt": 0.1, "steps": 5},
    initial={"name": "abc"},
    run={"exchange_timeout": 1},
)
simulation = Simulation(case)
simulation.step()
if MPI.COMM_WORLD.rank == 1:
    os.kill(os.getpid(), signal.SIGSTOP)
CALL
"""


@pytest.mark.long("ranks wait until the time of an exchange is over")
@pytest.mark.parametrize(
    ("call", "what"),
    [
        ("simulation.statistics()", "sum of what was measured"),
        ("simulation._loop.agree()", "agreement of the ranks"),
    ],
)
def test_a_sum_that_does_not_end_ends_the_run(shell, tmp_path, call, what):
    """Between the exchanges ranks wait for each other, too."""
    (tmp_path / "stops.py").write_text(STOPPED.replace("CALL", call), encoding="utf-8")
    finished = shell(sys.executable, "stops.py", ranks=2)
    assert finished.code == 75
    assert f"whorl: rank 0: the {what} did not end within run.exchange_timeout = 1 s" in finished.err


FAILING = """
from types import SimpleNamespace
from whorl import Case, Simulation, _core
from whorl.run import tune
from mpi4py import MPI

tune.PATIENCE = 1.0


class Failing:
    def __init__(self, options, handle):
        self.flow = _core.Flow(options, handle)
        self.fails = options.transport == "overlap" and MPI.COMM_WORLD.rank == 1

    def __getattr__(self, name):
        return getattr(self.flow, name)

    def evaluate(self):
        if self.fails:
            raise _core.Error("an exchange failed.")
        self.flow.evaluate()


tune._core = SimpleNamespace(**(vars(_core) | {"Flow": Failing}))
case = Case(
    grid={"points": 16},
    flow={"viscosity": 0.1},
    time={"dt": 0.1, "steps": 5},
    initial={"name": "abc"},
    run={"transport": "auto", "process_grid": [1, 2]},
)
Simulation(case)
"""


def test_a_trial_that_fails_on_one_rank_in_the_midst_of_an_exchange_ends_the_run(shell, tmp_path):
    """The others wait for it within MPI, where nothing can be told them."""
    (tmp_path / "fails.py").write_text(FAILING, encoding="utf-8")
    began = time.monotonic()
    finished = shell.finish(shell.start(sys.executable, "fails.py", ranks=2), SECONDS_TO_END_ALL)
    assert time.monotonic() - began < SECONDS_TO_END_ALL
    assert finished.code == 1
    said = (
        "whorl: rank 1 of 2 failed where the others wait for it, and ends all: an exchange failed. It was on"
    )
    assert said in finished.err


@pytest.mark.slow
@pytest.mark.mpi
def test_a_restart_keeps_the_process_grid_that_was_measured(whorl, tmp_path):
    """On another the bits would be others; the rest is measured anew."""
    options = settings("grid.points=16", "run.transport=auto", "time.until=0.02", "time.dt=0.01")
    assert whorl("run", "taylor-green", "-o", "out", *options, ranks=2).code == 0
    path = tmp_path / "out" / "exchange.toml"
    measured = tomllib.loads(path.read_text(encoding="utf-8"))["run"]["process_grid"]
    turned = measured[::-1]  # as if it had been the best
    path.write_text(
        path.read_text(encoding="utf-8").replace(f"process_grid = {measured}", f"process_grid = {turned}")
    )
    assert whorl("restart", "out", "--until", "0.04", ranks=2).code == 0
    text = path.read_text(encoding="utf-8")
    assert tomllib.loads(text)["run"]["process_grid"] == turned
    assert len(re.findall(r"^# [\w-]+, ", text, re.MULTILINE)) > 1
    assert str(measured) not in text


def test_a_recorded_grid_is_for_its_ranks(tmp_path):
    path = tmp_path / "exchange.toml"
    assert tune.recorded_grid(path) is None
    path.write_text('[run]\ntransport = "overlap"\nprocess_grid = [2, 3]\nbatches = 4\n')
    assert tune.recorded_grid(path) == (2, 3)
    auto = case_of(transport="auto")
    assert tune.on_grid(auto, (2, 3), 6).run.process_grid == (2, 3)
    assert tune.on_grid(auto, (2, 3), 4) == auto
    assert tune.on_grid(auto, None, 6) == auto
    assert tune.on_grid(case_of(transport="rma"), (2, 3), 6).run.process_grid == (2, 3)
    fixed = case_of(transport="auto", process_grid=[3, 2])
    assert tune.on_grid(fixed, (2, 3), 6) == fixed
    for damaged in ("", "[run]", "[run", "[run]\nprocess_grid = 6"):
        path.write_text(damaged)
        assert tune.recorded_grid(path) is None


@pytest.mark.long("ranks start, and are refused")
@pytest.mark.parametrize("transport", ["rma-shared", pytest.param("auto", marks=pytest.mark.slow)])
def test_memory_to_share_that_a_node_has_not_is_refused(shell, tmp_path, transport):
    """MPI would wait for ever; containers often have little."""
    options = settings(
        "grid.points=96", "run.process_grid=[1, 2]", f"run.transport={transport}", "time.steps=1"
    )
    options += settings("run.exchange_timeout=20")
    run = [mpiexec(), "-n", "2", *WHORL, "run", "taylor-green", "-o", "out", *options]
    few = "mount -t tmpfs -o size=12m tmpfs /dev/shm"
    isolated = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
    if shell(*isolated, few).code != 0:
        pytest.skip("this system lets nobody mount")
    finished = shell(*isolated, f"{few} && {shlex.join(run)}")
    if transport == "auto":
        assert finished.code == 0, finished.err
        assert "rma-shared" not in finished.out
    else:
        assert finished.code == 2
        assert "a node cannot provide the memory that its ranks share" in " ".join(finished.err.split())


LEVELS = ["funneled", "serialized", "multiple"]


@pytest.mark.long("mpiexec starts ranks for each kind of threads")
@pytest.mark.parametrize(
    ("given", "threading"),
    [
        ("multiple", "multiple"),
        ("funneled", "serialized"),
        pytest.param("multiple", "funneled", marks=pytest.mark.slow),
        pytest.param("serialized", "multiple", marks=pytest.mark.slow),
        pytest.param("serialized", "serialized", marks=pytest.mark.slow),
        pytest.param("funneled", "funneled", marks=pytest.mark.slow),
    ],
)
def test_threads_exchange_as_mpi_was_started_for(installed, monkeypatch, given, threading):
    """Snapshots are written while exchanges could be under way."""
    monkeypatch.setenv("WHORL_MPI_THREADS", given)
    options = settings("grid.points=12", "time.until=0.04", "time.dt=0.02", f"run.threading={threading}")
    every = settings("output.snapshot_every='1 steps'", "run.process_grid=[2, 1]", "run.batches=3")
    finished = installed("run", "taylor-green", "-o", "out", *options, *every, ranks=2)
    if LEVELS.index(threading) <= LEVELS.index(given):
        assert finished.code == 0, finished.err
    else:
        assert finished.code == 2
        assert f'threading = "{threading}" needs MPI' in " ".join(finished.err.split())
        assert f'"{given}"' in finished.err


@pytest.mark.mpi
def test_an_exchange_in_time_does_not_end_the_run(whorl):
    options = settings("grid.points=16", "run.exchange_timeout=5", "time.until=0.1")
    assert whorl("run", "taylor-green", "-o", "out", *options, ranks=2).code == 0


@pytest.mark.mpi
def test_auto_tries_prints_and_records(whorl, tmp_path):
    options = settings("grid.points=32", "run.transport=auto", "time.until=0.02")
    finished = whorl("run", "taylor-green", "-o", "out", *options, ranks=2)
    assert finished.code == 0, finished.err
    assert "Exchanges tried" in finished.out
    text = (tmp_path / "out" / "exchange.toml").read_text(encoding="utf-8")
    chosen = tomllib.loads(text)["run"]
    tried = re.findall(r"^# ([\w-]+), \[(\d), (\d)\], (\d+): ([\d.e-]+) s$", text, re.MULTILINE)
    assert {line[0] for line in tried} == set(_core.build_info()["transports"])
    assert {line[1:3] for line in tried} == {("1", "2"), ("2", "1")}
    seconds = [float(line[4]) for line in tried]
    assert seconds == sorted(seconds)
    assert chosen["transport"] == tried[0][0]
    assert chosen["process_grid"] == [int(n) for n in tried[0][1:3]]
    assert chosen["batches"] == int(tried[0][3])
    assert f"{chosen['transport']}) × " in finished.out
    assert 'transport = "auto"' in (tmp_path / "out" / "case.toml").read_text(encoding="utf-8")


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("gpu_aware", "refused"),
    [
        pytest.param("yes", {"rma-shared"}, marks=pytest.mark.slow),
        ("no", {"rma-shared", "datatypes"}),
    ],
)
def test_auto_leaves_out_what_a_gpu_refuses(whorl, tmp_path, gpu_aware, refused):
    if "cpu-as-gpu" not in _core.build_info()["devices"]:
        pytest.skip("this build has no device cpu-as-gpu")
    device = settings("run.device=cpu-as-gpu", f"run.gpu_aware={gpu_aware}", "run.threads=1")
    options = settings("grid.points=16", "run.transport=auto", "time.until=0.02")
    finished = whorl("run", "taylor-green", "-o", "out", *options, *device, ranks=2)
    assert finished.code == 0, finished.err
    assert " on cpu-as-gpu" in finished.out
    text = (tmp_path / "out" / "exchange.toml").read_text(encoding="utf-8")
    tried = set(re.findall(r"^# ([\w-]+), \[", text, re.MULTILINE))
    assert tried == set(_core.build_info()["transports"]) - refused - {"nccl"}


def case_of(**run) -> Case:
    return Case(grid={"points": 8}, flow={"viscosity": 0.1}, time={"dt": 0.1, "steps": 1}, run=run)


def test_a_case_knows_every_transport():
    """And one that only some builds have."""
    known = set(get_args(Run.model_fields["transport"].annotation))
    assert known == {*_core.build_info()["transports"], "nccl", AUTO}


def test_auto_on_one_rank_is_plain():
    case, trials = tune.tune(case_of(transport="auto"), 1, MPI.COMM_SELF)
    assert (case.run.transport, trials) == ("alltoall", [])
    given = case_of(transport="rma")
    assert tune.tune(given, 1, MPI.COMM_SELF) == (given, [])


class Ranks(Alone):
    """Of which there seem to be four."""

    size = 4


@pytest.fixture
def timed(monkeypatch):
    """Seconds by choice instead of measured ones; the choices in the order they were tried."""
    tried: list[Choice] = []

    def grids(case, *_):
        return [Choice("alltoall", grid, case.run.batches) for grid in ((1, 4), (2, 2), (4, 1))]

    monkeypatch.setattr(tune, "_grids", grids)

    def seconds(choice: Choice) -> float:
        of_grid = {(0, 0): 3.0, (1, 4): 3.0, (2, 2): 1.0, (4, 1): 2.0}[choice.process_grid]
        of_transport = {"overlap": 0.5, "pairwise": 0.6}.get(choice.transport, 1.0)
        return of_grid * of_transport * (0.8 if choice.batches == 4 else 1.0)

    def trial(options, choice, *_):
        tried.append(choice)
        if choice.transport == "rma-shared":
            raise _core.Error("a node refused")
        disturbed = choice.transport == "overlap" and tried.count(choice) == 1
        return Trial(choice, seconds(choice) * (1.25 if disturbed else 1.0))

    monkeypatch.setattr(tune, "_try", trial)
    monkeypatch.setattr(tune, "check_memory", lambda options, comm: options)
    return tried


def test_auto_takes_the_best_of_each(timed):
    case, trials = tune.tune(case_of(transport="auto"), 1, Ranks())
    assert (case.run.transport, case.run.process_grid, case.run.batches) == ("overlap", (2, 2), 4)
    assert trials[0].seconds == pytest.approx(0.4)
    assert len({trial.choice for trial in trials}) == len(trials)


def test_auto_tries_the_fastest_again(timed):
    """A disturbed first trial of the best does not decide."""
    _, trials = tune.tune(case_of(transport="auto"), 1, Ranks())
    assert [timed.count(trial.choice) > 1 for trial in trials[: tune.FINALISTS]] == [True] * tune.FINALISTS
    assert timed.count(trials[-1].choice) == 1
    assert trials[0].choice.transport == "overlap"


def test_auto_leaves_out_what_the_machine_refuses(timed):
    _, trials = tune.tune(case_of(transport="auto"), 1, Ranks())
    assert "rma-shared" in {choice.transport for choice in timed}
    assert "rma-shared" not in {trial.choice.transport for trial in trials}


def test_auto_leaves_out_what_does_not_fit(timed, monkeypatch):
    def check_memory(options, comm):
        if tuple(options.process_grid) == (2, 2):
            raise CaseError("too much")
        return options

    monkeypatch.setattr(tune, "check_memory", check_memory)
    _, trials = tune.tune(case_of(transport="auto"), 1, Ranks())
    assert {trial.choice.process_grid for trial in trials} == {(0, 0), (1, 4), (4, 1)}
    assert (2, 2) not in {choice.process_grid for choice in timed}


def test_auto_takes_its_time_where_steps_are_long(timed, monkeypatch):
    """The fake right-hand sides take about a second by their own account: ten of them are no time here."""
    monkeypatch.setattr(tune, "SCREENING", 1e-9)
    monkeypatch.setattr(tune, "SECONDS", 2e-9)
    _, trials = tune.tune(case_of(transport="auto"), 1, Ranks())
    assert len(trials) > 8


def test_auto_leaves_what_is_given(timed):
    case, _ = tune.tune(case_of(transport="auto", batches=2), 1, Ranks())
    assert case.run.batches == 2
    assert {choice.batches for choice in timed} <= {0, 2}


def test_auto_stops_in_time(timed, monkeypatch):
    monkeypatch.setattr(tune, "LARGE", 0)
    monkeypatch.setattr(tune, "SCREENING", 1e-9)
    monkeypatch.setattr(tune, "SECONDS", 2e-9)
    case, trials = tune.tune(case_of(transport="auto"), 1, Ranks())
    assert [trial.choice for trial in trials] == [Choice("alltoall", (0, 0), 0)]
    assert case.run.transport == "alltoall"


def test_ranks_without_work_are_told():
    assert warnings(case_of(process_grid=[1, 2]), 2) == []
    (warning,) = warnings(case_of(process_grid=[1, 8]), 8)
    assert "run.process_grid = [1, 8] leaves ranks without planes" in warning

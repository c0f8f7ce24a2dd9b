"""The line that says how a run is going, and what it costs."""

import itertools
import logging
import sys
import time
from importlib.machinery import ModuleSpec
from io import StringIO
from types import ModuleType, SimpleNamespace

import pytest
from mpi4py import MPI
from rich.console import Console
from support.ranks import run_on
from whorl import Case, Simulation
from whorl.config.clock import Instant
from whorl.output import recorder, sums
from whorl.run import loop, progress
from whorl.run.progress import Progress, Status, Working, pace


@pytest.mark.parametrize("done", [1e-300, 1e-12])
def test_a_time_left_beyond_a_lifetime_is_not_told(done, capfd):
    """However small the steps are, the line is written."""
    progress = Progress(logging.getLogger("test"))
    progress.begin(0.0)
    numbers = {"dt": 1e-300, "courant": 0.0, "values": {"E": 0.1, "kmax·η": 1.0}}
    progress._started -= 60
    progress.show(
        Status(step=1, time=1e-300, end=Instant(1.0), turnovers=None, steps=None, done=done, **numbers)
    )
    line = capfd.readouterr().out
    assert "– left" in line
    assert "E 0.1  kmax·η 1 " in line


class Clocked:
    """A flow whose steps and statistics take seconds of a clock that is made up."""

    def __init__(self, flow, now, step_seconds, seconds):
        self.flow, self.now, self.step_seconds, self.seconds = flow, now, step_seconds, seconds
        self.taken = []

    def __getattr__(self, name):
        return getattr(self.flow, name)

    def step(self, *given, **options):
        self.now[0] += self.step_seconds
        return self.flow.step(*given, **options)

    def statistics(self):
        self.taken.append(next(self.seconds))
        self.now[0] += self.taken[-1]
        return self.flow.statistics()


def clocked(patch, step_seconds, seconds, line_seconds=0.0, steps=400, comm=MPI.COMM_SELF):
    """Of a run that needs statistics at its begin and its end alone: what others took, lines, the whole."""
    now, lines = [0.0], []
    clock = SimpleNamespace(monotonic=lambda: now[0], perf_counter=lambda: now[0])
    for module in (progress, recorder, sums, loop):
        patch.setattr(module, "time", clock)

    def say(self, line):
        now[0] += line_seconds
        lines.append(line)

    patch.setattr(Progress, "say", say)
    never = {f"{name}_every": "100000 steps" for name in ("series", "spectra")}
    case = Case(
        grid={"points": 8},
        flow={"viscosity": 0.1},
        time={"dt": 1e-4, "steps": steps},
        initial={"name": "abc"},
        output=never | {"checkpoint_every": "never"},
        run={"threads": 1},
    )
    run = Simulation(case, comm=comm)
    flow = Clocked(run.flow, now, step_seconds, itertools.cycle(seconds))
    for part in (run._loop, run._loop.steps, run._recorder, run._recorder.sums):
        part.flow = flow
    run.run()
    return flow.taken[1:-1], lines, now[0]


@pytest.mark.turns
@pytest.mark.parametrize("step_seconds", [0.02, 1.0, 100.0])
@pytest.mark.parametrize("ratio", [0.001, 0.1, 1.5, 20.0])
def test_statistics_for_the_line_take_less_than_a_hundredth(monkeypatch, step_seconds, ratio):
    """Even if they take three times as long as they did the time before."""
    seconds = [step_seconds * ratio * times for times in (1.0, 3.0, 2.0)]
    taken, lines, whole = clocked(monkeypatch, step_seconds, seconds, steps=1000)
    assert sum(taken) < 0.01 * whole
    shown = [line for line in lines if line.startswith("step ")]
    assert len(shown) >= min(1000 * step_seconds / 6, 1000)
    assert all("  E " in line for line in shown)


def test_a_line_says_which_step_its_statistics_are_of(monkeypatch):
    taken, lines, _ = clocked(monkeypatch, 6.0, [60.0])
    shown = [line for line in lines if line.startswith("step ")]
    assert len(shown) == 400
    assert taken == []
    assert [line.count("(at step 0)") for line in shown] == [1] * 399 + [0]


def test_statistics_that_cost_little_are_those_of_the_step(monkeypatch):
    taken, lines, _ = clocked(monkeypatch, 6.0, [0.02])
    assert len(taken) == 399
    assert not any("(at step" in line for line in lines)


def test_writing_takes_less_than_a_hundredth(monkeypatch):
    """A terminal far away."""
    _, lines, whole = clocked(monkeypatch, 0.1, [1e-6], line_seconds=0.5, steps=4000)
    assert 1 < 0.5 * (len(lines) - 2) < 0.01 * whole


def clocks_that_differ(world):
    with pytest.MonkeyPatch.context() as patch:
        seconds = [0.03, 1e-9][world.rank]
        return len(clocked(patch, [6.0, 1e-3][world.rank], [seconds], comm=world, steps=20)[0])


def test_one_is_a_singular():
    assert pace(1, 0.5) == "1 step in 0:00:00, 0.5 s a step"
    assert pace(2, 1.0) == "2 steps in 0:00:01, 0.5 s a step"


@pytest.mark.mpi
def test_rank_0_decides_for_all():
    """The clock of the other one says that no time passes and nothing costs."""
    assert run_on(2, clocks_that_differ, timeout=30) == [9, 9]


def module(name, **members):
    made = ModuleType(name)
    made.__spec__ = ModuleSpec(name, None)
    vars(made).update(members)
    return made


def test_a_notebook_has_a_bar_in_one_output_which_is_replaced(monkeypatch):
    """It needs no package but IPython, which every kernel has."""
    shown, updates = [], []

    def display(data, raw, display_id):
        assert raw
        assert display_id
        shown.append(data)
        return SimpleNamespace(update=lambda data, raw: updates.append(data))

    monkeypatch.setitem(sys.modules, "IPython", module("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module("display", display=display))
    lines = []
    monkeypatch.setattr(Progress, "say", lambda self, line: lines.append(line))
    with Progress(logging.getLogger("test"), Console(force_jupyter=True)) as progress:
        progress.begin(0.0)
        numbers = {"dt": 0.1, "courant": 0.5, "values": {"E": 0.1}, "turnovers": None, "steps": None}
        for step in (1, 2, 3):
            progress.show(Status(step=step, time=0.1, end=Instant(1.0), done=0.1 * step, **numbers))
    assert (len(shown), len(updates), lines) == (1, 2, [])
    assert '<progress max="1" value="0.3000"' in updates[-1]["text/html"]
    assert "step 3  t 0.1 of 1  dt 0.1  C 0.50  E 0.1  " in updates[-1]["text/plain"]
    assert updates[-1]["text/plain"] in updates[-1]["text/html"]


def watched(terminal, seconds, monkeypatch):
    """A console in memory, and work that tells its parts and takes so many seconds."""
    monkeypatch.setattr(progress, "PATIENCE", 0.05)
    console = Console(file=StringIO(), force_terminal=terminal, width=100, highlight=False)
    with Working("report on box", console) as working:
        working.at("slices", 0.0)
        working.at("particles [x] (3 pictures)", 0.875)
        time.sleep(seconds)
    return console.file.getvalue()


def test_slow_work_shows_its_parts_on_a_terminal(monkeypatch):
    shown = watched(True, 0.3, monkeypatch)
    assert "report on box: particles [x] (3 pictures)" in shown
    assert "0:00:00" in shown


@pytest.mark.parametrize(("seconds", "lines"), [(0.0, 0), (0.3, 1)])
def test_slow_work_is_a_single_line_elsewhere(seconds, lines, monkeypatch):
    assert watched(False, seconds, monkeypatch).splitlines() == ["report on box: this takes a while"] * lines

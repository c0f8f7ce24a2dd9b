"""How a run is stopped: by a condition, a script, a signal or an exception, and how it goes on."""

import math
import signal
from functools import partial
from pathlib import Path

import h5py
import numpy as np
import pytest
from support.build import needs
from support.ranks import on_ranks
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.results.runs import open_run
from whorl.run.signals import INTERRUPTING, StopFlag
from whorl.run.simulation import Simulation

# An ABC flow has the energy 3/2 exp(-2νt), and 1 at this time.
VISCOSITY = 0.1
REACHED = math.log(1.5) / (2 * VISCOSITY)
CONDITION = "mean(dot(u, u))/2 < 1"


def make_case(directory: Path | None = None, output=None, **time) -> Case:
    written = {"series_every": "3 steps", "spectra_every": "never", "checkpoint_every": "1000 steps"}
    written |= {"directory": str(directory)} if directory else {}
    return Case(
        grid={"points": 8},
        flow={"viscosity": VISCOSITY},
        time={"dt": 0.1, "steps": 60} | time,
        initial={"name": "abc"},
        output=written | (output or {}),
        run={"threads": 1},
        particles=[{"kind": "tracer", "name": "some", "lattice": 2, "every": "8 steps"}] if directory else (),
        diagnostics=[{"kind": "profile", "of": "u.x", "name": "own", "every": "5 steps"}]
        if directory
        else (),
    )


def begun(case: Case, world=None) -> Simulation:
    return Simulation(case, comm=world or MPI.COMM_SELF)


def at_step(step: int, do) -> dict:
    """The arguments of `every` with which a function is called once, after this step."""
    return {"interval": "1 step", "function": lambda flow: do(flow) if flow.step_number == step else None}


def last_line(directory: Path) -> str:
    return (directory / "log.txt").read_text().splitlines()[-1]


def checkpoints(directory: Path) -> list[int]:
    return [int(path.stem) for path in open_run(directory).checkpoints]


def check_whole(directory: Path, step: int) -> None:
    """All that belongs to an end at this step is in its files, and nothing waits beside them."""
    run = open_run(directory)
    assert checkpoints(directory) == [step]
    assert run.series["step"].values[-1] == step
    assert run.particles["some"]["step"].values[-1] == step
    assert not list(directory.glob("*-*.h5"))


# A condition


@needs("hdf5")
def test_a_condition_ends_a_run_at_the_first_row_where_it_holds(tmp_path):
    simulation = begun(make_case(tmp_path / "run", stop_when=CONDITION))
    assert simulation.run(progress=False)
    step = 3 * math.ceil(REACHED / 0.3)
    assert simulation.step_number == step
    assert simulation.ended == f'time.stop_when = "{CONDITION}"'
    assert last_line(tmp_path / "run").endswith(f's a step) by time.stop_when = "{CONDITION}"')
    check_whole(tmp_path / "run", step)
    assert list(open_run(tmp_path / "run").diagnostics["own"]["step"].values) == [0, 5, 10, 15, 20, step]


@on_ranks(1, 2)
def test_a_condition_ends_all_ranks(world):
    simulation = begun(make_case(stop_when=f"{CONDITION} & (t > 2.5)", steps=40), world)
    assert simulation.run(progress=False)
    assert simulation.step_number == 27


@needs("hdf5")
def test_a_condition_that_holds_already_is_told(tmp_path):
    with pytest.raises(
        CaseError, match=r'stop_when = "mean.*" holds before the first step \(t = 0, step 0\)'
    ):
        begun(make_case(tmp_path / "none", stop_when="mean(dot(u, u)) < 10")).run(progress=False)
    assert not (tmp_path / "none").exists()
    run = tmp_path / "run"
    begun(make_case(run, stop_when=CONDITION)).run(progress=False)
    for beside in (None, tmp_path / "beside"):
        with pytest.raises(
            CaseError, match=r"nothing left to do before time.stop_when = .* another condition"
        ):
            Simulation.restart(run, beside, comm=MPI.COMM_SELF)
    assert not (tmp_path / "beside").exists()
    lower = ["time.stop_when=mean(dot(u, u))/2 < 0.9"]
    again = Simulation.restart(run, settings=lower, comm=MPI.COMM_SELF)
    assert again.run(progress=False)
    assert again.step_number == 3 * math.ceil(math.log(1.5 / 0.9) / (2 * VISCOSITY) / 0.3)


@needs("hdf5")
def test_a_restart_between_rows_ends_where_the_whole_run_does(tmp_path):
    """The condition holds in the checkpoint, too, but the whole run looks at it with the next row only."""
    case = make_case(tmp_path / "run", {"checkpoint_every": "20 steps"}, stop_when="t > 1.95")
    simulation = begun(case)
    for _ in range(20):
        simulation.step()
    simulation.close()
    assert checkpoints(tmp_path / "run") == [20]
    again = Simulation.restart(tmp_path / "run", comm=MPI.COMM_SELF)
    assert again.run(progress=False)
    assert again.step_number == 21


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("mean(u.x)", "it is a number, and no condition; compare it"),
        ("dot(u, u) < 1", "it differs from point to point"),
        ("mean(u) < 1", "a condition is one real number, and this is a vector"),
        ("2*pi > 6", "it never changes"),
        ("mean(w.x) < 1", "time.stop_when: "),
        ("energy < 1", '"energy" is a column of series.csv'),
    ],
)
def test_what_is_no_condition_is_refused(condition, words):
    with pytest.raises(CaseError, match=r"time\.stop_when") as refused:
        make_case(stop_when=condition)
    assert words in str(refused.value)


def test_a_condition_needs_rows():
    with pytest.raises(CaseError, match=r'stop_when is evaluated in each row.*series_every = "never"'):
        make_case(output={"series_every": "never"}, stop_when=CONDITION)


def test_a_condition_is_an_end_by_itself():
    case = Case(**make_case().to_dict() | {"time": {"dt": 0.1, "stop_when": CONDITION}})
    assert repr(case).endswith(f"stop_when = {CONDITION}>")
    simulation = begun(case)
    assert simulation.run(progress=False)
    assert simulation.step_number == 3 * math.ceil(REACHED / 0.3)


# A script


@needs("hdf5")
def test_a_script_ends_a_run_as_a_limit_does(tmp_path):
    simulation = begun(make_case(tmp_path / "run"))
    simulation.every(**at_step(4, lambda flow: flow.stop("it has mixed")))
    assert simulation.ended is None
    assert simulation.run(progress=False)
    assert (simulation.step_number, simulation.ended) == (4, "stop: it has mixed")
    assert last_line(tmp_path / "run").startswith("finished at t = 0.4, step 4 ", 21)
    assert last_line(tmp_path / "run").endswith(" by stop: it has mixed")
    check_whole(tmp_path / "run", 4)
    again = Simulation.restart(tmp_path / "run", settings=["time.steps=6"], comm=MPI.COMM_SELF)
    assert again.run(progress=False)
    assert (again.step_number, again.ended) == (6, "time.steps = 6")


@on_ranks(2)
def test_one_rank_is_enough_to_stop(world):
    simulation = begun(make_case(), world)
    simulation.every(**at_step(2, lambda flow: flow.stop("seen by one") if world.rank == 1 else None))
    assert simulation.run(progress=False)
    assert (simulation.step_number, simulation.ended) == (2, "stop: seen by one")


def test_between_steps_the_next_one_is_the_last():
    simulation = begun(make_case())
    simulation.step()
    simulation.stop("by hand")
    assert not simulation.finished
    simulation.step()
    assert simulation.finished
    with pytest.raises(ValueError, match="is finished"):
        simulation.step()


@pytest.mark.parametrize("reason", ["", "  ", None, 3])
def test_a_stop_has_a_reason(reason):
    with pytest.raises(CaseError, match="give the reason"):
        begun(make_case()).stop(reason)


# A signal


def interrupted(flow: Simulation) -> None:
    signal.raise_signal(signal.SIGINT)


@needs("hdf5")
def test_after_a_signal_run_goes_on(tmp_path):
    """As if nothing had been, to the last bit."""
    whole = begun(make_case(steps=12))
    whole.run(progress=False)
    simulation = begun(make_case(tmp_path / "run", steps=12))
    for step in (4, 6):
        simulation.every(**at_step(step, interrupted))
    for step in (4, 6):
        assert not simulation.run(progress=False)
        assert (simulation.step_number, simulation.stopped_by, simulation.ended) == (step, "SIGINT", "SIGINT")
    assert simulation.run(progress=False)
    assert simulation.stopped_by is None
    assert np.array_equal(simulation.velocity(), whole.velocity())
    assert list(open_run(tmp_path / "run").series["step"].values) == [0, 3, 6, 9, 12]
    assert "goes on after SIGINT at t = 0.4, step 4" in (tmp_path / "run" / "log.txt").read_text()
    assert checkpoints(tmp_path / "run") == [6, 12]


@needs("hdf5")
def test_after_a_signal_and_a_restart_by_others_run_says_so(tmp_path):
    simulation = begun(make_case(tmp_path / "run", steps=12))
    simulation.every(**at_step(4, interrupted))
    simulation.run(progress=False)
    other = Simulation.restart(tmp_path / "run", comm=MPI.COMM_SELF)
    with pytest.raises(CaseError, match="is still open in this program"):
        simulation.run(progress=False)
    other.close()
    for _ in range(2):
        with pytest.raises(CaseError, match=r"another run has been in .* since this one was stopped"):
            simulation.run(progress=False)
    Simulation.restart(tmp_path / "run", comm=MPI.COMM_SELF).close()


class InterruptedFlow:
    """A flow during whose fourth step SIGINT arrives: the state is new, and the clock is not."""

    def __init__(self, flow):
        self.flow, self.steps = flow, 0

    def __getattr__(self, name):
        return getattr(self.flow, name)

    def step(self, *given, **options):
        report = self.flow.step(*given, **options)
        self.steps += 1
        if self.steps == 4:
            signal.raise_signal(signal.SIGINT)
        return report


@pytest.fixture
def interruptible():
    """SIGINT as Python has it, also where the tests run in the background of a shell, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("single", [False, True])
def test_an_interrupt_comes_after_a_whole_step_and_the_simulation_goes_on(single):
    """As in a notebook, where a run has no directory."""
    whole = begun(make_case(steps=12))
    whole.run(progress=False)
    simulation = begun(make_case(steps=12))
    simulation._loop.steps.flow = InterruptedFlow(simulation.flow)
    go_on = simulation.step if single else partial(simulation.run, progress=False)
    with pytest.raises(KeyboardInterrupt):
        [go_on() for _ in range(12)]
    assert (simulation.step_number, simulation.time) == (4, pytest.approx(0.4))
    assert [*simulation.series["step"].values] == [0, 3]
    assert simulation.statistics()["energy"] > 0
    assert simulation.run(progress=False)
    assert (simulation.step_number, simulation.stopped_by) == (12, None)
    assert np.array_equal(simulation.velocity(), whole.velocity())
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@on_ranks(2)
def test_an_interrupt_of_one_rank_is_one_of_all(world):
    simulation = begun(make_case(), world)
    simulation.every(**at_step(2, interrupted if world.rank == 1 else lambda flow: None))
    with pytest.raises(KeyboardInterrupt):
        simulation.run(progress=False)
    assert simulation.step_number == 2


def test_other_signals_end_a_script_whose_run_has_no_files():
    assert StopFlag(INTERRUPTING)._signals == (signal.SIGINT,)
    simulation = begun(make_case(steps=2))
    handlers = []
    simulation.every("1 step", lambda flow: handlers.append(signal.getsignal(signal.SIGTERM)))
    simulation.run(progress=False)
    assert handlers == [signal.SIG_DFL] * 2


# An exception


class Enough(Exception):
    """Of a script."""


def fails(error: BaseException):
    def fail(flow: Simulation) -> None:
        raise error

    return fail


@needs("hdf5")
@pytest.mark.parametrize(
    "error", [Enough("quite"), OSError(28, "no room"), SystemExit("enough"), CaseError("x")]
)
def test_an_exception_of_a_callback_leaves_a_checkpoint_and_rises(tmp_path, error):
    whole = begun(make_case(steps=5))
    whole.run(progress=False)
    simulation = begun(make_case(tmp_path / "run", steps=5))
    simulation.every(**at_step(3, fails(error)))
    with pytest.raises(type(error)) as risen:
        simulation.run(progress=False)
    assert risen.value is error
    end = last_line(tmp_path / "run")
    assert f"error: a callback ended the run by {type(error).__name__}: {error} (t = 0.3, step 3); " in end
    assert "the last good checkpoint is " in end
    assert checkpoints(tmp_path / "run") == [3]
    again = Simulation.restart(tmp_path / "run", comm=MPI.COMM_SELF)
    again.run(progress=False)
    assert np.array_equal(again.velocity(), whole.velocity())
    assert list(open_run(tmp_path / "run").series["step"].values) == [0, 3, 5]


@needs("hdf5")
def test_a_state_that_a_callback_spoilt_is_not_kept(tmp_path):
    simulation = begun(make_case(tmp_path / "run"))

    def spoil(flow: Simulation) -> None:
        flow.set_modes("velocity", 1e200 * flow.modes("velocity"))

    simulation.every(**at_step(2, spoil))
    with np.errstate(over="ignore"), pytest.raises(CaseError, match="too large") as risen:
        simulation.run(progress=False)
    assert "The state after it was not kept: the flow blew up" in risen.value.__notes__[0]
    assert "no checkpoint had been written" in last_line(tmp_path / "run")
    assert checkpoints(tmp_path / "run") == []


@on_ranks(2)
@pytest.mark.parametrize("error", [Enough("of one"), SystemExit(4)])
def test_an_exception_of_one_rank_rises_on_all(world, tmp_path, error):
    simulation = begun(make_case(tmp_path / "run"), world)
    simulation.every(**at_step(2, fails(error) if world.rank == 1 else lambda flow: None))
    with pytest.raises(type(error)) as risen:
        simulation.run(progress=False)
    assert risen.value.args == error.args
    assert checkpoints(tmp_path / "run") == [2]
    told = f"a callback ended the run on rank 1 by {type(error).__name__}: {error} (t = 0.2, step 2)"
    assert told in last_line(tmp_path / "run")
    with h5py.File(tmp_path / "run" / "checkpoints" / "00000002.h5") as file:
        assert file.attrs["step"] == 2
    simulation.close()

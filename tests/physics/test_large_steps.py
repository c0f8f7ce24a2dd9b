"""A fixed step that becomes too large for a flow that grows: what is told, and what is left of the run."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.build import needs
from whorl.base.errors import BlowUp
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.clock import FIRST_STEPS
from whorl.config.schemes import largest_courant
from whorl.output import recorder
from whorl.output.sums import Sums
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

pytestmark = needs("hdf5")


def begun(directory: Path, output=None, **time) -> Simulation:
    case = Case(
        grid={"points": 8},
        flow={"viscosity": 0.01},
        time={"dt": 0.01, "scheme": "rk2", "steps": 20} | time,
        initial={"name": "abc"},
        output={"directory": str(directory), "series_every": "1000 steps", "spectra_every": "never"}
        | (output or {}),
        run={"threads": 1},
    )
    return Simulation(case, comm=MPI.COMM_SELF)


def steps_of_checkpoints(directory: Path) -> list[int]:
    return [int(path.stem) for path in open_run(directory).checkpoints]


def warnings_of(directory: Path) -> list[tuple[int, float, float]]:
    """The step, the Courant number and the safe step of each warning in the log."""
    told = re.findall(
        r"warning: time.dt = 0.01 is a Courant number of (\S+) at step (\d+), .*time.dt = (\S+) is within it",
        (directory / "log.txt").read_text(),
    )
    return [(int(step), float(courant), float(dt)) for courant, step, dt in told]


def grown(flow: Simulation) -> None:
    flow.set_modes("velocity", 1.4 * flow.modes("velocity"))


def test_a_courant_number_that_grows_is_told_again(tmp_path):
    """Each time it is a quarter larger than when it was last told, with a step that would do."""
    simulation = begun(tmp_path / "run", steps=28)
    simulation.every("2 steps", grown)
    courants = {}
    simulation.every("1 step", lambda flow: courants.update({flow.step_number: flow.report.courant}))
    simulation.run(progress=False)
    largest = largest_courant("rk2", "2/3")
    assert max(courants.values()) > 2 * largest
    expected, last = [], 0.0
    for step, courant in courants.items():
        if courant > largest and courant >= 1.25 * last:
            expected.append(step)
            last = courant
    told = warnings_of(tmp_path / "run")
    assert len(told) > 2
    assert [step for step, _, _ in told] == expected
    for step, courant, dt in told:
        assert courant == pytest.approx(courants[step], rel=1e-2)
        assert 0.9 * largest < courants[step] * dt / 0.01 <= largest


def test_one_that_stays_is_told_once(tmp_path):
    simulation = begun(tmp_path / "run", dt=0.3)
    simulation.run(progress=False)
    assert (tmp_path / "run" / "log.txt").read_text().count("is a Courant number of") == 1


def test_a_run_that_is_lost_in_its_first_minutes_has_a_checkpoint(tmp_path):
    simulation = begun(tmp_path / "run", steps=1000)
    simulation.every("1 step", lambda flow: grown(flow) if 101 < flow.step_number < 122 else None)
    with pytest.raises(BlowUp, match=r"last good checkpoint is .*00000100\.h5"):
        simulation.run(progress=False)
    log = (tmp_path / "run" / "log.txt").read_text()
    assert 'first checkpoint at t = 1, step 100; output.checkpoint_every = "30 minutes"' in log
    assert warnings_of(tmp_path / "run")
    again = Simulation.restart(
        tmp_path / "run", settings=["time.dt=0.005", "time.steps=102"], comm=MPI.COMM_SELF
    )
    assert again.run(progress=False)


@pytest.mark.parametrize(
    ("output", "steps", "kept"),
    [
        ({}, 99, [99]),
        ({}, 101, [100, 101]),
        ({"keep_checkpoints": 1}, 101, [101]),
        ({"checkpoint_every": "70 steps"}, 101, [70, 101]),
        ({"checkpoint_every": "never"}, 101, []),
    ],
)
def test_the_first_checkpoint_comes_after_a_hundred_steps(tmp_path, output, steps, kept):
    assert begun(tmp_path / "run", output, steps=steps).run(progress=False)
    assert steps_of_checkpoints(tmp_path / "run") == kept


@pytest.mark.parametrize(
    ("every", "kept", "later"),
    [("30 minutes", [4, 12], [30]), ("1.5 minutes", [4, 5, 10, 12], [17, 22, 27, 30])],
)
def test_or_after_a_minute(tmp_path, monkeypatch, every, kept, later):
    """Of steps of 18 seconds; then by the time that is asked for, and so after a restart."""
    runs: list[Simulation] = []
    seconds = SimpleNamespace(monotonic=lambda: 18.0 * sum(one.step_number for one in runs))
    monkeypatch.setattr(recorder, "time", seconds)
    output = {"checkpoint_every": every, "keep_checkpoints": 99}
    runs.append(begun(tmp_path / "run", output, steps=12))
    assert runs[0].run(progress=False)
    assert steps_of_checkpoints(tmp_path / "run") == kept
    runs[:] = [Simulation.restart(tmp_path / "run", settings=["time.steps=30"], comm=MPI.COMM_SELF)]
    assert runs[0].run(progress=False)
    assert steps_of_checkpoints(tmp_path / "run") == kept + later


def test_a_run_in_memory_measures_only_for_its_rows(monkeypatch):
    """It has no checkpoint that could be due."""
    measured = []
    values = Sums.values
    monkeypatch.setattr(Sums, "values", lambda self: measured.append(1) or values(self))
    output = {"series_every": "1000 steps", "spectra_every": "never"}
    case = Case(
        grid={"points": 8},
        flow={"viscosity": 0.1},
        time={"dt": 0.01, "steps": FIRST_STEPS + 20},
        initial={"name": "taylor-green"},
        output=output,
    )
    Simulation(case).run(progress=False)
    assert len(measured) <= 4

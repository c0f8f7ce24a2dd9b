"""A run that ends when the means of its series are as accurate as time.until_error asks."""

import itertools
import math

import numpy as np
import pytest
from support.ranks import run_on
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.output.accuracy import FEWEST, Accuracy, is_accurate, is_time
from whorl.output.means import mean_of
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

# Of ω = a cos 2x cos y: E = a²/40.
MEAN, SPREAD = 0.2, 0.03
EXACT = (MEAN**2 + SPREAD**2) / 40


def make_case(time, **output) -> Case:
    return Case(
        grid={"points": [8, 8, 1]},
        flow={"model": "navier-stokes-2d", "viscosity": 0.01},
        time={"dt": 0.1, "scheme": "rk2"} | time,
        initial={"name": "formula", "value": ["0", "0", "0"]},
        output={"series_every": "1 steps", "spectra_every": "never"} | output,
        run={"threads": 1},
    )


def stirred(simulation: Simulation) -> Simulation:
    """Sets the vorticity after each step to that of noise with a known mean, which follows from the step."""

    def noise(step: int) -> float:
        return float(np.random.default_rng(step).normal())

    def stir(flow: Simulation) -> None:
        recent = sum(noise(flow.step_number - ago) for ago in range(min(3, flow.step_number)))
        a = MEAN + SPREAD * recent / math.sqrt(3)
        flow.set_field("vorticity", lambda x, y, z: a * np.cos(2 * x) * np.cos(y))

    simulation.every("1 steps", stir)
    return simulation


def test_it_ends_at_the_first_row_that_is_accurate_enough(tmp_path):
    wanted = 0.03
    case = make_case(
        {"until_error": {"energy": wanted}, "average_from": 0.5},
        directory=str(tmp_path / "run"),
        snapshot_every="1000 steps",
        checkpoint_every="1000 steps",
        spectra_every="1000 steps",
    )
    simulation = stirred(Simulation(case))
    assert simulation.run(progress=False)
    series = simulation.series
    window = series.isel(time=series["time"] >= 0.5 * (1 - 1e-12))
    time, energy = window["time"].values, window["energy"].values
    found = mean_of(time, energy)
    assert found.samples >= FEWEST
    assert not found.trend
    assert found.error <= wanted * found.mean
    assert abs(found.mean - EXACT) <= 3 * wanted * EXACT
    assert is_time(len(time))
    for rows in filter(is_time, range(len(time))):
        earlier = mean_of(time[:rows], energy[:rows])
        assert earlier.samples < FEWEST or earlier.error > wanted * earlier.mean or earlier.trend
    # All that is written at an end is there.
    run, last = open_run(tmp_path / "run"), simulation.step_number
    assert list(run.snapshots["step"].values) == [0, last]
    assert list(run.spectra["step"].values) == [0, last]
    assert [path.stem for path in simulation.directory.checkpoints()] == [f"{last:08d}"]
    log = (tmp_path / "run" / "log.txt").read_text()
    assert "by time.until_error = {energy = 0.03}: energy = 0.00" in log
    assert "independent samples)" in log


def ended(**time) -> tuple:
    simulation = stirred(Simulation(make_case({"until_error": {"energy": 0.05}} | time)))
    assert simulation.run(progress=False)
    return simulation.step_number, dict(simulation._recorder.accuracy.means)


def ended_on_ranks(world) -> tuple:
    return ended()


@pytest.mark.mpi
def test_two_ranks_end_where_one_does():
    steps, means = ended()
    for there, found in run_on(2, ended_on_ranks):
        assert there == steps
        assert found["energy"].error == pytest.approx(means["energy"].error, rel=1e-9)


def test_another_limit_ends_it_before(tmp_path):
    case = make_case({"until_error": {"energy": 1e-4}, "steps": 200}, directory=str(tmp_path / "run"))
    assert stirred(Simulation(case)).run(progress=False)
    log = (tmp_path / "run" / "log.txt").read_text()
    assert " by time.steps = 200: energy = " in log


@pytest.mark.long("two runs go on until they are accurate")
def test_all_columns_must_be_accurate():
    one, _ = ended()
    both, means = ended(until_error={"energy": 0.05, "maximum_velocity": 0.004})
    assert both > one
    assert means["maximum_velocity"].error <= 0.004 * means["maximum_velocity"].mean


def test_a_mean_with_a_trend_is_none():
    """Noise upon a slow rise, whose error and number of samples would do."""
    time = np.arange(1000.0)
    values = 1 + 1e-4 * time + 0.1 * np.random.default_rng(1).normal(size=1000)
    mean = mean_of(time, values)
    assert mean.samples > FEWEST
    assert mean.error < 0.02
    assert mean.trend == "rises"
    assert not is_accurate(mean, 0.1)
    assert is_accurate(mean_of(time, values - 1e-4 * time), 0.1)


def test_a_flow_that_decays_has_no_mean():
    case = make_case({"until_error": {"energy": 0.5}, "steps": 150}).updated(
        initial={"name": "taylor-green"}, flow={"viscosity": 1e-3}
    )
    simulation = Simulation(case)
    simulation.run(progress=False)
    assert simulation.step_number == 150
    mean = simulation._recorder.accuracy.means["energy"]
    assert mean.trend == "falls"


def test_a_restart_ends_where_the_whole_run_does(tmp_path):
    how = {"until_error": {"energy": 0.04}}
    files = {"checkpoint_every": "7 steps"}
    whole = stirred(Simulation(make_case(how, directory=str(tmp_path / "whole"), **files)))
    whole.run(progress=False)
    parts = stirred(Simulation(make_case(how, directory=str(tmp_path / "parts"), **files)))
    for _ in range(whole.step_number // 2):
        parts.step()
    parts.close()
    again = stirred(Simulation.restart(tmp_path / "parts"))
    assert again.run(progress=False)
    assert again.step_number == whole.step_number
    assert again.series.identical(whole.series)
    with pytest.raises(CaseError, match=r"nothing left to do before time.until_error = \{energy = 0.04\} \("):
        Simulation.restart(tmp_path / "whole")
    further = stirred(Simulation.restart(tmp_path / "whole", settings=["time.until_error.energy=0.03"]))
    assert further.run(progress=False)
    assert further.step_number > whole.step_number


ROWS = [{"time": 0.1 * n, "turnovers": 0.05 * n, "energy": float(n)} for n in range(101)]


@pytest.mark.parametrize(
    ("average_from", "first"), [(None, 50), (0, 0), (0.0, 0), (3, 30), (3.0, 30), ("2 turnovers", 40)]
)
def test_the_window(average_from, first):
    case = make_case({"until_error": {"energy": 0.1}, "average_from": average_from})
    accuracy = Accuracy(case, MPI.COMM_SELF)
    assert [row["energy"] for row in accuracy.window(ROWS)] == list(range(first, 101))


def test_the_window_has_no_rows_before_turnovers_were_counted():
    rows = [row | {"turnovers": math.nan} for row in ROWS[:60]]
    rows += [row | {"turnovers": 0.05 * n} for n, row in enumerate(ROWS[60:])]
    case = make_case({"until_error": {"energy": 0.1}, "average_from": "2 turnovers"})
    assert Accuracy(case, MPI.COMM_SELF).window(rows)[0]["energy"] == 100


def test_when_means_are_taken():
    """With fifty rows, and whenever there are a tenth more."""
    rows = [n for n in range(20_000) if is_time(n)]
    assert rows[:4] == [FEWEST, 55, 61, 67]
    assert all(1.08 < after / before < 1.12 for before, after in itertools.pairwise(rows))


@pytest.mark.slow
@pytest.mark.parametrize("wanted", [0.02, 0.05])
def test_errors_are_those_of_many_runs(wanted):
    """Means of runs that end at an error differ from the true one by about as much, though they end early."""
    missed = []
    for seed in range(40):
        rng, rows, value = np.random.default_rng(seed), [], 0.0
        accuracy = Accuracy(make_case({"until_error": {"energy": wanted}, "average_from": 0}), MPI.COMM_SELF)
        while not accuracy.reached:
            value = 0.8 * value + 0.6 * rng.normal()
            rows.append({"time": float(len(rows)), "energy": 1 + 0.3 * value})
            accuracy.check(rows)
        missed.append((accuracy.means["energy"].mean - 1) / wanted)
    assert 0.7 < np.sqrt(np.mean(np.square(missed))) < 1.35

"""Turnovers L/u' of the flow as measured: their count, what it ends and when it is measured."""

import math

import h5py
import numpy as np
import pytest
from support import devices
from support.ranks import run_on
from whorl.base.errors import CaseError, RunFault
from whorl.config.case import Case
from whorl.config.clock import MEASURED_EVERY
from whorl.output.checkpoint import read_clock
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation
from whorl.run.turnovers import Counts

pytestmark = pytest.mark.every_device

# Of an ABC flow of amplitude 1: E = 3/2, so that u' = 1, and all of it in k = 1, so that L = π E/2.
RATE = 4 / (3 * math.pi)
RANDOM = {"name": "random", "k0": 2.0, "seed": 5}


def make_case(time, *, viscosity=0.0, initial=None, model="navier-stokes", **output) -> Case:
    return Case(
        grid={"points": [12, 12, 1] if model == "navier-stokes-2d" else 12},
        flow={"model": model, "viscosity": viscosity},
        time={"scheme": "rk3"} | time,
        initial=initial or {"name": "abc"},
        output=output,
        run={"threads": 1, "device": devices.current()},
    )


def finished(case: Case, initial=None) -> Simulation:
    simulation = Simulation(case, initial)
    assert simulation.run(progress=False)
    return simulation


def test_a_steady_flow_is_counted_exactly():
    """ABC flow without viscosity stays as it is, so that τ = t u'/L."""
    simulation = finished(make_case({"dt": 0.02, "until": "3 turnovers"}))
    assert simulation.turnovers == pytest.approx(simulation.time * RATE, rel=1e-12)
    # The end is the first step with the count, which none lands on.
    assert simulation.step_number == math.ceil(3 / RATE / 0.02)
    series = simulation.series
    assert np.allclose(series["turnovers"], series["time"] * RATE, rtol=1e-12)
    assert np.allclose(series["turnover_time"], 1 / RATE, rtol=1e-12)


def test_a_decaying_flow_is_counted_to_what_it_changes_between_measurements():
    """u' = exp(−νt) and L stays, so that τ = (1 − exp(−νt)) u'/(L ν)."""
    nu, dt = 0.2, 0.005
    simulation = finished(make_case({"dt": dt, "steps": 400, "until": "100 turnovers"}, viscosity=nu))
    left = math.exp(-nu * simulation.time)
    too_much = simulation.turnovers - RATE * (1 - left) / nu
    # A rate is held for ten steps at most; the sum of its changes is RATE (1 − left).
    most = MEASURED_EVERY * dt / 2 * RATE * (1 - left)
    assert 0.3 * most < too_much <= 1.01 * most


def test_plane_flow_is_counted_in_the_same_way():
    """u = (sin y, 0): E = 1/4 = u'², L = 2/u'² E = 2, which differs from three dimensions."""
    rate = 0.5 / 2
    simulation = finished(
        make_case(
            {"dt": 0.1, "until": "1 turnovers"},
            model="navier-stokes-2d",
            initial={"name": "formula", "value": ["sin(y)", "0", "0"]},
        )
    )
    assert simulation.turnovers == pytest.approx(simulation.time * rate, rel=1e-12)
    assert np.allclose(simulation.series["turnover_time"], 1 / rate, rtol=1e-12)


def test_intervals_in_turnovers_are_met_once_each(tmp_path):
    every = dict.fromkeys(("series_every", "spectra_every", "snapshot_every"), "0.25 turnovers")
    case = make_case({"dt": 0.05, "until": 2.5}, directory=str(tmp_path / "run"), **every)
    simulation, seen = Simulation(case), []
    simulation.every("0.25 turnovers", lambda flow: seen.append(flow.step_number))
    simulation.run(progress=False)
    expected = [math.ceil(n * 0.25 / RATE / 0.05) for n in range(1, 5)]
    assert seen == expected
    assert list(open_run(tmp_path / "run").series["step"]) == [0, *expected, 50]
    assert list(open_run(tmp_path / "run").snapshots["step"].values) == [0, *expected, 50]
    assert open_run(tmp_path / "run").spectra.sizes["time"] == 6


def test_nothing_is_measured_for_a_run_in_time(tmp_path, monkeypatch):
    measured = []
    monkeypatch.setattr(Counts, "measure", lambda self: measured.append(self.clock.step))
    simulation = finished(make_case({"dt": 0.05, "until": 1.0}, directory=str(tmp_path / "run")))
    assert simulation.turnovers is None
    assert "turnovers" not in simulation.series
    assert not measured
    with h5py.File(simulation.directory.checkpoints()[-1]) as file:
        assert "turnovers" not in file.attrs
    Simulation.restart(tmp_path / "run", until=2.0).run(progress=False)
    assert "turnovers" not in (tmp_path / "run" / "log.txt").read_text()


def random_flow(**output) -> tuple:
    simulation = finished(
        make_case({"courant": 0.5, "until": "0.7 turnovers"}, viscosity=0.02, initial=RANDOM, **output)
    )
    return simulation.turnovers, simulation.time, simulation.step_number


def test_the_count_does_not_depend_on_output(tmp_path):
    bare = random_flow(series_every="never", spectra_every="never")
    assert random_flow(series_every="1 steps", spectra_every="0.1 turnovers") == bare
    files = {"snapshot_every": "3 steps", "checkpoint_every": "7 steps"}
    assert random_flow(directory=str(tmp_path / "run"), **files) == bare


def counted_on_ranks(world) -> tuple:
    return random_flow()


@pytest.mark.mpi
def test_the_count_does_not_depend_on_the_number_of_ranks():
    count, time, steps = random_flow()
    for other in run_on(2, counted_on_ranks):
        assert other[2] == steps
        assert other[:2] == pytest.approx((count, time), rel=1e-12)


@pytest.mark.parametrize("at", [4, 8, 12])
def test_a_restart_goes_on_to_the_same_bits(tmp_path, at):
    time = {"courant": 0.5, "until": "0.8 turnovers"}
    output = {"checkpoint_every": f"{at} steps", "series_every": "0.05 turnovers"}
    how = {"viscosity": 0.02, "initial": RANDOM}
    whole = finished(make_case(time, **how, **output, directory=str(tmp_path / "whole")))
    parts = Simulation(make_case(time, **how, **output, directory=str(tmp_path / "parts")))
    for _ in range(at + 1):
        parts.step()
    parts.close()
    again = Simulation.restart(tmp_path / "parts")
    assert again.step_number == at
    assert again.turnovers > 0
    assert again.run(progress=False)
    assert (again.turnovers, again.time, again.step_number) == (
        whole.turnovers,
        whole.time,
        whole.step_number,
    )
    assert again.clock.turnovers.rate == whole.clock.turnovers.rate
    assert np.array_equal(again.velocity(), whole.velocity())
    series = [open_run(tmp_path / name).series for name in ("whole", "parts")]
    assert series[0].identical(series[1])


def test_a_changed_field_is_measured_anew():
    simulation = Simulation(make_case({"dt": 0.02, "until": "3 turnovers"}))
    for _ in range(3):
        simulation.step()
    before = simulation.turnovers
    simulation.set_field("velocity", 2 * simulation.velocity())
    simulation.step()
    assert simulation.turnovers - before == pytest.approx(2 * RATE * 0.02, rel=1e-12)


def test_more_turnovers_are_asked_for_by_a_restart(tmp_path):
    case = make_case({"dt": 0.05, "until": "1 turnovers"}, directory=str(tmp_path / "run"))
    first = finished(case)
    with pytest.raises(CaseError, match=r'before time.until = "1 turnovers" \(--until and more turnovers\)'):
        Simulation.restart(tmp_path / "run")
    again = Simulation.restart(tmp_path / "run", until="2 turnovers")
    assert (again.step_number, again.turnovers) == (first.step_number, first.turnovers)
    again.run(progress=False)
    assert again.step_number == math.ceil(2 / RATE / 0.05)
    beside = Simulation.restart(
        tmp_path / "run", tmp_path / "new", until="3 turnovers", settings=["grid.points=16"]
    )
    assert beside.turnovers == again.turnovers
    beside.run(progress=False)
    assert beside.step_number == math.ceil(3 / RATE / 0.05)
    assert read_clock(beside.directory.checkpoints()[-1]).turnovers[0] == beside.turnovers


def test_a_run_in_time_goes_on_in_turnovers(tmp_path):
    """They are counted from there on, which the log says; earlier rows have none."""
    finished(make_case({"dt": 0.05, "until": 1.0}, directory=str(tmp_path / "run")))
    again = Simulation.restart(tmp_path / "run", until="0.5 turnovers")
    assert again.turnovers == 0
    again.run(progress=False)
    assert again.step_number == 20 + math.ceil(0.5 / RATE / 0.05)
    assert "so they are counted from t = 1 on" in (tmp_path / "run" / "log.txt").read_text()
    series = open_run(tmp_path / "run").series
    earlier = series["time"] <= 1
    assert np.isnan(series["turnovers"][earlier]).all()
    assert np.allclose(series["turnovers"][~earlier], (series["time"][~earlier] - 1) * RATE, rtol=1e-12)
    # A run that counts goes on counting, whatever ends it.
    timed = Simulation.restart(tmp_path / "run", until=3.0)
    timed.run(progress=False)
    assert timed.turnovers == pytest.approx(2 * RATE, rel=1e-12)


def test_a_pause_in_turnovers():
    simulation = Simulation(make_case({"dt": 0.05, "until": 10.0}))
    assert not simulation.run(until="0.5 turnovers", progress=False)
    assert simulation.step_number == math.ceil(0.5 / RATE / 0.05)
    assert not simulation.run(until="0.5 turnovers", progress=False)
    assert simulation.step_number == math.ceil(0.5 / RATE / 0.05)
    for wrong in ("half a turnover", "5", "5 steps", "-1 turnovers"):
        with pytest.raises(ValueError, match='a positive number \\(time\\) or "N turnovers"'):
            simulation.run(until=wrong)


def test_a_flow_that_dies_out_does_not_reach_its_end_by_long_steps():
    """The flow can make RATE/ν = 2.1 turnovers in all; its steps grow without limit as it dies."""
    simulation = Simulation(make_case({"courant": 0.5, "until": "20 turnovers"}, viscosity=0.2))
    with pytest.raises(RunFault, match="has come to rest"):
        simulation.run(progress=False)
    assert RATE / 0.2 * 0.99 < simulation.turnovers < RATE / 0.2 * 1.2


def test_an_end_that_will_not_come_is_told(tmp_path):
    case = make_case({"dt": 0.5, "until": "20 turnovers"}, viscosity=2.0, directory=str(tmp_path / "run"))
    simulation = Simulation(case)
    simulation.run(until=30.0, progress=False)
    said = [line for line in simulation.directory.log.read_text().splitlines() if "away" in line]
    assert len(said) == 1
    assert 'time.until = "20 turnovers" is more than 1e+09 such steps away' in said[0]
    assert "give time.steps as well" in said[0]


def test_a_flow_at_rest_makes_no_turnovers():
    simulation = Simulation(
        make_case({"dt": 0.5, "until": "20 turnovers", "steps": 25}, initial={"name": "zero"})
    )
    assert simulation.run(progress=False)
    assert (simulation.turnovers, simulation.step_number) == (0, 25)


def test_a_superfluid_has_none():
    def superfluid(**sections) -> Case:
        usual = {"time": {"dt": 0.1, "steps": 1}}
        flow = {"model": "gross-pitaevskii", "sound_speed": 1.0, "coherence_length": 0.5}
        return Case(grid={"points": 8}, flow=flow, initial={"name": "zero"}, **usual | sections)

    words = 'L/u\' of a viscous velocity, and flow.model = "gross-pitaevskii" has none; give a time'
    with pytest.raises(CaseError, match=f'^time.until = "2 turnovers" counts turnovers {words}'):
        superfluid(time={"dt": 0.1, "until": "2 turnovers"})
    with pytest.raises(CaseError, match=f'^output.series_every = "2 turnovers" counts turnovers {words}'):
        superfluid(output={"series_every": "2 turnovers"})
    simulation = Simulation(superfluid(), lambda x, y, z: (1.0 + 0.1 * np.cos(x), 0.0))
    with pytest.raises(CaseError, match=rf'^every\("2 turnovers"\) counts turnovers {words}'):
        simulation.every("2 turnovers", print)
    with pytest.raises(CaseError, match=rf'^run\(until="2 turnovers"\) counts turnovers {words}'):
        simulation.run(until="2 turnovers")

"""Steps and output against runs that were made."""

from math import ceil
from types import SimpleNamespace

import pytest
from mpi4py import MPI
from planner.cases import case, toy
from whorl import Simulation, _core
from whorl.base.errors import CaseError
from whorl.initial.fields import set_initial
from whorl.machine.planner.run_length import first_step, length_of, output_of
from whorl.machine.planner.whorl_load import Whorl
from whorl.output import recorder
from whorl.run.core_options import core_options


def test_a_fixed_step_counts_itself():
    assert length_of(case(time={"dt": 0.1, "steps": None, "until": 1.0})).steps == 10
    assert length_of(case(time={"dt": 0.3, "steps": None, "until": 1.0})).steps == 4
    assert length_of(case(time={"dt": 0.1, "steps": 3, "until": 1.0})).steps == 3
    # Not eight, though 1.05 / 0.15 is above 7 by rounding.
    assert length_of(case(time={"dt": 0.15, "steps": None, "until": 1.05})).steps == 7


def test_a_number_of_steps_is_the_length():
    assert length_of(case(time={"steps": 7})).steps == 7


@pytest.mark.parametrize(
    ("name", "points"),
    [
        ("taylor-green", (48, 64, 40)),
        ("abc", (48, 64, 40)),
        ("taylor-green", (64, 64, 4)),  # which has no coarser grid along z, and no velocity there
    ],
)
def test_a_courant_number_sets_the_step_by_the_initial_field(name, points):
    chosen = case(points, time={"dt": None, "courant": 0.4, "steps": 1}, initial={"name": name}, output=QUIET)
    simulation = Simulation(chosen)
    simulation.run()
    assert first_step(chosen) == pytest.approx(simulation.time, rel=0.05)
    length = length_of(chosen.updated(["time.until=2.0", "time.steps=100000"]))
    assert length.steps == pytest.approx(2.0 / simulation.time, rel=0.05)
    assert length.known_by == "time.courant and the initial field"


BY_COURANT = {"dt": None, "courant": 0.5, "steps": 1, "scheme": "rk3"}
BOUND_BY_WAVES = {
    "rotation": ({"rotation": 50.0}, {}),
    "stratification": (
        {"model": "boussinesq", "diffusivity": 0.01, "buoyancy_frequency": 20.0},
        {"name": "random", "k0": 3},
    ),
    "mean magnetic field": (
        {"model": "mhd", "resistivity": 0.01, "mean_field": [0, 0, 3.0]},
        {"name": "orszag-tang"},
    ),
    "beta": ({"model": "navier-stokes-2d", "beta": 30.0}, {}),
    "the field's own scales": ({}, {"name": "random", "k0": 12}),
}


@pytest.mark.parametrize(("flow", "initial"), BOUND_BY_WAVES.values(), ids=BOUND_BY_WAVES.keys())
def test_waves_limit_the_step_on_any_grid_as_they_do_on_its_own(flow, initial):
    points = (128, 128, 1) if "beta" in flow else 128
    chosen = case(points, flow=flow, time=BY_COURANT, initial=initial)
    own = _core.Flow(core_options(chosen, 1), MPI.COMM_SELF.py2f())
    set_initial(own, chosen, None, MPI.COMM_SELF)
    assert first_step(chosen) == pytest.approx(own.step(0.0, courant=0.5).dt, rel=0.04)


REFUSED = {
    "hall": (
        {"flow": {"model": "mhd", "resistivity": 0.01, "hall": 0.1}, "initial": {"name": "orszag-tang"}},
        "flow.hall = 0.1 whistler waves .* with --dt",
    ),
    "fine": ({"initial": {"name": "random", "k0": 100}}, "of 200 shells needs 800 × 800 × 800 points"),
    "unfit": (
        {"initial": {"name": "formula", "value": ["0", "0", "cos(x) / (abs(x - 3.3) > 0.1)"]}},
        "40 × 40 × 40 points that should determine .* it must be finite everywhere; give .* with --dt",
    ),
    "file": (
        {
            "flow": {"model": "mhd", "resistivity": 0.01},
            "initial": {"name": "taylor-green", "magnetic": {"name": "from-file", "path": "b.h5"}},
        },
        'an initial field "from-file" does not determine its length; .* with --dt',
    ),
}


@pytest.mark.parametrize(("sections", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_a_step_no_coarse_grid_tells_is_asked_for(sections, message):
    chosen = case(1024, time=BY_COURANT | {"steps": None, "until": 1.0}, **sections)
    with pytest.raises(CaseError, match=message):
        length_of(chosen)
    assert length_of(chosen, 0.1).steps == 10


QUIET = {"series_every": "100 steps", "checkpoint_every": "never"}


def test_dt_max_limits_the_step():
    chosen = case(time={"dt": None, "courant": 0.5, "dt_max": 1e-3, "steps": None, "until": 1.0})
    assert length_of(chosen).steps == 1000


def test_a_step_that_is_told_is_believed():
    chosen = case(time={"dt": None, "courant": 0.5, "steps": None, "until": 1.0})
    assert length_of(chosen, 0.02).steps == 50
    assert length_of(case(time={"dt": 0.1, "steps": None, "until": 1.0}), 0.02).steps == 50
    assert length_of(case(time={"dt": 0.1, "steps": 7}), 0.02).dt == 0.02
    assert length_of(case(time={"dt": None, "courant": 0.5, "steps": 7}), 0.02).dt == 0.02


@pytest.mark.parametrize("dt", [0.0, -0.1, float("inf"), float("nan")])
@pytest.mark.parametrize("until", [1.0, None])
def test_a_step_that_is_none_is_refused(dt, until):
    with pytest.raises(CaseError, match=f"--dt {dt:g}: the mean time step must be above zero and finite"):
        length_of(case(time={"steps": None if until else 7, "until": until}), dt)


def test_more_steps_than_any_run_takes_are_refused():
    chosen = case(time={"steps": None, "until": 1.0, "dt": 1e-20})
    for given, by in ((None, "time.dt"), (1e-30, "--dt")):
        with pytest.raises(CaseError, match=f"{by} = 1e-[23]0 asks for 1e.[23]0 time steps, more than any"):
            length_of(chosen, given)
    with pytest.raises(CaseError, match=r"time\.steps asks for 2e\+12 time steps"):
        length_of(case(time={"steps": 2 * 10**12}))
    assert length_of(chosen, 1e-12).steps == 10**12
    assert length_of(chosen.updated(["time.steps=5"]), 1e-30).steps == 5


def test_a_step_that_nobody_knows_is_asked_for():
    chosen = case(time={"dt": None, "courant": 0.5, "steps": None, "until": 1.0}, initial={"name": "zero"})
    with pytest.raises(CaseError, match=r"at rest; give the mean step you expect with --dt"):
        length_of(chosen)
    nowhere = chosen.model_copy(update={"initial": None})
    with pytest.raises(CaseError, match=r"no initial field determines its length; .* with --dt"):
        length_of(nowhere)


HEADER = 20_000  # bytes of a file beside its data, at most
INTERVALS = {
    "steps": {"snapshot_every": "4 steps", "checkpoint_every": "3 steps", "keep_checkpoints": 99},
    "time": {"snapshot_every": 0.025, "checkpoint_every": 0.05, "keep_checkpoints": 99},
    "never": {"snapshot_every": "never", "checkpoint_every": "5 steps", "keep_checkpoints": 99},
    "double, two fields": {
        "snapshot_every": "5 steps",
        "fields": ["velocity", "vorticity"],
        "snapshot_precision": "double",
        "checkpoint_every": "never",
    },
}


@pytest.mark.parametrize("output", INTERVALS.values(), ids=INTERVALS.keys())
def test_a_run_writes_what_was_planned(tmp_path, output):
    chosen = case(48, output=output | {"directory": str(tmp_path / "out")})
    planned = output_of(chosen, toy(), 1, length_of(chosen), 0.0, Whorl(chosen).modes)
    Simulation(chosen).run()
    snapshots = [p.stat().st_size for p in (tmp_path / "out" / "snapshots").glob("*.vtkhdf")]
    checkpoints = [p.stat().st_size for p in (tmp_path / "out" / "checkpoints").glob("*.h5")]
    assert (planned.snapshots, planned.checkpoints) == (len(snapshots), len(checkpoints))
    for files, bytes_each in ((snapshots, planned.snapshot_bytes), (checkpoints, planned.checkpoint_bytes)):
        for size in files:
            assert bytes_each < size < bytes_each + HEADER
    assert planned.seconds == pytest.approx(planned.bytes / 1e9)


def test_the_end_is_written_once():
    """At 0, 0.15, …, 2.1, the last with the end, though 30 · 0.07 / 0.15 is above 14 by rounding."""
    chosen = case(time={"dt": 0.07, "steps": 30}, output={"snapshot_every": 0.15})
    assert output_of(chosen, toy(), 1, length_of(chosen), 0.0, 1.0).snapshots == 15


def test_a_scalar_is_one_component():
    """64³ numbers of 4 bytes for u, v, w and the dye; modes of two components of velocity and two scalars."""
    chosen = case(
        scalars=({"name": "salt", "schmidt": 1.0}, {"name": "dye", "schmidt": 1.0}),
        output={"snapshot_every": "5 steps", "fields": ["velocity", "dye"]},
    )
    planned = output_of(chosen, toy(), 1, length_of(chosen), 0.0, 1000.0)
    assert planned.snapshot_bytes == 4 * 64**3 * 4
    assert planned.checkpoint_bytes == (2 + 1 + 1) * 1000 * 8


def test_minutes_are_counted_in_the_time_the_run_takes(tmp_path, monkeypatch):
    """The watch is looked at after steps and starts anew then: of 366 s, every other one; of 600 s, each.

    One more is written after the first minute.
    """
    for step, written in ((366.0, 6), (600.0, 10), (59.0, 2), (61.0, 3)):
        chosen = case(8, output={"checkpoint_every": "9 minutes", "keep_checkpoints": 99})
        planned = output_of(chosen, toy(), 1, length_of(chosen), 10 * step, 1.0)
        runs = []
        watch = SimpleNamespace(
            monotonic=lambda step=step, runs=runs: step * sum(run.step_number for run in runs)
        )
        monkeypatch.setattr(recorder, "time", watch)
        place = tmp_path / str(step)
        runs.append(Simulation(chosen.updated([f"output.directory={place}"])))
        runs[0].run(progress=False)
        monkeypatch.undo()
        assert planned.checkpoints == len(list((place / "checkpoints").glob("*.h5"))) == written


ENDS = {
    "at the end": ({"dt": 0.125, "until": 1.0}, 0.25),
    "at the end but for rounding": ({"dt": 0.1, "until": 0.6}, 0.2),
    "a short last step": ({"dt": 0.3, "until": 1.0}, 0.5),
    "a last step that comes to an instant": ({"dt": 0.3, "until": 0.75}, 0.25),
    "every step": ({"dt": 0.25, "until": 1.0}, 0.01),
    "past the end": ({"dt": 0.25, "until": 1.0}, 7.0),
    "steps": ({"dt": 0.25, "until": 1.0}, "2 steps"),
    "cut by steps": ({"dt": 0.25, "until": 9.0, "steps": 6}, 0.5),
    "courant": ({"courant": 0.5, "until": 2.0}, 1.0),
    "courant, past": ({"courant": 0.5, "until": 2.0}, 0.75),
}


@pytest.mark.parametrize(("time", "interval"), ENDS.values(), ids=ENDS.keys())
def test_what_is_due_at_the_end_is_written_once(tmp_path, time, interval):
    chosen = case(
        8,
        time={"dt": None, "steps": None} | time,
        output={"snapshot_every": interval, "checkpoint_every": interval, "keep_checkpoints": 99}
        | {"directory": str(tmp_path / "out")},
    )
    planned = output_of(chosen, toy(), 1, length_of(chosen), 0.0, 1.0)
    Simulation(chosen).run(progress=False)
    written = [len(list((tmp_path / "out" / name).iterdir())) for name in ("snapshots", "checkpoints")]
    assert [planned.snapshots, planned.checkpoints] == written


def test_all_nodes_write_no_faster_than_the_file_system():
    chosen = case(output={"snapshot_every": "5 steps"})
    seconds = [output_of(chosen, toy(), nodes, length_of(chosen), 0, 1.0).seconds for nodes in (1, 2, 4, 8)]
    assert seconds[0] / 2 == pytest.approx(seconds[1])
    assert seconds[0] / 4 == pytest.approx(seconds[2]) == pytest.approx(seconds[3])


# Of the Taylor–Green vortex: E = 1/8, all of it at |k| = √3, so that L = π/(2u'²) E/√3.
TURNOVER = 3 * 3.141592653589793 / (4 * 3**0.5) / (2 / 3 / 8) ** 0.5


@pytest.mark.parametrize("points", [64, 512])
def test_turnovers_are_those_of_the_initial_field(points):
    chosen = case(points, time={"dt": 0.1, "steps": None, "until": "3 turnovers"})
    length = length_of(chosen)
    assert length.turnover == pytest.approx(TURNOVER, rel=1e-5)
    assert (length.steps, length.known_by) == (ceil(3 * length.turnover / 0.1), "time.dt")
    assert length_of(chosen.updated(["time.steps=7"])).known_by == "time.steps"
    assert length_of(chosen.updated(["time.until=3"])).turnover is None


def test_turnovers_are_those_that_a_run_begins_with():
    chosen = case(32, time={"dt": 0.01, "steps": None, "until": "0.1 turnovers"})
    with Simulation(chosen) as simulation:
        simulation.run(progress=False)
        assert length_of(chosen).steps == pytest.approx(simulation.step_number, abs=1)


def test_output_in_turnovers_is_counted():
    often = QUIET | {"snapshot_every": "0.5 turnovers", "checkpoint_every": "1 turnover"}
    chosen = case(time={"dt": 0.1, "steps": None, "until": "3 turnovers"}, output=often)
    written = output_of(chosen, toy(), 1, length_of(chosen), 10.0, 1000.0)
    assert (written.snapshots, written.checkpoints) == (7, 3)
    without = case(time={"dt": None, "courant": 0.5, "steps": 20}, output=often)
    with pytest.raises(CaseError, match=r"interval of 0\.5 turnovers cannot be counted in time\.steps = 20"):
        output_of(without, toy(), 1, length_of(without), 10.0, 1000.0)


@pytest.mark.parametrize(
    ("initial", "words"),
    [
        ({"name": "from-file", "path": "u.h5"}, 'and an initial field "from-file" does not determine'),
        ({"name": "zero"}, "and an initial field at rest does not determine"),
        ({"name": "random", "k0": 100}, "of 200 shells needs 800 × 800 × 800 points to determine"),
    ],
)
def test_turnovers_that_no_initial_field_tells_are_unknown(initial, words):
    chosen = case(1024, time={"dt": 0.1, "steps": None, "until": "3 turnovers"}, initial=initial)
    known = r'time.until = "3 turnovers" is in turnovers.*'
    advice = r".* the length of one; plan with a number there \(--set time.until=T\)"
    with pytest.raises(CaseError, match=known + words + advice):
        length_of(chosen)


def test_no_plan_tells_when_means_are_accurate():
    chosen = case(time={"dt": 0.1, "steps": None, "until_error": {"energy": 0.1}})
    with pytest.raises(CaseError, match=r"until_error = \{energy = 0.1\} .* the number of steps is unknown"):
        length_of(chosen)
    assert length_of(chosen.updated(["time.until=2"])).steps == 20


def test_checkpoints_of_single_precision_are_half_of_those_in_double():
    sizes = {
        precision: output_of(chosen, toy(), 1, length_of(chosen), 0.0, 1000.0).checkpoint_bytes
        for precision in ("run", "single")
        for chosen in [case(run={"precision": "double"}, output={"checkpoint_precision": precision})]
    }
    assert sizes == {"run": 2 * 1000 * 16, "single": 2 * 1000 * 8}

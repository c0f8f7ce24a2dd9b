"""The step that a Courant number sets, and where a run ends."""

import numpy as np
import pytest
from physics.flows import TAU, TRUNCATIONS, beltrami, make_case, names, noise, run
from support import devices
from whorl.base.errors import CaseError, RunFault
from whorl.config.case import Case
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

BOX = (12, 16, 10)
LENGTHS = (TAU, 1.2 * TAU, 0.9 * TAU)
SPACING = np.array(LENGTHS) / BOX


def courant(velocity: np.ndarray, dt: float) -> float:
    """dt max(|u|/dx + |v|/dy + |w|/dz) over the points."""
    return float(dt * (np.abs(velocity) / SPACING[:, None, None, None]).sum(axis=0).max())


def controlled(number: float, points=BOX, **grid) -> Simulation:
    case = make_case(points, 0.01, time={"courant": number, "steps": 4}, lengths=LENGTHS, **grid)
    return Simulation(case, noise(points, seed=21))


ON_THE_GRID = [t for t in TRUNCATIONS if t["dealias"] != "phase-shift"]


@pytest.mark.parametrize("truncation", ON_THE_GRID, ids=names(ON_THE_GRID))
def test_the_step_gives_the_courant_number_asked_for(truncation):
    simulation = controlled(0.3, **truncation)
    for _ in range(4):
        before = simulation.velocity()
        report = simulation.step()
        assert report.courant == pytest.approx(0.3, rel=1e-14)
        assert courant(before, report.dt) == pytest.approx(0.3, rel=1e-13)
        assert report.maximum_velocity == pytest.approx(np.sqrt((before**2).sum(0)).max(), rel=1e-13)


def test_the_step_follows_the_shifted_points():
    """With random shifts the maximum is over other points, so it is near that of the unshifted ones."""
    simulation = controlled(0.3, dealias="phase-shift")
    before = simulation.velocity()
    report = simulation.step()
    assert report.courant == pytest.approx(0.3, rel=1e-14)
    assert courant(before, report.dt) == pytest.approx(0.3, rel=0.3)
    assert courant(before, report.dt) != pytest.approx(0.3, rel=1e-6)


def test_plane_flow_has_no_spacing_along_z():
    simulation = controlled(0.3, (12, 16, 1))
    before = simulation.velocity()
    report = simulation.step()
    plane = (np.abs(before[:2]) / SPACING[:2, None, None, None]).sum(axis=0).max()
    assert report.dt * plane == pytest.approx(0.3, rel=1e-13)


def test_a_fixed_step_reports_its_courant_number():
    simulation = run(make_case(BOX, 0.01, dt=0.007, lengths=LENGTHS), noise(BOX), 0)
    before = simulation.velocity()
    report = simulation.step()
    assert report.dt == 0.007
    assert report.courant == pytest.approx(courant(before, 0.007), rel=1e-13)


RAYLEIGH = {"rayleigh": 1e4, "prandtl": 1.0}


def test_the_largest_step_is_kept():
    case = make_case(8, time={"courant": 0.5, "dt_max": 0.01, "steps": 1})
    assert run(case, beltrami(0.0), 1).report.dt == 0.01


def test_a_flow_at_rest_needs_a_largest_step():
    case = make_case(8, time={"courant": 0.5, "steps": 3})
    with pytest.raises(CaseError, match=r"at rest.*time\.dt"):
        run(case, lambda x, y, z: (0.0, 0.0, 0.0), 1)
    for initial, words in {
        "initial={name = 'taylor-green', amplitude = 0.0}": r"\(initial.amplitude = 0\).*courant = 0.5",
        "initial={name = 'abc', A = 0.0, B = 0.0, C = 0.0}": r"A = 0 and initial.B = 0 and initial.C = 0\)",
        "initial={name = 'zero'}": r'at rest \(initial.name = "zero"\)',
    }.items():
        with pytest.raises(CaseError, match=words):
            Simulation(case.updated([initial]))
    still = make_case(8, time={"courant": 0.5, "dt_max": 0.1, "until": 0.35})
    simulation = Simulation(still, lambda x, y, z: (0.0, 0.0, 0.0))
    simulation.run(progress=False)
    assert simulation.time == 0.35
    assert simulation.step_number == 4


STARTS = {  # from other fields than the velocity: points, options, what begins
    "mhd": (8, {}, {"magnetic": beltrami(0.0)}),
    "boussinesq": (8, {"buoyancy_frequency": 2.0}, {"temperature": lambda x, y, z: np.sin(x) + 0 * (y + z)}),
    "rayleigh-benard": (8, RAYLEIGH, {"temperature": lambda x, y, z: np.sin(np.pi * z) + 0 * (x + y)}),
    "navier-stokes": (8, {"rotation": 1.0}, {}),
}


@pytest.mark.parametrize("model", STARTS)
def test_other_fields_and_waves_set_the_step_of_a_flow_at_rest(model):
    points, options, fields = STARTS[model]
    lengths = {"lengths": (2.0, 2.0, 1.0)} if model == "rayleigh-benard" else {}
    flow = options if model == "rayleigh-benard" else {"viscosity": 0.01, **options}
    case = Case(
        grid={"points": points, **lengths},
        flow={"model": model, **flow},
        time={"courant": 0.5, "until": 9.0},
        run={"device": devices.current()},
    )
    simulation = Simulation(case, fields)
    report = simulation.step()
    assert 0 < report.dt < 1.01
    assert report.courant == pytest.approx(0.5)


@pytest.mark.parametrize("how", [{"dt": 0.03}, {"courant": 0.5}, {"dt": 5.0}])
def test_a_run_ends_at_its_time_exactly(how):
    simulation = Simulation(make_case(8, 0.1, time={**how, "until": 0.7}), beltrami(0.1))
    assert simulation.run(progress=False)
    assert simulation.time == 0.7
    assert simulation.finished
    assert np.abs(simulation.velocity()).max() == pytest.approx(
        np.abs(_exact_at_end(simulation)).max(), rel=1e-12
    )


def _exact_at_end(simulation: Simulation) -> np.ndarray:
    x, y, z = simulation.coordinates
    return np.stack(np.broadcast_arrays(*beltrami(0.1)(x, y[:, None], z[:, None, None], 0.7)))


DIVIDED = [(0.1, 10, 1.0), (0.1, 3, 0.3), (0.1, 7, 0.7), (0.7, 3, 2.1)]


@pytest.mark.parametrize(("dt", "count", "until"), DIVIDED)
def test_a_step_that_divides_the_time_stays_the_same_and_ends_there(dt, count, until):
    """Most sums of steps miss the time by a rounding, on either side of it."""
    simulation = Simulation(make_case(8, 0.1, time={"dt": dt, "until": until}), beltrami(0.1))
    steps = []
    simulation.every("1 steps", lambda s: steps.append(s.report.dt))
    simulation.run(progress=False)
    assert steps == [dt] * count
    assert simulation.time == until
    assert simulation.series["time"][-1] == until


def test_steps_and_time_end_whichever_comes_first():
    few = Simulation(make_case(8, time={"dt": 0.1, "until": 1.0, "steps": 3}), beltrami(0.0))
    few.run(progress=False)
    assert (few.step_number, few.time) == (3, pytest.approx(0.3))


def test_a_flow_that_comes_to_rest_ends_with_all_that_is_due(tmp_path):
    """Its steps would grow without end: they are bounded, and its last state is kept."""
    output = {"directory": str(tmp_path / "run"), "checkpoint_every": "100 minutes"}
    case = make_case(16, 0.5, time={"courant": 0.5, "steps": 4000}).updated(output=output)
    field = noise((16, 16, 16), seed=3)
    simulation = Simulation(case, field - field.mean(axis=(1, 2, 3), keepdims=True))  # nothing stops a mean
    with pytest.raises(RunFault, match=r"has come to rest.*time\.dt_max"):
        simulation.run(progress=False)
    assert simulation.step_number < 100
    series = open_run(tmp_path / "run").series
    assert np.isfinite(series["energy"].values).all()
    assert int(series["step"][-1]) == simulation.step_number
    assert [int(path.stem) for path in open_run(tmp_path / "run").checkpoints] == [simulation.step_number]


def test_a_pause_does_not_make_a_flow_look_at_rest():
    """A step that is shortened to land on a time is no measure of others."""
    simulation = Simulation(
        make_case(16, 0.01, time={"courant": 0.5, "steps": 8}), noise((16, 16, 16), seed=3)
    )
    simulation.step()
    simulation.run(until=simulation.time * (1 + 1e-9), progress=False)
    assert simulation.report.dt < 1e-6 * simulation.time
    simulation.run(progress=False)
    assert simulation.step_number == 8


def test_the_error_at_rest_names_the_table_of_the_first_field():
    still = {"velocity": {"name": "taylor-green", "amplitude": 0.0}}
    case = Case(grid={"points": 8}, flow={"viscosity": 0.1}, time={"until": 1.0}, initial=still)
    with pytest.raises(CaseError, match=r"at rest \(initial\.velocity\.amplitude = 0\)"):
        Simulation(case)

"""Steps that follow the Courant number from near rest: they see what will move the fluid."""

import numpy as np
import pytest
from support import devices
from support.ranks import run_on
from whorl.config.case import Case
from whorl.run.advance import LENGTHENED
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

VORTICES = "sin(x)*cos(y)*cos(z)", "-cos(x)*sin(y)*cos(z)", "0"


def steady(factor: str, field: str | None = None) -> dict:
    """A force by formulas, with a factor in time."""
    if field:
        shape = {"name": "formula", "value": f"({factor})*sin(x)*cos(z)"}
        return {"kind": "steady", "field": field, "shape": shape}
    shape = {"name": "formula", "value": [f"({factor})*{component}" for component in VORTICES]}
    return {"kind": "steady", "shape": shape}


def layers(linear: str) -> dict:
    return {"model": "boussinesq", "viscosity": 0.05, "buoyancy_frequency": 1.0, "linear": linear}


def script(x, y, z, t):
    return np.tanh(t) * np.sin(x) * np.cos(y), -np.tanh(t) * np.cos(x) * np.sin(y), 0 * z


def later(x, y, z, t):
    size = 300 * max(t - 2.0, 0.0) + 1e-6
    return size * np.sin(x) * np.cos(y) + 0 * z, -size * np.cos(x) * np.sin(y) + 0 * z, 0 * z


def warm(x, y, z):
    return 5 * np.cos(x) * np.cos(z) + 0 * y


VISCOUS = {"viscosity": 0.05}
# The flow, the forces, the end, what a script gives, and the energy at the end.
CASES = {
    "a ramp": (VISCOUS, [steady("1e-3 + minimum(t/2, 1)")], 6.0, {}),
    "tanh": (VISCOUS, [steady("tanh(t)")], 6.0, {}),
    "of a script": (VISCOUS, [], 6.0, {"forcing": script}),
    "of a script, later": (VISCOUS, [], 2.5, {"forcing": later}),
    "switched on": (VISCOUS, [steady("where(t > 2.7, 1, 0) + 1e-6")], 6.0, {}),
    "an oscillation": (VISCOUS, [steady("1e-4*cos(12*t)")], 6.0, {}),
    "no product": (VISCOUS, [steady("tanh(t*(2 + cos(z)))")], 4.0, {}),
    "heat, explicit": (layers("explicit"), [steady("3", "temperature")], 3.0, {}),
    "heat, exact": (layers("exact"), [steady("3", "temperature")], 3.0, {}),
    "much heat, exact": (layers("exact"), [steady("100", "temperature")], 0.6, {}),
    "an anomaly, explicit": (layers("explicit"), [], 2.0, {"initial": {"temperature": warm}}),
    "an anomaly, exact": (layers("exact"), [], 2.0, {"initial": {"temperature": warm}}),
}


def case_of(name: str, time: dict | None = None, **more) -> Case:
    flow, forcing, until, _ = CASES[name]
    return Case(
        grid={"points": 16},
        flow=flow,
        time={"until": until, **(time or {})},
        forcing=forcing,
        initial={"name": "zero"},
        run={"device": devices.current()},
        **more,
    )


def steps_of(simulation: Simulation) -> list[float]:
    lengths = []
    while not simulation.finished:
        lengths.append(simulation.step().dt)
    return lengths


@pytest.mark.cpu_by_default
@pytest.mark.parametrize("name", CASES)
def test_a_flow_from_rest_is_that_of_small_steps(name):
    *_, until, given = CASES[name]
    ends = []
    for time in ({"dt": until / 200}, {}):
        simulation = Simulation(case_of(name, time), **given)
        steps = steps_of(simulation)
        ends.append(simulation.statistics()["energy"])
    assert ends[1] == pytest.approx(ends[0], rel=0.01)
    assert 8 < len(steps) < 150


def test_steps_resolve_a_force_with_a_frequency():
    frequency = 40.0
    force = {"kind": "steady", "shape": {"name": "taylor-green", "amplitude": 1e-3}, "frequency": frequency}
    case = Case(
        grid={"points": 16},
        flow=VISCOUS,
        time={"until": 0.3},
        forcing=[force],
        initial={"name": "zero"},
        run={"device": devices.current()},
    )
    steps = steps_of(Simulation(case))
    assert max(steps) <= 2 * np.pi / frequency / 10 * (1 + 1e-12)  # a tenth of a period
    assert len(steps) >= 20


# They touch zero, jump, have a kink, or differ from zero by their rounding alone for a while.
SMOOTH = ("sin(t)**2", "1 + cos(t)")
FACTORS = [
    *(*SMOOTH, "abs(sin(t))", "1 + tanh((t - 2)/0.05)"),
    *(f"where(t > {when}, 1, 0)" for when in (0.77, 1.2345, 2.1)),
    *(f"1 + where(t > {when}, 1, 0)" for when in (0.77, 1.2345, 2.1)),
]


@pytest.mark.cpu_by_default
@pytest.mark.parametrize("factor", FACTORS)
def test_factors_that_are_no_line_at_any_step_are_passed(factor):
    ends = []
    for time in ({"dt": 3.5 / 2000}, {"courant": 0.5}):
        simulation = Simulation(
            Case(
                grid={"points": 8},
                flow=VISCOUS,
                time={"until": 3.5, **time},
                forcing=[steady(factor)],
                initial={"name": "zero"},
                run={"device": devices.current()},
            )
        )
        steps = steps_of(simulation)
        ends.append(simulation.statistics()["energy"])
    assert ends[1] == pytest.approx(ends[0], rel=0.01)
    assert len(steps) < 100
    if factor in SMOOTH:  # steps are those of its size around the zero
        assert min(steps[len(steps) // 2 : -1]) > 0.03


def test_a_step_is_at_most_a_fifth_longer_than_the_one_before():
    lengths = np.array(steps_of(Simulation(case_of("tanh"))))
    ratios = lengths[1:-1] / lengths[:-2]
    assert ratios.max() == pytest.approx(LENGTHENED, rel=1e-12)
    assert (ratios > 1.19).sum() > 5


def test_a_pause_does_not_shorten_the_steps_after_it():
    simulation = Simulation(case_of("tanh"))
    simulation.run(until=0.3, progress=False)
    before = simulation.clock.pace.free
    simulation.run(until=0.3 + 1e-3 * before, progress=False)
    assert simulation.step().dt == pytest.approx(LENGTHENED * before, rel=1e-12)


def test_pauses_do_not_make_growth_of_what_differs_between_shifted_grids():
    """The largest velocity is that on the grid of the step, and no growth within a short one."""
    case = Case(
        grid={"points": 16, "dealias": "phase-shift"},
        flow={"viscosity": 0.02},
        time={"courant": 0.5, "until": 5.0},
        initial={"name": "random", "k0": 3.0, "energy": 0.5},
        run={"device": devices.current()},
    )
    simulation = Simulation(case)
    usual = [simulation.step().dt for _ in range(10)]
    for _ in range(5):
        simulation.run(until=simulation.time + 1e-4 * usual[-1], progress=False)
        assert simulation.step().dt > 0.8 * min(usual)


def test_steps_of_fixed_length_are_no_measure_of_growth():
    following, fixed = Simulation(case_of("tanh")), Simulation(case_of("tanh", {"dt": 0.01}))
    following.step()
    fixed.clock.pace = following.clock.pace
    assert fixed.clock.pace is not None
    fixed.step()
    assert fixed.clock.pace is None


@pytest.mark.only_cpu
@pytest.mark.parametrize("beside", [False, True])
def test_a_restart_goes_on_with_the_steps_of_the_run(beside, tmp_path):
    whole = Simulation(case_of("tanh"))
    whole.run(progress=False)
    output = {"directory": str(tmp_path / "run"), "checkpoint_every": "9 steps"}
    part = Simulation(case_of("tanh", output=output))
    for _ in range(11):
        part.step()
    part.close()
    again = Simulation.restart(tmp_path / "run", tmp_path / "again" if beside else None)
    assert again.step_number == 9
    again.run(progress=False)
    assert (again.velocity() == whole.velocity()).all()
    assert again.step_number == whole.step_number


def followed_on_ranks(world) -> list[float]:
    return steps_of(Simulation(case_of("tanh")))


@pytest.mark.mpi
@pytest.mark.only_cpu
def test_steps_do_not_depend_on_the_number_of_ranks():
    lengths = steps_of(Simulation(case_of("tanh")))
    for others in run_on(2, followed_on_ranks):
        assert others == pytest.approx(lengths, rel=1e-9)


def unstable(**time) -> Simulation:
    """Convection that grows from 1e-6. Exact coupling sets no step, and the velocity sets one too late."""
    case = Case(
        grid={"points": [16, 1, 16], "lengths": [2.0, 1.0, 1.0], "bases": "SFF"},
        flow={"model": "rayleigh-benard", "rayleigh": 1e5, "prandtl": 1.0, "linear": "exact"},
        time=time,
        initial={"name": "zero"},
        run={"device": devices.current()},
    )

    def warm(x, y, z):
        return 1e-6 * np.cos(np.pi * x) * np.sin(np.pi * z) + 0 * y

    return Simulation(case, {"temperature": warm})


def test_growth_by_an_instability_is_seen_before_it_matters():
    ends = []
    for time in ({"until": 12.0}, {"until": 12.0, "dt": 0.02}):
        simulation = unstable(**time)
        simulation.run(progress=False)
        ends.append(simulation.statistics()["energy"])
        assert simulation.report.courant < 1.5
    assert ends[0] == pytest.approx(ends[1], rel=0.02)


def test_a_step_is_short_for_the_flow_that_it_grows_to():
    simulation = unstable(until=25.0)
    lengths, rates = [], []
    while not simulation.finished:
        simulation.step()
        lengths.append(simulation.report.dt)
        rates.append(simulation.report.courant / simulation.report.dt)
    assert max(lengths) > 4
    assert max(rate * dt for dt, rate in zip(lengths, rates[1:], strict=False)) < (
        1.5 * simulation.case.time.courant
    )


@pytest.mark.only_cpu
def test_a_whole_run_of_a_few_steps_is_told(tmp_path, capfd):
    output = {"directory": str(tmp_path / "run")}
    case = Case(
        grid={"points": 8},
        flow={"viscosity": 0.1},
        time={"until": 5.0},
        initial={"name": "taylor-green", "amplitude": 1e-6},
        output=output,
    )
    with Simulation(case) as simulation:
        simulation.run(progress=False)
    assert "the run took 1 step to t = 5" in (tmp_path / "run" / "log.txt").read_text()

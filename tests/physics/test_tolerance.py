"""Steps that follow their error, as an embedded scheme estimates it."""

import numpy as np
import pytest
from physics.flows import distance, noise, slope
from support import devices
from support.twin import Twin
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.config.schemes import SCHEMES
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

ESTIMATING = {name: scheme.estimate for name, scheme in SCHEMES.items() if scheme.estimate}
BOX = (12, 16, 10)
NU = 0.05


def case_of(time: dict, points=BOX, **more) -> Case:
    return Case(
        grid={"points": points},
        flow={"viscosity": NU},
        time={"until": 0.6, **time},
        run={"device": devices.current(), "threads": 1},
        **more,
    )


def error_of_step(scheme: str, dt: float) -> tuple[float, float]:
    """The estimate of the error of one step of this length, and the size of the field."""
    simulation = Simulation(
        case_of({"scheme": scheme, "tolerance": 0.5, "dt_max": dt}), noise(BOX, seed=7, reach=3, size=0.5)
    )
    simulation.flow.step(dt)
    return simulation.flow.step_errors()["velocity"]


def test_the_error_of_rk2_is_the_distance_from_euler_s_step():
    twin, dt = Twin(BOX, viscosity=NU), 0.01
    u = noise(BOX, seed=7, reach=3, size=0.5)
    a = twin.load(u)
    after = twin.step(a, dt)
    euler = np.exp(-NU * twin.k2 * dt) * (a + dt * twin.nonlinear(a, (0, 0, 0)))
    error, size = error_of_step("rk2", dt)
    of_points = [np.sqrt((twin.to_points(b) ** 2).sum(0).mean()) for b in (after - euler, after)]
    assert [error, size] == pytest.approx(of_points, rel=1e-10)


@pytest.mark.parametrize(("scheme", "order"), ESTIMATING.items())
def test_the_estimate_has_the_order_of_the_embedded_scheme(scheme, order):
    steps = [0.02, 0.01, 0.005]
    assert slope(steps, [error_of_step(scheme, dt)[0] for dt in steps]) == pytest.approx(order + 1, abs=0.15)


@pytest.mark.parametrize("scheme", ["rk3", "rk4-gill"])
def test_the_error_at_the_end_follows_the_tolerance(scheme):
    start = noise(BOX, seed=7, reach=3, size=0.5)
    truth = Simulation(case_of({"scheme": "rk4", "dt": 0.6 / 200}), start)
    truth.run(progress=False)
    errors, counts = [], []
    for tolerance in (1e-4, 1e-6):
        simulation = Simulation(case_of({"scheme": scheme, "tolerance": tolerance, "courant": 2.0}), start)
        worst = 0.0
        while not simulation.finished:
            simulation.step()
            error, size = simulation.flow.step_errors()["velocity"]
            worst = max(worst, error / size)
        assert worst < 2 * tolerance
        errors.append(distance(simulation.velocity(), truth.velocity()))
        counts.append(simulation.step_number)
    assert counts[1] > 1.5 * counts[0]
    assert errors[1] < errors[0] / 30
    assert errors[0] < 0.01


def test_steps_without_a_tolerance_are_the_same_with_an_estimate():
    """The register more changes no bit of the state."""
    start, ends = noise(BOX, seed=7, reach=3, size=0.5), []
    for time in ({"dt": 0.01}, {"tolerance": 0.9, "courant": 100.0, "dt_max": 0.01}):
        simulation = Simulation(case_of(time), start)
        for _ in range(5):
            simulation.flow.step(0.01)
        ends.append(simulation.velocity())
    assert (ends[0] == ends[1]).all()


@pytest.mark.only_cpu
def test_schemes_without_an_estimate_are_refused():
    with pytest.raises(
        CaseError, match=r'needs an estimate.*time\.scheme = "rk4" lacks; give one of rk2, rk3'
    ):
        case_of({"scheme": "rk4", "tolerance": 1e-3})
    with pytest.raises(CaseError, match=r"time\.tolerance = 0\.001 and time\.dt = 0\.1 exclude each other"):
        case_of({"dt": 0.1, "tolerance": 1e-3})


@pytest.mark.only_cpu
def test_a_restart_goes_on_with_the_steps_of_the_run(tmp_path):
    output = {"directory": str(tmp_path / "run"), "checkpoint_every": "9 steps", "keep_checkpoints": 9}
    case = case_of({"tolerance": 1e-4}, output=output)
    whole = Simulation(case, noise(BOX, seed=7, reach=3, size=0.5))
    whole.run(progress=False)
    end = whole.velocity()
    again = Simulation.restart(tmp_path / "run", tmp_path / "again", step=9)
    again.run(progress=False)
    assert (again.velocity() == end).all()

"""Where linear terms are far from one: waves at the step that is chosen by default, losses of high powers in
single precision, losses of a mode's fields that differ by much.
"""

import pytest
from support import devices
from whorl.config.case import Case
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

RANDOM = {"name": "random", "seed": 1}
BUOYANT = RANDOM | {"temperature": {"name": "random", "seed": 2, "energy": 0.1}}


def case_of(model, points, flow, initial=RANDOM, precision="double", **time) -> Case:
    """A case that ends at `until`, or never."""
    return Case(
        grid={"points": points},
        flow={"model": model, **flow},
        time={"steps": 10**6} | time if "until" not in time else time,
        initial=initial,
        run={"precision": precision, "threads": 1, "device": devices.current()},
    )


def total_energy(simulation) -> float:
    row = simulation.statistics()
    return sum(row.get(name, 0.0) for name in ("energy", "potential_energy", "magnetic_energy"))


@pytest.mark.parametrize(
    ("model", "flow", "initial", "allowed"),
    [
        ("navier-stokes", {"rotation": 50.0}, RANDOM, 1e-3),
        ("boussinesq", {"buoyancy_frequency": 100.0, "diffusivity": 0.01}, BUOYANT, 2e-3),
        ("mhd", {"mean_field": 20.0, "resistivity": 0.01}, RANDOM | {"magnetic": RANDOM}, 0.03),
    ],
)
def test_the_step_chosen_by_default_keeps_waves(model, flow, initial, allowed):
    """Scheme and Courant number are the default ones; Alfvén waves are as short as the grid allows here."""
    ratios = {}
    for linear, time in (("explicit", {}), ("exact", {"dt": 1e-3})):
        flow = {"viscosity": 0.01, **flow, "linear": linear}
        simulation = Simulation(case_of(model, 16, flow, initial, until=0.3, **time))
        start = total_energy(simulation)
        while not simulation.finished:
            simulation.step()
        ratios[linear] = total_energy(simulation) / start
    assert ratios["exact"] < 0.97
    assert ratios["explicit"] == pytest.approx(ratios["exact"], rel=allowed)


@pytest.mark.parametrize(("power", "hyper"), [(8, 1e-24), (15, 1e-45)])
def test_high_powers_of_viscosity_in_single_precision(power, hyper):
    """ν_h and k^2p are both beyond the range of single precision."""
    rows = {}
    for precision in ("double", "single"):
        flow = {"viscosity": 0.0, "hyperviscosity": hyper, "hyperviscosity_power": power}
        flow |= {"hypoviscosity": 0.01, "hypoviscosity_power": power}
        initial = {"name": "random", "spectrum": [0.0, *[0.01] * 31]}
        simulation = Simulation(case_of("navier-stokes-2d", [96, 96, 1], flow, initial, precision, dt=1e-3))
        for _ in range(3):
            simulation.step()
        rows[precision] = simulation.statistics()
    for name in ("energy", "dissipation", "enstrophy", "enstrophy_dissipation"):
        assert rows["single"][name] == pytest.approx(rows["double"][name], rel=1e-4)
    assert rows["double"]["dissipation"] > 0.01


def stratified(linear: str, dt: float, hyper: float) -> Simulation:
    flow = {"viscosity": 0.0, "hyperviscosity": hyper, "hyperviscosity_power": 8, "diffusivity": 0.0}
    flow |= {"buoyancy_frequency": 2.0, "linear": linear}
    return Simulation(case_of("boussinesq", 24, flow, BUOYANT, dt=dt, scheme="rk4"))


def test_losses_that_differ_by_much():
    """Hyperviscosity takes only the velocity: e^-2e5 of it in a step at the end of the spectrum, yet what is
    far from there is as with coupling step by step."""
    hyper = 2e5 / 0.01 / 8**16
    explicit, exact = stratified("explicit", 0.01, hyper), stratified("exact", 0.01, hyper)
    for _ in range(5):
        explicit.step()
        exact.step()
    for name in ("energy", "potential_energy"):
        expected = explicit.statistics()[name]
        assert exact.statistics()[name] == pytest.approx(expected, rel=3e-3)

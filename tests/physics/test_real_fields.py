"""Fields stay real where something amplifies them: a rounding that no transform sees would grow for ever.

The modes ±(0, ky, kz) of a real field are conjugates of each other. What is not so obeys
the linear terms alone, and grows with them from 1e-17 to the size of the field in some hundred units of time.
"""

import numpy as np
import pytest
from physics.forced_flows import RANDOM, make
from support.build import needs
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

PLATES = {
    "flow": {"model": "rayleigh-benard", "rayleigh": 1e4, "prandtl": 1.0},
    "grid": {"points": [12, 12, 12], "lengths": [2.0, 2.0, 1.0]},
    "initial": {"name": "random", "spectrum": [0, 0, 0, 0, 1e-3, 1e-3]},
}
GROWING = {
    "constant-power": {"forcing": {"kind": "constant-power", "power": 1.0, "k_max": 1.5}},
    "constant-energy": {"forcing": {"kind": "constant-energy", "energy": 2.0, "k_max": 1.5}},
    "linear": {"forcing": {"kind": "linear", "rate": 0.3}},
    "convection": {"forcing": []} | PLATES,
}


@pytest.mark.cpu_by_default
@pytest.mark.parametrize("name", GROWING)
def test_modes_remain_those_of_a_real_field(name):
    """set_modes makes them so, and refuses others: it changes nothing."""
    case = {"initial": RANDOM, "points": 12} | GROWING[name]
    flow = make(case.pop("forcing"), viscosity=0.05, scheme="rk2", dt=0.06, **case)
    for _ in range(2000):
        flow.step()
    for field in flow.case.flow.state:
        before = flow.modes(field).values
        flow.set_modes(field, before)
        largest = np.abs(before).max()
        assert largest > 0.01
        assert np.abs(flow.modes(field).values - before).max() < 1e-12 * largest


@needs("hdf5")
@pytest.mark.parametrize("written", [100, 128])
@pytest.mark.parametrize("name", ["linear", "convection"])
def test_a_restart_before_or_behind_such_a_step_repeats_the_bits(name, written, tmp_path):
    """Every 128th step makes the fields real, counted from the beginning; what is written then goes on."""
    case = {"initial": RANDOM, "points": 12} | GROWING[name]
    output = {"directory": str(tmp_path / "run"), "checkpoint_every": f"{written} steps"}
    force = case.pop("forcing")
    flow = make(force, viscosity=0.05, dt=0.01, output=output, **case)
    for _ in range(written):
        flow.step()
    flow.close()
    whole = make(force, viscosity=0.05, dt=0.01, **case)
    for _ in range(131):
        whole.step()
    again = Simulation.restart(tmp_path / "run")
    assert again.step_number == written
    for _ in range(131 - written):
        again.step()
    for field in whole.case.flow.state:
        assert np.array_equal(again.modes(field).values, whole.modes(field).values)

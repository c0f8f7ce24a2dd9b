"""Every equation set on every device is what it is on the CPU, but for rounding."""

import numpy as np
import pytest
from models.runs import EPSILON, distance
from models.test_all import case_of, every, fields_of
from support import devices
from whorl.config.case import Case
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

# A transform's error is near eps log2(points), 11 here; a step of rk3 has 6 of them, products add up a few
# terms, and spectra of high powers of k weigh the smallest scales.
ROUNDINGS = 200.0


def three_steps(case: Case) -> tuple[dict[str, np.ndarray], dict[str, float], dict[str, np.ndarray]]:
    simulation = Simulation(case)
    for _ in range(3):
        simulation.step()
    fields = {name: simulation.field(name) for name in fields_of(case)}
    return fields, simulation.statistics(), dict(simulation.flow.spectra())


def explicit_or_exact(name: str) -> list[dict[str, str]]:
    linear = "linear" in type(case_of(name).flow).model_fields
    return [{"linear": "explicit"}, {"linear": "exact"}] if linear else [{}]


@pytest.mark.turns
@every
@pytest.mark.parametrize("precision", ["double", "single"])
def test_the_equations_are_those_of_the_cpu(name, precision, device):
    if device == "cpu":
        pytest.skip("other devices are compared with it")
    for linear in explicit_or_exact(name):
        (fields, sums, spectra), (expected, expected_sums, expected_spectra) = (
            three_steps(case_of(name, scheme="rk3", run={"device": on, "precision": precision}, **linear))
            for on in (devices.current(), "cpu")
        )
        limit = ROUNDINGS * EPSILON[precision]
        for field, values in expected.items():
            assert distance(fields[field].astype(float), values.astype(float)) < limit, (field, linear)
        for what, values in expected_spectra.items():
            assert spectra[what] == pytest.approx(values, rel=limit, abs=limit * np.abs(values).max()), what
        largest = np.nanmax(np.abs(list(expected_sums.values())))
        assert sums == pytest.approx(expected_sums, rel=limit, abs=limit * largest, nan_ok=True)


@every
def test_a_checkpoint_gives_the_state_back(name, tmp_path, device):
    """A checkpoint gives the state back bit for bit, whatever the device it is read on."""
    case = case_of(name, run={"device": device}, output={"directory": str(tmp_path / "first")})
    simulation = Simulation(case)
    simulation.step()
    before = {field: simulation.field(field) for field in fields_of(case)}
    path = tmp_path / "state.h5"
    simulation.flow.write_checkpoint(str(path), {})
    for on in {device, "cpu"}:
        again = Simulation(case_of(name, run={"device": on}, output={"directory": str(tmp_path / on)}))
        again.flow.read_checkpoint(str(path))
        for field, values in before.items():
            found = again.field(field)
            if on == device:
                assert np.array_equal(found, values), field
            else:
                assert distance(found.astype(float), values.astype(float)) < 100 * EPSILON["double"], field

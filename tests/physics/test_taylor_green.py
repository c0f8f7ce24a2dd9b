"""The Taylor–Green vortex in three dimensions against numbers of other codes."""

import numpy as np
import pytest
from physics.flows import TRUNCATIONS, make_case, names
from whorl.config.case import Case
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device


def vortex(points: int, reynolds: float, scheme="rk4", dt=0.01, until=1.0, **grid) -> Simulation:
    case = make_case(points, 1 / reynolds, time={"dt": dt, "until": until}, scheme=scheme, **grid)
    return Simulation(Case(**(case.to_dict() | {"initial": {"name": "taylor-green"}})))


@pytest.mark.parametrize("truncation", TRUNCATIONS, ids=names())
def test_first_tenth(truncation):
    """Re = 1600, 32³: constants of spectralDNS (tests/TG.py, seven digits) and of another code."""
    simulation = vortex(32, 1600, until=0.1, **truncation)
    simulation.run(progress=False)
    assert simulation.step_number == 10
    is_now = simulation.statistics()
    assert is_now["energy"] == pytest.approx(0.124953117517, abs=1e-12)
    assert is_now["enstrophy"] == pytest.approx(0.375249930801, abs=1e-7)
    assert is_now["enstrophy"] == pytest.approx(0.375249931114, abs=2e-12)


# At Re = 100, t = 1 and 2: E and ε of an independent code at 96³, E good to 3e-9.
REFERENCE = {1: (0.1174809339, 0.007768562), 2: (0.1090476090, 0.009265787)}


@pytest.mark.cpu_by_default
@pytest.mark.parametrize(
    ("dealias", "tolerances"),
    [
        ("2/3", {1: (1e-10, 5e-10), 2: (2e-7, 1e-6)}),
        ("phase-shift", {1: (1e-10, 5e-10), 2: (1e-8, 5e-8)}),
        ("phase-shift-exact", {1: (1e-10, 5e-10), 2: (1e-8, 5e-8)}),
    ],
)
def test_reynolds_100(dealias, tolerances):
    """32³; the wider truncation is worth a factor of thirty at t = 2."""
    simulation = vortex(32, 100, dt=0.02, until=2.0, dealias=dealias)
    seen = {}
    simulation.every(1.0, lambda s: seen.update({round(s.time): s.statistics()}))
    simulation.run(progress=False)
    for t, (energy, dissipation) in REFERENCE.items():
        assert seen[t]["energy"] == pytest.approx(energy, abs=tolerances[t][0])
        assert seen[t]["dissipation"] == pytest.approx(dissipation, abs=tolerances[t][1])


def test_its_symmetries_last():
    """x and y exchange half a box further along z; nothing crosses the planes z = 0 and π."""
    simulation = vortex(16, 100, dt=0.05, until=1.0)
    simulation.run(progress=False)
    u, v, w = simulation.velocity()
    assert abs(u - np.roll(v.transpose(0, 2, 1), 8, axis=0)).max() < 1e-14
    assert abs(w - np.roll(w.transpose(0, 2, 1), 8, axis=0)).max() < 1e-14
    assert abs(w[[0, 8]]).max() < 1e-14
    assert abs(w).max() > 0.05

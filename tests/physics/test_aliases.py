"""Random phase shifts: what they leave of the aliases goes to nothing with the time step."""

import numpy as np
import pytest
from physics.flows import SCHEMES, distance, make_case, noise, run, slope

pytestmark = pytest.mark.every_device

POINTS = 12
END = 0.4
COUNTS = (10, 20, 40)


def end_state(dealias: str, scheme: str, count: int, **grid) -> np.ndarray:
    """Energy reaches the truncation of the sphere, so aliases are strong."""
    case = make_case(POINTS, 0.02, scheme=scheme, dt=END / count, dealias=dealias, **grid)
    return run(case, noise(POINTS, seed=7, reach=5, size=0.5), count).velocity()


@pytest.fixture(scope="module")
def alias_free(device):
    return end_state("phase-shift-exact", "rk4", 160)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_phase_shift_converges_to_the_alias_free_flow(scheme, alias_free):
    errors = [distance(end_state("phase-shift", scheme, n), alias_free) for n in COUNTS]
    assert slope([1 / n for n in COUNTS], errors) > 0.85
    # What comes before the present step weighs 1/2 and more in a multistep one, with the aliases of its grid.
    left = 0.006 if scheme in ("ab2", "ab3") else 0.002
    assert errors[-1] < left * distance(end_state("none", scheme, 20), alias_free)


def test_another_seed_shifts_otherwise():
    a, b = (end_state("phase-shift", "rk2", 4, shift_seed=seed) for seed in (0, 1))
    assert 1e-6 < distance(a, b) < 1e-2
    assert np.array_equal(a, end_state("phase-shift", "rk2", 4, shift_seed=0))

"""The order of each scheme on a flow that is nonlinear, three-dimensional and viscous, all at once."""

import numpy as np
import pytest
from physics.flows import SCHEMES, TAU, distance, make_case, noise, run, slope

pytestmark = pytest.mark.every_device

BOX = (12, 16, 10)
LENGTHS = (TAU, 1.2 * TAU, 0.9 * TAU)
NU = 0.08  # the smallest scales lose two thirds of themselves in the time of the run
END = 0.4
COUNTS = (10, 14, 20, 28)


def end_state(scheme: str, count: int, **grid) -> np.ndarray:
    case = make_case(BOX, NU, scheme=scheme, dt=END / count, lengths=LENGTHS, **grid)
    return run(case, noise(BOX, seed=7, reach=3, size=0.5), count).velocity()


@pytest.fixture(scope="module")
def truth(device):
    return end_state("rk4", 500)


@pytest.mark.parametrize(("scheme", "order"), SCHEMES.items())
def test_measured_order(scheme, order, truth):
    errors = [distance(end_state(scheme, count), truth) for count in COUNTS]
    assert slope([1 / count for count in COUNTS], errors) == pytest.approx(order, abs=0.12)


def test_both_terms_matter(truth):
    """Else the orders above would say nothing about the scheme."""
    case = make_case(BOX, NU, lengths=LENGTHS)
    start = run(case, noise(BOX, seed=7, reach=3, size=0.5), 0)
    inviscid = run(make_case(BOX, 0.0, dt=END / 40, lengths=LENGTHS), start.velocity(), 40).velocity()
    alone = run(make_case(BOX, NU, dt=END, lengths=LENGTHS), 1e-9 * start.velocity(), 1).velocity()
    assert distance(inviscid, truth) > 0.2
    assert distance(1e9 * alone, truth) > 0.2


@pytest.mark.parametrize("scheme", SCHEMES)
def test_phase_shift_exact_has_the_same_order(scheme):
    counts = (10, 20)
    reference = end_state("rk4", 200, dealias="phase-shift-exact")
    errors = [distance(end_state(scheme, n, dealias="phase-shift-exact"), reference) for n in counts]
    assert slope([1 / n for n in counts], errors) == pytest.approx(SCHEMES[scheme], abs=0.2)

"""Single precision agrees with double to its own rounding."""

import numpy as np
import pytest
from physics.flows import SCHEMES, TAU, TRUNCATIONS, distance, make_case, names, noise, run

pytestmark = pytest.mark.every_device

BOX = (12, 16, 10)
LENGTHS = (TAU, 1.2 * TAU, 0.9 * TAU)
EPSILON = float(np.finfo(np.float32).eps)


def end_state(precision: str, steps: int, field, **options):
    return run(make_case(BOX, 0.02, precision=precision, lengths=LENGTHS, **options), field, steps)


@pytest.mark.parametrize("truncation", TRUNCATIONS, ids=names())
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_few_steps(scheme, truncation):
    """The same time steps in both: rounding grows from step to step, but not beyond a few times itself."""
    field = noise(BOX, seed=31)
    single, double = (
        end_state(precision, 5, field, scheme=scheme, **truncation) for precision in ("single", "double")
    )
    assert single.velocity().dtype == np.float32
    assert double.velocity().dtype == np.float64
    assert 0.05 * EPSILON < distance(single.velocity(), double.velocity()) < 10 * EPSILON
    assert single.statistics()["maximum_divergence"] < 10 * EPSILON


def test_averages_are_better_than_their_terms():
    """Sums are in double, so that they are as good as the rounded modes, k^2 and nu k^2."""
    field = noise(BOX, seed=31)
    single, double = (end_state(precision, 0, field).statistics() for precision in ("single", "double"))
    for name in ("energy", "enstrophy", "dissipation", "palinstrophy"):
        assert single[name] == pytest.approx(double[name], rel=3 * EPSILON)


def test_a_long_run_in_single_precision_keeps_its_balance():
    """200 steps: energy lost is energy dissipated, to a few roundings."""
    case = make_case(BOX, 0.02, dt=0.01, precision="single", lengths=LENGTHS)
    simulation = run(case.updated(['output.series_every="1 steps"']), noise(BOX, seed=32, reach=3), 200)
    series = simulation.series
    weights = np.r_[1, np.tile([4, 2], 100)[:-1], 1] * 0.01 / 3
    lost = float(series["energy"][0] - series["energy"][-1])
    assert lost == pytest.approx(float((weights * series["dissipation"]).sum()), rel=1e-5)

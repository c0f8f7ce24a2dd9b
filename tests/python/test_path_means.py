"""Means over particles and times: their errors are the spread of many such means."""

import numpy as np
import pytest
from whorl.particles.results.path_means import Blocks, spread


def autoregressive(rng, shape, kept=0.8):
    """Series [time, …] of variance 1 with a correlation of `kept` from time to time."""
    found = np.empty(shape)
    found[0] = rng.standard_normal(shape[1:])
    for n in range(1, len(found)):
        found[n] = kept * found[n - 1] + np.sqrt(1 - kept**2) * rng.standard_normal(shape[1:])
    return found


def off_by_errors(make, seeds=300, particles=40, times=300):
    """(mean − truth)/error of many sets of values [time, particle], with a truth of 0."""
    blocks, found = Blocks.of(particles), []
    for seed in range(seeds):
        values = make(np.random.default_rng(seed), times, particles)
        value, error, _ = blocks.estimate(blocks.means(values))
        found.append(value / error)
    return np.array(found)


KINDS = {
    "particles of their own": lambda rng, times, count: autoregressive(rng, (times, count)),
    "what all feel together": lambda rng, times, count: autoregressive(rng, (times, 1)) + 0 * np.empty(count),
    "both": lambda rng, times, count: (
        autoregressive(rng, (times, 1)) + 3 * autoregressive(rng, (times, count))
    ),
    "constants of particles": lambda rng, times, count: (
        rng.standard_normal((1, count)) + np.zeros((times, 1))
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_errors_cover_the_truth_as_often_as_they_should(kind):
    """Two thirds of the means are within one error, 95 % within two; the larger of two is a little wide."""
    off = np.abs(off_by_errors(KINDS[kind]))
    assert 0.60 < (off < 1).mean() < 0.86
    assert 0.91 < (off < 2).mean() <= 1.0


def test_blocks_have_equal_sizes_and_their_means_are_weighted():
    blocks = Blocks.of(70)
    assert len(blocks.sizes) == 32
    assert (blocks.sizes.min(), blocks.sizes.max(), blocks.sizes.sum()) == (2, 3, 70)
    values = np.random.default_rng(1).standard_normal((5, 70, 2))
    means = blocks.means(values)
    np.testing.assert_allclose(blocks.together(means), values.mean(axis=1), rtol=0, atol=1e-14)
    np.testing.assert_allclose(means[:, 3], values[:, blocks.number == 3].mean(axis=1), rtol=0, atol=1e-14)
    assert len(Blocks.of(3).sizes) == 3
    assert np.isnan(Blocks.of(3).of_blocks(np.zeros((3, 1)))).all()


def test_without_times_the_error_is_that_of_the_blocks():
    values = np.random.default_rng(2).standard_normal((1, 6400))
    blocks = Blocks.of(6400)
    _, error, samples = blocks.estimate(blocks.means(values))
    assert error == pytest.approx(6400**-0.5, rel=0.4)
    assert samples == 32


def test_the_spread_of_a_function_is_that_of_its_linear_part():
    """Of the exponential of a mean it is the error of the mean, times its value."""
    blocks = Blocks.of(40)
    values = 0.1 * np.random.default_rng(3).standard_normal((400, 40)) + 1.0
    parts = blocks.means(values)
    value, error, _ = blocks.estimate(parts)
    found = spread(parts, blocks, np.exp)
    assert found == pytest.approx(np.exp(value) * error, rel=0.6)
    assert found == pytest.approx(np.exp(1.0) * 0.1 / np.sqrt(400 * 40), rel=0.6)

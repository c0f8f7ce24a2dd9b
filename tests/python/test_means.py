"""Means of correlated series: errors against the scatter of many series, intervals, trends, transients."""

import math

import numpy as np
import pytest
from support.processes import equal, process
from whorl.output.means import ENOUGH, LEVEL, end_of_transient, evenly, mean_of


def unequal(length, spacing, seed=5):
    """Steps that change by a factor of ten, some rows at once after others."""
    rng = np.random.default_rng(seed)
    times = np.cumsum(spacing * rng.choice([0.2, 0.5, 1.0, 2.0], size=int(2 * length / spacing)))
    return times[times <= length]


def known(times, count, seed):
    series = process(times, count, seed)
    return [mean_of(times, values) for values in series]


# The rms of the reported errors over the scatter of the means: with 500 series the scatter is known to 3 per
# cent; what the estimate itself leaves is larger for short windows.
@pytest.mark.parametrize(
    ("times", "most"),
    [
        (equal(1000, 0.25), 0.08),
        (equal(200, 0.1), 0.08),
        (equal(80, 0.1), 0.14),
        (unequal(400, 0.2), 0.08),
        (equal(2000, 8.0), 0.08),
        (unequal(2000, 8.0), 0.12),
    ],
    ids=["long", "dense", "short", "unequal", "independent", "independent and unequal"],
)
def test_the_error_is_the_scatter_of_means(times, most):
    found = known(times, 500, seed=1)
    means = np.array([one.mean for one in found])
    errors = np.array([one.error for one in found])
    assert abs(means.mean()) < 4 * means.std() / math.sqrt(500)
    assert math.sqrt((errors**2).mean()) == pytest.approx(means.std(), rel=most)


@pytest.mark.parametrize("times", [equal(500, 0.25), unequal(500, 0.25)], ids=["equal", "unequal"])
def test_intervals_cover_what_they_should(times):
    """Of 1000 series 68.3 and 95.4 per cent within one and two errors, ±1.5 and ±0.7 by chance."""
    found = known(times, 1000, seed=2)
    off = np.array([abs(one.mean) / one.error for one in found])
    assert (off < 1).mean() == pytest.approx(0.683, abs=0.045)
    assert (off < 2).mean() == pytest.approx(0.954, abs=0.025)


def test_independent_samples_are_those_of_the_process():
    """n (1 − ρ)/(1 + ρ) of n rows; white noise has one a row, and nothing more."""
    for spacing, seed in ((0.1, 3), (0.5, 4), (30.0, 5)):
        times = equal(300 if spacing < 1 else 9000, spacing)
        rho = math.exp(-spacing)
        samples = [one.samples for one in known(times, 300, seed)]
        expected = len(times) * (1 - rho) / (1 + rho)
        assert np.median(samples) == pytest.approx(expected, rel=0.1)
        assert max(samples) <= len(times)


def test_unequal_rows_of_a_series_tell_the_same_as_equal_ones():
    fine = equal(400, 0.02)
    rng = np.random.default_rng(6)
    some = np.sort(rng.choice(np.arange(1, len(fine) - 1), 2500, replace=False))
    picked, even = np.concatenate(([0], some, [len(fine) - 1])), np.arange(0, len(fine), 8)
    ratios = []
    for series in process(fine, 40, seed=7):
        one, other = (mean_of(fine[rows], series[rows]) for rows in (picked, even))
        assert abs(one.mean - other.mean) < 0.5 * other.error
        ratios.append(one.error / other.error)
    assert np.mean(ratios) == pytest.approx(1, abs=0.03)


def test_the_mean_is_weighted_by_time_and_not_by_rows():
    times = np.concatenate((np.linspace(0, 1, 101), np.linspace(2, 10, 9)))
    values = np.where(times <= 1, 0.0, 1.0)
    assert mean_of(times, values).mean == pytest.approx((8 + 0.5) / 10)


@pytest.mark.parametrize("spacing", [20.0, 0.5, 0.1], ids=["white", "correlated", "dense"])
def test_stationary_series_seldom_have_a_trend(spacing):
    """At most as often as said, and a standard deviation and a half of chance with 1000 series."""
    times = equal(spacing * 400 if spacing > 1 else 120, spacing)
    assert LEVEL == 0.05
    share = np.mean([bool(one.trend) for one in known(times, 1000, seed=8)])
    assert share < LEVEL + 1.5 * math.sqrt(LEVEL * (1 - LEVEL) / 1000)
    assert share > LEVEL / 5


@pytest.mark.parametrize(("change", "seen"), [(2.0, 0.97), (-2.0, 0.97), (0.3, 0.0)])
def test_a_trend_is_seen_if_it_is_larger_than_chance(change, seen):
    """Of 200 independent samples the line has an error of √12/√200 = 0.24 over the window."""
    times = equal(400, 0.5)
    series = process(times, 200, seed=9) + change * times / 400
    found = [mean_of(times, values) for values in series]
    assert np.mean([one.trend == ("rises" if change > 0 else "falls") for one in found]) >= seen
    assert np.mean([one.change for one in found]) == pytest.approx(change, abs=0.08)


@pytest.mark.parametrize(
    "law", [np.exp, lambda t: 1 / (2 - t) ** 2, lambda t: 3 * t], ids=["exp", "power", "line"]
)
def test_a_decay_without_noise_has_a_trend(law):
    """It is smooth, and hardly any sample is independent of the others."""
    times = np.linspace(0, 4, 300)
    one = mean_of(times, law(-times))
    assert one.trend == "falls"
    assert not one.reliable


def test_a_short_window_is_not_reliable():
    """Of windows of 3 independent samples nine in ten say so; those of 100 are reliable."""
    short = known(equal(6, 0.05), 300, seed=10)
    assert np.mean([one.reliable for one in short]) < 0.1
    assert all(one.reliable for one in known(equal(200, 0.2), 100, seed=11))
    assert ENOUGH == 20


def test_few_rows_have_no_error():
    one = mean_of(np.array([0.0, 1.0, 4.0]), np.array([1.0, 3.0, 0.0]))
    assert one.mean == pytest.approx((2 + 4.5) / 4)
    assert math.isnan(one.error)
    assert not one.reliable
    assert one.trend == ""


@pytest.mark.parametrize("value", [0.0, 0.005, -3e8])
def test_a_constant_has_no_error(value):
    one = mean_of(np.linspace(0, 1, 50), np.full(50, value) * (1 + 1e-15 * np.arange(50) / 50))
    assert (one.mean, one.error, one.trend) == (pytest.approx(value), 0.0, "")
    assert one.reliable


def test_the_end_of_a_transient():
    """A decay from ten standard deviations is over behind 2.5 of its times; nothing is cut from the rest."""
    times = equal(400, 0.2)
    ends = []
    for series in process(times, 100, seed=12):
        ends.append(times[end_of_transient(series + 10 * np.exp(-times / 10))])
    assert 20 < np.median(ends) < 60
    untouched = [times[end_of_transient(series) or 0] for series in process(times, 100, seed=13)]
    assert np.median(untouched) < 20


def test_a_transient_that_has_not_ended_has_no_end():
    times = equal(400, 0.2)
    for series in process(times, 20, seed=14):
        assert end_of_transient(series + times / 10) is None


def test_equal_spacing_is_kept_as_it_is():
    times, values = np.linspace(0, 3, 7), np.arange(7.0) ** 2
    even, same = evenly(times, values)
    np.testing.assert_allclose(even, times)
    np.testing.assert_allclose(same, values)


def test_unequal_rows_are_joined_by_straight_lines():
    times = np.array([0.0, 0.1, 0.2, 4.0])
    even, values = evenly(times, 3 * times)
    np.testing.assert_allclose(even, [0, 4 / 3, 8 / 3, 4])
    np.testing.assert_allclose(values, 3 * even)


def test_rows_in_a_burst_do_not_bend_a_line():
    """Rows that are dense at the beginning leave a slope as it is."""
    times = np.concatenate((np.linspace(0, 1, 200, endpoint=False), np.linspace(1, 100, 200)))
    values = process(times, 1, seed=15)[0]
    assert mean_of(times, values + 0.1 * times).change == pytest.approx(10, abs=1.5)

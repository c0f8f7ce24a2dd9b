"""Numbers with errors: those of each operation are the scatter of many, as are those of rows and blocks."""

import numpy as np
import pytest
import xarray as xr
from whorl.output.means import means_of
from whorl.particles.results.path_means import Blocks
from whorl.results.estimate import Estimate, Rows, even_errors, gathered

TIMES, SETS = 256, 1500


@pytest.fixture(scope="module")
def two():
    """The means of two series with memory, correlated with each other, of many sets at once."""
    rng = np.random.default_rng(1)
    noise = rng.standard_normal((TIMES, 2, SETS))
    for n in range(1, TIMES):
        noise[n] = 0.5 * noise[n - 1] + 0.75**0.5 * noise[n]
    first, second = 0.2 * noise[:, 0], 0.2 * (0.7 * noise[:, 0] + 0.7 * noise[:, 1])
    rows = Rows(np.arange(float(TIMES)))
    return rows.mean(1.5 + first), rows.mean(0.8 + second)


def both(a, b):
    """Two numbers [set, 2] of the same samples."""
    shares = tuple(np.stack(of, axis=-1) for of in zip(a.shares, b.shares, strict=True))
    return Estimate(np.stack([a.value, b.value], axis=-1), shares, a.rule)


# In each the first number and the second partly cancel or add up, so that a wrong sign shows.
OPERATIONS = {
    "a + b": lambda a, b: a + b,
    "a + 2 + b": lambda a, b: 2 + (a + 2) + b,
    "a − b": lambda a, b: a - b,
    "a − 2 + b": lambda a, b: a - 2 + b,
    "3 − a + b": lambda a, b: 3 - a + b,
    "a b": lambda a, b: a * b,
    "a a": lambda a, b: a * a,
    "2 a − b": lambda a, b: 2 * a - b,
    "a / b": lambda a, b: a / b,
    "a / 3 − b": lambda a, b: a / 3 - b,
    "2 / a + b": lambda a, b: 2 / a + b,
    "a³ − b": lambda a, b: a**3 - b,
    "a^−½ + b": lambda a, b: a**-0.5 + b,
    "ln a − b": lambda a, b: a.log() - b,
    "√a + b": lambda a, b: a.sqrt() + b,
    "sum": lambda a, b: both(a, 2 * b).sum(),
    "mean": lambda a, b: both(a, b).mean(-1),
    "part": lambda a, b: both(a, b)[:, 1] * both(a, b)[..., 0],
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_error_is_the_scatter(two, name):
    found = OPERATIONS[name](*two)
    assert np.sqrt((found.error**2).mean()) == pytest.approx(found.value.std(), rel=0.08)


def test_a_number_of_a_mean_has_the_error_of_its_linear_part(two):
    """To rounding, by hand: f = a^{2/3} ln b."""
    a, b = (one[:7] for one in two)
    found = a ** (2 / 3) * b.log()
    (of_a,), (of_b,) = a.shares, b.shares
    slope_a, slope_b = 2 / 3 * a.value ** (-1 / 3) * np.log(b.value), a.value ** (2 / 3) / b.value
    _, error, samples = means_of(np.arange(float(TIMES)), slope_a * of_a + slope_b * of_b)
    np.testing.assert_allclose(found.error, error, rtol=1e-12)
    np.testing.assert_allclose(found.samples, samples, rtol=1e-12)


def test_numbers_and_arrays_of_one_number(two):
    """One number with an array of exact ones, or of others, is an array."""
    a, b = two[0][0], two[1][:5]
    powers = np.arange(1.0, 6.0)
    np.testing.assert_allclose((powers * a).error, powers * a.error)
    np.testing.assert_allclose((a + powers).error, np.full(5, a.error))
    for n, one in enumerate(b.value):
        wanted = a / b[n]
        assert (a / b)[n].value == a.value / one
        assert (a / b).error[n] == pytest.approx(float(wanted.error), rel=1e-12)


def test_a_ratio_that_never_changes_has_no_error(two):
    a, _ = two
    assert (a / a).error.max() == 0
    assert (a - a).error.max() == 0
    values = np.exp(two[0].shares[0][:, :3])
    rows = Rows(np.arange(float(TIMES)))
    assert (rows.mean(2 * values) / rows.mean(values)).error.max() == 0


def test_a_row_that_is_not_finite_costs_a_number_that_row():
    """The numbers that need it, no others."""
    rng = np.random.default_rng(2)
    time = np.sort(rng.uniform(0, 10, 60))
    values = 1 + 0.1 * rng.standard_normal((60, 3))
    values[7, 1] = np.nan
    a, rest = Rows(time).mean(values), Rows(np.delete(time, 7)).mean(np.delete(values, 7, axis=0))
    assert (a.value[1], a.error[1]) == pytest.approx((rest.value[1], rest.error[1]), rel=1e-12)
    assert a.error[0] != pytest.approx(rest.error[0], rel=1e-6)
    assert a.sum().error == pytest.approx(float(rest.sum().error), rel=1e-12)
    empty = Rows(time).mean(np.where(np.arange(60)[:, None] > 0, np.nan, values))
    assert np.isnan([*empty]).all()


def test_errors_of_many_even_times_are_those_of_blocks():
    rng = np.random.default_rng(3)
    series = rng.standard_normal((20_000, 30)) + 4
    found = Estimate(series.mean(axis=0), (series,), even_errors)
    assert np.sqrt((found.error**2).mean()) == pytest.approx(20_000**-0.5, rel=0.1)
    assert found.samples.max() <= 4000
    series[5, 2] = np.inf
    assert np.isnan(even_errors(series)[0]).sum() == 1


def test_particles_and_their_flow_rise_and_fall_together():
    """The error of a ratio to a number of the flow is that of the particles' own differences."""
    rng = np.random.default_rng(4)
    common = 1 + 0.3 * rng.standard_normal((400, 1))
    values = common * (1 + 0.1 * rng.standard_normal((400, 64)))
    blocks = Blocks.of(64)
    mean, flow = blocks.mean(values), blocks.common(common[:, 0])
    ratio = mean / flow
    assert mean.error == pytest.approx(0.3 / 20, rel=0.2)
    assert ratio.error == pytest.approx(0.1 * 1.09**0.5 / 160, rel=0.35)


def test_without_shares_only_exact_numbers_join(two):
    whole = two[0][:4]
    known, b = whole.settled(), two[1][:4]
    assert known.shares == ()
    for f in (lambda a: 3 / a**2 - 1, lambda a: (5 - a).log(), lambda a: a[1:3] * np.array([[2.0], [3.0]])):
        for one, other in zip(f(known), f(whole), strict=True):
            np.testing.assert_allclose(one, np.broadcast_to(other, one.shape), rtol=1e-12)
    for wrong in (lambda: known + b, lambda: b / known, lambda: known * known, known.sum):
        with pytest.raises(ValueError, match="errors of numbers without shares do not add up"):
            wrong()
    of_others = Rows(np.arange(float(TIMES))).mean(b.shares[0])
    with pytest.raises(ValueError, match="numbers of different samples have no error together"):
        b + of_others


def test_numbers_are_variables_of_a_dataset_and_are_read_again(two):
    apart = gathered([two[0][:3], (two[1] / 2)[:3]], axis=1)
    data = xr.Dataset(apart.variables("a0", ("x", "y"), "m", "a number"))
    assert data["a0_error"].dims == ("x", "y")
    told = {name: (one.attrs["units"], one.attrs["long_name"]) for name, one in data.data_vars.items()}
    assert told == {
        "a0": ("m", "a number"),
        "a0_error": ("m", "standard error of a0"),
        "a0_samples": ("1", "independent samples of a0"),
    }
    again = Estimate.read(data, "a0")
    for one, other in zip(again, apart, strict=True):
        np.testing.assert_array_equal(one, other)
    assert np.isnan([*Estimate.read(data, "b0")]).all()
    assert again.reliable.all()
    assert Estimate.known(1.0, [0.1, 0.0, 0.1], [30.0, 2.0, 19.0]).reliable.tolist() == [True, True, False]

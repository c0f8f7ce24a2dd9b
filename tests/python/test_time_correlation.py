"""Correlations in time of series that are made up here: definitions, exact ones, known processes, errors."""

import numpy as np
import pytest
import xarray as xr
from whorl.base.errors import CaseError
from whorl.probes.results import correlated_groups
from whorl.probes.results.spectra import frequency_spectrum
from whorl.probes.results.time_correlation import mode_correlation, shell_correlation, time_correlation


def series(values, dt=0.1, unit="m") -> xr.DataArray:
    """Over time and any other dimensions a, b."""
    dims = ("time", "a", "b")[: values.ndim]
    return xr.DataArray(values, {"time": dt * np.arange(len(values))}, dims, attrs={"units": unit})


def ornstein_uhlenbeck(count, each, dt, time, *, whole=False):
    """Stationary processes of variance 1 and correlation exp(−τ/T), complex ones if `whole`."""
    rng = np.random.default_rng(7)

    def noise():
        one = rng.standard_normal((each,))
        return (one + 1j * rng.standard_normal((each,))) / np.sqrt(2) if whole else one

    found = [noise()]
    decay = np.exp(-dt / time)
    for _ in range(count - 1):
        found.append(decay * found[-1] + np.sqrt(1 - decay**2) * noise())
    return np.array(found)


def by_loops(values, most):
    """R(m) by its definition, summed over all series."""
    found = []
    for m in range(most + 1):
        products = [(np.conj(values[n]) * values[n + m]).real.sum() for n in range(len(values) - m)]
        found.append(np.sum(products) / (len(values) - m))
    return np.array(found)


@pytest.mark.parametrize("remove_mean", [False, True])
@pytest.mark.parametrize("whole", [False, True])
def test_the_definition_by_two_loops(whole, remove_mean):
    rng = np.random.default_rng(1)
    values = rng.standard_normal((50, 3, 2)) + 0.7
    if whole:
        values = values + 1j * rng.standard_normal((50, 3, 2))
    one_by_one = time_correlation(series(values), longest=2.0, remove_mean=remove_mean)
    together = time_correlation(series(values), over="b", longest=2.0, remove_mean=remove_mean)
    left = values - values.mean(0) if remove_mean else values
    np.testing.assert_allclose(one_by_one["lag"], 0.1 * np.arange(21), rtol=1e-14)
    for a in range(3):
        wanted = by_loops(left[:, a], 20)
        np.testing.assert_allclose(together["correlation"][a], wanted / wanted[0], rtol=0, atol=1e-13)
        assert float(together["mean_square"][a]) == pytest.approx(wanted[0], rel=1e-13)
        for b in range(2):
            wanted = by_loops(left[:, a, b : b + 1], 20)
            found = one_by_one["correlation"].isel(a=a, b=b)
            np.testing.assert_allclose(found, wanted / wanted[0], rtol=0, atol=1e-13)
    assert one_by_one["mean_square"].attrs["units"] == "(m)²"
    assert one_by_one["integral_time"].attrs["units"] == "time"


def test_many_series_together_are_those_of_all_at_once(monkeypatch):
    """Their numbers, and their errors, do not depend on how many are taken at a time."""
    values = ornstein_uhlenbeck(120, 600, 0.1, 0.5) * np.linspace(0.2, 2.0, 600)
    found = time_correlation(series(values), over="a", longest=3.0, remove_mean=False)
    wanted = by_loops(values, 30)
    np.testing.assert_allclose(found["correlation"], wanted / wanted[0], rtol=0, atol=1e-12)
    monkeypatch.setattr(correlated_groups, "AT_ONCE", 10**6)
    monkeypatch.setattr(correlated_groups, "LARGE", 10**9)
    whole = time_correlation(series(values), over="a", longest=3.0, remove_mean=False)
    for name in found.data_vars:
        np.testing.assert_allclose(found[name], whole[name], rtol=1e-9, atol=1e-12)


def test_the_integral_is_that_of_straight_lines_up_to_the_zero():
    values = ornstein_uhlenbeck(300, 1, 0.1, 1.0)[:, 0]
    found = time_correlation(series(values))
    correlation = found["correlation"].values
    first = int(np.flatnonzero(correlation <= 0)[0])
    zero = 0.1 * (first - correlation[first] / (correlation[first] - correlation[first - 1]))
    lags = np.append(0.1 * np.arange(first), zero)
    wanted = np.trapezoid(np.append(correlation[:first], 0.0), lags)
    assert float(found["first_zero"]) == pytest.approx(zero, rel=1e-12)
    assert float(found["integral_time"]) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("whole", [False, True])
def test_an_ornstein_uhlenbeck_process_has_its_correlation_and_time(whole):
    """exp(−τ/T), of many series together; it has no slope of zero at τ = 0, so no micro time."""
    dt, time = 0.05, 0.8
    values = ornstein_uhlenbeck(2000, 200, dt, time, whole=whole)
    found = time_correlation(series(values, dt), over="a", longest=8.0, remove_mean=False)
    error = found["correlation_error"].values
    off = np.abs(found["correlation"] - np.exp(-found["lag"] / time)).values
    assert off[0] == error[0] == 0
    assert np.all(off[1:] < 4 * error[1:])
    assert np.all(error[1:] < 0.02)
    assert float(found["integral_time"]) == pytest.approx(time, rel=0.08)
    assert abs(float(found["integral_time"]) - time) < 4 * float(found["integral_time_error"])
    assert np.isnan(found["micro_time"])


@pytest.mark.slow
def test_errors_are_the_spread_of_many_series():
    """The mean of the estimated errors is the standard deviation of what is estimated."""
    dt, time = 0.1, 0.6
    values = ornstein_uhlenbeck(1500, 300, dt, time)
    found = time_correlation(series(values, dt), longest=4.0)
    for name in ("mean_square", "integral_time"):
        spread, error = (np.nanstd(found[name]), np.nanmean(found[f"{name}_error"]))
        assert error == pytest.approx(spread, rel=0.15), name
    at = found.isel(lag=[1, 3, 6, 12, 24])
    spread, error = at["correlation"].std("a").values, at["correlation_error"].mean("a").values
    np.testing.assert_allclose(error, spread, rtol=0.15)
    # Without the mean the correlation is too low by about 2T/length.
    low = float(found["correlation"].mean("a").isel(lag=-1))
    assert low == pytest.approx(-2 * time / 150.0, abs=0.006)


def test_longer_series_have_smaller_errors():
    """By the root of their length, also where rows are averaged in blocks."""
    values = ornstein_uhlenbeck(16_000, 20, 0.1, 0.6)
    short, long = (
        time_correlation(series(values[:count]), longest=2.0)["correlation_error"].isel(lag=6).mean()
        for count in (1000, 16_000)
    )
    assert float(short / long) == pytest.approx(4.0, rel=0.2)


def test_white_noise_is_correlated_at_no_lag():
    found = time_correlation(series(np.random.default_rng(3).standard_normal((400, 200)), 0.1), longest=2.0)
    off = found["correlation"].values[:, 1:]
    assert np.abs(off.mean(0)).max() < 4 / np.sqrt(400 * 200) + 1 / 400
    np.testing.assert_allclose(found["correlation_error"].values[:, 1:].mean(), 400**-0.5, rtol=0.1)
    # Half a step, or nearly so, and a triangle behind it.
    assert float(found["integral_time"].min()) > 0.04
    assert np.isnan(found["micro_time"].values).all()
    assert float(np.nanmean(found["integral_time"])) < 0.1


def test_a_wave_is_a_cosine():
    t = 0.02 * np.arange(3000)
    omega = np.array([3.0, -3.0, 1.5])
    values = (2 - 1j) * np.exp(-1j * omega * t[:, None])
    found = time_correlation(series(values, 0.02), remove_mean=False)
    wanted = np.cos(omega[:, None] * found["lag"].values)
    np.testing.assert_allclose(found["correlation"], wanted, rtol=0, atol=1e-12)
    assert float(found["correlation_error"].max()) < 1e-12
    np.testing.assert_allclose(found["first_zero"], np.pi / 2 / np.abs(omega), rtol=1e-4)
    np.testing.assert_allclose(found["integral_time"], 1 / np.abs(omega), rtol=1e-3)
    np.testing.assert_allclose(found["micro_time"], np.sqrt(2) / np.abs(omega), rtol=1e-6)
    np.testing.assert_allclose(found["mean_square"], 5.0, rtol=1e-13)


def test_a_smooth_process_has_its_micro_time():
    """Waves of random frequencies of variance σ²: C = exp(−½ σ² τ²), a micro time of √2/σ."""
    sigma, dt, many = 2.0, 0.05, 60
    rng = np.random.default_rng(2)
    frequencies = sigma * rng.standard_normal((300, many))
    phases = rng.uniform(0, 2 * np.pi, (300, many))
    t = dt * np.arange(1200)
    values = np.array([np.exp(1j * (frequencies * one + phases)).sum(0) for one in t])
    found = time_correlation(series(values, dt), over="a", longest=3.0, remove_mean=False)
    assert float(found["micro_time"]) == pytest.approx(np.sqrt(2) / sigma, rel=0.02)
    # A mean of ω² of 300 · 60 frequencies.
    assert float(found["micro_time_error"]) < 0.02
    near = found.sel(lag=slice(0, 1.0))
    np.testing.assert_allclose(near["correlation"], np.exp(-2 * near["lag"] ** 2), atol=0.02)


@pytest.mark.parametrize("factor", [1e-9, 1e9])
def test_scales(factor):
    """Of values nothing but the mean square; of time all times."""
    values = ornstein_uhlenbeck(400, 3, 0.1, 0.5)
    one = time_correlation(series(values))
    larger = time_correlation(series(factor * values))
    slower = time_correlation(series(values, dt=factor * 0.1))
    for name in ("correlation", "correlation_error", "integral_time", "integral_time_error", "first_zero"):
        np.testing.assert_allclose(larger[name], one[name], rtol=1e-9, atol=1e-12)
        unit = factor if "time" in name or name == "first_zero" else 1.0
        np.testing.assert_allclose(slower[name], unit * one[name], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(larger["mean_square"], factor**2 * one["mean_square"], rtol=1e-12)


def test_few_lags_are_evenly_spaced_and_the_same():
    values = ornstein_uhlenbeck(400, 2, 0.1, 0.5)
    every, some = (time_correlation(series(values), lags=lags) for lags in (200, 7))
    assert every.sizes["lag"] == 101
    assert some["lag"].values.tolist() == every["lag"].values[::15].tolist()
    np.testing.assert_array_equal(some["correlation"], every["correlation"][:, ::15])
    np.testing.assert_array_equal(some["correlation_error"], every["correlation_error"][:, ::15])
    np.testing.assert_array_equal(some["integral_time"], every["integral_time"])


def test_many_series_are_those_of_each(monkeypatch):
    """They are taken some at a time."""
    from whorl.probes.results import correlated_groups

    values = ornstein_uhlenbeck(100, 10, 0.1, 0.5).reshape(100, 5, 2)
    whole = time_correlation(series(values), over="b")
    monkeypatch.setattr(correlated_groups, "AT_ONCE", 3)
    xr.testing.assert_allclose(time_correlation(series(values), over="b"), whole, rtol=1e-12)


def test_a_series_of_zeros_or_of_one_value_has_no_correlation():
    values = np.stack([np.zeros(100), np.full(100, 0.1), np.random.default_rng(3).standard_normal(100)], 1)
    found = time_correlation(series(values))
    assert np.isnan(found["correlation"].values).any(1).tolist() == [True, True, False]
    assert found["mean_square"].values[:2].tolist() == [0.0, 0.0]
    kept = time_correlation(series(values), remove_mean=False)
    np.testing.assert_allclose(kept["correlation"].values[1], 1.0, rtol=1e-13)
    assert np.isnan(kept["integral_time"].values[1])


def test_a_correlation_that_has_ended_without_a_zero_has_a_time():
    """A sum of decays, each of which is alone at its times: there is no zero."""
    values = np.zeros((4000, 1))
    values[::400] = 1.0
    for n in range(1, 4000):
        values[n] += 0.9 * values[n - 1]
    found = time_correlation(series(values, 1.0), longest=100.0, remove_mean=False)
    assert np.isnan(found["first_zero"]).all()
    assert float(found["integral_time"][0]) == pytest.approx(9.5, rel=0.02)
    assert np.isnan(time_correlation(series(values, 1.0), longest=20.0, remove_mean=False)["integral_time"])


def modes_probe(values, k, shells=None) -> xr.Dataset:
    """As that of a run: amplitudes [time, quantity, mode] of modes with these wavenumbers."""
    coordinates = {
        "time": 0.1 * np.arange(len(values)),
        "quantity": ["u.x", "u.y"],
        "mode": [str(one) for one in k],
        **{f"k{axis}": ("mode", np.array(k, float)[:, n]) for n, axis in enumerate("xyz")},
    }
    if shells:
        for n, end in enumerate(("lower", "upper")):
            coordinates[f"shell_{end}"] = ("mode", [one[n] for one in shells])
    return xr.Dataset({"amplitude": (("time", "quantity", "mode"), values)}, coordinates)


def test_modes_and_shells_are_sums_over_their_series():
    k = [[1, 0, 0], [0, 3, 0], [0, 0, 1], [2, 2, 1]]
    values = ornstein_uhlenbeck(200, 8, 0.1, 0.4, whole=True).reshape(200, 2, 4) * [1.0, 2.0, 3.0, 4.0]
    probe = modes_probe(values, k, [(0.5, 2), (2, 4), (0.5, 2), (2, 4)])
    by_mode = mode_correlation(probe, longest=3.0)
    by_shell = shell_correlation(probe, longest=3.0)
    for mode in range(4):
        wanted = by_loops(values[:, :, mode], 30)
        np.testing.assert_allclose(by_mode["correlation"][mode], wanted / wanted[0], atol=1e-12)
    for shell, modes in enumerate(([0, 2], [1, 3])):
        wanted = by_loops(values[:, :, modes].reshape(200, -1), 30)
        np.testing.assert_allclose(by_shell["correlation"][shell], wanted / wanted[0], atol=1e-12)
        assert float(by_shell["mean_square"][shell]) == pytest.approx(wanted[0] / 2)
    assert by_shell["k"].values.tolist() == [1.0, 3.0]
    assert by_shell["k_lower"].values.tolist() == [0.5, 2.0]
    assert by_shell["k_upper"].values.tolist() == [2.0, 4.0]
    assert by_shell["modes"].values.tolist() == [2, 2]
    # A mode on an edge is in the shell above; one beyond all is in none, and an empty shell is left out.
    others = shell_correlation(probe, [0.0, 0.5, 1.0, 3.0], longest=3.0)
    np.testing.assert_allclose(others["correlation"][0], by_shell["correlation"][0], atol=1e-13)
    assert others["k_lower"].values.tolist() == [1.0]
    xr.testing.assert_allclose(
        shell_correlation(probe.drop_vars(["shell_lower", "shell_upper"]), [0.5, 2, 4], longest=3.0), by_shell
    )


def test_the_mean_of_modes_is_kept_unless_removed():
    values = ornstein_uhlenbeck(400, 2, 0.1, 0.4, whole=True).reshape(400, 2, 1) + 3
    probe = modes_probe(values, [[1, 0, 0]])
    kept, removed = (mode_correlation(probe, remove_mean=one) for one in (False, True))
    assert kept.attrs["mean"] == "kept"
    assert float(kept["correlation"].min()) > 0.8
    assert float(removed["correlation"].min()) < 0.2


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: time_correlation(series(np.ones(15))), "of 15 times is too short .* which need 16"),
        (lambda: time_correlation(series(np.arange(40.0)), longest=2.1), r"0\.2 to 2, and not 2\.1"),
        (lambda: time_correlation(series(np.arange(40.0)), longest=0.1), r"0\.2 to 2, and not 0\.1"),
        (lambda: time_correlation(series(np.arange(40.0)), longest=np.nan), "and not nan"),
        (lambda: time_correlation(series(np.where(np.arange(40) == 7, np.nan, 1.0))), "not finite"),
        (lambda: time_correlation(series(np.ones((40, 2))), over="c"), "no series over c; known: a"),
        (lambda: time_correlation(series(np.ones(40)), over="time"), "no series over time"),
        (lambda: mode_correlation(xr.Dataset({"value": series(np.ones(40))})), 'of kind "modes"'),
        (lambda: shell_correlation(modes_probe(np.ones((40, 2, 1)), [[1, 0, 0]])), "not shells; give"),
        (lambda: shell_correlation(modes_probe(np.ones((40, 2, 1)), [[1, 0, 0]]), [2, 3]), "no modes"),
        (lambda: shell_correlation(modes_probe(np.ones((40, 2, 1)), [[1, 0, 0]]), [3, 2]), "which rise"),
        (lambda: shell_correlation(modes_probe(np.ones((40, 2, 1)), [[1, 0, 0]]), [3]), "two numbers"),
    ],
)  # fmt: skip
def test_what_has_no_correlation_is_told(make, told):
    with pytest.raises(CaseError, match=told):
        make()


def test_a_shorter_last_step_is_left_out():
    """As where a run ends at a time that its steps do not divide."""
    t = 0.1 * np.arange(200.0)
    wave = xr.DataArray(np.exp(-1.5j * t), {"time": t}, ("time",), attrs={"units": "m"})
    t[-1] -= 0.04
    cut = wave.assign_coords(time=t)
    assert time_correlation(cut).identical(time_correlation(wave[:-1]))
    assert frequency_spectrum(cut).identical(frequency_spectrum(wave[:-1]))


def test_steps_that_differ_are_refused_or_interpolated():
    t = np.cumsum(0.1 + 0.02 * np.sin(np.arange(1000)))
    wave = xr.DataArray(np.exp(-1.5j * t), {"time": t}, attrs={"units": "m"})
    with pytest.raises(CaseError, match=r"the steps of time differ, from 0\.0800"):
        time_correlation(wave)
    found = time_correlation(wave, resample=True, remove_mean=False)
    np.testing.assert_allclose(found["correlation"], np.cos(1.5 * found["lag"]), atol=2e-3)

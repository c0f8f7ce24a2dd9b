"""Statistics of single particles of exact processes: Ornstein–Uhlenbeck, Brownian, and waves."""

import numpy as np
import pytest
from support.examples import examples
from support.paths import brownian, dataset, made, ornstein_uhlenbeck
from whorl.base.errors import CaseError
from whorl.particles.results.lagrangian import acceleration, dispersion, structure_functions, velocity
from whorl.particles.results.path_series import tracks

MEMORY, SPEED, DT = 0.8, 1.5, 0.1
SCALES = (0.01, 2.0, 1.5 * SPEED**2)  # ν, ε, E


@pytest.fixture(scope="module")
def paths():
    """Of Ornstein and Uhlenbeck, over 150 of their times, with the velocity read."""
    x, v = ornstein_uhlenbeck(400, 1200, DT, MEMORY, SPEED)
    return made(x, DT, v, scales=SCALES)


def test_dispersion_of_ornstein_and_uhlenbeck(paths):
    """2 v² T (τ − T (1 − exp(−τ/T))) of a component; limits at small and large times."""
    found = dispersion(paths, longest=20.0)
    lag = found["lag"].values
    wanted = 2 * SPEED**2 * MEMORY * (lag - MEMORY * (1 - np.exp(-lag / MEMORY)))
    for axis in "xyz":
        one, error = (found[name].sel(axis=axis) for name in ("displacement", "displacement_error"))
        assert (np.abs(one - wanted) < 4 * error).all()
    assert (np.abs(found["total"] - 3 * wanted) < 4 * found["total_error"]).all()
    assert (found["total_error"] < 0.1 * found["total"]).all()
    np.testing.assert_allclose(found["ballistic"], 3 * SPEED**2 * lag**2, rtol=0.03)
    np.testing.assert_allclose(found["diffusive"], 6 * SPEED**2 * MEMORY * lag, rtol=0.06)
    np.testing.assert_allclose(found["diffusivity"], found["total"] / (6 * lag), rtol=1e-13)
    assert found["total"].attrs["units"] == "length²"


def test_dispersion_from_the_first_time_alone(paths):
    found = dispersion(paths, origins="first", longest=3.0)
    moved = paths.position[1:31] - paths.position[0]
    wanted = (moved**2).sum(axis=2).mean(axis=1)
    steps = np.rint(found["lag"].values / DT).astype(int)
    np.testing.assert_allclose(found["total"], wanted[steps - 1], rtol=1e-12)
    assert found.attrs["origins"] == "first"
    with pytest.raises(CaseError, match='origins are "all" or "first", and not "last"'):
        dispersion(paths, origins="last")
    with pytest.raises(CaseError, match=r"longest lag is from 0.1 to 59.9, and not 90; choose another"):
        dispersion(paths, longest=90)


def test_brownian_paths_have_their_diffusivity():
    found = dispersion(made(brownian(600, 400, DT, 0.3)), longest=8.0)
    assert (np.abs(found["diffusivity"] - 0.3) < 4 * found["diffusivity_error"]).all()
    assert float(found["diffusivity_error"].max()) < 0.03


def test_velocity_of_ornstein_and_uhlenbeck(paths):
    found = velocity(paths, longest=8.0)
    error = found["mean_correlation_error"].values[1:]
    wanted = np.exp(-found["lag"].values / MEMORY)
    assert (np.abs(found["mean_correlation"].values - wanted)[1:] < 4 * error).all()
    for name, truth in (
        ("mean_integral_time", MEMORY),
        ("mean_variance", SPEED**2),
        ("mean_flatness", 3.0),
        ("energy_ratio", 1.0),
        ("integral_time_over_kolmogorov_time", MEMORY / (SCALES[0] / SCALES[1]) ** 0.5),
    ):
        value, one = (float(found[f"{name}{end}"]) for end in ("", "_error"))
        assert abs(value - truth) < 4 * one, name
        assert one < 0.05 * truth, name
    assert (np.abs(found["mean"]) < 4 * found["mean_error"]).all()
    assert (np.abs(found["flatness"] - 3) < 4 * found["flatness_error"]).all()
    assert np.isnan(found["mean_micro_time"])


def test_the_pdf_is_gaussian_and_its_integral_is_one(paths):
    found = velocity(paths)
    x, pdf = found["bin"].values, found["pdf"].values
    edges = np.concatenate([[x[0] - (x[1] - x[0]) / 2], (x[1:] + x[:-1]) / 2, [x[-1] + (x[-1] - x[-2]) / 2]])
    assert (pdf * np.diff(edges)).sum() == pytest.approx(1.0, rel=1e-3)
    off = np.abs(pdf - np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi))
    inside = np.abs(x) < 3
    assert (off[inside] < 4 * found["pdf_error"].values[inside] + 2e-3).all()


def test_the_spectrum_has_the_variance_and_the_shape():
    """S = (2/π) v² T/(1 + ω² T²), of steps that resolve it."""
    x, v = ornstein_uhlenbeck(200, 1600, 0.05, MEMORY, SPEED)
    found = velocity(made(x, 0.05, v))
    omega, spectrum = found["frequency"].values, found["spectrum"].values
    assert np.trapezoid(spectrum, omega) == pytest.approx(SPEED**2, rel=0.05)
    inside = (omega > 1) & (omega < 10)
    wanted = 2 / np.pi * SPEED**2 * MEMORY / (1 + (omega * MEMORY) ** 2)
    np.testing.assert_allclose(spectrum[inside], wanted[inside], rtol=0.1)


def test_structure_functions_of_ornstein_and_uhlenbeck(paths):
    """D₂ = 2 v² (1 − exp(−τ/T)), D₄ = 3 D₂², D₆ = 15 D₂³, and the largest D₂/(ε τ) at the smallest τ."""
    found = structure_functions(paths, longest=8.0)
    second = 2 * SPEED**2 * (1 - np.exp(-found["lag"].values / MEMORY))
    for order, times in ((2, 1), (4, 3), (6, 15)):
        one, error = (found[name].sel(order=order) for name in ("mean_structure", "mean_structure_error"))
        assert (np.abs(one - times * second ** (order / 2)) < 4 * error).all()
        each, of_each = (found[name].sel(order=order) for name in ("structure", "structure_error"))
        assert (np.abs(each - (times * second ** (order / 2))[:, None]) < 4.5 * of_each).all()
    assert (np.abs(found["flatness"] - 3) < 4 * found["flatness_error"]).all()
    lag = found["lag"].values
    np.testing.assert_allclose(
        found["compensated"], found["mean_structure"][:, 0] / (SCALES[1] * lag), rtol=1e-12
    )
    assert float(found["C0"]) == pytest.approx(float(found["compensated"][0]))
    kolmogorov = (SCALES[0] / SCALES[1]) ** 0.5
    assert float(found["C0_lag_over_kolmogorov_time"]) == pytest.approx(DT / kolmogorov)


def test_the_peak_of_compensated_structure_functions_is_between_lags():
    """Of waves of one frequency D₂/τ ∝ sin²(ωτ/2)/τ is largest at ωτ = 2.331, where tan(ωτ/2) = ωτ."""
    rng = np.random.default_rng(5)
    omega, dt = 1.3, 0.17
    phase = rng.uniform(0, 2 * np.pi, (1, 500, 3))
    v = np.cos(omega * dt * np.arange(300)[:, None, None] + phase)
    found = structure_functions(made(v, dt, v, scales=(0.01, 2.0)), lags=200)
    place = float(found["C0_lag_over_kolmogorov_time"]) * (0.01 / 2.0) ** 0.5
    assert place == pytest.approx(2.331122 / omega, rel=0.01)
    wanted = 2 * np.sin(2.331122 / 2) ** 2 / (2.0 * 2.331122 / omega)
    assert float(found["C0"]) == pytest.approx(wanted, rel=0.02)


def test_acceleration_by_differences_of_waves_and_as_read():
    """Of v = cos(ωt + φ): ⟨a²⟩ = ω²/2, a zero at a quarter period, flatness 3/2, of fourth order in time."""
    rng = np.random.default_rng(6)
    omega, scales = 2.0, (0.02, 0.7)
    for dt, off in ((0.1, 1.5e-4), (0.05, 1.4e-5)):
        time = dt * np.arange(300)[:, None, None]
        phase = rng.permutation(np.arange(900) * 2 * np.pi / 900).reshape(1, 300, 3)
        v, a = np.cos(omega * time + phase), -omega * np.sin(omega * time + phase)
        by_differences = acceleration(made(v, dt, v, scales=scales))
        exact = omega**2 / 2
        assert float(by_differences["mean_variance"]) == pytest.approx(exact, rel=off)
        assert float(by_differences["mean_variance"]) != pytest.approx(exact, rel=off / 50)
        assert by_differences.attrs["resolution"] == pytest.approx((omega * dt) ** 2 / 3, rel=0.1)
        assert "differences of the velocity" in by_differences.attrs["acceleration"]
    names = ("u.x", "u.y", "u.z", "acceleration.x", "acceleration.y", "acceleration.z")
    read = acceleration(made(v, dt, np.concatenate([v, a], axis=2), names=names, scales=scales))
    assert float(read["mean_variance"]) == pytest.approx(exact, rel=1e-5)
    assert float(read["a0"]) == pytest.approx(exact / (0.7**1.5 * 0.02**-0.5), rel=1e-5)
    assert float(read["mean_first_zero"]) == pytest.approx(np.pi / 2 / omega, rel=1e-3)
    assert float(read["first_zero_over_kolmogorov_time"]) == pytest.approx(
        np.pi / 2 / omega / (0.02 / 0.7) ** 0.5, rel=1e-3
    )
    assert float(read["mean_flatness"]) == pytest.approx(1.5, rel=1e-3)
    assert read.attrs["acceleration"] == "acceleration as read"
    assert "resolution" not in read.attrs


@pytest.mark.slow
def test_errors_cover_the_truth_over_many_seeds():
    """Of dispersion, variance, D₂, flatness and T_L, of paths over 60 of their times: as they should.

    The error of T_L leaves out that of the zero where its integral ends, which makes it a quarter too small.
    """
    lag, seeds, off = 0.8, examples(48), []
    second = 2 * (1 - np.exp(-lag / 0.4))
    displacement = 2 * 0.4 * (lag - 0.4 * (1 - np.exp(-lag / 0.4)))
    for seed in range(seeds):
        x, v = ornstein_uhlenbeck(48, 250, 0.1, 0.4, seed=seed)
        one = made(x, 0.1, v)
        moved = dispersion(one, longest=lag, lags=8).isel(lag=-1)
        found = velocity(one, longest=6.0, lags=4)
        jump = structure_functions(one, longest=lag, lags=8).isel(lag=-1).sel(order=2)
        rows = (
            (moved, "total", 3 * displacement),
            (found, "mean_variance", 1.0),
            (jump, "mean_structure", second),
            (found, "mean_flatness", 3.0),
            (found, "mean_integral_time", 0.4),
        )
        off.append([abs(float(of[name]) - truth) / float(of[f"{name}_error"]) for of, name, truth in rows])
    within = (np.array(off) < 2).mean(axis=0)
    assert (within[:4] > 0.88).all()
    by_few = seeds < 48  # shares of few seeds scatter more
    assert within[4] > (0.65 if by_few else 0.72)
    assert ((np.array(off) < 1).mean(axis=0) > (0.4 if by_few else 0.5)).all()
    assert (np.array(off).mean(axis=0) > 0.5).all()  # and errors are not far too large


def test_uneven_times_are_interpolated_by_splines_if_asked():
    time = np.cumsum(np.random.default_rng(8).uniform(0.08, 0.12, 200))
    phase = np.linspace(0, 6, 40)[:, None] + np.arange(3)
    v = np.cos(time[:, None, None] + phase)
    data = dataset(np.sin(time[:, None, None] + phase), value=v, times=time)
    with pytest.raises(
        CaseError, match=r"steps of time between rows of paths differ, from 0\.0.* --resample"
    ):
        tracks(data)
    even = tracks(data, resample=True)
    np.testing.assert_allclose(np.diff(even.time), even.dt, rtol=1e-12)
    np.testing.assert_allclose(even.velocity, np.cos(even.time[:, None, None] + phase), rtol=0, atol=2e-5)


def test_a_shorter_last_step_and_what_was_not_read_are_left_out():
    x, v = ornstein_uhlenbeck(10, 30, 0.1, 1.0)
    times = np.append(0.1 * np.arange(29), 2.83)
    v[:4] = np.nan
    found = tracks(dataset(x, value=v, times=times))
    np.testing.assert_allclose(found.time, 0.1 * np.arange(4, 29), rtol=1e-12)
    assert found.has_velocity
    assert found.notes == ("4 of 30 rows of particles.h5 have no finite u along paths, and are left out.",)
    v[15] = np.nan
    without = tracks(dataset(x, value=v, times=times))
    assert (len(without.time), without.has_velocity) == (29, False)
    assert "5 of 30 rows of particles.h5 have no finite u along paths" in without.notes[0]
    assert "differences along the paths are taken" in without.notes[0]
    x[15] = np.nan
    with pytest.raises(CaseError, match="not finite"):
        tracks(dataset(x, times=times))
    with pytest.raises(CaseError, match="need 8 times or more, and 5 have been written"):
        tracks(dataset(x[:5]))


def test_what_statistics_do_not_take_costs_none():
    """A logarithm of a negative number, read along paths, is no reason to have no acceleration."""
    x, v = ornstein_uhlenbeck(10, 30, 0.1, 1.0)
    names = ("u.x", "u.y", "u.z", "log(u.x)", "p")
    other = np.stack([np.full(v.shape[:2], np.nan), x[..., 0]], axis=-1)
    found = tracks(dataset(x, value=np.concatenate([v, other], axis=-1), names=names))
    assert len(found.time) == 30
    assert sorted(found.read) == ["p", "u.x", "u.y", "u.z"]
    np.testing.assert_array_equal(found.read["p"], x[..., 0])


def test_a_first_row_between_two_others_is_told():
    x, v = ornstein_uhlenbeck(10, 30, 0.1, 1.0)
    times = 0.1 * np.arange(30)
    times[0] = 0.04
    with pytest.raises(CaseError, match=r"begin at the second row \(--from 0.1\), or interpolate"):
        tracks(dataset(x, value=v, times=times))
    times[7] += 0.05
    with pytest.raises(
        CaseError, match=r"differ, from 0.05 to 0.15; run with a fixed time.dt, or interpolate"
    ):
        tracks(dataset(x, value=v, times=times))


@pytest.mark.parametrize("times", [8, 9, 17, 31])
@pytest.mark.parametrize("read", [True, False])
def test_structure_functions_of_few_times(times, read):
    """From as many as are taken on; there are batches of few times for the error of a place."""
    x, v = ornstein_uhlenbeck(200, times, DT, MEMORY, SPEED)
    found = structure_functions(made(x, DT, v if read else None, scales=SCALES))
    assert found["C0"] > 0
    np.testing.assert_allclose(found["lag"].max(), DT * ((times - 1) // 2))


def test_without_u_the_velocity_is_that_of_positions():
    time = 0.05 * np.arange(200)[:, None, None]
    phase = np.linspace(0, 6, 60).reshape(1, 20, 3)
    one = made(np.sin(time + phase), 0.05)
    assert "differences of positions" in one.velocity_from
    np.testing.assert_allclose(one.velocity, np.cos(time + phase)[2:-2], rtol=0, atol=1e-6)
    found = velocity(one)
    assert "energy_ratio" not in found
    assert float(found["mean_variance"]) == pytest.approx(0.5, rel=0.1)

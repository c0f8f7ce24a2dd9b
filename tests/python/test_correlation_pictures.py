"""Pictures of the correlations in time of probes, from series that are made up here."""

import numpy as np
import pytest
import xarray as xr
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from python.test_probe_pictures import OMEGA, rotating
from python.test_probe_pictures import modes as waves
from support.diagnostic_files import case_of
from whorl.probes.draw.correlation import draw_probe_correlation
from whorl.probes.results.time_correlation import shell_correlation

DT, ROWS = 0.05, 1200


def processes(times, rng):
    """Complex ones of variance 1 and correlation exp(−τ/T), for each T."""
    decay = np.exp(-DT / np.asarray(times))
    found = [rng.standard_normal(decay.shape) + 1j * rng.standard_normal(decay.shape)]
    for _ in range(ROWS - 1):
        noise = rng.standard_normal(decay.shape) + 1j * rng.standard_normal(decay.shape)
        found.append(decay * found[-1] + np.sqrt(1 - decay**2) * noise)
    return np.array(found)


def shells(count=8, each=6) -> xr.Dataset:
    """Shells around k = 1, 2, … whose modes have the correlation time 1/k."""
    k = np.repeat(np.arange(1.0, count + 1), each)
    values = processes(np.tile(1 / k, (2, 1)), np.random.default_rng(3))
    return xr.Dataset(
        {"amplitude": (("time", "quantity", "mode"), values)},
        {
            "time": DT * np.arange(ROWS),
            "quantity": ["u.x", "u.y"],
            "mode": [str(n) for n in range(len(k))],
            **{f"k{axis}": ("mode", k if axis == "x" else 0 * k) for axis in "xyz"},
            "shell_lower": ("mode", k - 0.5),
            "shell_upper": ("mode", k + 0.5),
        },
    )


def points(count=2) -> xr.Dataset:
    values = processes(np.full((2, count), 0.5), np.random.default_rng(4)).real
    places = {axis: ("point", np.arange(count) + 0.5) for axis in "xyz"}
    return xr.Dataset(
        {"value": (("time", "quantity", "point"), values)},
        {"time": DT * np.arange(ROWS), "quantity": ["u.x", "u.y"], "point": np.arange(count)} | places,
    )


def drawn(data, case=None, **how):
    figure = draw_probe_correlation(data, case or case_of([]), "title", **how)
    FigureCanvasAgg(figure).draw()
    return figure


def curves(ax):
    return {one.get_label(): one for one in ax.lines if not one.get_label().startswith("_")}


def test_shells_of_all_sizes_are_drawn_in_shades_and_their_times_over_k():
    data = shells()
    left, right = drawn(data).axes
    found = shell_correlation(data, lags=ROWS)
    assert list(curves(left)) == ["k = 1", "k = 2", "k = 3", "k = 5", "k = 8"]
    assert left.get_title() == "Correlation in time (5 of 8)"
    for label, line in curves(left).items():
        n = int(label.split()[-1]) - 1
        lag, values = line.get_data()
        np.testing.assert_allclose(values, np.interp(lag, found["lag"], found["correlation"][n]), atol=1e-9)
    # Up to where the slowest has ended, not to a quarter of the series.
    assert 2 < left.get_xlim()[1] < 9
    assert (right.get_xscale(), right.get_yscale()) == ("log", "log")
    bars = right.containers
    assert len(bars) == 8
    for n, bar in enumerate(bars):
        assert bar[0].get_xdata()[0] == pytest.approx(n + 1)
        assert bar[0].get_ydata()[0] == pytest.approx(float(found["integral_time"][n]), rel=1e-6)
        ends = bar[2][0].get_segments()[0][:, 1]
        assert np.ptp(ends) == pytest.approx(2 * float(found["integral_time_error"][n]), rel=1e-5)
    shown = {to_rgb(line.get_color()) for line in curves(left).values()}
    colored = {to_rgb(bar[0].get_color()) for n, bar in enumerate(bars) if n + 1 in (1, 2, 3, 5, 8)}
    assert shown == colored
    assert {one.get_text() for one in right.texts} == {"$k^{-1}$", "$k^{-2/3}$"}
    laws = [line.get_xydata() for line in right.lines if len(line.get_xdata()) == 2]
    slopes = sorted(np.diff(np.log(one[:, 1]))[0] / np.diff(np.log(one[:, 0]))[0] for one in laws)
    np.testing.assert_allclose(slopes, [-1, -2 / 3], rtol=1e-9)


def test_the_waves_of_the_model_lie_on_the_correlations_of_their_modes():
    left, right = drawn(waves(times=2000, dt=0.01), rotating()).axes
    lines = curves(left)
    assert list(lines) == [f"mode (1, 0, {n})" for n in range(3)]
    dashed = [one for one in left.lines if one.get_linestyle() == "--" and len(one.get_xdata()) > 2]
    assert len(dashed) == 3
    for line, omega in zip(lines.values(), OMEGA, strict=True):
        lag, values = line.get_data()
        np.testing.assert_allclose(values, np.cos(omega * lag), atol=1e-6)
    for wave, omega in zip(dashed, OMEGA, strict=True):
        lag, values = wave.get_data()
        np.testing.assert_allclose(values, np.cos(omega * lag), atol=1e-9)
    # Six periods of the fastest, and room for the legend above.
    assert left.get_xlim()[1] == pytest.approx(6 * 2 * np.pi / OMEGA.max(), rel=0.02)
    assert left.get_ylim()[1] > 1.4
    assert "linear waves dashed" in left.get_title()
    # The mode that does not oscillate has no time.
    assert len(right.containers) == 2


@pytest.mark.parametrize("count", [1, 2])
def test_points_have_one_graph(count):
    """Of one point the components, of several what they give together."""
    (ax,) = drawn(points(count)).axes
    wanted = (
        ["u.x   all 2 points", "u.y   all 2 points"]
        if count > 1
        else [
            "u.x   point (0.5, 0.5, 0.5)",
            "u.y   point (0.5, 0.5, 0.5)",
        ]
    )
    assert list(curves(ax)) == wanted
    assert ax.get_title() == "Correlation in time, without means"
    (kept,) = drawn(points(count), remove_mean=False).axes
    assert kept.get_title() == "Correlation in time"
    bands = [one for one in ax.collections if len(one.get_paths())]
    assert len(bands) == 2


def test_series_of_zeros_say_so():
    data = shells(3, 2)
    left, right = drawn(data.assign(amplitude=0 * data["amplitude"])).axes
    assert [one.get_text() for one in left.texts] == ["no numbers"]
    assert [one.get_text() for one in right.texts] == ["no correlation ends"]
    two = shells(2, 1)
    assert len(drawn(two).axes) == 2
    assert len(drawn(two.isel(mode=[0])).axes) == 1

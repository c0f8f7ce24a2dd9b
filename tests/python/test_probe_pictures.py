"""Pictures of probes, from series that are made up here."""

import numpy as np
import pytest
import xarray as xr
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import QuadMesh
from support.diagnostic_files import case_of
from whorl.base.errors import CaseError
from whorl.probes.draw.correlation import draw_probe_correlation
from whorl.probes.draw.series import draw_probe
from whorl.probes.results.spectra import finite_part

SIZES = np.array([[0.0, 3.0, 1.0], [5.0, 2.0, 4.0]])  # of u.x and u.y in three modes
OMEGA = 2 * 10 / np.sqrt(1 + np.arange(3) ** 2) * np.arange(3)  # of modes (1, 0, n) with rotation 10


def modes(times=400, dt=0.05, sizes=SIZES) -> xr.Dataset:
    time = dt * np.arange(times)
    amplitude = sizes * np.exp(-1j * OMEGA * time[:, None, None])
    return xr.Dataset(
        {"amplitude": (("time", "quantity", "mode"), amplitude)},
        {
            "time": time,
            "quantity": ["u.x", "u.y"],
            "mode": [f"(1, 0, {n})" for n in range(3)],
            "kx": ("mode", [1.0, 1.0, 1.0]),
            "ky": ("mode", [0.0, 0.0, 0.0]),
            "kz": ("mode", [0.0, 1.0, 2.0]),
        },
    )


def rotating():
    return case_of([], flow={"viscosity": 0.1, "rotation": 10.0})


def drawn(data: xr.Dataset, case=None):
    figure = draw_probe(data, case or rotating(), "title")
    FigureCanvasAgg(figure).draw()
    return figure


def test_the_largest_series_are_drawn_and_said():
    above = drawn(modes()).axes[0]
    found = {line.get_label(): line.get_ydata() for line in above.lines}
    assert list(found) == [
        "u.x   mode (1, 0, 1)",
        "u.y   mode (1, 0, 0)",
        "u.y   mode (1, 0, 1)",
        "u.y   mode (1, 0, 2)",
    ]
    np.testing.assert_array_equal(
        found["u.y   mode (1, 0, 2)"], modes()["amplitude"].sel(quantity="u.y").isel(mode=2).real
    )
    assert above.get_title() == "Real parts, the 4 largest of 6 series"
    one = drawn(modes().isel(quantity=[0]))
    assert one.axes[0].get_title() == "Real parts"


def test_the_map_has_its_energy_on_the_waves():
    below = drawn(modes()).axes[1]
    (image,) = (one for one in below.collections if isinstance(one, QuadMesh))
    energy = image.get_array()
    frequencies = np.linspace(*_ends(modes()), energy.shape[0])
    assert np.abs(frequencies[energy.argmax(axis=0)] - OMEGA).max() < 0.7  # two steps of frequency
    marks = np.sort([line.get_ydata() for line in below.lines], axis=0)
    np.testing.assert_allclose(marks, [-OMEGA, OMEGA], rtol=1e-14)
    assert below.get_ylim() == pytest.approx((-2 * OMEGA.max(), 2 * OMEGA.max()))


def _ends(data: xr.Dataset) -> tuple[float, float]:
    """The lowest and highest frequency of pieces of a quarter of the series."""
    dt, length = float(data["time"][1]), data.sizes["time"] // 4
    return tuple(np.sort(-2 * np.pi * np.fft.fftfreq(length, dt))[[0, -1]])


def test_without_waves_the_frequencies_are_those_of_the_energy():
    below = drawn(modes(dt=0.001, times=40_000), case_of([])).axes[1]
    assert below.get_title() == "E(k, ω)"
    assert OMEGA.max() < below.get_ylim()[1] < 2 * OMEGA.max()  # the highest is 3142
    one = drawn(modes(dt=0.001, times=40_000).isel(mode=[2]), case_of([])).axes[1]
    assert OMEGA[2] < one.get_xlim()[1] == -one.get_xlim()[0] < 2 * OMEGA[2]
    assert one.get_title() == "Frequency spectra S(ω)"


def test_energy_beyond_the_waves_is_seen():
    fast = modes().assign(amplitude=modes()["amplitude"] * np.exp(-1j * 40 * modes()["time"]))
    assert drawn(fast).axes[1].get_ylim()[1] > 40 + OMEGA.max()


def test_points_are_called_by_their_positions():
    values = modes()["amplitude"].values.real[:, :1, :2]
    places = {"x": [0.5, 1.0], "y": [np.pi, 2.0], "z": [0.0, 1 / 3]}
    data = xr.Dataset(
        {"value": (("time", "quantity", "point"), values)},
        {"time": modes()["time"].values, "quantity": ["u.x"], "point": [0, 1]}
        | {axis: ("point", one) for axis, one in places.items()},
    )
    above, below = drawn(data).axes
    labels = [line.get_label() for line in above.lines]
    assert labels == ["u.x   point (0.5, 3.142, 0)", "u.x   point (1, 2, 0.3333)"]
    assert below.get_xscale() == "log"


def test_slow_waves_do_not_hide_the_frequencies_that_are_there():
    below = drawn(modes(dt=0.001)).axes[1]
    step = 2 * np.pi / (100 * 0.001)
    assert below.get_ylim()[1] == pytest.approx(10 * step)


@pytest.mark.parametrize("data", [modes(), modes(sizes=0 * SIZES)], ids=["waves", "zero"])
def test_one_mode_has_spectra_beside_the_lines_of_waves(data):
    figure = drawn(data.isel(mode=[1]))
    below = figure.axes[1]
    assert below.get_yscale() == ("log" if data["amplitude"].any() else "linear")
    waves = [line.get_xdata()[0] for line in below.lines if line.get_linestyle() == "--"]
    np.testing.assert_allclose(np.sort(waves), [-OMEGA[1], OMEGA[1]], rtol=1e-14)
    assert "dashed" in below.get_title()


def points(times=200) -> xr.Dataset:
    """Three quantities at two points."""
    time = 0.1 * np.arange(times)
    values = np.stack([np.cos(time), np.sin(2 * time), np.cos(3 * time)], axis=1)
    places = {axis: ("point", [0.0, 1.0]) for axis in "xyz"}
    return xr.Dataset(
        {"value": (("time", "quantity", "point"), np.repeat(values[:, :, None], 2, axis=2))},
        {"time": time, "quantity": ["u.x", "log(u.x)", "1/u.y"], "point": [0, 1]} | places,
    )


def test_a_value_that_is_not_finite_costs_no_series():
    """Rows at the ends are cut, a few values bridged, and what is hardly ever finite is left out."""
    data = points()
    value = data["value"].values
    value[0, 0] = np.nan
    value[:150, 1] = np.nan
    value[100, 2, 1] = np.inf
    found, notes = finite_part(data)
    assert found["quantity"].values.tolist() == ["u.x", "1/u.y"]
    assert found.sizes["time"] == 199
    assert found["value"].values[99, 1, 1] == pytest.approx((value[99, 2, 1] + value[101, 2, 1]) / 2)
    np.testing.assert_array_equal(found["value"].values[:, 0], value[1:, 0])
    assert notes == [
        "log(u.x) is not finite in 150 of 200 rows, and is left out.",
        "1 row at an end is left out, where a quantity is not finite.",
        "1 value is not finite, and bridged by straight lines in time.",
    ]
    for draw in (draw_probe, draw_probe_correlation):
        figure = draw(data, case_of([]))
        FigureCanvasAgg(figure).draw()
        assert figure._supxlabel.get_text() == "\n".join(notes)
    whole = points()
    assert finite_part(whole)[0] is whole
    value[...] = np.nan
    with pytest.raises(CaseError, match="no quantity of the probe is finite"):
        finite_part(data)

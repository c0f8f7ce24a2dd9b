"""What the picture of a run tells: units, parameters, errors of mean spectra, slopes, logarithmic graphs."""

import numpy as np
import pytest
import xarray as xr
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from support.run_files import add_spectra, make_run, write_snapshot
from whorl.config.case import Case
from whorl.models import MODELS
from whorl.models.base import Curves
from whorl.models.viscous import ViscousFlow
from whorl.output.means import mean_of
from whorl.pictures.run import compared, draw, draw_curves, draw_window, picture_of, reynolds_of, run_picture
from whorl.pictures.spectra import NOT_KNOWN, NOT_RELIABLE, draw_mean_spectra, draw_spectra, forced_band
from whorl.pictures.style import STYLE
from whorl.results.as_text import told as told_mean
from whorl.results.averages import Averages
from whorl.results.runs import open_run

VISCOUS = {"flow": {"viscosity": 0.1}, "time": {"until": 1}}


def test_axes_have_the_units_of_columns_spectra_and_fields(tmp_path):
    run = make_run(tmp_path / "run")
    add_spectra(run, [[0.0, 1.0, 0.5, 0.1], [0.0, 0.9, 0.5, 0.2]])
    write_snapshot(run.snapshot_path(7), 0.7)
    with rc_context(STYLE):
        figure = draw(open_run(run.path), "run")
    energy, dissipation, plane, spectra = figure.axes
    (bar,) = plane.child_axes
    assert (plane.get_xlabel(), plane.get_ylabel(), bar.get_ylabel()) == (
        "x  [length]", "y  [length]", "|ω|  [1/time]",
    )  # fmt: skip
    assert [(ax.get_xlabel(), ax.get_ylabel()) for ax in (energy, dissipation)] == [
        ("t  [time]", "[length²/time²]"),
        ("t  [time]", "[length²/time³]"),
    ]
    assert spectra.get_xlabel() == "k  [1/length]"
    assert spectra.get_ylabel() == "[length²/time²]"


def test_without_a_snapshot_the_graphs_fill_the_page(tmp_path):
    run, told = make_run(tmp_path / "run"), []
    add_spectra(run, [[0.0, 1.0, 0.5, 0.1], [0.0, 0.9, 0.5, 0.2]])
    with rc_context(STYLE):
        figure = run_picture(open_run(run.path), tell=told.append)
        FigureCanvasAgg(figure).draw()
    places = [ax.get_position() for ax in figure.axes]
    assert len(places) == 3
    assert min(place.x0 for place in places) < 0.08
    assert max(place.x1 for place in places) > 0.95
    (line,) = told
    assert "output.snapshot_every" in line


def test_curves_of_several_units_have_these_in_the_legend():
    units = {"energy": "length²/time²", "thermal_variance": "1"}
    series = xr.Dataset(
        {name: ("time", np.arange(1.0, 4.0), {"units": unit}) for name, unit in units.items()},
        {"time": np.arange(3.0)},
    )
    ax = Figure().subplots()
    curves = Curves("both", (("energy", "½|u|²"), ("thermal_variance", "½|θ|²")))
    draw_curves(ax, series, curves, {"½|u|²": "red", "½|θ|²": "blue"})
    assert ax.get_ylabel() == ""
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["½|u|²  [length²/time²]", "½|θ|²"]


def series_of(**columns):
    time = np.linspace(0, 10, 101)
    return xr.Dataset({name: ("time", one(time)) for name, one in columns.items()}, {"time": time})


@pytest.mark.parametrize(
    ("magnetic", "scale"),
    [
        (lambda t: 1e-4 * np.exp(0.5 * t), "log"),  # a dynamo
        (lambda t: 0.02 + 0 * t, "linear"),
        (lambda t: 0.02 + 2 * np.exp(-(((t - 5) / 0.1) ** 2)), "linear"),  # beside one peak
        (lambda t: 1e-14 + 0 * t, "linear"),  # rounding
        (lambda t: 0 * t, "linear"),
        (lambda t: np.minimum(t, 1.0), "linear"),  # from nothing, soon seen
        (lambda t: 1e-3 * np.sin(t), "linear"),  # of both signs
    ],
)
def test_a_graph_is_logarithmic_where_a_curve_would_be_lost(magnetic, scale):
    series = series_of(energy=lambda t: 0.3 + 0.1 * np.cos(t), magnetic_energy=magnetic)
    curves = Curves("Energy", (("energy", "kinetic"), ("magnetic_energy", "magnetic")))
    ax = Figure().subplots()
    draw_curves(ax, series, curves, {"kinetic": "red", "magnetic": "blue"})
    assert ax.get_yscale() == scale
    if scale == "log":
        assert ax.get_ylim()[0] > 1e-5


def case_of(**sections):
    return Case(**{"grid": {"points": 16}} | VISCOUS | sections)


LONG = [8 * np.pi, 2 * np.pi, 2 * np.pi]
BAND = {"kind": "stochastic", "k_min": 6.0, "k_max": 8.0, "power": 1.0, "correlation_time": 0.0}


@pytest.mark.parametrize(
    ("forcing", "grid", "band"),
    [
        ([], {}, None),
        ([BAND], {}, (6.0, 8.0)),
        ([BAND], {"lengths": 4 * np.pi}, (3.0, 4.0)),
        ([BAND, {"kind": "constant-power", "power": 1.0}], {}, (0.0, 8.0)),
        ([{"kind": "linear", "rate": 1.0}], {}, None),
        ([{"kind": "steady", "shape": {"name": "kolmogorov", "k_f": 4}}], {}, (4.0, 4.0)),
        ([{"kind": "steady", "shape": {"name": "kolmogorov", "k_f": 4}}], {"lengths": LONG}, (4.0, 4.0)),
        ([{"kind": "steady", "shape": {"name": "taylor-green"}}], {}, None),
    ],
)
def test_the_band_of_forces(forcing, grid, band):
    found = forced_band(case_of(forcing=forcing, grid={"points": 32} | grid))
    assert found == (None if band is None else pytest.approx(band))


def test_forces_of_scalars_tell_nothing_of_the_energy():
    force = {"kind": "linear", "field": "dye", "rate": 1.0, "k_min": 1.0, "k_max": 2.0}
    assert forced_band(case_of(scalars=[{"name": "dye"}], forcing=[force])) is None


def laws_of(ax) -> list[tuple[np.ndarray, np.ndarray]]:
    """The slopes of a graph, by their places."""
    return [line.get_data() for line in ax.lines if line.get_color() == "0.45"]


def spectra_of(*energies) -> xr.Dataset:
    count = len(energies[0])
    data = {"energy": (("time", "k"), np.array(energies))}
    return xr.Dataset(data, {"time": np.arange(len(energies), dtype=float), "k": np.arange(float(count))})


def test_slopes_of_plane_flow_are_on_either_side_of_the_force():
    k = np.arange(65.0)
    with np.errstate(divide="ignore"):
        energy = np.where(k < 12, k ** (-5 / 3), 12 ** (4 / 3) * k**-3.0)
    energy[0] = 0.0
    ax, picture = Figure().subplots(), MODELS["navier-stokes-2d"].picture
    draw_spectra(ax, spectra_of(energy), picture, 64.0, forced=(10.0, 12.0))
    beyond, below = laws_of(ax)
    assert (beyond[0][[0, -1]].tolist(), below[0][[0, -1]].tolist()) == ([12.0, 64.0], [1.0, 10.0])
    for (place, values), power in ((beyond, -3), (below, -5 / 3)):
        np.testing.assert_allclose(values / place**power, values[0] / place[0] ** power)
        assert (values > energy[place.astype(int)]).all()
    told = [text.get_text() for text in ax.get_legend().get_texts()]
    assert told == ["t = 0", "$k^{-3}$", "$k^{-5/3}$"]
    ax = Figure().subplots()
    draw_spectra(ax, spectra_of(energy), picture, 64.0)
    ((place, _),) = laws_of(ax)
    assert place[0] < 10.0  # from where the energy is largest, or where the spectrum comes near the slope


def test_a_slope_ends_where_the_spectrum_has_left_it():
    k = np.arange(31.0)
    energy = np.where(k > 0, np.maximum(k, 1) ** (-5 / 3) * np.exp(-k / 2), 0.0)
    ax = Figure().subplots()
    draw_spectra(ax, spectra_of(energy), ViscousFlow.picture, 30.0)
    ((place, values),) = laws_of(ax)
    assert (energy[place.astype(int)] > values / 10).all()
    assert place[-1] < 10


def test_the_law_of_the_inertial_range_needs_one():
    picture, plane = ViscousFlow.picture, MODELS["navier-stokes-2d"].picture
    assert compared(picture, 29.0).slope is None
    for reynolds in (30.0, np.nan):
        assert compared(picture, reynolds) is picture
    assert compared(plane, 1.0) is plane
    series = series_of(R_lambda=lambda t: t)
    assert reynolds_of(case_of(), series) == 10
    mean = Averages(2.0, 8.0, 60, "", {"R_lambda": mean_of(np.arange(9.0), np.arange(9.0))}, xr.Dataset(), ())
    assert reynolds_of(case_of(), series, mean) == pytest.approx(4)
    assert np.isnan(reynolds_of(case_of(grid={"points": (8, 8, 1)}), series))
    assert np.isnan(reynolds_of(case_of(), series_of(energy=lambda t: t)))


def test_spectra_and_variances_of_scalars_are_told_in_full():
    """A scalar may have any unit: its axis has the symbol instead."""
    case = case_of(scalars=[{"name": "dye", "schmidt": 1.0}], output={"fields": ["dye"]})
    picture, ax = compared(picture_of(case), 1.0), Figure().subplots()
    states = spectra_of([0.0, 1.0, 0.5, 0.1], [0.0, 0.9, 0.5, 0.2])
    states["dye_variance"] = 0.5 * states["energy"]
    draw_spectra(ax, states, picture, 4.0)
    assert [text.get_text() for text in ax.get_legend().get_texts()][-2:] == ["E(k), t = 1", "dye, t = 1"]
    ax = Figure().subplots()
    draw_curves(ax, series_of(dye_variance=lambda t: t), picture.curves[1], {"dye": "red"})
    assert ax.get_ylabel() == "½⟨θ²⟩"


def averages(samples) -> Averages:
    k, error = np.arange(5.0), np.array([0.0, 0.1, 0.02, 0.01, 0.002])
    energy = np.array([0.0, 1.0, 0.5, 0.1, 0.01])
    spectra = xr.Dataset({"energy": ("k", energy, {"units": "length²/time²"})}, {"k": k})
    spectra["energy_error"], spectra["energy_samples"] = ("k", error), ("k", np.array(samples))
    return Averages(5.0, 65.0, 600, "", {}, spectra, ())


def test_means_are_told_in_the_legend_where_there_is_one():
    mean = {name: mean_of(np.arange(9.0), np.arange(9.0) % 4) for name in ("energy", "magnetic_energy")}
    window = Averages(2.0, 8.0, 60, "", mean, xr.Dataset(), ())
    series = series_of(energy=lambda t: 0.3 + 0 * t, magnetic_energy=lambda t: 0.1 + 0 * t)
    curves = Curves("Energy", (("energy", "kinetic"), ("magnetic_energy", "magnetic")))
    ax, alone = Figure().subplots(1, 2)
    draw_curves(ax, series, curves, {"kinetic": "red", "magnetic": "blue"})
    draw_window(ax, window, {"energy": "red", "magnetic_energy": "blue"})
    told = mean["energy"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        f"{name},  mean {told_mean(told)}" for name in ("kinetic", "magnetic")
    ]
    assert not ax.texts
    draw_curves(alone, series, Curves("Energy", (("energy", ""),)), {"energy": "red"})
    draw_window(alone, window, {"energy": "red"})
    assert [text.get_text() for text in alone.texts] == [f"mean  {told_mean(told)}"]


def test_errors_of_mean_spectra_are_seen_below_them():
    figure = Figure(layout="constrained")
    ax, strip = figure.subplots(2, 1, sharex=True)
    draw_mean_spectra(ax, strip, averages([99.0, 12.0, 19.9, 20.0, 40.0]), ViscousFlow.picture, 4.0)
    FigureCanvasAgg(figure).draw()
    curve, few = strip.lines
    np.testing.assert_allclose(curve.get_ydata(), [10.0, 4.0, 10.0, 20.0])
    assert few.get_xdata().tolist() == [1.0, 2.0]
    assert few.get_markerfacecolor() == "white"
    assert strip.get_title(loc="right") == NOT_RELIABLE
    assert (strip.get_ylabel(), strip.get_xlabel(), ax.get_xlabel()) == ("error  [%]", "k  [1/length]", "")
    assert ax.get_legend().get_texts()[0].get_text() == "mean of t = 5 to 65"
    figure = Figure()
    ax, strip = figure.subplots(2, 1, sharex=True)
    draw_mean_spectra(ax, strip, averages([99.0, 20.0, 21.0, 30.0, 40.0]), ViscousFlow.picture, 4.0)
    assert strip.get_title(loc="right") == ""
    assert not strip.texts
    unknown = averages([99.0, 20.0, 21.0, 30.0, 40.0])
    unknown.spectra["energy_error"][:] = np.nan
    ax, strip = Figure().subplots(2, 1, sharex=True)
    draw_mean_spectra(ax, strip, unknown, ViscousFlow.picture, 4.0)
    assert [text.get_text() for text in strip.texts] == [NOT_KNOWN]

"""Snapshots through xarray, and the plot, from files made here."""

import os
import re

import h5py
import numpy as np
import pytest
import xarray as xr
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from support.examples import FULL
from support.run_files import SHAPE, add_spectra, make_run, write_snapshot
from whorl.base.errors import CaseError
from whorl.base.text import in_powers
from whorl.cli.templates import example_case
from whorl.config.case import Case, Grid
from whorl.config.measures import series_columns, spectra_columns
from whorl.models import MODELS
from whorl.models.base import Curves
from whorl.models.viscous import ViscousFlow
from whorl.output.directory import RunDirectory
from whorl.output.series import Series
from whorl.output.snapshots import SnapshotBackend, open_snapshot
from whorl.output.spectra import Spectra
from whorl.pictures import plot
from whorl.pictures.run import draw, draw_curves, page, picture_of, resolved
from whorl.pictures.slices import edges, plane_of
from whorl.pictures.spectra import colors_of, draw_spectra
from whorl.pictures.style import STYLE, rounded
from whorl.results.runs import open_run


@pytest.fixture
def run(tmp_path):
    return make_run(tmp_path / "run")


def is_png(path):
    return path.read_bytes().startswith(b"\x89PNG")


def test_a_snapshot_opens_lazily_with_its_coordinates(tmp_path):
    path = tmp_path / "00000007.vtkhdf"
    values = write_snapshot(path, 0.25)
    data = open_snapshot(path)
    assert data["velocity"].dims == ("z", "y", "x", "component")
    assert data["velocity"].dtype == np.float32
    assert float(data["time"]) == 0.25
    np.testing.assert_array_equal(data["x"], 0.5 * np.arange(8))
    np.testing.assert_array_equal(data["z"], 2.0 * np.arange(4))
    np.testing.assert_array_equal(data["velocity"].sel(component="y").isel(z=2), values[2, :, :, 1])
    np.testing.assert_array_equal(
        data["velocity"].isel(x=slice(None, None, -2), z=[3, 0]), values[[3, 0], :, ::-2]
    )
    path.unlink()
    with pytest.raises(OSError, match="00000007"):
        data["vorticity"].load()


def test_xarray_takes_the_backend_and_drops_variables(tmp_path):
    write_snapshot(tmp_path / "a.vtkhdf", 0.0)
    data = xr.open_dataset(tmp_path / "a.vtkhdf", engine=SnapshotBackend, drop_variables=["velocity"])
    assert list(data.data_vars) == ["vorticity"]
    data = xr.open_dataset(tmp_path / "a.vtkhdf", engine=SnapshotBackend, drop_variables="velocity")
    assert list(data.data_vars) == ["vorticity"]
    assert SnapshotBackend().guess_can_open(tmp_path / "a.vtkhdf")
    assert not SnapshotBackend().guess_can_open("a.nc")


def test_open_run_gives_everything(run):
    add_spectra(run, [[0.0, 1.0, 0.5]] * 2)
    write_snapshot(run.snapshot_path(7), 0.7)
    results = open_run(run.path)
    assert results.series.sizes["time"] == 5
    assert results.spectra.sizes["time"] == 2
    assert results.snapshots["time"].values.tolist() == [0.7]
    assert results.checkpoints == []


def test_the_picture_of_a_whole_run(run):
    add_spectra(run, [[0.0, 1.0, 0.5, 0.1], [0.0, 0.9, 0.5, 0.2]])
    write_snapshot(run.snapshot_path(7), 0.7)
    assert plot(run.path) == run.path / "plot.png"
    assert is_png(run.path / "plot.png")


def pixel_middles(image):
    """Where the pixels of a picture have their middles, along x and up."""
    left, right, bottom, top = image.get_extent()
    rows, columns = image.get_array().shape
    across, up = (right - left) / columns, (top - bottom) / rows
    return left + across * (np.arange(columns) + 0.5), bottom + up * (np.arange(rows) + 0.5)


def test_pixels_of_a_periodic_plane_have_their_middles_at_the_points(run):
    """So the box shows half the first pixels, and the other half at its end."""
    values = write_snapshot(run.snapshot_path(7), 0.7)
    with rc_context(STYLE):
        figure = draw(open_run(run.path), "run")
    (image,) = (image for ax in figure.axes for image in ax.images)
    across, up = pixel_middles(image)
    np.testing.assert_allclose(across, 0.5 * np.arange(9))
    np.testing.assert_allclose(up, 1.0 * np.arange(7))
    assert (image.axes.get_xlim(), image.axes.get_ylim()) == ((0, 4), (0, 6))
    shown = np.linalg.norm(values[-1], axis=-1)  # of the liveliest plane
    np.testing.assert_allclose(image.get_array()[:-1, :-1], shown)
    np.testing.assert_allclose(image.get_array()[-1], [*shown[0], shown[0, 0]])
    np.testing.assert_allclose(image.get_array()[:, -1], [*shown[:, 0], shown[0, 0]])


def test_between_walls_the_pixels_fill_the_box():
    """Points there begin half a spacing from the wall; the mean profile is added where they are."""
    grid = Case(
        grid={"points": [8, 6, 4], "lengths": [4.0, 6.0, 1.0], "bases": "SFF"},
        flow={"model": "rayleigh-benard", "rayleigh": 1e4, "prandtl": 1.0},
        time={"until": 1},
    ).grid
    z = (np.arange(4) + 0.5) / 4
    field = xr.DataArray(
        np.zeros(SHAPE),
        dims=("z", "y", "x"),
        coords={"z": z, "y": np.arange(6.0), "x": 0.5 * np.arange(8)},
    )
    plane = plane_of(field, MODELS["rayleigh-benard"].picture.slices[0], grid)
    assert plane.sizes == {"z": 4, "x": 9}
    assert edges(plane["z"]) == (0.0, 1.0)
    assert edges(plane["x"]) == (-0.25, 4.25)
    np.testing.assert_allclose(plane.sel(x=4.0), 1 - z)


@pytest.mark.parametrize("energies", [None, [[0.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]]])
def test_the_picture_of_a_run_with_little_in_it(run, tmp_path, energies):
    if energies:
        add_spectra(run, energies)
    assert is_png(plot(run.path, output=tmp_path / "picture.png"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"kind": "prob"}, "kind = prob is no kind of picture; did you mean probe?"),
        ({"kind": "probe"}, "plot of kind probe needs name"),
        ({"kind": "particle-statistics", "name": "t"}, "needs statistics"),
    ],
)
def test_a_picture_that_cannot_be_is_refused(run, arguments, words):
    with pytest.raises(CaseError, match=re.escape(words)):
        plot(run.path, **arguments)


def test_a_picture_needs_rows(run):
    run.series.unlink()
    with pytest.raises(CaseError, match="no rows"):
        plot(run.path)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", ["is a directory", "plot.png"]),
        ("picture.jpg", ["picture.jpg must end in .png, .pdf or .svg", "picture.png"]),
        ("picture", ["picture must end in .png, .pdf or .svg", "picture.png"]),
        ("none/picture.png", ["picture.png cannot be written: there is no directory", "make it first"]),
    ],
)
def test_a_picture_that_cannot_be_written_is_refused(run, tmp_path, name, words):
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(CaseError) as caught:
        plot(run.path, output=tmp_path / name)
    for word in words:
        assert word in str(caught.value)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(("name", "begin"), [("a.png", b"\x89PNG"), ("a.PDF", b"%PDF"), ("a.svg", b"<?xml")])
def test_a_picture_is_what_its_name_ends_in(run, tmp_path, name, begin):
    assert plot(run.path, output=tmp_path / name).read_bytes().startswith(begin)


def test_a_wide_slice_has_the_width_of_the_page_and_a_tall_one_less():
    """As it lies on the page once the layout is made; its share of the page is what it is for."""

    def share(aspect):
        figure, of_slice, *_ = page(aspect)
        of_slice.set(aspect="equal", xlim=(0, aspect), ylim=(0, 1))
        FigureCanvasAgg(figure).draw()
        box = of_slice.get_position().transformed(of_slice.figure.transSubfigure)
        place = of_slice.get_window_extent()
        return (
            place.width * place.height / (figure.bbox.width * figure.bbox.height),
            place.width / figure.bbox.width,
            box,
        )

    assert share(4.0)[1] > 0.8
    assert share(2.0)[0] > 0.3
    assert share(1.0)[1] < 0.5
    assert share(0.3)[0] > 0.05


@pytest.mark.parametrize(
    ("time", "span", "told"),
    [
        (0.9949, 1.0, "0.99"),
        (1.0000000001, 8.0, "1"),
        (1.0134, 4.0, "1"),
        (12.345, 20.0, "12.3"),
        (20.0, 20.0, "20"),
        (1234.5, 5000.0, "1234"),
        (0.00123456, 0.002, "0.00123"),
        (0.0, 0.0, "0"),
        (100.0, 400.0, "100"),
    ],
)
def test_times_are_told_as_people_do(time, span, told):
    assert rounded(time, span) == told


def test_fields_of_any_number_of_components(tmp_path):
    """One component has no last dimension, two are parts of ψ; scalars have their own names."""
    case = Case(
        grid={"points": [8, 6, 4]},
        flow={"viscosity": 0.1},
        time={"until": 1},
        scalars=[{"name": "dye"}, {"name": "salt"}],
    )
    path = tmp_path / "00000007.vtkhdf"
    write_snapshot(path, 0.0, names=("velocity",))
    with h5py.File(path, "r+") as file:
        file.attrs["case"] = case.to_toml()
        file.attrs["version"] = 1  # whose scalars are numbered
        file["VTKHDF/PointData/scalar1"] = np.full(SHAPE, 2.0)
        file["VTKHDF/PointData/psi"] = np.zeros((*SHAPE, 2))
    data = open_snapshot(path)
    assert set(data.data_vars) == {"velocity", "salt", "psi"}
    assert data["salt"].dims == ("z", "y", "x")
    assert data["psi"].dims == ("z", "y", "x", "part")
    assert list(data["part"].values) == ["real", "imaginary"]
    assert data["velocity"].attrs["units"] == "length/time"
    assert float(data["salt"].max()) == 2.0


def test_a_flat_snapshot_has_no_z(tmp_path):
    path = tmp_path / "00000007.vtkhdf"
    write_snapshot(path, 0.0, names=())
    with h5py.File(path, "r+") as file:
        file["VTKHDF"].attrs["WholeExtent"] = [0, 7, 0, 5, 0, 0]
        file["VTKHDF/PointData/vorticity"] = np.zeros((6, 8))
        file["VTKHDF/PointData/velocity"] = np.zeros((6, 8, 3))
    data = open_snapshot(path)
    assert data["vorticity"].dims == ("y", "x")
    assert data["velocity"].dims == ("y", "x", "component")


# Models with a picture by default: one of all parts, a plane, walls, densities without a velocity.
DRAWN = ("mhd", "navier-stokes-2d", "rayleigh-benard", "gross-pitaevskii")


@pytest.mark.parametrize("name", sorted(MODELS))
def test_the_picture_of_every_model(tmp_path, name):
    """From files with something in each column, spectrum and field."""
    case = example_case(MODELS[name])
    flat = case.grid.points[2] == 1
    case = case.updated([f"grid.points=[8, 6, {1 if flat else 4}]"])
    directory = RunDirectory(tmp_path / "run")
    directory.create(case)
    series = Series(series_columns(case), directory.series)
    series.resume([])
    for step in range(3):
        values = {column.name: 1.0 + step for column in series.columns}
        series.append(values | {"step": step, "time": 0.1 * step})
    spectra = Spectra(spectra_columns(case), directory.spectra)
    for step in range(2):
        shells = {column.name: np.array([0.0, 1.0, 0.5, 0.1]) for column in spectra.columns}
        spectra.append(0.1 * step, step, np.arange(4.0), shells)
    points = SHAPE[1:] if flat else SHAPE
    with h5py.File(directory.snapshot_path(7), "w") as file:
        file.attrs.update({"time": 0.2, "step": 7, "case": case.to_toml()})
        image = file.create_group("VTKHDF")
        image.attrs.update({"WholeExtent": [0, 7, 0, 5, 0, 0 if flat else 3], "Origin": [0.0] * 3})
        image.attrs["Spacing"] = [1.0, 1.0, 1.0]
        for field in case.output.fields:
            components = case.flow.outputs[field].components
            shape = points if components == 1 else (*points, components)
            image[f"PointData/{field}"] = np.random.default_rng(1).standard_normal(shape)
    run = open_run(directory.path)
    if name in DRAWN or FULL in os.environ:
        assert is_png(plot(directory.path))
    with rc_context(STYLE):
        figure = draw(run, "run")
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    picture = case.flow.picture
    assert {curves.title for curves in picture.curves} <= set(titles)
    assert picture.spectra_title in titles
    place = ", t =" if flat else "   at"
    assert any(title.startswith(f"{picture.slices[0].title}{place}") for title in titles)
    assert case.flow.headline() in figure.get_suptitle()
    assert "t = 0 to 0.2" in figure.get_suptitle()


@pytest.mark.parametrize(
    ("model", "title"),
    [
        ("boussinesq", "Density anomaly  θ"),
        ("rayleigh-benard", "Temperature  T"),
        ("gross-pitaevskii", "Density  |ψ|²"),
        ("navier-stokes", "Vorticity  |ω|"),
    ],
)
def test_a_slice_is_named_after_what_it_shows(model, title):
    """θ of stratified flow is heavy where positive, and |ψ|² is no wavefunction."""
    assert example_case(MODELS[model]).flow.picture.slices[0].title == title


@pytest.mark.parametrize("name", sorted(MODELS))
def test_a_label_has_one_colour_in_all_graphs(name):
    picture = example_case(MODELS[name]).flow.picture
    colors = colors_of(picture)
    for curves in (*picture.curves, Curves("", picture.spectra[1:])):
        shown = [colors[label or column] for column, label in curves.columns]
        assert len(set(shown)) == len(shown)
    alone = [curves.columns[0] for curves in picture.curves if len(curves.columns) == 1]
    assert len({colors[label or column] for column, label in alone}) == len(alone)


def test_all_scalars_are_drawn_each_in_one_colour():
    """In the graph of variances and among the spectra, more scalars than there are colours."""
    names = ["ink", "milk", "salt", "smoke", "sugar"]
    case = Case(
        grid={"points": [8, 6, 4]},
        flow={"viscosity": 0.1},
        time={"until": 1},
        scalars=[{"name": name} for name in names],
        output={"fields": ["milk"]},
    )
    picture = picture_of(case)
    colors = colors_of(picture)
    figure = Figure()
    axes = figure.subplots(1, 2)
    times = {"time": ("time", np.arange(3.0))}
    series = xr.Dataset({name: ("time", np.ones(3)) for name, _ in picture.curves[1].columns}, times)
    draw_curves(axes[0], series, picture.curves[1], colors)
    shown = {line.get_label(): line.get_color() for line in axes[0].lines if line.get_label() in names}
    assert shown == {name: colors[name] for name in names}
    assert len({shown[name] for name in names[:3]} | {colors["energy"]}) == 4
    assert [label for _, label in picture.spectra[1:]] == ["milk", "ink", "salt", "smoke", "sugar"]


def test_the_legend_of_the_spectra_covers_nothing():
    """It stands below the axis and its label, and is no wider, with long labels too."""
    energy = ("time", "k"), np.array([[0.0, 1.0, 0.5, 0.1 * step] for step in range(1, 9)])
    times = 0.125 * np.arange(8)
    data = dict.fromkeys(("kinetic_incompressible", "kinetic_compressible"), energy)
    figure = Figure(figsize=(7, 3.5), layout="constrained")
    ax, superfluid = figure.subplots(), MODELS["gross-pitaevskii"].picture
    draw_spectra(ax, xr.Dataset(data, {"time": times, "k": np.arange(4.0)}), superfluid, 9.0)
    FigureCanvasAgg(figure).draw()
    legend, axes = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert axes.width > 0.8 * figure.bbox.width
    assert legend.width < axes.width
    assert legend.y1 <= ax.xaxis.label.get_window_extent().y0 + 1
    assert not legend.overlaps(axes)
    assert legend.y0 >= 0


def test_shells_beyond_the_largest_sphere_are_left_out():
    """Those hold the corners of the box of modes alone."""
    grid = Grid(points=(24, 12, 16), lengths=(2 * np.pi, 2 * np.pi, 4 * np.pi))
    assert resolved(grid) == pytest.approx(8 / 3)
    data = {"energy": (("time", "k"), np.ones((1, 8)))}
    ax = Figure().subplots()
    draw_spectra(ax, xr.Dataset(data, {"time": [0.0], "k": np.arange(8.0) / 2}), ViscousFlow.picture, 8 / 3)
    assert ax.lines[0].get_xdata().tolist() == [0.5, 1.0, 1.5, 2.0, 2.5]


def test_a_spectrum_far_below_the_others_is_not_in_the_legend():
    """And the slope lies just above the last spectrum, wherever the earlier ones are."""
    k = np.arange(12.0)
    last = np.where(k > 0, np.maximum(k, 1) ** -2.0, 0.0)
    data = {"energy": (("time", "k"), [1e-40 * last, 100 * last, last])}
    ax = Figure().subplots()
    draw_spectra(ax, xr.Dataset(data, {"time": [0.0, 1.0, 2.0], "k": k}), ViscousFlow.picture, 12.0, 2.0)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["t = 1", "t = 2", "$k^{-5/3}$"]
    (slope,) = (line for line in ax.lines if line.get_linestyle() == "--")
    np.testing.assert_allclose(slope.get_ydata(), 1.6 * k[1:11] ** (-5 / 3))


@pytest.mark.parametrize(
    ("number", "printed"),
    [(3e6, "3·10⁶"), (1e8, "10⁸"), (-2.5e-7, "-2.5·10⁻⁷"), (1e-12, "10⁻¹²"), (12345.0, "12345"), (0, "0")],
)
def test_large_and_small_numbers_have_powers_of_ten(number, printed):
    assert in_powers(number) == printed


@pytest.mark.parametrize("name", ["rayleigh-benard", "boussinesq", "gross-pitaevskii", "quasi-static-mhd"])
def test_no_slope_where_none_is_known(name):
    assert MODELS[name].picture.slope is None

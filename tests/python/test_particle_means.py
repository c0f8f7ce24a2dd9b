"""Statistics of particles of a run from its files: kinds, windows, scales, pictures, mistakes."""

import numpy as np
import pytest
import xarray as xr
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from support.build import needs
from support.diagnostic_files import case_of
from support.paths import BOX, dataset, made, ornstein_uhlenbeck
from whorl.base.errors import CaseError
from whorl.particles.draw.paths import draw_over_slice
from whorl.particles.draw.statistics import DRAWN, draw_particle_means
from whorl.particles.results.means import KINDS, average_particles
from whorl.particles.results.path_series import differences, tracks
from whorl.particles.results.separations import pairs, tetrahedra
from whorl.results.runs import RunResults

pytestmark = needs("hdf5")

TIMES, DT, DISSIPATION = 400, 0.1, 1.6
GROUP = {"kind": "tracer", "name": "cloud", "count": 60, "of": ["u"]}


class Made(RunResults):
    """A run whose series, particles and snapshots are made up."""

    def __init__(self, particles, snapshots=None, **sections):
        super().__init__("made", case_of([], particles=[GROUP], **sections))
        object.__setattr__(self, "_particles", particles)
        object.__setattr__(self, "_snapshots", snapshots)

    @property
    def particles(self):
        return self._particles

    @property
    def snapshots(self):
        return self._snapshots

    def rows_of_window(self, start):
        """A stationary flow of ν = 0.1, with rows more often than those of the particles."""
        time = 0.05 * np.arange(2 * TIMES)
        noise = np.random.default_rng(1).standard_normal((3, len(time)))
        told = {"units": "1", "long_name": "made up"}
        columns = {
            "energy": 1.5 + 0.1 * noise[0],
            "dissipation": DISSIPATION + 0.01 * noise[1],
            "kolmogorov_time": np.full(len(time), np.sqrt(0.1 / DISSIPATION)),
        }
        data = {name: ("time", one, told) for name, one in columns.items()}
        return xr.Dataset(data | {"step": ("time", np.arange(len(time)))}, {"time": time})


@pytest.fixture(scope="module")
def run():
    x, v = ornstein_uhlenbeck(60, TIMES, DT, 0.7)
    return Made({"cloud": dataset(x, DT, v)})


@pytest.fixture(scope="module")
def found(run):
    return average_particles(run, "cloud", start=10.0)


@pytest.mark.long("its averages are those of the whole file")
def test_all_kinds_that_the_particles_have_are_found(found):
    known = ["dispersion", "velocity", "acceleration", "structure-functions", "clustering", "uniformity"]
    assert list(found.means) == known
    assert found.start == pytest.approx(10.0)
    assert found["velocity"].attrs["states"] == 300
    table = str(found)
    for told in ("mean_integral_time", "C0_lag_over_kolmogorov_time", "a0", "dimension"):
        assert told in table
    assert "nan" not in table
    remarks = " ".join(found.remarks())
    assert "Scales: ε = 1.6, the mean 2νZ of the series in the window, ν = 0.1, τ_η = 0.25," in remarks
    assert "Velocity: u as read." in remarks
    assert "Acceleration: differences of the velocity along the paths, of fourth order in time." in remarks


def test_every_number_has_an_error_and_samples_and_units(found):
    for data in found.means.values():
        for name, array in data.data_vars.items():
            assert array.attrs["units"]
            assert array.attrs["long_name"]
            if not name.endswith(("_error", "_samples")) and f"{name}_error" in data:
                assert data[f"{name}_error"].dims == data[f"{name}_samples"].dims == array.dims
    alone = {name for data in found.means.values() for name in data.data_vars if f"{name}_error" not in data}
    assert {one for one in alone if not one.endswith(("_error", "_samples"))} == {
        *("ballistic", "diffusive", "chi_squared", "probability")
    }


def test_normalised_numbers_are_those_of_the_series(found):
    velocity, acceleration = found["velocity"], found["acceleration"]
    time = float(velocity["mean_integral_time"]) / np.sqrt(0.1 / DISSIPATION)
    assert float(velocity["integral_time_over_kolmogorov_time"]) == pytest.approx(time, rel=1e-12)
    square = float(acceleration["mean_variance"])
    unit = DISSIPATION**1.5 * 0.1**-0.5
    assert float(acceleration["a0"]) == pytest.approx(square / unit, rel=0.02)


@pytest.mark.parametrize("known", ["u", "own velocity", "positions"])
def test_the_energy_of_particles_is_that_in_the_frame_of_the_mean_velocity(known):
    """It carries particles, and is neither in u nor in the energy of the flow."""
    x, v = ornstein_uhlenbeck(60, TIMES, DT, 0.7)
    frame = np.array([3.0, -2.0, 0.5])

    def ratio(carried):
        data = dataset(x + carried * DT * np.arange(TIMES)[:, None, None], DT, v if known == "u" else None)
        if known == "own velocity":
            data["velocity"] = (data["position"].dims, v + carried)
        flow = {"viscosity": 0.1, "mean_velocity": list(carried)}
        found = average_particles(Made({"cloud": data}, flow=flow), "cloud", "velocity")["velocity"]
        return [float(found[f"energy_ratio{end}"]) for end in ("", "_error")]

    np.testing.assert_allclose(ratio(frame), ratio(0 * frame), rtol=1e-9)


def test_means_are_written_and_are_plain_numbers(found, tmp_path):
    path = found.write(tmp_path / "means.h5")
    with xr.open_dataset(path, group="velocity") as data:
        np.testing.assert_array_equal(data["mean_correlation"], found["velocity"]["mean_correlation"])
    plain = found.to_dict()
    assert plain["statistics"]["velocity"]["mean_integral_time"] == float(
        found["velocity"]["mean_integral_time"]
    )
    assert plain["window"]["start"] == pytest.approx(10.0)


def test_statistics_are_a_mapping_and_a_table(found):
    assert list(found) == list(found.means)
    assert "velocity" in found
    frame = found.to_dataframe()
    assert next(iter(frame)) == "statistics"
    row = frame[(frame["statistics"] == "acceleration") & (frame["number"] == "a0")]
    assert (row["mean"].item(), row["error"].item()) == (
        float(found["acceleration"]["a0"]),
        float(found["acceleration"]["a0_error"]),
    )
    assert found.to_csv().startswith("statistics,number,")
    assert found.to_xarray()["velocity"].to_dataset().identical(found["velocity"])


def test_kinds_that_cannot_be_had_are_refused_when_asked_for(run):
    with pytest.raises(CaseError, match="no statistics velocty of particles; did you mean velocity"):
        average_particles(run, "cloud", "velocty")
    with pytest.raises(CaseError, match="not released in tetrahedra"):
        average_particles(run, "cloud", "tetrahedra")
    with pytest.raises(CaseError, match="has no particles clod; did you mean cloud"):
        average_particles(run, "clod")
    with pytest.raises(CaseError, match="has 3 rows in the window, and statistics need 8"):
        average_particles(run, "cloud", start=1.0, end=1.2)
    nearest = average_particles(run, "cloud", "nearest-pairs", start=2.0)
    assert list(nearest.means) == ["nearest-pairs"]


@pytest.mark.parametrize(("start", "left_out"), [(5.0, []), (None, ["1 of 799 rows"])])
def test_a_row_at_rest_costs_no_scale(run, monkeypatch, start, left_out):
    """As the first of a run from rest, with an infinite Kolmogorov time, and one that was spoilt."""
    whole = Made.rows_of_window

    def from_rest(run, first):
        rows = whole(run, first)
        rows["kolmogorov_time"][0] = np.inf
        rows["kolmogorov_time"][40] = np.nan  # t = 2
        return rows

    kinds = ["acceleration", "structure-functions", "velocity"]
    wanted = average_particles(run, "cloud", kinds, start=start or 0.0)
    monkeypatch.setattr(Made, "rows_of_window", from_rest)
    found = average_particles(run, "cloud", kinds, start=start or 0.0)
    for kind, name in zip(kinds, ("a0", "C0", "integral_time_over_kolmogorov_time"), strict=True):
        assert float(found[kind][name]) == pytest.approx(float(wanted[kind][name]), rel=0.01)
    told = [one for one in found.notes if "left out" in one]
    words = [f"{one} of series.csv has no finite dissipation by viscosity, 2νZ, and is" for one in left_out]
    assert [one.replace(" left out.", "") for one in told] == words


def test_without_a_dissipation_numbers_are_not_normalised(run, monkeypatch):
    whole = Made.rows_of_window
    monkeypatch.setattr(
        Made, "rows_of_window", lambda run, start: whole(run, start).drop_vars("kolmogorov_time")
    )
    found = average_particles(run, "cloud", ["acceleration", "structure-functions", "velocity"])
    assert "a0" not in found["acceleration"]
    assert "C0" not in found["structure-functions"]
    assert "energy_ratio" in found["velocity"]
    assert "Without a₀, C₀, T_L/τ_η and Richardson's g: the series has no dissipation" in " ".join(
        found.remarks()
    )
    for kind in ("acceleration", "structure-functions"):
        FigureCanvasAgg(draw_particle_means(kind, found[kind])).draw()


@pytest.mark.parametrize("kind", DRAWN)
def test_every_kind_has_a_picture(found, kind):
    assert set(DRAWN) == set(KINDS)
    data = found.means.get(kind)
    if data is None:
        x, v = ornstein_uhlenbeck(15, TIMES, DT, 0.7)
        away = 0.02 * np.arange(TIMES)[:, None, None] * np.eye(4, 3)[None]  # from each other
        together = np.repeat(x, 4, axis=1) + np.tile(0.1 + away, (1, 15, 1)) * np.tile(np.eye(4, 3), (15, 1))
        tracks = made(together, DT, np.repeat(v, 4, axis=1), scales=(0.1, 1.6, 1.5))
        find = tetrahedra if kind == "tetrahedra" else pairs
        how = {"nearest": True} if kind == "nearest-pairs" else {"separations": [0.1, 0.2, 0.3]}
        data = find(tracks, **how).assign_attrs(
            about=kind, start=10.0, end=40.0, viscosity=0.1, dissipation=1.6
        )
    figure = draw_particle_means(kind, data, "title")
    FigureCanvasAgg(figure).draw()
    assert len(figure.axes) == len(DRAWN[kind])
    for ax in figure.axes:
        assert ax.get_title(loc="left") or ax.get_title()
        drawn = [
            line for line in ax.lines if np.isfinite(np.asarray(line.get_xydata(), float)).all(axis=1).any()
        ]
        assert drawn
    assert not any("no numbers" in text.get_text() for ax in figure.axes for text in ax.texts)


def test_limits_are_drawn_where_they_are_known(found):
    left = draw_particle_means("dispersion", found["dispersion"]).axes[0]
    lines = {line.get_label(): line.get_xydata() for line in left.lines}
    np.testing.assert_allclose(lines["⟨v²⟩ τ²"][:, 1], found["dispersion"]["ballistic"])
    np.testing.assert_allclose(lines["2 ⟨v²⟩ $T_L$ τ"][:, 1], found["dispersion"]["diffusive"])
    np.testing.assert_allclose(lines["all axes"][:, 1], found["dispersion"]["total"])


def test_paths_near_a_slice_are_drawn_over_it():
    """Of particles at all depths those near the plane of the snapshot, up to its time."""
    depth = np.linspace(0, BOX, 40, endpoint=False)
    place = np.zeros((50, 40, 3))
    place[..., 0] = 3 + 0.01 * np.arange(50)[:, None]
    place[..., 1], place[..., 2] = depth, depth
    points = BOX * np.arange(8) / 8
    field = np.ones((1, 8, 8, 8, 3))
    field[:, 0] = 5.0  # the liveliest plane is z = 0
    coordinates = {"time": [2.0], "z": points, "y": points, "x": points, "component": list("xyz")}
    snapshot = xr.Dataset({"vorticity": (("time", "z", "y", "x", "component"), field)}, coordinates)
    figure = draw_over_slice(Made({"cloud": dataset(place, DT)}, snapshot), "cloud", "title")
    FigureCanvasAgg(figure).draw()
    ax = figure.axes[0]
    pieces = [
        one for line in ax.collections if isinstance(line, LineCollection) for one in line.get_segments()
    ]
    ends = np.array([piece[-1] for piece in pieces])
    near = depth[(depth <= BOX / 16 + 1e-9) | (depth >= BOX - BOX / 16 - 1e-9)]
    np.testing.assert_allclose(np.sort(ends[:, 1]), np.sort(near), atol=1e-6)
    np.testing.assert_allclose(ends[:, 0], 3.2, atol=1e-6)
    assert "Paths since t = 0 of the 5 particles" in figure._supxlabel.get_text()
    with pytest.raises(CaseError, match="no snapshot to draw paths over"):
        draw_over_slice(Made({"cloud": dataset(place, DT)}, snapshot.isel(time=slice(0, 0))), "cloud")


def test_particles_with_a_velocity_of_their_own():
    """Neither their velocity nor their acceleration is that of the flow where they are."""
    x, v = ornstein_uhlenbeck(40, 30, DT, 0.7)
    data = dataset(
        x, DT, np.zeros((30, 40, 6)), names=[f"{of}.{axis}" for of in ("u", "acceleration") for axis in "xyz"]
    )
    data["velocity"] = data["position"].dims, v
    found = tracks(data)
    np.testing.assert_array_equal(found.velocity, v)
    np.testing.assert_allclose(found.acceleration, differences(v, DT))
    assert found.velocity_from == "that of the particles"
    assert found.acceleration_from.startswith("differences of the velocity")
    np.testing.assert_array_equal(found.read["u.x"], 0)

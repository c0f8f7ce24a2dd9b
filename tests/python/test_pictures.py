"""Snapshots through xarray, and the plot, from files made here."""

import h5py
import numpy as np
import pytest
import xarray as xr
from whorl.case import Case
from whorl.directory import RunDirectory
from whorl.errors import CaseError
from whorl.measures import series_columns, spectra_columns
from whorl.output import open_run
from whorl.plots import liveliest_plane, plot_run
from whorl.series import Series
from whorl.snapshots import SnapshotBackend, open_snapshot
from whorl.spectra import Spectra

SHAPE = (4, 6, 8)


def write_snapshot(path, time, names=("velocity", "vorticity")):
    """As the core writes it: VTKHDF image data, fields (nz, ny, nx, 3)."""
    nz, ny, nx = SHAPE
    values = np.arange(np.prod(SHAPE) * 3, dtype=np.float32).reshape(*SHAPE, 3)
    with h5py.File(path, "w") as file:
        file.attrs.update({"time": time, "step": 7})
        image = file.create_group("VTKHDF")
        image.attrs["WholeExtent"] = [0, nx - 1, 0, ny - 1, 0, nz - 1]
        image.attrs["Origin"] = [0.0, 0.0, 0.0]
        image.attrs["Spacing"] = [0.5, 1.0, 2.0]
        for name in names:
            image[f"PointData/{name}"] = values
    return values


@pytest.fixture
def run(tmp_path):
    directory = RunDirectory(tmp_path / "run")
    nz, ny, nx = SHAPE
    case = Case(
        grid={"points": (nx, ny, nz), "lengths": (4.0, 6.0, 8.0)},
        flow={"viscosity": 0.1},
        time={"until": 1},
    )
    directory.create(case)
    series = Series(series_columns(case), directory.series)
    series.resume([])
    names = [column.name for column in series.columns]
    for step in range(5):
        series.append(dict.fromkeys(names, 1.0 / (1 + step)) | {"step": step, "time": 0.1 * step})
    return directory


def add_spectra(run, energies):
    spectra = Spectra(spectra_columns(run.read_case()), run.spectra)
    for step, energy in enumerate(energies):
        shells = {column.name: np.array(energy) for column in spectra.columns}
        spectra.append(0.1 * step, step, np.arange(len(energy), dtype=float), shells)


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
    assert SnapshotBackend().guess_can_open(tmp_path / "a.vtkhdf")
    assert not SnapshotBackend().guess_can_open("a.nc")


def test_open_run_gives_everything(run):
    add_spectra(run, [[0.0, 1.0, 0.5]] * 2)
    write_snapshot(run.snapshot_path(7), 0.7)
    results = open_run(run.path)
    assert results.series.sizes["time"] == 5
    assert results.spectra.sizes["time"] == 2
    assert [float(s["time"]) for s in results.snapshots] == [0.7]
    assert results.checkpoints == []


def test_the_plot_of_a_whole_run(run):
    add_spectra(run, [[0.0, 1.0, 0.5, 0.1], [0.0, 0.9, 0.5, 0.2]])
    write_snapshot(run.snapshot_path(7), 0.7)
    assert plot_run(run.path) == run.path / "plot.png"
    assert is_png(run.path / "plot.png")


@pytest.mark.parametrize("energies", [None, [[0.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]]])
def test_the_plot_of_a_run_with_little_in_it(run, tmp_path, energies):
    if energies:
        add_spectra(run, energies)
    assert is_png(plot_run(run.path, tmp_path / "picture.png"))


def test_a_plot_needs_rows(run):
    run.series.unlink()
    with pytest.raises(CaseError, match="no rows"):
        plot_run(run.path)


def test_the_liveliest_plane_is_found():
    field = xr.DataArray(
        np.ones((8, 3, 3, 3)), dims=("z", "y", "x", "component"), coords={"z": np.arange(8.0)}
    )
    field[5] = 2.0
    plane = liveliest_plane(field)
    assert float(plane["z"]) == 5.0
    np.testing.assert_allclose(plane, 2 * np.sqrt(3))

"""Snapshots: opened by h5py, xarray and the rules of VTKHDF, with the right values at the right places."""

import h5py
import numpy as np
import pytest
import xarray as xr
from support import flows
from support.build import needs
from support.flows import assert_close
from support.ranks import COUNTS, counted, run_on
from support.twin import Twin
from whorl.output.snapshot_writer import write_snapshot
from whorl.output.snapshots import open_snapshot, open_snapshots

pytestmark = [pytest.mark.every_device, needs("hdf5")]

BOX = Twin((20, 14, 18), (2 * np.pi, 3.0, 5.0))
PLANE = Twin((28, 20, 1), (2 * np.pi, 4.0, 1.0), "phase-shift")
ATTRIBUTES = {"time": 2.5, "step": 12, "case": "[grid]\n"}


def write_noise(world, twin, path, precision, single, process_grid=(0, 0)):
    flow = flows.make(world, twin, precision=precision, process_grid=process_grid, batches=3)
    flows.write(flow, flows.noise(twin))
    write_snapshot(flow, str(path), ["velocity", "vorticity"], ATTRIBUTES, single=single)


def expected(twin):
    """Velocity and vorticity as (z, y, x, component)."""
    a = twin.load(flows.noise(twin))
    return {
        name: np.moveaxis(twin.to_points(field), 0, -1)
        for name, field in (("velocity", a), ("vorticity", twin.curl(a)))
    }


@pytest.mark.parametrize("ranks", counted(*COUNTS))
@pytest.mark.parametrize(
    ("precision", "single"), [("double", False), ("double", True), ("single", True), ("single", False)]
)
@pytest.mark.parametrize("twin", [BOX, PLANE], ids=["box", "plane"])
def test_values_are_those_of_the_fields(twin, precision, single, ranks, tmp_path):
    path = tmp_path / "a.vtkhdf"
    run_on(ranks, write_noise, twin=twin, path=path, precision=precision, single=single)
    coarser = "single" if single or precision == "single" else "double"
    with h5py.File(path) as file:
        for name, values in expected(twin).items():
            data = file["VTKHDF/PointData"][name]
            assert data.dtype == ("f4" if single else "f8")
            assert_close(data[:], values if twin is BOX else values[0], coarser, what=name)
    assert [p.name for p in tmp_path.iterdir()] == ["a.vtkhdf"]


@pytest.mark.mpi
@pytest.mark.parametrize("grid", [(1, 6), (2, 3), (3, 2), (6, 1)])
def test_every_process_grid_writes_the_same(grid, tmp_path):
    path = tmp_path / "a.vtkhdf"
    run_on(6, write_noise, twin=BOX, path=path, precision="double", single=False, process_grid=grid)
    with h5py.File(path) as file:
        for name, values in expected(BOX).items():
            assert_close(file["VTKHDF/PointData"][name][:], values, "double", what=name)


@pytest.mark.mpi
@pytest.mark.parametrize("twin", [BOX, PLANE], ids=["box", "plane"])
def test_attributes_are_those_of_vtkhdf_image_data(twin, tmp_path):
    path = tmp_path / "a.vtkhdf"
    run_on(2, write_noise, twin=twin, path=path, precision="single", single=True)
    nx, ny, nz = twin.points
    with h5py.File(path) as file:
        image = file["VTKHDF"]
        assert image.attrs["Type"] == b"ImageData"
        assert image.attrs["Type"].dtype.kind == "S"  # of fixed length: VTK reads no other
        assert tuple(image.attrs["Version"]) in {(1, 0), (2, 0), (2, 1), (2, 2)}
        assert image.attrs["WholeExtent"].tolist() == [0, nx - 1, 0, ny - 1, 0, nz - 1]
        assert image.attrs["Origin"].tolist() == [0, 0, 0]
        assert image.attrs["Spacing"] == pytest.approx(twin.spacing, rel=1e-15)
        assert image.attrs["Direction"].tolist() == np.eye(3).ravel().tolist()
        assert (file.attrs["time"], file.attrs["step"]) == (2.5, 12)
        shape = (ny, nx, 3) if nz == 1 else (nz, ny, nx, 3)
        assert image["PointData/velocity"].shape == shape
        scales = [dimension[0].name for dimension in image["PointData/velocity"].dims]
        assert scales == ["/z", "/y", "/x", "/component"][4 - len(shape) :]
        assert file["y"][:] == pytest.approx(np.arange(ny) * twin.spacing[1], rel=1e-14)


def named_points(dataset):
    """Velocity at a point given by its place, in the middle of the box."""
    return dataset["velocity"].sel(
        x=5 * BOX.spacing[0], y=3 * BOX.spacing[1], z=11 * BOX.spacing[2], method="nearest"
    )


@pytest.mark.mpi
def test_xarray_finds_a_point_by_its_place(tmp_path):
    path = tmp_path / "a.vtkhdf"
    run_on(3, write_noise, twin=BOX, path=path, precision="double", single=False)
    values = expected(BOX)["velocity"][11, 3, 5]
    with xr.open_dataset(path, engine="whorl") as dataset:
        assert_close(named_points(dataset), values, "double", 3.0)
        assert dict(dataset["velocity"].sizes) == {"z": 18, "y": 14, "x": 20, "component": 3}
        assert dataset["time"] == 2.5
    assert_close(named_points(open_snapshot(path)), values, "double", 3.0)


@pytest.mark.mpi
@pytest.mark.parametrize("twin", [BOX, PLANE], ids=["box", "plane"])
def test_any_netcdf_reader_finds_the_fields_at_the_root(twin, tmp_path):
    path = tmp_path / "a.vtkhdf"
    run_on(2, write_noise, twin=twin, path=path, precision="double", single=False)
    with xr.open_dataset(path) as dataset:
        assert set(dataset.data_vars) == {"velocity", "vorticity"}
        assert dict(dataset["velocity"].sizes) == dict(open_snapshot(path)["velocity"].sizes)
        for name, values in expected(twin).items():
            assert_close(dataset[name], values if twin is BOX else values[0], "double", what=name)
        assert dataset["y"].values == pytest.approx(np.arange(twin.points[1]) * twin.spacing[1], rel=1e-14)
        assert dataset.attrs["time"] == 2.5
    with h5py.File(path) as file:
        assert file["velocity"].id.get_offset() == file["VTKHDF/PointData/velocity"].id.get_offset()
        once = 8 * 3 * 2 * np.prod(twin.points)
    assert once < path.stat().st_size < once + 20_000


@pytest.mark.mpi
def test_any_netcdf_reader_opens_the_group(tmp_path):
    path = tmp_path / "a.vtkhdf"
    run_on(2, write_noise, twin=BOX, path=path, precision="double", single=False)
    with (
        xr.open_dataset(path, engine="h5netcdf", group="VTKHDF/PointData") as fields,
        xr.open_dataset(path, engine="h5netcdf") as places,
    ):
        dataset = fields.assign_coords({axis: places[axis] for axis in "xyz"})
        assert_close(named_points(dataset), expected(BOX)["velocity"][11, 3, 5], "double", 3.0)


@pytest.mark.mpi
def test_an_unknown_field_leaves_no_file(tmp_path):
    messages = run_on(2, ask_for_pressure, path=tmp_path / "a.vtkhdf")
    assert set(messages) == {'field "pressure" is unknown; choose one of: velocity, vorticity.'}
    assert list(tmp_path.iterdir()) == []


def ask_for_pressure(world, path):
    flow = flows.make(world, BOX)
    with pytest.raises(ValueError, match="pressure") as error:
        write_snapshot(flow, str(path), ["velocity", "pressure"], {}, single=True)
    return str(error.value)


def test_snapshots_of_a_run_are_a_dataset_over_time(tmp_path):
    """Parts of single fields are read from the files that they are in, and from no other."""
    paths = [tmp_path / f"{step:08d}.vtkhdf" for step in (0, 4, 8)]
    for path in paths:
        run_on(1, write_noise, twin=BOX, path=path, precision="double", single=False)
    data = open_snapshots(paths, [0.0, 0.5, 1.0])
    assert dict(data["velocity"].sizes) == {"time": 3, "z": 18, "y": 14, "x": 20, "component": 3}
    assert data["time"].values.tolist() == [0.0, 0.5, 1.0]
    assert data["step"].values.tolist() == [0, 4, 8]
    paths[1].unlink()
    values = expected(BOX)["velocity"]
    assert_close(data["velocity"].isel(time=-1), values, "double", 3.0)
    assert_close(named_points(data.isel(time=0)), values[11, 3, 5], "double", 3.0)
    assert_close(data["velocity"].isel(time=[0, 2], y=3)[1], values[:, 3], "double", 3.0)
    assert data["velocity"][0:0, 2].shape == (0, 14, 20, 3)
    with pytest.raises(FileNotFoundError):
        data["velocity"].isel(time=1).load()


def test_no_snapshots_are_an_empty_dataset():
    assert dict(open_snapshots([], []).sizes) == {"time": 0}

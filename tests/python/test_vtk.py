"""Snapshots as ParaView opens them: VTK's own reader, on every shape of grid, and the list of times."""

import json

import numpy as np
import pytest
from support.build import needs
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkCommand
from vtkmodules.vtkIOHDF import vtkHDFReader
from whorl.config.case import load_case
from whorl.config.positions import coordinates
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

pytestmark = needs("hdf5")

WAVES = "initial.temperature={name='formula', value='0.1*cos(2*pi*x/4)*sin(pi*z)'}"
SHAPES = {
    "box": ("taylor-green", "grid.points=[8, 12, 10]"),
    "plane x, y": ("vortices-2d", "grid.points=[8, 12, 1]", "initial.k0=2"),
    "plane x, z": ("kelvin-helmholtz", "grid.points=[8, 1, 12]"),
    "walls": ("rayleigh-benard", "grid.points=[8, 12, 10]", WAVES),
    "plane x, z, walls": ("rayleigh-benard", "grid.points=[8, 1, 12]", WAVES),
    "complex": ("taylor-green-superfluid", "grid.points=[8, 12, 10]"),
}


def read(path):
    """Dimensions, spacing and origin of an image, and its fields as [point][component], by VTK."""
    complaints = []
    reader = vtkHDFReader()
    reader.AddObserver(vtkCommand.ErrorEvent, lambda *event: complaints.append(event))
    reader.SetFileName(str(path))
    reader.Update()
    assert complaints == []
    image = reader.GetOutputDataObject(0)
    data = image.GetPointData()
    fields = {data.GetArrayName(n): vtk_to_numpy(data.GetArray(n)) for n in range(data.GetNumberOfArrays())}
    return image.GetDimensions(), image.GetSpacing(), image.GetOrigin(), fields


@pytest.fixture
def run(tmp_path):
    """run(case, setting, …): its directory, with snapshots of steps 0 to 3."""

    def call(case, *settings):
        quick = ["time.dt=0.001", "time.steps=3", "output.snapshot_every='1 steps'", *settings]
        case = load_case(case, quick).updated(output={"directory": str(tmp_path / "out")})
        with Simulation(case) as simulation:
            simulation.run(progress=False)
        return tmp_path / "out"

    return call


@pytest.mark.parametrize("shape", SHAPES)
def test_vtk_reads_what_xarray_reads(run, shape):
    directory = run(*SHAPES[shape])
    for number, path in enumerate(sorted((directory / "snapshots").iterdir())):
        dataset = open_run(directory).snapshots.isel(time=number)
        dimensions, spacing, origin, fields = read(path)
        assert [places[0] for places in coordinates(open_run(directory).case.grid)] == pytest.approx(
            list(origin)
        )
        sizes = [dataset.sizes.get(axis, 1) for axis in "xyz"]
        assert list(dimensions) == sizes
        for axis, step, first in zip("xyz", spacing, origin, strict=True):
            if axis in dataset.dims:
                assert dataset[axis].values == pytest.approx(first + step * np.arange(dataset.sizes[axis]))
        assert fields.keys() == set(dataset.data_vars)
        for name, values in fields.items():
            assert np.array_equal(values.ravel(), dataset[name].values.ravel())


def test_a_series_lists_the_times(run):
    directory = run(*SHAPES["box"])
    listed = json.loads((directory / "snapshots.vtkhdf.series").read_text())
    assert listed["file-series-version"] == "1.0"
    assert [entry["time"] for entry in listed["files"]] == pytest.approx([0, 0.001, 0.002, 0.003])
    assert all((directory / entry["name"]).is_file() for entry in listed["files"])


@pytest.mark.parametrize("lost", [False, True])
def test_a_restart_goes_on_with_the_series(run, lost):
    """Snapshots of steps that are made anew are set aside."""
    directory = run(*SHAPES["box"], "output.checkpoint_every='2 steps'")
    if lost:
        (directory / "snapshots.vtkhdf.series").unlink()
    changes = ["time.steps=6", "time.dt=0.002", "output.snapshot_every='2 steps'"]
    with Simulation.restart(directory, step=2, settings=changes) as simulation:
        simulation.run(progress=False)
    listed = json.loads((directory / "snapshots.vtkhdf.series").read_text())["files"]
    assert [entry["time"] for entry in listed] == pytest.approx([0, 0.001, 0.002, 0.006, 0.010])
    steps = [f"{step:08d}.vtkhdf" for step in (0, 1, 2, 4, 6)]
    assert [entry["name"] for entry in listed] == [f"snapshots/{name}" for name in steps]
    there = sorted(path.name for path in (directory / "snapshots").iterdir())
    assert there == sorted([*steps, "00000003.vtkhdf.aside"])

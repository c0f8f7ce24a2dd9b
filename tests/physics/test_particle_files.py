"""The files of particles: arrays by time or by particle, rows beside them, their cost, and how VTK reads."""

import json
import shutil

import h5py
import numpy as np
import pytest
import xarray as xr
from physics.test_particle_runs import CLOUD, PAIR, case_of
from support.build import needs
from support.particles import finished, same
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkCommand
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
from vtkmodules.vtkIOHDF import vtkHDFReader
from whorl.base.errors import CaseError
from whorl.config.case import Grid
from whorl.output import growing_file, growing_table
from whorl.output.groups import States, write_rows
from whorl.particles import record as paths
from whorl.particles import views as particle_views
from whorl.particles.files import ordered, read_paths
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

pytestmark = needs("hdf5")

ORDERS = ("time", "particle")


def in_order(order):
    return [CLOUD | {"order": order}, PAIR | {"order": order}]


def run_of(directory, order="time", **sections):
    with Simulation(case_of(directory, particles=in_order(order), **sections)) as simulation:
        simulation.run(progress=False)
    return open_run(directory).particles


def test_arrays_by_particle_have_the_same_numbers(tmp_path):
    by_time, by_particle = (run_of(tmp_path / order, order) for order in ORDERS)
    for name, data in by_time.items():
        other = by_particle[name]
        assert other["position"].dims == ("time", "particle", "axis")
        xr.testing.assert_equal(data, other)
    with h5py.File(tmp_path / "particle" / "particles.h5") as file:
        cloud = file["cloud"]
        assert cloud["position"].shape == (24, 5, 3)
        assert cloud["value"].shape == (24, 5, 4)
        assert cloud["position"].maxshape == (24, None, 3)
        assert cloud["position"].chunks[1:] == (32, 3)
        assert [dim.keys()[0] for dim in cloud["value"].dims] == ["particle", "time", "quantity"]
        np.testing.assert_array_equal(cloud["position"][7], by_time["cloud"]["position"][:, 7])
        assert '"order": "particle"' in cloud.attrs["options"]
    with xr.open_dataset(tmp_path / "particle" / "particles.h5", group="cloud", engine="h5netcdf") as there:
        assert there["position"].dims == ("particle", "time", "axis")


@pytest.mark.turns
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("beside", [False, True])
def test_a_restart_goes_on_in_the_same_order(tmp_path, monkeypatch, order, beside):
    if beside:
        monkeypatch.setattr(growing_file, "SMALL", 0)
        monkeypatch.setattr(growing_file, "SHARE", 0.5)
    monkeypatch.setattr(growing_table, "MOST_ROWS", 2)
    wanted = run_of(tmp_path / "whole", order)
    with Simulation(case_of(tmp_path / "parts", particles=in_order(order))) as begun:
        for _ in range(7):
            begun.step()
    files = list((tmp_path / "parts").glob("particles-*.h5"))
    assert bool(files) == beside
    there = open_run(tmp_path / "parts").particles["tracer"]["step"].values
    assert there.tolist() == list(range(len(there)))
    assert len(there) >= 6
    same(finished(tmp_path / "parts"), wanted)
    assert not list((tmp_path / "parts").glob("particles-*.h5"))
    # With another expression the group is written anew.
    changed = finished(tmp_path / "parts", settings=["time.steps=12", "particles.0.of=u.z"])["cloud"]
    assert changed["quantity"].values.tolist() == ["u.x", "u.y", "u.z", "dx(u.x)**2 + x*t"]
    assert changed["step"].values.tolist() == [0, 3, 6, 9, 12]  # not 10, the end before
    np.testing.assert_array_equal(changed["value"][:4], wanted["cloud"]["value"][:4])
    other = next(one for one in ORDERS if one != order)
    with pytest.raises(CaseError, match="a restart may change only their every and of"):
        Simulation.restart(tmp_path / "parts", settings=["time.steps=14", f"particles.0.order={other}"])
    elsewhere = ["time.steps=14", f"particles.0.order={other}"]
    with Simulation.restart(tmp_path / "parts", tmp_path / "new", settings=elsewhere) as simulation:
        simulation.run(progress=False)
    with h5py.File(tmp_path / "new" / "particles.h5") as file:
        assert file["cloud"]["position"].dims[0].keys() == [other]


def rows(first, count, particles=200):
    steps = np.arange(first, first + count)
    position = steps[:, None, None] + np.arange(3 * particles).reshape(particles, 3) / 1e3
    return xr.Dataset(
        {"position": (("time", "particle", "axis"), position)},
        {
            "time": ("time", steps * 0.1),
            "step": ("time", steps),
            "particle": np.arange(particles),
            "axis": list("xyz"),
        },
    )


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_rows_are_added_at_a_cost_in_proportion_to_them(tmp_path, monkeypatch, order):
    """All bytes that are copied are some times those of the file, whatever the number of additions."""
    copied = []
    copyfile = shutil.copyfile

    def counted(source, target):
        copied.append(source.stat().st_size)
        return copyfile(source, target)

    monkeypatch.setattr(growing_file.shutil, "copyfile", counted)
    monkeypatch.setattr(growing_file, "SMALL", 1 << 16)
    shares = {}
    for additions in (40, 160):
        copied.clear()
        file = growing_file.GrowingFile(tmp_path / f"{additions}.h5", write_rows)
        for n in range(additions):
            file.add(3 * n + 2, {"cloud": States.of(ordered(rows(3 * n, 3), order))})
        file.merge()
        shares[additions] = sum(copied) / file.path.stat().st_size
        there = read_paths(file.path)["cloud"]
        xr.testing.assert_equal(there, rows(0, 3 * additions))
    assert shares[160] < 12
    assert shares[160] < 1.5 * shares[40]


def read(path, step):
    """Points, vertices and arrays at a step, and all times, by VTK."""
    complaints = []
    reader = vtkHDFReader()
    reader.AddObserver(vtkCommand.ErrorEvent, lambda *event: complaints.append(event))
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    reader.SetStep(step)
    reader.Update()
    assert complaints == []
    found = reader.GetOutputDataObject(0)
    data = found.GetPointData()
    arrays = {data.GetArrayName(n): vtk_to_numpy(data.GetArray(n)) for n in range(data.GetNumberOfArrays())}
    times = reader.GetOutputInformation(0).Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    return vtk_to_numpy(found.GetPoints().GetData()), found.GetNumberOfVerts(), arrays, times


@pytest.mark.parametrize("order", ORDERS)
def test_vtk_reads_the_paths(tmp_path, order):
    """Also where the run has been moved, and after a restart."""
    run_of(tmp_path / "first", order)
    finished(tmp_path / "first", settings=["time.steps=12"])
    shutil.move(tmp_path / "first", tmp_path / "run")
    lengths = np.array(open_run(tmp_path / "run").case.grid.lengths)
    for name, data in open_run(tmp_path / "run").particles.items():
        for step, time in enumerate(data["time"].values):
            points, vertices, arrays, times = read(tmp_path / "run" / f"particles-{name}.vtkhdf", step)
            position = data["position"][step].values
            np.testing.assert_array_equal(arrays.pop("unwrapped"), position)
            turns = (position - points) / lengths
            np.testing.assert_allclose(turns, np.round(turns), atol=1e-13)
            assert (points >= 0).all()
            assert (points < lengths).all()
            assert vertices == data.sizes["particle"]
            assert arrays.pop("identity").tolist() == list(range(vertices))
            assert times == pytest.approx(data["time"].values)
            assert time == times[step]
            quantities = data["quantity"].values.tolist() if "quantity" in data.coords else []
            if "u.x" in quantities:
                components = [quantities.pop(quantities.index(f"u.{axis}")) for axis in "xyz"]
                vector = data["value"][step].sel(quantity=components)
                np.testing.assert_array_equal(arrays.pop("u"), vector)
            assert set(arrays) == set(quantities)
            for quantity in quantities:
                np.testing.assert_array_equal(arrays[quantity], data["value"][step].sel(quantity=quantity))


def test_vtk_reads_velocities_of_particles_as_vectors(tmp_path):
    """Those of heavy particles, which leave the box."""
    heavy = {"kind": "inertial", "count": 5, "response_time": 0.5, "of": ["omega", "strain(u)", "p"]}
    data = run_of_one(tmp_path, heavy | {"velocity": [90.0, -90.0, 0.0]})
    points, _, arrays, _ = read(tmp_path / "run" / "particles-inertial.vtkhdf", len(data["time"]) - 1)
    assert abs(data["position"]).max() > 10
    assert points.min() >= 0
    np.testing.assert_array_equal(arrays["velocity"], data["velocity"][-1])
    np.testing.assert_array_equal(arrays["omega"], data["value"][-1, :, :3])
    np.testing.assert_array_equal(arrays["strain(u)"], data["value"][-1, :, 3:12])
    assert arrays["p"].shape == (5,)
    assert set(arrays) == {"identity", "unwrapped", "velocity", "omega", "strain(u)", "p"}


def run_of_one(tmp_path, group):
    with Simulation(case_of(tmp_path / "run", particles=[group])) as simulation:
        simulation.run(progress=False)
    return open_run(tmp_path / "run").particles["inertial"]


@pytest.mark.parametrize(("bases", "z"), [("FFF", 0.25), ("SFF", 3.25)])
def test_positions_are_moved_into_the_box_along_periodic_axes(bases, z):
    grid = Grid(points=(8, 8, 8), lengths=(2.0, 3.0, 1.0), bases=bases)
    there = np.array([[-0.5, 7.0, 3.25], [-1e-20, 3.0, z], [2.0, 0.0, z]])
    assert particle_views.in_box(there, grid).tolist() == [[1.5, 1.0, z], [0.0, 0.0, z], [0.0, 0.0, z]]


def test_vectors_and_tensors_are_put_together():
    tensor = [f"grad(u).{row}{column}" for row in "xyz" for column in "xyz"]
    names = ["p", "u.x", "u.y", "u.z", "omega.y", *tensor, "b.x", "b.z", "x", "y", "z"]
    found = particle_views.fields_of(names)
    assert found["u"] == slice(1, 4)
    assert found["grad(u)"] == slice(5, 14)
    assert list(found) == ["p", "u", "omega.y", "grad(u)", "b.x", "b.z", "x", "y", "z"]


@pytest.mark.parametrize("scheme", ["rk2", "ab3"])
def test_an_opened_checkpoint_has_its_particles(tmp_path, scheme):
    """Those of its step, which go on as those of the run."""
    time = {"dt": 0.02, "steps": 10, "scheme": scheme}
    with Simulation(case_of(tmp_path / "run", time=time)) as simulation:
        for _ in range(4):
            simulation.step()
        wanted = {name: group.positions() for name, group in simulation.tracers.items()}
        read = simulation.tracers["cloud"].sample("p")
        for _ in range(2):
            simulation.step()
        later = simulation.tracers["cloud"].positions()
    with Simulation.open(tmp_path / "run", step=4) as state:
        assert list(state.tracers) == list(wanted)
        for name, group in state.tracers.items():
            np.testing.assert_array_equal(group.positions(), wanted[name])
        np.testing.assert_array_equal(state.tracers["cloud"].sample("p"), read)
        for _ in range(2):
            state.step()
        np.testing.assert_array_equal(state.tracers["cloud"].positions(), later)
    with Simulation.open(tmp_path / "run", particles=False) as state:
        assert not state.tracers
    (tmp_path / "run" / "checkpoints" / "00000004.particles.h5").unlink()
    with pytest.raises(CaseError, match=r"are not there: no file .*; put back .* particles=False") as error:
        Simulation.open(tmp_path / "run")
    assert "\n" not in str(error.value)
    with Simulation.open(tmp_path / "run", particles=False) as state:
        assert state.step_number == 4


def written(place):
    """When each file was written."""
    return {path: path.stat().st_mtime_ns for path in place.rglob("*") if path.is_file()}


def test_what_is_opened_writes_nothing(tmp_path):
    with Simulation(
        case_of(tmp_path / "run", output={"directory": str(tmp_path / "run"), "snapshot_every": "5 steps"})
    ) as begun:
        begun.run(progress=False)
    before = written(tmp_path)
    with Simulation.open(tmp_path / "run") as state:
        assert state.tracers["tracer"].count == 2
    with Simulation.open(tmp_path / "run", snapshot=True) as state:
        assert not state.tracers
    assert written(tmp_path) == before


def test_a_new_run_in_the_directory_removes_all(tmp_path, monkeypatch):
    monkeypatch.setattr(growing_file, "SMALL", 0)
    monkeypatch.setattr(growing_file, "SHARE", 0.01)
    run_of(tmp_path / "run")
    with Simulation(case_of(tmp_path / "run"), overwrite=True) as simulation:
        assert not list((tmp_path / "run").glob("particles*"))
        for _ in range(9):
            simulation.step()
    assert list((tmp_path / "run").glob("particles-0*.h5"))
    with Simulation(case_of(tmp_path / "run"), overwrite=True):
        assert not list((tmp_path / "run").glob("particles*"))


@pytest.mark.parametrize(
    ("every", "rows", "kept"),
    [
        (0.1, [(0, 0.0), (4, 0.12), (7, 0.21)], 3),
        (0.1, [(0, 0.0), (4, 0.12), (7, 0.21), (8, 0.24)], 3),
        (0.1, [(5, 0.15), (9, 0.27), (10, 0.30)], 2),  # counted from the first
        ("3 steps", [(1, 0.0), (4, 0.1), (7, 0.3)], 3),
        ("3 steps", [(1, 0.0), (4, 0.1), (6, 0.2)], 2),
        ("0.1 turnovers", [(0, 0.0), (4, 0.12), (5, 0.13)], 3),
        (0.1, [(0, 0.0)], 1),
    ],
)
def test_the_row_of_an_end_is_one_that_was_not_due(every, rows, kept):
    steps, times = zip(*rows, strict=True)
    data = xr.Dataset(
        {}, {"time": list(times), "step": ("time", list(steps))}, {"options": json.dumps({"every": every})}
    )
    assert paths._without_end(data, every)["step"].values.tolist() == list(steps[:kept])
    assert paths._without_end(data, "1 step")["step"].values.tolist() == list(steps)

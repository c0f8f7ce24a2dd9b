"""Runs with checkpoints of many files: as with one file, and nothing is left behind."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from support import devices
from support.build import needs
from support.ranks import on_ranks
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.results.checkpoint_modes import open_modes
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

pytestmark = [pytest.mark.every_device, needs("hdf5")]


def make_case(directory, files, steps=6, **output):
    case = Case(
        grid={"points": [12, 16, 10], "bases": "SFF", "lengths": [2.0, 2.0, 1.0]},
        flow={"model": "rayleigh-benard", "rayleigh": 1000.0, "prandtl": 1.0},
        time={"dt": 0.01, "steps": steps, "scheme": "ab2"},
        initial={"name": "random", "k0": 2.0, "seed": 5},
        output={"checkpoint_every": "2 steps", "checkpoint_files": files} | output,
        run={"threads": 1, "device": devices.current()},
    )
    return case.updated(output={"directory": str(directory)})


def names(run):
    return sorted(str(path.relative_to(run / "checkpoints")) for path in (run / "checkpoints").rglob("*"))


@on_ranks(1, 3)
@pytest.mark.parametrize("files", ["node", 2])
def test_a_restart_from_a_set_repeats_the_bits_of_one_from_a_file(world, tmp_path, files):
    ends = {}
    for kind in ("single", files):
        with Simulation(make_case(tmp_path / str(kind), kind), comm=world) as simulation:
            simulation.run(progress=False)
        again = Simulation.restart(tmp_path / str(kind), settings=["time.steps=9"], comm=world)
        with again:
            again.run(progress=False)
            ends[kind] = again.velocity()
    if world.rank == 0:
        assert np.array_equal(*ends.values())
        counts = 1 if files == "node" else min(files, world.size)
        inside = [f"{step:08d}.data/{number:05d}.h5" for step in (8, 9) for number in range(counts)]
        folders = [f"{step:08d}.{kind}" for step in (8, 9) for kind in ("data", "h5")]
        assert names(tmp_path / str(files)) == sorted(inside + folders)
        one, other = (open_run(tmp_path / str(kind)).checkpoint() for kind in ("single", files))
        xr.testing.assert_equal(one, other)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run with two sets."""
    place = tmp_path_factory.mktemp("sets") / "run"
    with Simulation(make_case(place, 1)) as simulation:
        simulation.run(progress=False)
    return place


@pytest.fixture
def copied(run, tmp_path):
    return Path(shutil.copytree(run, tmp_path / "run"))


def test_what_a_kill_left_of_a_set_is_removed_by_a_restart(copied):
    for name in ("00000006.data-1", "00000010.data"):
        (copied / "checkpoints" / name).mkdir()
        (copied / "checkpoints" / name / "00000.h5.part").write_bytes(b"torn")
    whole = names(copied)
    Simulation.restart(copied, settings=["time.steps=7"]).close()
    assert names(copied) == [name for name in whole if "data-1" not in name and "10.data" not in name]


def test_a_restart_from_an_earlier_set_renames_the_later_one(copied):
    for _ in range(2):
        with Simulation.restart(copied, step=4) as again:
            again.run(progress=False)
        found = names(copied)
        assert {"00000006.h5", "00000006.h5.aside", "00000006.data/00000.h5"} <= set(found)
        assert "00000006.data.aside/00000.h5" in found
    with Simulation(make_case(copied, "single"), overwrite=True) as fresh:
        fresh.run(progress=False)
    assert names(copied) == ["00000004.h5", "00000006.h5"]


def test_modes_of_a_damaged_set_are_refused(copied):
    path = copied / "checkpoints" / "00000006.h5"
    data = copied / "checkpoints" / "00000006.data" / "00000.h5"
    assert float(abs(open_modes(path)["velocity"]).max()) > 0
    data.replace(data.with_name("aside"))
    with pytest.raises(CaseError, match=rf"{path} cannot be read: its file {data} is missing"):
        open_modes(path)
    other = copied / "checkpoints" / "00000004.data" / "00000.h5"
    shutil.copy(other, data)
    with pytest.raises(CaseError, match=rf"its file {data} is damaged, or of another checkpoint"):
        open_modes(path)
    with pytest.raises(CaseError, match=r"cannot be used: its file .* is damaged, or of another checkpoint"):
        Simulation.restart(copied, settings=["time.steps=9"])


def test_single_precision_halves_a_checkpoint(tmp_path):
    sizes = {}
    for precision in ("run", "single"):
        with Simulation(make_case(tmp_path / precision, 1, checkpoint_precision=precision)) as simulation:
            simulation.run(progress=False)
            velocity = simulation.velocity()
        [data] = (tmp_path / precision / "checkpoints" / "00000006.data").iterdir()
        sizes[precision] = data.stat().st_size
        with Simulation.open(tmp_path / precision) as opened:
            error = np.abs(opened.velocity() - velocity).max() / np.abs(velocity).max()
        assert (error == 0) if precision == "run" else (1e-9 < error < 1e-6)
    assert 0.45 < sizes["single"] / sizes["run"] < 0.6

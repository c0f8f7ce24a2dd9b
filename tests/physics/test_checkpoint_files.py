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
from whorl.output.checkpoint_files import CheckpointFiles
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


@on_ranks(1, 2)
def test_checkpoints_in_the_background_change_nothing(world, tmp_path):
    for name in ("now", "background"):
        case = make_case(tmp_path / name, 2, steps=7, checkpoint_in_background=name == "background")
        with Simulation(case, comm=world) as simulation:
            simulation.run(progress=False)
    if world.rank == 0:
        assert names(tmp_path / "now") == names(tmp_path / "background")
        runs = (open_run(tmp_path / name).checkpoints for name in ("now", "background"))
        for now, later in zip(*runs, strict=True):
            xr.testing.assert_equal(open_modes(now), open_modes(later))


def test_a_checkpoint_in_the_background_is_complete_after_a_stop_and_a_close(tmp_path):
    simulation = Simulation(make_case(tmp_path / "run", "single", checkpoint_in_background=True))
    for _ in range(2):
        simulation.step()
    simulation.close()
    assert names(tmp_path / "run") == ["00000002.h5"]


def test_a_checkpoint_that_is_due_waits_for_the_one_before(tmp_path, monkeypatch):
    """Also where no step has found the threads at their end."""
    monkeypatch.setattr(CheckpointFiles, "writing", True)
    case = make_case(tmp_path / "run", 1, checkpoint_in_background=True, keep_checkpoints=9)
    with Simulation(case) as simulation:
        simulation.run(progress=False)
    assert [path.stem for path in open_run(tmp_path / "run").checkpoints] == [
        f"{step:08d}" for step in (2, 4, 6)
    ]


def test_without_room_for_a_copy_the_run_waits(tmp_path, monkeypatch):
    case = make_case(tmp_path / "run", "single", checkpoint_in_background=True)
    rooms = iter([2.0**30, 1e4])  # for the flow, then for the copy
    monkeypatch.setattr("whorl.run.memory.checks.available_memory", lambda: (next(rooms), ""))
    with Simulation(case) as simulation:
        assert not simulation._recorder.checkpoints.in_background
        simulation.run(progress=False)
    log = (tmp_path / "run" / "log.txt").read_text()
    assert "are left: the run waits while checkpoints are written" in log
    assert names(tmp_path / "run") == ["00000004.h5", "00000006.h5"]


def test_patience_with_a_copy_is_refused(tmp_path):
    with pytest.raises(CaseError, match=r"output\.patience = 5 is wrong with output\."):
        make_case(tmp_path / "run", "single", checkpoint_in_background=True, patience=5.0)


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

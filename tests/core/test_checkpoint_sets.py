"""Checkpoints of many files: as one file has them, from any ranks to any, complete or void."""

import resource
import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest
from core.test_damage import TWIN, edit, refusal, set_attribute, shorten, spoil_data
from support import flows
from support.build import needs
from support.checkpoints import datasets_in, modes_in
from support.flows import assert_close
from support.ranks import counted, on_ranks, run_on
from support.twin import Twin
from whorl import _core

pytestmark = [pytest.mark.every_device, needs("hdf5")]

NODE = -1  # a file for each node
# Some ranks have dealt ky, whose columns of a kx are not one run.
DEALT = Twin((20, 14, 18), (1.0, 2 * np.pi, 0.7), "phase-shift", viscosity=0.01, shift_seed=3)


def write_noise(world, path, files, twin=TWIN, precision="double", single=False, seed=0):
    flow = flows.make(world, twin, precision=precision)
    flows.write(flow, flows.noise(twin, seed))
    flow.write_checkpoint(str(path), {"time": 1.5, "case": "[time]"}, files=files, single=single)
    return flows.read(world, flow)


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("ranks", "files", "count"), [(1, 1, 1), (1, 3, 1), (3, 2, 2), (4, NODE, 1), (6, 6, 6), (6, 4, 4)]
)
@pytest.mark.parametrize("twin", [TWIN, DEALT], ids=["2/3", "phase-shift"])
def test_a_set_has_the_modes_of_a_single_file(ranks, files, count, twin, tmp_path):
    one, several = tmp_path / "one.h5", tmp_path / "several.h5"
    run_on(1, write_noise, path=one, files=0, twin=twin)
    run_on(ranks, write_noise, path=several, files=files, twin=twin)
    with h5py.File(several) as file:
        assert file.attrs["data_files"] == count
        whole = file.attrs["checksum"]
    with h5py.File(one) as file:
        assert file.attrs["checksum"] == whole
    expected, found = (datasets_in(path, twin) for path in (one, several))
    assert all(np.array_equal(found[name], expected[name]) for name in expected)


@pytest.fixture(scope="module", params=counted(1, 3, 6))
def a_set(request, tmp_path_factory):
    """A set by some ranks, in as many files as it can have, and the velocity in it."""
    path = tmp_path_factory.mktemp("set") / "00000007.h5"
    velocity = run_on(request.param, write_noise, path=path, files=6, twin=DEALT)[0]
    return path, velocity


@on_ranks()
@pytest.mark.parametrize("precision", flows.PRECISIONS)
def test_any_ranks_and_precision_read_a_set(world, a_set, precision):
    path, velocity = a_set
    for grid in _core.allowed_process_grids(flows.options(DEALT), world.size):
        flow = flows.make(world, DEALT, precision=precision, process_grid=grid)
        flow.read_checkpoint(str(path))
        assert_close(flows.read(world, flow), velocity, precision, what=f"velocity on {grid}")


@on_ranks(1, 2, 4)
@pytest.mark.parametrize("points", [(30, 24, 20), (10, 12, 8)], ids=str)
def test_another_grid_reads_a_set_as_it_reads_a_single_file(world, a_set, points, tmp_path):
    single = tmp_path / "single.h5"
    flow = flows.make(world, DEALT)
    flow.read_checkpoint(str(a_set[0]))
    flow.write_checkpoint(str(single), {})
    other = flows.make(world, Twin(points, DEALT.lengths, "phase-shift"))
    found = []
    for path in (a_set[0], single):
        other.read_regridded(str(path), {"velocity": "velocity"})
        found.append(flows.read(world, other))
    assert world.rank > 0 or (np.array_equal(*found) and found[0].any())


@on_ranks(1, 3)
@pytest.mark.parametrize("scheme", ["rk4-gill", "ab3"])
def test_going_on_from_a_set_repeats_every_bit(world, scheme, tmp_path):
    twin, path = Twin(DEALT.points, DEALT.lengths, "2/3", viscosity=0.01, scheme=scheme), tmp_path / "a.h5"
    flow = flows.make(world, twin)
    flows.write(flow, flows.noise(twin))
    for number in range(2):
        flow.step(0.01, step_number=number)
    flow.write_checkpoint(str(path), {}, files=2)
    again = flows.make(world, twin)
    again.read_checkpoint(str(path))
    for number in range(2, 4):
        for one in (flow, again):
            one.step(0.01, step_number=number)
    found, expected = flows.read(world, again), flows.read(world, flow)
    assert world.rank > 0 or np.array_equal(found, expected)


@pytest.mark.mpi
@pytest.mark.parametrize(("ranks", "files"), [(1, 0), (1, 1), (3, 0), (3, 2)])
def test_single_precision_rounds_the_components_that_are_stored(ranks, files, tmp_path):
    double, single = tmp_path / "double.h5", tmp_path / "single.h5"
    velocity = run_on(ranks, write_noise, path=double, files=0, twin=DEALT)[0]
    run_on(ranks, write_noise, path=single, files=files, twin=DEALT, single=True)
    expected, found = datasets_in(double, DEALT), datasets_in(single, DEALT)
    for name, values in found.items():
        assert values.dtype == "f4"
        assert np.array_equal(values, expected[name].astype("f4"))
    assert_close(modes_in(single, DEALT), DEALT.to_modes(velocity), "single")
    read = run_on(2, read_velocity, path=single)[0]
    assert_close(read, velocity, "single")
    assert not np.array_equal(read, velocity)


def read_velocity(world, path, twin=DEALT):
    flow = flows.make(world, twin)
    flow.read_checkpoint(str(path))
    return flows.read(world, flow)


@on_ranks(1, 3)
def test_written_again_the_set_before_stays_until_the_end(world, tmp_path):
    path = tmp_path / "00000001.h5"
    write_noise(world, path, files=2, seed=1)
    folders = world.bcast(sorted(one.name for one in tmp_path.iterdir()))
    later = write_noise(world, path, files=2, seed=2)
    assert folders == ["00000001.data", "00000001.h5"]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["00000001.data-1", "00000001.h5"]
    found = read_velocity(world, path, TWIN)
    assert world.rank > 0 or np.array_equal(found, later)
    world.Barrier()
    write_noise(world, path, files=0, seed=2)
    assert [one.name for one in tmp_path.iterdir()] == ["00000001.h5"]


@on_ranks(3)
@pytest.mark.parametrize("victim", [0, 1, 2])
@pytest.mark.parametrize("files", [2, 3])
def test_a_write_that_fails_on_one_rank_leaves_the_set_before(world, victim, files, tmp_path):
    path = tmp_path / "a.h5"
    velocity = write_noise(world, path, files=files, seed=1)
    flow = flows.make(world, TWIN)
    flows.write(flow, flows.noise(TWIN, seed=2))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    if world.rank == victim:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, limits[1]))
    message = None
    try:
        flow.write_checkpoint(str(path), {}, files=files)
    except _core.Error as error:
        message = str(error)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert set(world.allgather(message)) == {message}
    assert message.startswith(f"the checkpoint {path} cannot be written: ")
    there = sorted(str(one.relative_to(tmp_path)) for one in tmp_path.rglob("*"))
    assert there == ["a.data", *(f"a.data/{file:05d}.h5" for file in range(files)), "a.h5"]
    found = read_velocity(world, path, TWIN)
    assert world.rank > 0 or np.array_equal(found, velocity)


@on_ranks(1, 3)
@pytest.mark.parametrize("files", [0, 2])
@pytest.mark.parametrize("scheme", ["rk2", "ab2"])
def test_written_from_a_copy_it_has_the_state_at_the_beginning(world, files, scheme, tmp_path):
    twin = Twin(DEALT.points, DEALT.lengths, "2/3", viscosity=0.01, scheme=scheme)
    flow = flows.make(world, twin)
    flows.write(flow, flows.noise(twin))
    flow.step(0.01, step_number=0)
    held = flow.begin_checkpoint(str(tmp_path / "held.h5"), {"time": 2.0}, files=files)
    flow.write_checkpoint(str(tmp_path / "now.h5"), {"time": 2.0}, files=files)
    flow.step(0.01, step_number=1)
    assert not (tmp_path / "held.h5").exists()
    held.finish()
    assert not list(tmp_path.rglob("*.part"))
    expected, found = (datasets_in(tmp_path / f"{name}.h5", twin) for name in ("now", "held"))
    assert all(np.array_equal(found[name], expected[name]) for name in expected)
    again = flows.make(world, twin)
    again.read_checkpoint(str(tmp_path / "held.h5"))
    again.step(0.01, step_number=1)
    found, expected = flows.read(world, again), flows.read(world, flow)
    assert world.rank > 0 or np.array_equal(found, expected)


@on_ranks(1, 3)
@pytest.mark.parametrize("files", [0, 2])
def test_a_copy_that_is_given_up_leaves_the_checkpoint_before(world, files, tmp_path):
    path = tmp_path / "a.h5"
    velocity = write_noise(world, path, files=files, seed=1)
    before = world.bcast(sorted(path.name for path in tmp_path.rglob("*")))
    flow = flows.make(world, TWIN)
    flows.write(flow, flows.noise(TWIN, seed=2))
    held = flow.begin_checkpoint(str(path), {}, files=files)
    del held
    world.Barrier()
    assert sorted(path.name for path in tmp_path.rglob("*")) == before
    found = read_velocity(world, path, TWIN)
    assert world.rank > 0 or np.array_equal(found, velocity)


@on_ranks(3)
@pytest.mark.parametrize("files", [0, 2])
def test_a_thread_that_fails_on_one_rank_is_an_error_on_all(world, files, tmp_path):
    path = tmp_path / "a.h5"
    velocity = write_noise(world, path, files=files, seed=1)
    flow = flows.make(world, TWIN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    if world.rank == 1:  # which creates no file
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, limits[1]))
    try:
        held = flow.begin_checkpoint(str(path), {}, files=files)
        with pytest.raises(_core.Error, match=r"a\.h5 cannot be written: pwrite\(.*File too large"):
            held.finish()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    del held
    found = read_velocity(world, path, TWIN)
    assert world.rank > 0 or np.array_equal(found, velocity)


@pytest.fixture(scope="module", params=counted(3))
def whole(request, tmp_path_factory):
    """Two sets of three files each."""
    folder = tmp_path_factory.mktemp("whole")
    for seed, name in enumerate(("a", "other")):
        run_on(request.param, write_noise, path=folder / f"{name}.h5", files=3, seed=seed)
    return folder


@pytest.fixture
def copied(whole, tmp_path):
    return Path(shutil.copytree(whole, tmp_path / "copied"))


def spoil_columns(file):
    file["columns"][2] = file["columns"][3]


FAULTS = {
    "a file is missing": (lambda p: (p / "a.data/00001.h5").unlink(), "00001.h5 is missing: put back"),
    "the folder is missing": (lambda p: shutil.rmtree(p / "a.data"), "00000.h5 is missing: put back"),
    "no HDF5": (lambda p: (p / "a.data/00002.h5").write_text("x" * 999), "00002.h5 is not an HDF5 file"),
    "half a file": (lambda p: shorten(p / "a.data/00001.h5", lambda size: size // 2), "cannot be read: "),
    "one bit of data": (
        lambda p: edit(p / "a.data/00001.h5", spoil_data),
        "the data in its file {}/a.data/00001.h5 are damaged",
    ),
    "a file of another set": (
        lambda p: shutil.copy(p / "other.data/00001.h5", p / "a.data/00001.h5"),
        "00001.h5 is damaged, or of another checkpoint",
    ),
    "two files exchanged": (
        lambda p: shutil.copy(p / "a.data/00002.h5", p / "a.data/00001.h5"),
        "00001.h5 is damaged, or of another checkpoint",
    ),
    "the list of another set": (
        lambda p: shutil.copytree(p / "other.data", p / "a.data", dirs_exist_ok=True),
        "00000.h5 is damaged, or of another checkpoint",
    ),
    "never completed": (
        lambda p: edit(p / "a.data/00000.h5", lambda f: f.attrs.__delitem__("complete")),
        "00000.h5 holds no complete data",
    ),
    "a single checkpoint": (
        lambda p: shutil.copy(p / "a.h5", p / "a.data/00000.h5"),
        "00000.h5 holds no complete data",
    ),
    "another list of columns": (
        lambda p: edit(p / "a.data/00002.h5", spoil_columns),
        "the list of columns in its file {}/a.data/00002.h5 is damaged",
    ),
    "other attributes": (
        lambda p: set_attribute(p / "a.data/00001.h5", "modes", 5),
        "00001.h5 is damaged, or of another checkpoint",
    ),
    "fewer files": (
        lambda p: set_attribute(p / "a.h5", "data_files", 2),
        "its attributes are damaged, or were changed",
    ),
}


def try_to_read(world, path, other_grid):
    if not other_grid:
        return refusal(world, flows.make(world, TWIN), path)
    flow = flows.make(world, Twin((24, 14, 18), TWIN.lengths))
    try:
        flow.read_regridded(str(path), {"velocity": "velocity"})
    except _core.Error as error:
        return str(error)


@pytest.mark.cpu_by_default
@pytest.mark.parametrize("other_grid", [False, True], ids=["its grid", "another grid"])
@pytest.mark.parametrize("ranks", counted(1, 2))
@pytest.mark.parametrize("fault", FAULTS)
def test_a_bad_set_is_refused_in_words(fault, ranks, other_grid, copied):
    break_it, expected = FAULTS[fault]
    path = copied / "a.h5"
    break_it(copied)
    message = run_on(ranks, try_to_read, path=path, other_grid=other_grid)[0]
    assert message is not None, "it was read"
    assert message.startswith(f"the checkpoint {path} cannot be read: ")
    assert expected.format(copied) in message
    assert "\n" not in message

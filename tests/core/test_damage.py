"""Damaged, foreign and interrupted files: refused by all ranks in words, and what was there before stays."""

import resource
import shutil
import signal
import subprocess
import sys

import h5py
import numpy as np
import pytest
from support import flows
from support.build import needs
from support.checkpoints import content
from support.ranks import counted, environment, on_ranks, run_on
from support.twin import Twin
from whorl import _core
from whorl.output.snapshot_writer import write_snapshot

pytestmark = needs("hdf5")

TWIN = Twin((20, 14, 18), (2 * np.pi, 3.0, 5.0), viscosity=0.01)


def write_noise(world, path, seed=0):
    flow = flows.make(world, TWIN)
    flows.write(flow, flows.noise(TWIN, seed))
    flow.write_checkpoint(str(path), {"time": 1.5, "case": "[time]"})
    return flows.read(world, flow)


def refusal(world, flow, path):
    """What the reader says, the same on every rank; None when it reads."""
    try:
        flow.read_checkpoint(str(path))
        message = None
    except _core.Error as error:
        message = str(error)
    messages = world.allgather(message)
    assert len(set(messages)) == 1, messages
    return message


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "whole.h5"
    run_on(1, write_noise, path=path)
    return path


@pytest.fixture
def damaged(checkpoint, tmp_path):
    return shutil.copy(checkpoint, tmp_path / "damaged.h5")


def edit(path, change):
    with h5py.File(path, "r+") as file:
        change(file)


def shorten(path, change):
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.truncate(change(size))


def spoil_data(file):
    file["velocity_second"][17, 1] = np.nextafter(file["velocity_second"][17, 1], 9.0)


def shorten_data(file):
    data = file["velocity_first"][:-1]
    del file["velocity_first"]
    file["velocity_first"] = data


def set_attribute(path, name, value):
    edit(path, lambda file: file.attrs.__setitem__(name, value))


FAULTS = {
    "half of it": (lambda p: shorten(p, lambda size: size // 2), "file"),
    "all but a byte": (lambda p: shorten(p, lambda size: size - 1), "file"),
    "nothing in it": (lambda p: shorten(p, lambda _: 0), "HDF5"),
    "a text": (lambda p: p.write_text("not a checkpoint\n" * 999), "HDF5"),
    "one bit of data": (lambda p: edit(p, spoil_data), "its data are damaged"),
    "never completed": (lambda p: edit(p, lambda f: f.attrs.__delitem__("complete")), "it is incomplete"),
    "no format": (lambda p: edit(p, lambda f: f.attrs.__delitem__("format")), "not a checkpoint of whorl"),
    "another format": (
        lambda p: edit(p, lambda f: f.attrs.__setitem__("format", np.bytes_("other"))),
        "not a checkpoint of whorl",
    ),
    "a later version": (lambda p: edit(p, lambda f: f.attrs.__setitem__("version", 99)), "version 99"),
    "no checksum": (
        lambda p: edit(p, lambda f: f.attrs.__delitem__("checksum")),
        "its attributes are damaged",
    ),
    "no checksum of attributes": (lambda p: edit(p, lambda f: f.attrs.__delitem__("attributes")), "H5Aopen"),
    "another time": (lambda p: set_attribute(p, "time", 1.75), "its attributes are damaged, or were changed"),
    "a time that is none": (lambda p: set_attribute(p, "time", np.nan), "its attributes are damaged"),
    "another mean": (lambda p: set_attribute(p, "velocity_mean_z", [0.5, 0.0]), "its attributes are damaged"),
    "an attribute more": (lambda p: set_attribute(p, "earlier_dt", [0.5]), "its attributes are damaged"),
    "an attribute less": (lambda p: edit(p, lambda f: f.attrs.__delitem__("time")), "its attributes are"),
    "another case": (lambda p: set_attribute(p, "case", "[grid]"), "its attributes are damaged"),
    "an attribute of a kind": (lambda p: set_attribute(p, "time", True), "neither a number nor a string"),
    "too few modes": (lambda p: edit(p, shorten_data), f"not those of the {TWIN.modes} modes"),
    "no data": (lambda p: edit(p, lambda f: f.__delitem__("velocity_first")), "H5Dopen"),
    "missing": (lambda p: p.unlink(), "there is no such file"),
}


def try_to_read(world, path):
    return refusal(world, flows.make(world, TWIN), path)


@pytest.mark.parametrize("ranks", counted(1, 3))
@pytest.mark.parametrize("fault", FAULTS)
def test_a_bad_file_is_refused_in_words(fault, ranks, damaged):
    break_it, expected = FAULTS[fault]
    assert run_on(ranks, try_to_read, path=damaged)[0] is None
    break_it(damaged)
    message = run_on(ranks, try_to_read, path=damaged)[0]
    assert message is not None, "it was read"
    assert message.startswith(f"the checkpoint {damaged} cannot be read: ")
    assert expected in message
    assert "\n" not in message


@pytest.mark.parametrize("ranks", counted(1, 3))
def test_a_foreign_hdf5_file_is_refused(ranks, tmp_path):
    path = tmp_path / "foreign.h5"
    with h5py.File(path, "w") as file:
        file["velocity_first"] = np.zeros((TWIN.modes, 2))
    assert "not a checkpoint of whorl" in run_on(ranks, try_to_read, path=path)[0]
    assert "no such file" in run_on(ranks, try_to_read, path=tmp_path)[0]


@on_ranks(1, 4)
@pytest.mark.parametrize(
    "other",
    [
        {"points": (20, 14, 20)},
        {"points": (18, 14, 20)},
        {"lengths": (2 * np.pi, 3.0, 5.0000001)},
        {"shape": "sphere"},
        {"dealias": "phase-shift"},
        {"dealias": "none"},
    ],
    ids=str,
)
def test_another_box_or_truncation_is_refused(world, checkpoint, other):
    twin = Twin(**{"points": TWIN.points, "lengths": TWIN.lengths, **other})
    message = refusal(world, flows.make(world, twin), checkpoint)
    assert "it holds 20 x 14 x 18 points" in message
    assert f"but this run has {' x '.join(map(str, twin.points))} points" in message


@on_ranks(1, 2)
def test_no_flipped_byte_goes_unnoticed(world, checkpoint, tmp_path):
    """Anywhere in the file: it is refused, or was in a gap and the state is the right one."""
    flow = flows.make(world, TWIN)
    flow.read_checkpoint(str(checkpoint))
    velocity, whole = flows.read(world, flow), checkpoint.read_bytes()
    places = {*np.linspace(0, len(whole) - 1, 60).astype(int).tolist(), *range(0, 2048, 29)}
    refused, path = 0, tmp_path / "flipped.h5"
    for place in sorted(places):
        if world.rank == 0:
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        world.Barrier()
        if refusal(world, flow, path):
            refused += 1
        else:
            assert np.array_equal(flows.read(world, flow), velocity), f"byte {place} of {len(whole)}"
        world.Barrier()
    assert refused > 50


@on_ranks(1, 2, 4)
def test_names_of_the_format_are_refused_as_attributes(world, tmp_path):
    flow = flows.make(world, TWIN)
    with pytest.raises(_core.Error, match='the attribute name "checksum" is reserved by the format'):
        flow.write_checkpoint(str(tmp_path / "a.h5"), {"checksum": "mine"})
    assert list(tmp_path.iterdir()) == []


@on_ranks(1, 3)
def test_a_place_where_nothing_can_be_written_is_named(world, tmp_path):
    flow = flows.make(world, TWIN)
    for write in (
        lambda path: flow.write_checkpoint(path, {}),
        lambda path: write_snapshot(flow, path, ["velocity"], {}, single=True),
    ):
        path = str(tmp_path / "nowhere" / "a.h5")
        with pytest.raises(_core.Error, match=f"{path} cannot be written: "):
            write(path)


@on_ranks(3)
@pytest.mark.parametrize("kind", ["checkpoint", "snapshot"])
@pytest.mark.parametrize("victim", ["first", "last"])
def test_a_write_that_fails_on_one_rank_leaves_the_file_before(world, kind, victim, tmp_path):
    path = tmp_path / "a.h5"
    flow = flows.make(world, TWIN)
    flows.write(flow, flows.noise(TWIN, seed=1))
    if world.rank == 0:
        path.write_bytes(b"what was there before")
    world.Barrier()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    if world.rank == {"first": 0, "last": world.size - 1}[victim]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, limits[1]))
    message = None
    try:
        if kind == "checkpoint":
            flow.write_checkpoint(str(path), {})
        else:
            write_snapshot(flow, str(path), ["velocity"], {}, single=False)
    except _core.Error as error:
        message = str(error)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    messages = world.allgather(message)
    assert len(set(messages)) == 1, messages
    assert message.startswith(f"the {kind} {path} cannot be written: ")
    if victim == "last":
        assert message.endswith(f"pwrite({path}.part) failed: File too large.")
    assert [p.name for p in tmp_path.iterdir()] == ["a.h5"]
    assert path.read_bytes() == b"what was there before"


@pytest.mark.turns
@pytest.mark.parametrize("ranks", counted(1, 2))
@pytest.mark.parametrize("part", [0.1, 0.9])
def test_a_process_killed_while_writing_leaves_the_checkpoint_before(part, ranks, checkpoint, tmp_path):
    path = shutil.copy(checkpoint, tmp_path / "a.h5")
    limit = int(part * path.stat().st_size)
    script = f"""
import resource, signal
from mpi4py import MPI
from support import flows
from support.twin import Twin
twin = Twin({TWIN.points}, {TWIN.lengths})
flow = flows.make(MPI.COMM_SELF, twin, lines="direct")
flows.write(flow, flows.noise(twin, seed=5))
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # the system ends the process within the write
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, resource.RLIM_INFINITY))
flow.write_checkpoint({str(path)!r}, {{}})
"""
    ended = subprocess.run(
        [sys.executable, "-c", script], env=environment(), capture_output=True, timeout=100
    )
    assert ended.returncode == -signal.SIGXFSZ, ended.stderr.decode()
    assert path.with_suffix(".h5.part").exists()
    assert content(path) == content(checkpoint)
    assert run_on(ranks, try_to_read, path=path)[0] is None
    run_on(ranks, write_noise, path=path, seed=5)
    assert not path.with_suffix(".h5.part").exists()
    assert content(path) != content(checkpoint)


FULL_DISK = """
from pathlib import Path
from mpi4py import MPI
from support import flows
from support.twin import Twin
from whorl import _core
from whorl.output.snapshot_writer import write_snapshot
twin, world, disk = Twin((30, 28, 30)), MPI.COMM_WORLD, Path({disk!r})
flow = flows.make(world, twin, lines="direct")
flows.write(flow, flows.noise(twin))
flow.write_checkpoint(str(disk / "a.h5"), {{}})
writes = {{
    "checkpoint": lambda path: flow.write_checkpoint(path, {{}}),
    "snapshot": lambda path: write_snapshot(flow, path, ["velocity", "vorticity"], {{}}, single=False),
}}
for kind, write in writes.items():
    try:
        write(str(disk / "b.h5"))
        raise SystemExit("it was written")
    except _core.Error as error:
        assert str(error).startswith(f"the {{kind}} {{disk}}/b.h5 cannot be written: "), error
    world.Barrier()
    assert [path.name for path in disk.iterdir()] == ["a.h5"]
    world.Barrier()  # before the next file is begun
flow.read_checkpoint(str(disk / "a.h5"))
"""


def mount_of_its_own():
    """The command that runs another where it may mount; None where the system forbids it."""
    command = ["unshare", "--user", "--map-root-user", "--mount"]
    if shutil.which("unshare") is None or subprocess.run([*command, "true"], capture_output=True).returncode:
        return None
    return command


@pytest.mark.mpi
@pytest.mark.skipif(mount_of_its_own() is None, reason="a small disk cannot be mounted here")
@pytest.mark.parametrize("ranks", [1, 2])
def test_a_full_disk_is_an_error_and_nothing_worse(ranks, tmp_path):
    """In processes of their own: HDF5 has crashed at their end."""
    disk, script = tmp_path / "disk", tmp_path / "script.py"
    disk.mkdir()
    script.write_text(FULL_DISK.format(disk=str(disk)))
    run = f"mount -t tmpfs -o size=200k none {disk} && exec mpiexec -n {ranks} {sys.executable} {script}"
    command = [*mount_of_its_own(), "sh", "-c", run]
    ended = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=100)
    assert ended.returncode == 0, ended.stdout + ended.stderr

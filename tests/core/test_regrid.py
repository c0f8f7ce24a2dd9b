"""A checkpoint on another grid: modes that both grids keep are the same to the last bit, others zero."""

import shutil

import h5py
import numpy as np
import pytest
from core.test_walls import WALLS, Walled
from support import flows
from support.build import needs
from support.checkpoints import modes_in, order_of_modes
from support.flows import assert_close
from support.ranks import on_ranks, run_on
from support.twin import Twin
from whorl import _core

pytestmark = [pytest.mark.every_device, needs("hdf5")]

LENGTHS = (2 * np.pi, 3.0, 5.0)
WRITTEN = Twin((20, 14, 18), LENGTHS)
# Finer, coarser, finer along one axis and coarser along others, of other rules, in a plane, to a plane.
OTHERS = [
    Twin((30, 24, 20), LENGTHS),
    Twin((10, 12, 8), LENGTHS),
    Twin((36, 10, 12), LENGTHS),
    Twin((16, 20, 18), LENGTHS, dealias="none"),
    Twin((24, 14, 20), LENGTHS, shape="sphere"),
    Twin((14, 12, 18), LENGTHS, dealias="phase-shift"),
    Twin((20, 24, 1), (2 * np.pi, 3.0, 7.0)),
]


def name_of(twin):
    return f"{'x'.join(map(str, twin.points))}-{twin.dealias.replace('/', 'of')}-{twin.shape}"


others = pytest.mark.parametrize("other", OTHERS, ids=name_of)


def write_noise(world, twin, path, **settings):
    flow = flows.make(world, twin, **settings)
    flows.write(flow, flows.noise(twin))
    flow.write_checkpoint(str(path), {"time": 1.5})


@pytest.fixture(scope="module", params=["double", "single"])
def written(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("written") / "noise.h5"
    run_on(1, write_noise, twin=WRITTEN, path=path, precision=request.param)
    return path


def onto(a, twin, other):
    """Amplitudes of one twin as those of another: where both keep a mode; by its numbers."""
    there = {tuple(n): tuple(place) for n, place in _places(other)}
    result = np.zeros((3, *other.points[::-1]), complex)
    for n, (z, y, x) in _places(twin):
        if tuple(n) in there:
            to_z, to_y, to_x = there[tuple(n)]
            result[:, to_z, to_y, to_x] = a[:, z, y, x]
    return result


def _places(twin):
    return zip(twin.numbers[:, twin.mask].T.tolist(), np.argwhere(twin.mask).tolist(), strict=True)


def regridded(world, twin, path, **settings):
    """A flow that had another field before."""
    flow = flows.make(world, twin, **settings)
    flows.write(flow, flows.noise(twin, seed=5))
    flow.read_regridded(str(path), {"velocity": "velocity"})
    return flow


@pytest.mark.turns
@on_ranks()
@others
@pytest.mark.parametrize("precision", flows.PRECISIONS)
def test_the_field_is_that_of_the_modes_both_keep(world, written, other, precision):
    expected = onto(modes_in(written, WRITTEN), WRITTEN, other)
    with h5py.File(written) as file:
        coarser = "single" if precision == "single" or file["velocity_first"].dtype == "f4" else "double"
    for grid in _core.allowed_process_grids(flows.options(other), world.size):
        flow = regridded(world, other, written, precision=precision, process_grid=grid)
        assert_close(flows.read(world, flow), other.to_points(expected), coarser, what=f"velocity on {grid}")


@pytest.mark.turns
@on_ranks(1, 3)
@pytest.mark.parametrize("other", OTHERS[:-1], ids=name_of)
def test_modes_have_every_bit_of_those_in_the_file(world, written, other, tmp_path):
    with h5py.File(written) as file:
        precision = {"<f4": "single", "<f8": "double"}[file["velocity_first"].dtype.str]
    flow = regridded(world, other, written, precision=precision)
    path = world.bcast(tmp_path / "again.h5")
    flow.write_checkpoint(str(path), {})
    first, second = order_of_modes(WRITTEN), order_of_modes(other)
    there = {n: place for place, n in enumerate(first)}
    with h5py.File(written) as before, h5py.File(path) as after:
        assert np.array_equal(before.attrs["velocity_mean_z"], after.attrs["velocity_mean_z"])
        for name in ("velocity_first", "velocity_second"):
            data = before[name][:]
            expected = [data[there[n]] if n in there else np.zeros(2) for n in second]
            assert np.array_equal(after[name][:], expected)


@on_ranks(1, 2, 3)
@pytest.mark.parametrize("points", [(16, 20, 12), (6, 8, 20)])
@pytest.mark.parametrize("bases", WALLS)
def test_between_walls_sines_and_cosines_are_those_of_the_file(world, bases, points, tmp_path):
    box, other = Walled(bases, (10, 14, 18)), Walled(bases, points, shape="sphere")
    first = box.make(world)
    u = flows.noise(box.here)
    flows.write(first, u)
    path = world.bcast(tmp_path / "walls.h5")
    first.write_checkpoint(str(path), {})
    amplitudes = box.twin.load(box.extended(u)) / half_a_spacing(box)
    expected = other.twin.to_points(onto(amplitudes, box.twin, other.twin) * half_a_spacing(other))
    second = other.make(world)
    second.read_regridded(str(path), {"velocity": "velocity"})
    assert_close(flows.read(world, second), other.inside(expected), "double")


def half_a_spacing(box):
    """The phases of a grid whose first point is half a spacing off the walls."""
    shift = [0.5 if axis in box.axes else 0.0 for axis in range(3)]
    return box.twin.shift(shift)


@on_ranks(1, 2)
@pytest.mark.parametrize("precision", flows.PRECISIONS)
def test_lengths_that_differ_in_their_last_digits_change_no_field(world, precision, tmp_path):
    """In a cube the components that a file leaves out are chosen among equal wavenumbers."""
    cube = Twin((12, 12, 12), (1.0, 1.0, 1.0))
    path = world.bcast(tmp_path / "cube.h5")
    first = flows.make(world, cube, precision=precision)
    flows.write(first, flows.noise(cube))
    first.write_checkpoint(str(path), {})
    expected = flows.read(world, first)
    for lengths in ((1.0, 1 - 2e-7, 1 + 3e-7), (1 + 5e-7, 1.0, 1.0)):
        near = regridded(world, Twin((12, 12, 12), lengths), path, precision=precision)
        error = np.abs(flows.read(world, near) - expected).max() / np.abs(expected).max()
        assert error < 2e-6


@on_ranks(1, 2)
def test_on_the_same_grid_it_is_the_same_state(world, written):
    with h5py.File(written) as file:
        precision = {"<f4": "single", "<f8": "double"}[file["velocity_first"].dtype.str]
    flow = flows.make(world, WRITTEN, precision=precision)
    flow.read_checkpoint(str(written))
    again = regridded(world, WRITTEN, written, precision=precision)
    assert np.array_equal(flows.read(world, again), flows.read(world, flow))


@on_ranks(1, 2)
def test_what_a_multistep_scheme_remembers_is_forgotten(world, written):
    """A first step from it is that of a flow that has made none."""
    twin = Twin((16, 12, 12), LENGTHS, scheme="ab2", viscosity=0.01)
    flow = regridded(world, twin, written)
    for number in range(2):
        flow.step(1e-3, step_number=number)
    flow.read_regridded(str(written), {"velocity": "velocity"})
    flow.step(1e-3, step_number=2)
    fresh = regridded(world, twin, written)
    fresh.step(1e-3, step_number=2)
    assert np.array_equal(flows.read(world, flow), flows.read(world, fresh))


def refusal(world, flow, path, names=None):
    with pytest.raises(_core.Error) as caught:
        flow.read_regridded(str(path), names or {"velocity": "velocity"})
    messages = world.allgather(str(caught.value))
    assert len(set(messages)) == 1, messages
    return messages[0]


@pytest.mark.only_cpu
@on_ranks(1, 3)
def test_another_box_and_other_fields_are_refused(world, written):
    flow = flows.make(world, Twin((16, 16, 16), LENGTHS))
    longer = flows.make(world, Twin((16, 16, 16), (2 * np.pi, 3.0, 5.1)))
    assert "lengths 6.283185307179586 x 3 x 5," in refusal(world, longer, written)
    walled = Walled("SFF", (16, 16, 16), LENGTHS).make(world)
    assert "bases FFF" in refusal(world, walled, written)
    missing = refusal(world, flow, written, {"velocity": "magnetic"})
    assert "the fields velocity, but not magnetic" in missing
    assert "no such file" in refusal(world, flow, written.with_name("none.h5"))


@pytest.mark.only_cpu
@on_ranks(1, 3)
@pytest.mark.parametrize("mode", [0, 300, -1])
def test_damage_anywhere_is_seen_by_a_grid_that_needs_none_of_it(world, written, mode, tmp_path):
    damaged = world.bcast(tmp_path / "damaged.h5")
    if world.rank == 0:
        shutil.copy(written, damaged)
        with h5py.File(damaged, "r+") as file:
            file["velocity_second"][mode, 1] += 1e-3
    world.barrier()
    flow = flows.make(world, Twin((4, 4, 4), LENGTHS))
    assert "its data are damaged" in refusal(world, flow, damaged)

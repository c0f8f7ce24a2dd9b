"""Checkpoints: any ranks and precision write them, any read them; damaged ones are refused."""

import h5py
import numpy as np
import pytest
from core.test_shares import fullest, kept_columns, lightest_block
from support import flows
from support.build import needs
from support.checkpoints import checksum_of_attributes, content, modes_in
from support.flows import assert_close
from support.ranks import COUNTS, counted, end_job, on_ranks, run_on
from support.twin import Twin
from whorl import _core

pytestmark = [pytest.mark.every_device, needs("hdf5")]

BOXES = {
    "2/3": ((20, 14, 18), (2 * np.pi, 3.0, 5.0)),
    "phase-shift": ((20, 14, 18), (1.0, 2 * np.pi, 0.7)),
    "none": ((28, 20, 1), (2 * np.pi, 4.0, 1.0)),
}
ATTRIBUTES = {"time": 0.1 + 0.2, "step": 2**40, "case": "name = 'Kármán'\n"}


def twin_of(dealias, **settings):
    return Twin(*BOXES[dealias], dealias, viscosity=0.01, shift_seed=3, **settings)


def write_noise(world, dealias, precision, path):
    twin = twin_of(dealias)
    flow = flows.make(world, twin, precision=precision)
    flows.write(flow, flows.noise(twin))
    flow.write_checkpoint(str(path), ATTRIBUTES)
    return flows.read(world, flow)


@pytest.fixture(
    scope="module",
    params=[
        (1, "double"),
        pytest.param((6, "double"), marks=pytest.mark.mpi),
        pytest.param((3, "single"), marks=pytest.mark.mpi),
    ],
    ids=lambda p: f"{p[1]}-from-{p[0]}",
)
def written(request, tmp_path_factory):
    """Checkpoints of every rule by some ranks in some precision, and the velocity in each."""
    writers, precision = request.param
    folder = tmp_path_factory.mktemp("checkpoints")
    result = {"precision": precision}
    for number, dealias in enumerate(BOXES):
        path = folder / f"{number}.h5"
        velocity = run_on(writers, write_noise, dealias=dealias, precision=precision, path=path)[0]
        result[dealias] = (path, velocity)
    return result


def test_some_ranks_have_dealt_ky():
    """So that their columns of a kx are not one run of the file."""
    weights = kept_columns(BOXES["phase-shift"][0], "FFF", ("phase-shift", "cube")).tolist()
    for ranks in (3, 6):
        assert fullest(weights, False, ranks) < lightest_block(weights, ranks)


@pytest.mark.parametrize("dealias", BOXES)
def test_the_checksum_of_the_attributes_is_what_its_description_says(written, dealias):
    path, _ = written[dealias]
    with h5py.File(path) as file:
        assert file.attrs["attributes"].decode() == checksum_of_attributes(path)


@pytest.mark.parametrize("dealias", BOXES)
def test_the_file_holds_what_its_description_says(written, dealias):
    path, velocity = written[dealias]
    twin = twin_of(dealias)
    assert_close(modes_in(path, twin), twin.to_modes(velocity), written["precision"], what="modes")
    assert_close(velocity, twin.to_points(twin.load(flows.noise(twin))), written["precision"])
    with h5py.File(path) as file:
        assert (
            file["velocity_first"].dtype
            == file["velocity_second"].dtype
            == {"single": "<f4", "double": "<f8"}[written["precision"]]
        )
        assert file["velocity_first"].shape == (twin.modes, 2)
        given = {name: file.attrs[name] for name in ATTRIBUTES}
        assert tuple(file.attrs["points"]) == twin.points
    given["case"] = given["case"].decode() if isinstance(given["case"], bytes) else given["case"]
    assert given == ATTRIBUTES
    assert not path.with_suffix(".h5.part").exists()


@on_ranks()
@pytest.mark.parametrize("precision", flows.PRECISIONS)
@pytest.mark.parametrize("dealias", BOXES)
def test_any_ranks_and_precision_read_it(world, written, dealias, precision):
    path, velocity = written[dealias]
    twin = twin_of(dealias)
    coarser = "single" if "single" in (precision, written["precision"]) else "double"
    for grid in _core.allowed_process_grids(flows.options(twin), world.size):
        flow = flows.make(world, twin, precision=precision, process_grid=grid)
        flow.read_checkpoint(str(path))
        assert_close(flows.read(world, flow), velocity, coarser, what=f"velocity on {grid}")


@on_ranks(1, 2)
@pytest.mark.parametrize("precision", flows.PRECISIONS)
@pytest.mark.parametrize("dealias", BOXES)
def test_a_velocity_that_was_given_is_read_to_the_last_bit(world, dealias, precision, tmp_path):
    """The file has two components: the third that was given is the one that follows from them."""
    path = tmp_path / "given.h5"
    given = write_noise(world, dealias, precision, path)
    flow = flows.make(world, twin_of(dealias), precision=precision)
    flow.read_checkpoint(str(path))
    found = flows.read(world, flow)
    assert world.rank > 0 or np.array_equal(found, given)


@on_ranks()
@pytest.mark.parametrize("dealias", BOXES)
def test_written_again_elsewhere_it_is_the_same_to_the_last_bit(world, written, dealias, tmp_path):
    path, _ = written[dealias]
    flow = flows.make(world, twin_of(dealias), precision=written["precision"])
    flow.read_checkpoint(str(path))
    copy = tmp_path / "copy.h5"
    flow.write_checkpoint(str(copy), ATTRIBUTES)
    assert content(copy) == content(path)


@on_ranks()
@pytest.mark.parametrize("precision", flows.PRECISIONS)
@pytest.mark.parametrize("scheme", ["rk2", "rk4-gill", "ab3"])
@pytest.mark.parametrize("dealias", BOXES)
def test_going_on_from_it_repeats_every_bit(world, dealias, scheme, precision, tmp_path):
    twin, path = twin_of(dealias, scheme=scheme), str(tmp_path / "a.h5")
    settings = {"precision": precision, "threads": 2}
    flow = flows.make(world, twin, **settings)
    flows.write(flow, flows.noise(twin))
    for number in range(2):
        flow.step(0.0, courant=0.3, step_number=number)
    flow.write_checkpoint(path, {})
    again = flows.make(world, twin, **settings)
    again.read_checkpoint(path)
    assert np.array_equal(flows.read(world, again), flows.read(world, flow))
    for number in range(2, 4):
        reports = [one.step(0.0, courant=0.3, step_number=number) for one in (flow, again)]
        assert reports[0].dt == reports[1].dt
    assert np.array_equal(flows.read(world, again), flows.read(world, flow))


def run_on_from(world, path):
    """The velocity two steps after a checkpoint."""
    flow = flows.make(world, twin_of("phase-shift"))
    flow.read_checkpoint(str(path))
    for number in range(2):
        flow.step(0.01, step_number=number)
    return flows.read(world, flow)


@pytest.mark.mpi
@pytest.mark.cpu_by_default
@pytest.mark.parametrize("written", [(6, "double")], indirect=True)
@pytest.mark.parametrize("ranks", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_new_processes_repeat_every_bit(ranks, written):
    path = written["phase-shift"][0]
    end_job(ranks)
    before = run_on(ranks, run_on_from, path=path)
    end_job(ranks)
    after = run_on(ranks, run_on_from, path=path)
    assert np.array_equal(before[0], after[0])


@on_ranks(1, 3)
def test_a_mean_flow_and_an_empty_field_survive(world, tmp_path):
    twin, path = twin_of("2/3"), str(tmp_path / "a.h5")
    flow = flows.make(world, twin)
    for u in (np.zeros((3, 18, 14, 20)), np.ones((3, 18, 14, 20)) * np.array([1, 2, 3])[:, None, None, None]):
        flows.write(flow, u)
        flow.write_checkpoint(path, {})
        again = flows.make(world, twin, precision="single")
        again.read_checkpoint(path)
        assert_close(flows.read(world, again), u, "single")


def test_the_ranks_of_these_tests_are_the_ones_that_are_promised():
    assert COUNTS == (1, 2, 3, 4, 6)


LARGE = Twin((180, 160, 160), (2 * np.pi, 3.0, 4.0), "none")


def write_random(world, path):
    flow = flows.make(world, LARGE, threads=2)
    flow.set_random([0.0, 0.5, 0.25, *[0.01] * 100], 7)
    flow.write_checkpoint(str(path), {})


def copy(world, source, path):
    flow = flows.make(world, LARGE, threads=2)
    flow.read_checkpoint(str(source))
    flow.write_checkpoint(str(path), {})


@pytest.mark.cpu_by_default
@pytest.mark.parametrize("ranks", counted(1, pytest.param(3, marks=pytest.mark.slow)))
def test_a_field_of_several_slices_is_the_same_file(tmp_path, ranks):
    """One rank has more than the 64 MiB that are staged at a time, each of three has less."""
    one, other = tmp_path / "one.h5", tmp_path / "other.h5"
    run_on(1, write_random, path=one)
    run_on(ranks, copy, source=one, path=other)
    assert content(one) == content(other)
    with h5py.File(one) as file:
        assert 2 * file["velocity_first"].nbytes > 2**26 > 2 * file["velocity_first"].nbytes / 3

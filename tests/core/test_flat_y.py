"""Flow in the plane x, z (ny = 1): ranks share its planes, and all is as on one."""

import numpy as np
import pytest
from support import devices, flows
from support.build import needs
from support.flows import assert_close
from support.ranks import on_ranks
from support.twin import Twin
from whorl import _core
from whorl.base.ranks import MPI

pytestmark = pytest.mark.every_device

BOXES = [((20, 1, 18), "2/3"), ((12, 1, 30), "phase-shift"), ((28, 1, 10), "none")]
boxes = pytest.mark.parametrize(("points", "dealias"), BOXES)
TRANSPORTS = _core.build_info()["transports"]


def twin_of(points, dealias="2/3"):
    return Twin(points, (3.0, 2.0, 5.0), dealias, viscosity=0.01, scheme="rk3")


def after_steps(world, twin, u, **settings):
    flow = flows.make(world, twin, **settings)
    flows.write(flow, u)
    flow.step(0.01, step_number=0)
    report = flow.step(0.0, courant=0.3, step_number=1)
    return flow, flows.read(world, flow), [report.dt, report.maximum_velocity]


@on_ranks(2, 3, 4, 6)
@pytest.mark.parametrize("precision", flows.PRECISIONS)
@boxes
def test_ranks_change_nothing(world, points, dealias, precision):
    twin = twin_of(points, dealias)
    u = flows.noise(twin)
    alone, expected, report = after_steps(MPI.COMM_SELF, twin, u, precision=precision)
    grids = _core.allowed_process_grids(flows.options(twin), world.size)
    assert grids == [(world.size, 1)]
    for settings in ({}, {"threads": 3, "batches": 4}, {"lines": devices.lines()[1]}):
        flow, found, own_report = after_steps(world, twin, u, precision=precision, **settings)
        assert_close(found, expected, precision)
        assert_close(own_report, report, precision)
        assert_close(flow.spectra()["energy"], alone.spectra()["energy"], precision)
        assert flow.batches == 1


@on_ranks(2, 3, 6)
def test_every_rank_has_its_part(world):
    flow = flows.make(world, twin_of((32, 1, 18)))
    blocks = world.allgather(flow.physical_block)
    assert [(begin, end) for begin, end, *_ in blocks] == [
        (18 * rank // world.size, 18 * (rank + 1) // world.size) for rank in range(world.size)
    ]
    assert {tuple(rows) for _, _, *rows in blocks} == {(0, 1)}
    assert flow.imbalance < 1.1
    flow.reset_timings()
    flow.evaluate()
    # Three fields go in and five products come back: each rank keeps the part that is its own.
    sent = world.allreduce(flow.traffic()["row"])
    assert sent == 16 * (3 + 5) * 18 * 11 * (world.size - 1) // world.size


@on_ranks(2, 4)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_every_transport_gives_the_same_bits(world, transport):
    twin = twin_of((20, 1, 18))
    u = flows.noise(twin)
    _, expected, _ = after_steps(world, twin, u)
    ways = [{}, {"variables_per_message": 2}]
    if transport != "datatypes":
        ways += [{"threading": "multiple", "threads": 2}, {"threading": "serialized"}]
    for way in ways:
        _, found, _ = after_steps(world, twin, u, transport=transport, **way)
        assert np.array_equal(found, expected), way


@on_ranks(4, 6)
def test_grids_with_idle_ranks_are_right_too(world):
    twin = twin_of((12, 1, 10))
    u = flows.noise(twin)
    _, expected, _ = after_steps(MPI.COMM_SELF, twin, u)
    for rows in (1, 2, world.size // 2):
        _, found, _ = after_steps(world, twin, u, process_grid=(rows, world.size // rows))
        assert_close(found, expected, "double", what=f"velocity on {rows} rows")


@needs("hdf5")
@on_ranks(3)
def test_a_checkpoint_is_for_any_number_of_ranks(world, tmp_path):
    twin = twin_of((20, 1, 18), "phase-shift")
    u = flows.noise(twin)
    path = str(tmp_path / "state.h5")
    flow, expected, _ = after_steps(world, twin, u)
    flow.write_checkpoint(path, {})
    for ranks in (world, MPI.COMM_SELF):
        again = flows.make(ranks, twin)
        again.read_checkpoint(path)
        assert np.array_equal(flows.read(ranks, again), expected)


@pytest.mark.parametrize(("points", "most"), [((64, 1, 48), 22), ((64, 1, 12), 12), ((64, 8, 12), 40)])
def test_how_many_ranks_there_may_be(points, most):
    """As many as there are planes, or kept kx."""
    options = flows.options(twin_of(points))
    assert _core.maximum_ranks(options) == most
    assert _core.allowed_process_grids(options, most)

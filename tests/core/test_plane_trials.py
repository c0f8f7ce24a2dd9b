"""How many planes a stream takes at a time is found by timing right-hand sides, and changes no result."""

import numpy as np
import pytest
from support import flows
from support.ranks import on_ranks
from support.twin import Twin
from whorl import _core
from whorl.base.ranks import MPI

pytestmark = pytest.mark.parametrize(
    "device",
    ["cpu-as-gpu", pytest.param("cuda", marks=pytest.mark.gpu)],
    indirect=True,
    scope="module",
)

POINTS = (28, 30, 40)
SMALL = 1 << 17  # bytes of a second cache that has room for a few planes of POINTS
MOST = _core.MOST_PLANE_BYTES


def made(world, dealias="phase-shift", points=POINTS, **settings):
    twin = Twin(points, (3.0, 2 * np.pi, 5.0), dealias, viscosity=0.01, scheme="rk2")
    return twin, flows.make(world, twin, batches=1, **settings)


def stepped(twin, flow):
    flows.write(flow, flows.noise(twin, seed=5))
    flow.step(1e-4, step_number=1)
    return flow


@on_ranks(1, 4)
@pytest.mark.parametrize("lines", ["own", "fftw"])
@pytest.mark.parametrize("dealias", ["phase-shift", "2/3"])
def test_the_faster_planes_are_kept_and_change_no_result(world, device, dealias, lines):
    """By the slowest rank, and so the same on all; with exchanged rows and columns, in tiles or in place."""
    for grid in _core.allowed_process_grids(flows.options(Twin(POINTS)), world.size):
        settings = {"device": device, "process_grid": grid, "lines": lines}
        twin, flow = made(world, dealias, second_cache=SMALL, **settings)
        trials = flow.plane_trials
        assert sorted(size for size, _, _ in trials) == [SMALL // _core.STREAMS, MOST]
        assert 0 < trials[0][2] <= trials[1][2]
        planes = dict(map(lambda trial: trial[:2], trials))
        assert planes[SMALL // _core.STREAMS] < planes[MOST]
        kept = flow.options.plane_bytes
        assert kept == trials[0][0]
        assert (
            world.allgather([kept, *(seconds for *_, seconds in trials)]).count(
                [kept, *(seconds for *_, seconds in trials)]
            )
            == world.size
        )
        velocity = flows.read(world, stepped(twin, flow))
        for size in planes:
            _, fixed = made(world, dealias, plane_bytes=size, **settings)
            flows.assert_close(velocity, flows.read(world, stepped(twin, fixed)), "double")


@on_ranks(1)
@pytest.mark.parametrize("chosen", [{"planes": 3}, {"plane_bytes": 1 << 19}, {"second_cache": 0}], ids=str)
def test_what_is_given_is_not_tried(world, device, chosen):
    """Nor are planes of which as many fit either way."""
    allocated = _core.allocations()
    _, flow = made(world, device=device, **{"second_cache": SMALL} | chosen)
    once = _core.allocations() - allocated
    ((size, planes, seconds),) = flow.plane_trials
    assert (size, seconds) == (chosen.get("plane_bytes", 0), 0.0)
    assert planes == chosen.get("planes", planes)
    assert flow.options.plane_bytes == size
    allocated = _core.allocations()
    made(world, device=device, second_cache=SMALL)
    assert _core.allocations() - allocated > once


@on_ranks(1, 2)
def test_a_flow_whose_planes_were_tried_takes_what_is_counted(world, device):
    """Before it is made the larger planes are counted; trials leave neither memory nor messages behind."""
    twin, flow = made(world, device=device, second_cache=SMALL)
    after = _core.estimate_memory(flow.options, world.size)
    assert sum(flow.memory().values()) <= sum(after.values())
    assert flow.memory()["workspace"] == after["workspace"] or world.size > 1
    asked = flows.options(twin, device=device, second_cache=SMALL, batches=1)
    before = _core.estimate_memory(asked, world.size)["workspace"]
    by_size = []
    for size in (MOST, SMALL // _core.STREAMS):
        asked.plane_bytes = size
        by_size.append(_core.estimate_memory(asked, world.size)["workspace"])
    assert before == max(by_size) > min(by_size)
    assert not any(flow.traffic().values())
    assert not any(flow.messages().values())
    stepped(twin, flow)
    allocated = _core.allocations()
    flow.step(1e-4, step_number=2)
    assert _core.allocations() == allocated


def test_a_cpu_tries_no_planes(device):
    assert made(MPI.COMM_SELF, device="cpu", second_cache=SMALL)[1].plane_trials == []

"""What is allocated, when, and what the planner says of it."""

import gc
import os
import resource
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import devices, flows
from support.ranks import on_ranks
from support.twin import TABLES, Twin
from whorl import _core

pytestmark = pytest.mark.every_device

BOXES = [
    ((42, 16, 12), "2/3"),
    ((20, 14, 18), "phase-shift"),
    ((24, 30, 10), "phase-shift-exact"),
    ((28, 20, 1), "none"),
]
RULES = [(rule, "cube") for rule in ("2/3", "phase-shift", "phase-shift-exact", "none")] + [("2/3", "sphere")]
SIZES = [n for n in range(4, 64, 2) if _core.next_good_size(n) == n]
sizes = st.tuples(st.sampled_from(SIZES), st.sampled_from(SIZES), st.sampled_from([1, *SIZES]))
boxes = pytest.mark.parametrize(("points", "dealias"), BOXES)


@pytest.mark.turns
@on_ranks()
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("scheme", TABLES)
@boxes
def test_nothing_is_allocated_after_the_first_step(world, points, dealias, scheme, threads):
    twin = Twin(points, dealias=dealias, scheme=scheme, viscosity=0.01)
    flow = flows.make(world, twin, threads=threads)
    flows.write(flow, flows.noise(twin))
    flow.step(0.001, step_number=0)
    before, memory = _core.allocations(), flow.memory()
    for number in range(1, 5):
        flow.step(0.0, courant=0.1, step_number=number)
        flow.statistics()
        flow.transfer()["velocity"]
    assert _core.allocations() == before
    assert flow.memory() == memory


def resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.cpu_by_default
@on_ranks(1, 2)
def test_resident_memory_does_not_grow_with_steps(world):
    twin = Twin((42, 16, 12), dealias="phase-shift", scheme="rk4", viscosity=0.01)
    flow = flows.make(world, twin, threads=2)
    flows.write(flow, flows.noise(twin))

    def steps(first: int) -> int:
        for number in range(first, first + 150):
            flow.step(1e-4, step_number=number)
            if number % 10 == 0:
                flow.spectra()
                flows.read(world, flow)
        gc.collect()
        return resident()

    steps(0)
    before = steps(150)
    # One leaked array of the smallest kind, 20 kB, in every step would be 3 MB.
    assert steps(300) - before < 1_000_000


# With sizes divisible by 3, where modes lie on the boundary of the sphere itself.
SHAPES = [(*box, "cube") for box in BOXES]
SHAPES += [((18, 12, 36), "2/3", "sphere"), ((36, 24, 12), "phase-shift", "cube")]


@on_ranks()
@pytest.mark.parametrize("precision", flows.PRECISIONS)
@pytest.mark.parametrize(("points", "dealias", "shape"), SHAPES)
def test_the_estimate_is_what_the_fullest_rank_takes(world, points, dealias, shape, precision):
    twin = Twin(points, dealias=dealias, shape=shape, scheme="rk4")
    for grid in _core.allowed_process_grids(flows.options(twin), world.size):
        settings = {"precision": precision, "process_grid": grid, "threads": 2, "batches": 3}
        if devices.current() != "cpu":
            settings["planes"] = world.size % 3  # 0: as many as fill it
        flow = flows.make(world, twin, **settings)
        estimate = _core.estimate_memory(flows.options(twin, **settings), world.size)
        taken = world.allgather(flow.memory())
        assert estimate.keys() == taken[0].keys()
        assert estimate == max(taken, key=lambda memory: sum(memory.values()))


@on_ranks(4, 6)
@pytest.mark.parametrize("transport", _core.build_info()["transports"])
def test_the_estimate_counts_what_a_transport_needs(world, transport):
    twin = Twin((12, 10, 14), scheme="rk2")
    for grid in ((1, world.size), (2, world.size // 2), (world.size, 1)):
        settings = {"process_grid": grid, "batches": 3, "transport": transport}
        taken = world.allgather(flows.make(world, twin, **settings).memory())
        estimate = _core.estimate_memory(flows.options(twin, **settings), world.size)
        assert estimate == max(taken, key=lambda memory: sum(memory.values()))


def estimated_modes(twin: Twin) -> int:
    """Of a field, from the two registers of rk2."""
    extra = 1 if twin.dealias == "phase-shift-exact" else 0
    return _core.estimate_memory(flows.options(twin, scheme="rk2"), 1)["state"] // ((2 + extra) * 3 * 16)


@settings(derandomize=True)
@given(points=sizes, rule=st.sampled_from(RULES))
def test_the_estimate_counts_the_kept_modes(points, rule):
    twin = Twin(points, dealias=rule[0], shape=rule[1])
    assert estimated_modes(twin) == twin.modes


@pytest.mark.parametrize(("dealias", "ninths"), [("2/3", 1), ("phase-shift", 2)])
@pytest.mark.parametrize("ratios", [(1, 1, 1), (1, 2, 4), (8, 1, 2)])
def test_the_estimate_counts_the_modes_of_a_large_sphere(ratios, dealias, ninths):
    """9 sum (ratio n)^2 < ninths N^2 in integers, many of them on the boundary."""
    N = 1536
    lines = [ratio * np.arange(-N // ratio // 2, N // ratio // 2) for ratio in ratios]
    left = ninths * N**2 - 9 * (lines[0][lines[0] >= 0] ** 2 + lines[1][:, None] ** 2) - 1
    height = np.sqrt(left[left >= 0] // (9 * ratios[2] ** 2)).astype(int)  # exact below 2^52
    twin = Twin(tuple(N // ratio for ratio in ratios), dealias=dealias, shape="sphere")
    assert estimated_modes(twin) == (2 * height + 1).sum()


def test_the_estimate_makes_no_table():
    """The rows of this sphere would take a gigabyte."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    estimated_modes(Twin((8192, 8192, 8192), dealias="phase-shift"))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB


@on_ranks(1, 4)
def test_state_is_the_registers_of_the_kept_modes(world):
    twin = Twin((20, 14, 18), dealias="phase-shift")
    registers_of = {"rk2": 2, "rk3": 2, "rk4": 3, "rk4-gill": 2, "rk4-carpenter": 2, "ab2": 3, "ab3": 4}
    for scheme, registers in registers_of.items():
        flow = flows.make(world, twin, precision="single", scheme=scheme)
        assert world.allreduce(flow.memory()["state"]) == registers * 3 * twin.modes * 8


@on_ranks(1, 3)
def test_timings_add_up(world):
    twin = Twin((20, 14, 18))
    flow = flows.make(world, twin)
    flows.write(flow, flows.noise(twin))
    flow.reset_timings()
    assert set(flow.timings().values()) == {0.0}
    flow.step(0.001)
    timings = flow.timings()
    lines = {"x_lines", "y_lines", "z_lines"}
    exchanges = {"row", "column"}
    sums = {"transforms", "exchange", "other", "total"}
    assert timings.keys() == lines | exchanges | sums | {"pack", "point", "modes"}
    assert timings["exchange"] == pytest.approx(timings["row"] + timings["column"])
    assert all(np.isfinite(seconds) for seconds in timings.values())
    assert 0 < timings["transforms"] < timings["total"]
    assert (timings["exchange"] > 0) == (world.size > 1)

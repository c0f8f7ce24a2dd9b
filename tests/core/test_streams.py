"""Exchanges that are ordered with a device's work without the host: by messages on a stream of the device, as
NCCL's are, and by copies through the host's memory. On cpu-as-gpu work runs as late as streams permit."""

import os
import subprocess
import sys
import time
from functools import cache

import numpy as np
import pytest
from support import flows, ranks
from support.build import needs
from support.examples import dealt
from support.ranks import on_ranks, run_on
from support.twin import Twin
from whorl import _core
from whorl.base.ranks import MPI

pytestmark = [
    needs("mpi"),
    pytest.mark.parametrize("device", ["cpu-as-gpu"], indirect=True, scope="module"),
]

# Beside them: how chunks are put together, and who sends them.
STAGED = [
    *({"transport": name} for name in ("alltoall", "overlap", "pairwise", "rma", "rma-fence")),
    {"transport": "pairwise", "variables_per_message": 2},
    {"transport": "rma", "threading": "serialized"},
    {"transport": "pairwise", "threading": "multiple", "threads": 2},
]
ON_DEVICE = [
    {"transport": "nccl"},
    {"transport": "nccl", "variables_per_message": 2},
    {"transport": "nccl", "threading": "serialized"},
    {"transport": "nccl", "threading": "multiple", "threads": 2},
]
# Here MPI has the device's memory, also of what a rank sends to itself: the host's copies would refuse it.
BY_MPI = [
    *({"transport": name, "gpu_aware": "yes"} for name in ("overlap", "pairwise", "rma", "rma-fence")),
    {"transport": "pairwise", "gpu_aware": "yes", "variables_per_message": 2},
    {"transport": "rma", "gpu_aware": "yes", "threading": "multiple", "threads": 2},
]
# So it is here, and the host waits for all work before each exchange.
IN_STEP = {"transport": "alltoall", "gpu_aware": "yes"}


def of_a_step(points=(20, 14, 18)):
    twin = Twin(points, (3.0, 2 * np.pi, 5.0), "phase-shift", viscosity=0.01, scheme="rk2")
    return twin, flows.noise(twin)


def passes(world, twin, u, **settings):
    """What passes make of a field: one that sets it, steps, with maxima and without, one that reads it."""
    flow = flows.make(world, twin, **{"gpu_aware": "no", **settings})
    flows.write(flow, u)
    flow.step(0.01, step_number=0)
    flow.step(0.0, courant=0.2, step_number=1)
    flow.transform_pair("velocity")
    return flows.read(world, flow), flow.statistics(), flow


@cache
def expected_of(ranks, grid, batches):
    """Results that every kind of exchange has to give, alike on all ranks of a job."""
    twin, u = of_a_step()
    found, of_found, _ = passes(MPI.COMM_WORLD, twin, u, process_grid=grid, batches=batches, **IN_STEP)
    return found, of_found


def grids(world, twin):
    return _core.allowed_process_grids(flows.options(twin), world.size)


@on_ranks(2, 3, 4)
@pytest.mark.parametrize(
    "settings", [*STAGED, *ON_DEVICE, *BY_MPI], ids=lambda one: "-".join(map(str, one.values()))
)
def test_an_exchange_gives_the_bits_of_one_that_the_host_waits_for(world, settings):
    twin, u = of_a_step()
    for grid, some in dealt(grids(world, twin), (1, 3, 100)):
        for batches in some:
            common = {"grid": grid, "batches": batches}
            expected, of_expected = expected_of(world.size, **common)
            found, of_found, _ = passes(world, twin, u, process_grid=grid, batches=batches, **settings)
            assert np.array_equal(found, expected), f"on {grid} in {batches} batches"
            assert of_found == of_expected


@on_ranks(2, 4)
@pytest.mark.parametrize("settings", [*STAGED, *ON_DEVICE], ids=lambda one: "-".join(map(str, one.values())))
def test_timed_exchanges_give_the_same_bits(world, settings):
    twin, u = of_a_step()
    for grid in grids(world, twin):
        expected, _, _ = passes(world, twin, u, process_grid=grid, **IN_STEP)
        flow = flows.make(world, twin, process_grid=grid, gpu_aware="no", **settings)
        flows.write(flow, u)
        flow.step(0.01, step_number=0)
        flow.reset_timings()
        flow.step(0.0, courant=0.2, step_number=1)
        flow.transform_pair("velocity")
        assert np.array_equal(flows.read(world, flow), expected)


@on_ranks(2)
@pytest.mark.parametrize(
    "transport", ["nccl", *(pytest.param(one, marks=pytest.mark.slow) for one in ("pairwise", "overlap"))]
)
def test_who_waits_for_a_late_rank_does_so_in_the_exchange(world, transport):
    twin, _ = of_a_step()
    flow = flows.make(world, twin, transport=transport, gpu_aware="no", batches=2)
    flow.evaluate()
    flow.reset_timings()
    if world.rank == 1:
        time.sleep(2)
    flow.evaluate()
    seconds = flow.timings()
    assert seconds["exchange"] > 1
    assert seconds["y_lines"] + seconds["x_lines"] + seconds["z_lines"] < 1


@on_ranks(2, 3)
@pytest.mark.parametrize(("transport", "share"), [("pairwise", 1), ("rma", 1), ("alltoall", None)])
def test_a_rank_s_own_chunk_stays_on_the_device_where_chunks_go_one_by_one(world, transport, share):
    """Then what is copied, out and in, is what all ranks send."""
    twin, u = of_a_step()
    for grid in grids(world, twin):
        flow = flows.make(world, twin, process_grid=grid, transport=transport, gpu_aware="no", batches=2)
        flows.write(flow, u)
        flow.statistics()  # waits for all before
        flow.reset_timings()
        before = dict(_core.transfers())
        flow.evaluate()
        flow.statistics()
        copied = world.allreduce(_core.transfers()["bytes"] - before["bytes"])
        sent = world.allreduce(sum(flow.traffic().values()))
        assert copied == 2 * sent if share else copied > 2 * sent


HANGING = """
import sys
import time

from support import devices, flows
from support.twin import Twin
from whorl.base.ranks import MPI

devices.use("cpu-as-gpu")
world = MPI.COMM_WORLD
twin = Twin((20, 14, 18), viscosity=0.01)
flow = flows.make(
    world, twin, transport=sys.argv[1], gpu_aware="no", batches=1, process_grid=(1, 2), exchange_timeout=1.0
)
flows.write(flow, flows.noise(twin))
if world.rank == 1:
    time.sleep(1000)
flow.read_fields("velocity", lambda *block: None) if sys.argv[2] == "read" else flow.evaluate()
"""


@pytest.mark.long("ranks wait until the time of an exchange is over")
@pytest.mark.parametrize(
    ("transport", "call"),
    [
        ("nccl", "read"),
        ("pairwise", "evaluate"),
        pytest.param("alltoall", "read", marks=pytest.mark.slow),
        pytest.param("nccl", "evaluate", marks=pytest.mark.slow),
        pytest.param("pairwise", "read", marks=pytest.mark.slow),
        pytest.param("alltoall", "evaluate", marks=pytest.mark.slow),
    ],
)
def test_a_hang_that_the_host_does_not_wait_for_is_noticed(tmp_path, transport, call):
    script = tmp_path / "hangs.py"
    script.write_text(HANGING, encoding="utf-8")
    command = ["mpiexec", "-n", "2", sys.executable, str(script), transport, call]
    done = subprocess.run(
        command, capture_output=True, text=True, env=ranks.environment(), timeout=60, cwd=os.getcwd()
    )
    assert done.returncode != 0
    assert (
        "rank 0: the column exchange of batch 0 did not end within run.exchange_timeout = 1 s" in done.stderr
    )


@pytest.mark.mpi
@pytest.mark.parametrize("settings", [{"transport": "nccl", "wire": "single"}])
def test_what_is_refused_of_exchanges_on_the_device(settings):
    for message in run_on(2, refusal, settings=settings):
        assert 'wire = "single" converts on the host' in message


def refusal(world, settings):
    twin, _ = of_a_step()
    with pytest.raises(_core.Error) as caught:
        flows.make(world, twin, **settings)
    return str(caught.value)


def test_a_cpu_has_no_such_exchange():
    twin, _ = of_a_step()
    with pytest.raises(_core.Error, match="exchanges GPU memory: choose another transport, or a GPU"):
        flows.make(MPI.COMM_SELF, twin, transport="nccl", device="cpu")

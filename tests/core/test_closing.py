"""Flows end on one rank, on all, or half made: nobody waits in vain, nothing is used that is not there."""

import gc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support import failing_mpi, flows, headers
from support.ranks import on_ranks
from support.twin import Twin
from whorl import Case, Simulation, _core
from whorl.base.ranks import MPI

TWIN = Twin((12, 8, 16), viscosity=0.01)
TRANSPORTS = ("alltoall", "rma", "rma-fence", "rma-shared")


def a_flow(world, transport="alltoall", **settings):
    """One that has exchanged."""
    flow = _core.Flow(flows.options(TWIN, transport=transport, **settings), world.py2f())
    flow.evaluate()
    return flow


@on_ranks(2, timeout=10)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_rank_that_drops_its_flow_waits_for_nobody(world, transport):
    flow = a_flow(world, transport)
    if world.rank == 1:
        del flow
        gc.collect()
    assert world.allreduce(1) == 2  # what the other goes on to


@on_ranks(2, timeout=10)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_rank_with_an_exception_waits_for_nobody(world, transport):
    def work():
        flow = a_flow(world, transport)
        if world.rank == 1:
            raise KeyError("on this rank alone")
        return flow

    try:
        flow = work()
    except KeyError:
        flow = None
    assert world.allreduce(flow is None) == 1


def kept(world) -> tuple[int, int]:
    """Mappings of memory that processes share, and which communicator MPI would make next."""
    shared = sum("rw-s" in line for line in Path("/proc/self/maps").read_text().splitlines())
    following = world.Dup()
    number = following.py2f()
    following.Free()
    return shared, number


@on_ranks(2, 4, timeout=20)
@pytest.mark.parametrize(
    ("transport", "threading"),
    [("alltoall", "funneled"), ("rma", "multiple"), ("rma-fence", "serialized"), ("rma-shared", "funneled")],
)
def test_all_is_given_back_when_a_flow_is_closed(world, transport, threading):
    found = []
    for _ in range(3):
        flow = a_flow(world, transport, process_grid=(world.size // 2, 2), threading=threading, threads=2)
        flow.close()
        found.append(kept(world))
        flow.close()  # again is nothing
        with pytest.raises(_core.Error, match="this flow is closed"):
            flow.statistics()
        with pytest.raises(_core.Error, match="this flow is closed"):
            assert flow.kmax
    assert found[1:] == found[:1] * 2


@on_ranks(1)
def test_a_flow_of_one_rank_is_closed_by_dropping_it(world):
    before = kept(world)
    for _ in range(3):
        a_flow(world)
    assert kept(world) == before


CASE = Case(
    grid={"points": 8}, flow={"viscosity": 0.1}, time={"dt": 0.01, "steps": 2}, initial={"name": "abc"}
)


@on_ranks(1, 2, timeout=20)
def test_a_block_closes_its_simulation(world):
    with Simulation(CASE, comm=world) as simulation:
        simulation.run(progress=False)
    assert simulation.series.sizes["time"] == 2
    assert simulation.finished
    with pytest.raises(_core.Error, match="this flow is closed"):
        simulation.velocity()
    simulation.close()


@on_ranks(2, timeout=20)
def test_a_block_that_an_exception_leaves_waits_for_nobody(world):
    case = CASE.updated(["run.transport=rma"])
    try:
        with Simulation(case, comm=world) as simulation:
            simulation.step()
            if world.rank == 1:
                raise KeyError("on this rank alone")
            assert world.allreduce(1) == 2  # the other is behind the block
            raise KeyError("on this one later")
    except KeyError:
        del simulation
        gc.collect()
    if world.rank == 1:
        assert world.allreduce(1) == 2
    assert world.allreduce(1) == 2


@on_ranks(1)
def test_a_closed_simulation_leaves_its_directory(world, tmp_path):
    case = CASE.updated([f"output.directory={str(tmp_path / 'run')!r}"])
    simulation = Simulation(case, comm=world)
    program = (
        f"from whorl.output.directory import RunDirectory; RunDirectory({str(tmp_path / 'run')!r}).lock()"
    )
    command = [sys.executable, "-c", program]
    assert subprocess.run(command, capture_output=True).returncode == 1
    simulation.close()
    subprocess.run(command, check=True)


# A device whose work fails as its streams are waited for.
LATE_FAILURE = """
#include <cstdio>
#include "base/error.hpp"
#include "roundtrip/executors.hpp"
using namespace whorl;
struct Device {
    int left;
    void finish() {
        if (left-- == 0) throw Error("the fourth wait failed");
    }
};
void scope(Device& device, Timers& timers, std::exception_ptr& failure) {
    const Timed<Device> timed(device, timers, failure, Task::point);
}
int main() {
    Timers timers;
    timers.enabled = true;
    std::exception_ptr failure;
    Device device{3};
    scope(device, timers, failure); // waits at its begin and its end
    scope(device, timers, failure); // and fails at its end
    try {
        throw_if(failure);
    } catch (const Error& error) {
        std::printf("%s; ", error.what());
    }
    throw_if(failure); // once
    device.left = 1;
    try {
        const Timed<Device> timed(device, timers, failure, Task::pack);
        throw Error("what went wrong first");
    } catch (const Error& error) {
        std::printf("%s; ", error.what());
    }
    std::printf("%d %d", failure != nullptr, timers.seconds(Task::point) > 0.0);
}
"""


def test_a_failure_at_the_end_of_a_scope_is_thrown_where_it_can_be(tmp_path):
    said = headers.run(tmp_path, LATE_FAILURE)
    assert said == "the fourth wait failed; what went wrong first; 1 1"


HALF_MADE = """
import sys
from support import flows
from support.failing_mpi import fail_after
from support.twin import Twin
from whorl import _core
from whorl.base.ranks import MPI

twin = Twin((12, 8, 16), viscosity=0.01)
flow, other = (flows.make(MPI.COMM_WORLD, twin, transport="datatypes", batches=2) for _ in range(2))
for each in flow, other:
    flows.write(each, flows.noise(twin))
for calls in 9, 0, 3, 7:  # of two exchanges, the first takes eight and is there from then on
    fail_after(calls)
    try:
        flow.evaluate()
    except _core.Error as error:
        assert "MPI_Type_commit" in str(error), error
    else:
        raise AssertionError("nothing failed")
    fail_after(10**9)
    flows.read(MPI.COMM_WORLD, flow)
flow.reset_timings(), other.reset_timings()
flow.evaluate(), other.evaluate()
assert flow.traffic() == other.traffic(), (flow.traffic(), other.traffic())
assert (flow.transfer()["velocity"] == other.transfer()["velocity"]).all()
print("went on")
"""


@pytest.mark.mpi
def test_an_exchange_that_could_not_be_made_is_not_there(tmp_path):
    """Two exchanges of a right-hand side; the making of the second fails."""
    library = failing_mpi.build(tmp_path, "MPI_Type_commit")
    assert failing_mpi.run(library, HALF_MADE).count("went on") == 2


UNDER_WAY = """
import gc
import sys
from support import flows
from support.failing_mpi import fail_after
from support.twin import Twin
from whorl import _core
from whorl.base.ranks import MPI

world, twin = MPI.COMM_WORLD, Twin((64, 48, 32), viscosity=0.01)

def make(**settings):
    return _core.Flow(flows.options(twin, transport="overlap", batches=4, **settings), world.py2f())

for calls in 1, 5:
    flow = make(threading=sys.argv[1])
    flows.write(flow, flows.noise(twin))
    fail_after(calls)
    try:
        flow.evaluate()
    except _core.Error as error:
        assert "MPI_Ialltoallv" in str(error), error
    fail_after(10**9)
    try:
        flow.evaluate()
    except _core.Error as error:
        assert "make a new flow" in str(error), error
    else:
        raise AssertionError("it went on with buffers in use")
    del flow
    gc.collect()
    world.Barrier()
    make().evaluate()
    world.Barrier()
print("went on")
"""


@pytest.mark.mpi
@pytest.mark.parametrize("threading", ["funneled", pytest.param("serialized", marks=pytest.mark.slow)])
def test_a_flow_is_dropped_with_messages_under_way(tmp_path, threading):
    """They arrive in memory that must still be there."""
    library = failing_mpi.build(tmp_path, "MPI_Ialltoallv")
    assert failing_mpi.run(library, UNDER_WAY, threading).count("went on") == 2


def test_what_is_open_of_a_closed_flow_says_so(tmp_path):
    """Probes and snapshots hold on to the flow's ranks, which are gone."""
    flow = a_flow(MPI.COMM_SELF)
    probe = flow.probe_modes([[_core.Term(field=0)]], [(1, 0, 0)])
    snapshot = flow.open_snapshot(tmp_path / "open.h5", {}, False)
    snapshot.add_field("velocity", 3)
    flow.close()
    with pytest.raises(_core.Error, match="this flow is closed"):
        probe.read(np.zeros(probe.size))
    with pytest.raises(_core.Error, match="this flow is closed"):
        snapshot.add_field("pressure", 1)
    del snapshot
    assert not list(tmp_path.iterdir())

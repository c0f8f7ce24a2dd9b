"""Every way for ranks to exchange data gives the same bits; the single-precision wire costs what it says."""

import itertools

import numpy as np
import pytest
from support import devices, flows
from support.examples import dealt
from support.ranks import on_ranks, run_on
from support.twin import Twin
from whorl import Case, Simulation, _core
from whorl.base.ranks import MPI

pytestmark = pytest.mark.every_device

TRANSPORTS = _core.build_info()["transports"]
PACKED = [name for name in TRANSPORTS if name != "datatypes"]
# Ranks beyond those of the other tests, and points that they do not divide.
COUNTS = (2, 3, 4, 6, 8)


def after_a_step(world, twin, u, precision="double", **settings):
    flow = flows.make(world, twin, precision=precision, **settings)
    flows.write(flow, u)
    flow.step(0.01, step_number=0)
    return flows.read(world, flow), flow


def of_a_step(points=(20, 14, 18), dealias="2/3"):
    twin = Twin(points, (3.0, 2 * np.pi, 5.0), dealias, viscosity=0.01, scheme="rk2")
    return twin, flows.noise(twin)


@on_ranks(*COUNTS)
@pytest.mark.parametrize("precision", flows.PRECISIONS)
def test_every_transport_gives_the_same_bits(world, precision):
    twin, u = of_a_step()
    grids = _core.allowed_process_grids(flows.options(twin), world.size)
    transports = [name for name in TRANSPORTS if devices.can_move(name)]
    for (grid, batches), some in dealt([*itertools.product(grids, (3, 100))], transports):
        common = {"precision": precision, "process_grid": grid, "batches": batches}
        expected, _ = after_a_step(world, twin, u, **common)
        for transport in some:
            found, _ = after_a_step(world, twin, u, transport=transport, **common)
            assert np.array_equal(found, expected), f"{transport} on {grid} in {batches} batches"


@on_ranks(3, 8)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_ranks_without_work(world, transport, tmp_path):
    """More ranks than planes, rows or columns: fields, measures and files are as on one."""
    twin, u = of_a_step((12, 6, 4))
    path = str(tmp_path / "idle.h5")
    expected, alone = after_a_step(MPI.COMM_SELF, twin, u)
    for rows in (n for n in range(1, world.size + 1) if world.size % n == 0):
        settings = {"process_grid": (rows, world.size // rows), "batches": 2, "transport": transport}
        found, flow = after_a_step(world, twin, u, **settings)
        assert np.abs(found - expected).max() < 1e-14
        assert flow.statistics() == pytest.approx(alone.statistics(), rel=1e-13, abs=1e-15)
        flow.write_checkpoint(path, {})
        again = flows.make(world, twin, **settings)
        again.read_checkpoint(path)
        assert np.array_equal(flows.read(world, again), found)


@pytest.mark.cpu_by_default
@on_ranks(4, 6)
def test_messages_are_as_many_as_asked_for(world):
    """Three velocity components go in and five products and four fluxes come back, in chunks to each peer."""
    twin, u = of_a_step()
    carried = {"row": (3, 5), "column": (3, 4)}
    for rows, wanted, threads in itertools.product((1, 2, world.size), (0, 1, 2, 3, 50), (1, 3)):
        threading = "multiple" if threads > 1 else "funneled"
        settings = {"variables_per_message": wanted, "threads": threads, "threading": threading}
        grid = (rows, world.size // rows)
        flow = flows.make(world, twin, process_grid=grid, batches=2, **settings)
        flows.write(flow, u)
        flow.reset_timings()
        flow.evaluate()
        sent = {leg: world.allreduce(count) for leg, count in flow.messages().items()}
        for (leg, variables), peers in zip(carried.items(), grid, strict=True):
            parts = sum(parts_of(number, threads, wanted) for number in variables)
            assert sent[leg] == world.size * (peers - 1) * 2 * parts


def parts_of(variables: int, threads: int, wanted: int) -> int:
    """Messages when threads share the variables evenly and each sends `wanted` at a time."""
    threads = min(threads, variables)
    shares = [variables * (i + 1) // threads - variables * i // threads for i in range(threads)]
    return sum(-(-share // (wanted or share)) for share in shares)


@on_ranks(2, 3)
def test_ranks_with_unlike_threads_exchange_with_as_many_as_all_have(world):
    twin, u = of_a_step()
    for transport in filter(devices.can_move, TRANSPORTS):
        expected, _ = after_a_step(world, twin, u)
        settings = {"transport": transport, "threading": "multiple", "threads": 1 + world.rank}
        found, _ = after_a_step(world, twin, u, **settings)
        assert np.array_equal(found, expected)


MESSAGES_AND_THREADS = [
    *({"variables_per_message": n} for n in (1, 2, 3, 50)),
    {"threading": "serialized"},
    {"threading": "multiple", "threads": 3},
    {"threading": "multiple", "threads": 2, "variables_per_message": 1},
    {"threading": "serialized", "variables_per_message": 2},
]


@on_ranks(2, 4)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_messages_and_threads_change_no_bit(world, transport):
    twin, u = of_a_step()
    grids = _core.allowed_process_grids(flows.options(twin), world.size)
    for grid, some in dealt(grids, MESSAGES_AND_THREADS):
        common = {"process_grid": grid, "batches": 3}
        expected, _ = after_a_step(world, twin, u, **common)
        for settings in some:
            found, _ = after_a_step(world, twin, u, transport=transport, **common, **settings)
            assert np.array_equal(found, expected), f"{transport} with {settings} on {grid}"


@on_ranks(2, 4)
@pytest.mark.parametrize(
    ("transport", "settings"),
    [
        *((name, {}) for name in PACKED),
        *(("overlap", settings) for settings in ({"variables_per_message": 2}, {"threading": "multiple"})),
    ],
)
def test_the_wire_in_single_precision(world, transport, settings):
    """Half the bytes, and errors of a single-precision number; a single-precision run is as it was."""
    twin, u = of_a_step((48, 40, 32))  # messages long enough to be converted side by side
    for grid in _core.allowed_process_grids(flows.options(twin), world.size):
        exact, full = after_a_step(world, twin, u, process_grid=grid, batches=1)
        near, half = after_a_step(
            world, twin, u, process_grid=grid, batches=1, transport=transport, wire="single", **settings
        )
        difference = np.abs(near - exact).max() / np.abs(exact).max()
        assert 1e-10 < difference < 1e-6
        assert {leg: 2 * moved for leg, moved in half.traffic().items()} == full.traffic()
        if not settings:
            same, _ = after_a_step(world, twin, u, "single", process_grid=grid)
            also, _ = after_a_step(world, twin, u, "single", process_grid=grid, wire="single")
            assert np.array_equal(also, same)


@on_ranks(2)
def test_the_wire_in_single_precision_keeps_the_dissipation(world):
    """Of the Taylor–Green vortex at Re = 100, to 1e-6."""
    dissipation = {}
    for wire in ("full", "single"):
        case = Case(
            grid={"points": 32},
            flow={"viscosity": 0.01},
            time={"scheme": "rk4", "dt": 0.05, "steps": 40},
            initial={"name": "taylor-green"},
            run={"wire": wire, "threads": 1},
        )
        simulation = Simulation(case, comm=world)
        while not simulation.finished:
            simulation.step()
        dissipation[wire] = simulation.statistics()["dissipation"]
    error = abs(dissipation["single"] / dissipation["full"] - 1)
    assert 1e-12 < error < 1e-6


@on_ranks(2, 4)
@pytest.mark.parametrize(("dealias", "least", "most"), [("none", 0.9, 1.0), ("phase-shift", 0.6, 0.72),
                                                        ("2/3", 0.3, 0.45)])  # fmt: skip
def test_bytes_are_those_of_the_kept_columns(world, dealias, least, most):
    """Of an exchange of slabs, against all nx/2 + 1 of the columns."""
    nx, ny, nz = points = (48, 40, 32)
    twin, u = of_a_step(points, dealias)
    _, flow = after_a_step(world, twin, u, process_grid=(1, world.size))
    flow.reset_timings()
    flow.step(0.01, step_number=1)
    moved = world.allreduce(flow.traffic()["column"])
    variables = 2 * (3 + 4)  # velocities in and fluxes out, of two stages
    whole = 16 * variables * (nx // 2 + 1) * ny * nz * (1 - 1 / world.size)
    assert flow.traffic()["row"] == 0
    assert least < moved / whole < most


@pytest.mark.parametrize(("settings", "message"), [
    ({"transport": "pigeon"}, "transport = \"pigeon\" is unknown; choose one of: alltoall"),
    ({"wire": "thin"}, "wire = \"thin\" is unknown; choose one of: full, single"),
    ({"threading": "wild"}, "threading = \"wild\" is unknown"),
    ({"transport": "datatypes", "wire": "single"}, "packs nothing"),
])  # fmt: skip
def test_impossible_choices(settings, message):
    with pytest.raises(_core.Error, match=message):
        flows.make(MPI.COMM_SELF, Twin((8, 8, 8)), **settings)


@pytest.mark.mpi
@pytest.mark.parametrize(("settings", "said"), [
    ({"transport": "rma-shared"}, "receives into memory that processes of a node share"),
    ({"transport": "datatypes"}, "packs nothing, so MPI must access GPU memory directly"),
    ({"wire": "single", "gpu_aware": "yes"}, 'wire = "single" converts on the host'),
    ({"gpu_aware": "perhaps"}, 'gpu_aware = "perhaps" is unknown; choose one of: auto, yes, no'),
])  # fmt: skip
def test_what_cannot_move_a_gpu_s_memory_says_why(settings, said, device):
    if device == "cpu":
        pytest.skip("about GPUs")
    for message in run_on(2, refusal, settings={"gpu_aware": "no", **settings}):
        assert said in message


def refusal(world, settings):
    twin, _ = of_a_step()
    with pytest.raises(_core.Error) as caught:
        flows.make(world, twin, **settings)
    return str(caught.value)

"""What is asked of a GPU before a run begins, with GPUs that are made up."""

import re
import socket
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from mpi4py import MPI
from support.ranks import on_ranks
from whorl import _core
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.config.sizes import next_good_size
from whorl.machine.information import information
from whorl.run import begin, checks, provenance
from whorl.run.checks import check_device
from whorl.run.core_options import core_options, describe
from whorl.run.memory import checks as memory_checks
from whorl.run.memory.checks import check_memory, uncounted
from whorl.run.memory.fitting import largest_points
from whorl.run.simulation import Simulation
from whorl.run.tune import checked_options

GIB = 2**30
ROOT = Path(__file__).resolve().parents[2]
CARD = {"name": "Toy 1", "id": "1", "memory": 8 * GIB, "block_memory": 227 << 10}


def case_of(points=64, grid=(), **run):
    return Case(
        grid={"points": points} | dict(grid), flow={"viscosity": 0.1}, time={"dt": 0.1, "steps": 1}, run=run
    )


def build(*devices, transports=("alltoall",)):
    return lambda: {"devices": list(devices), "transports": list(transports)}


def refusal(function, *arguments):
    with pytest.raises(CaseError) as caught:
        function(*arguments)
    message = str(caught.value)
    assert "\n" not in message
    return message


def counted(case, ranks=1, planes=0):
    """Bytes of the fullest rank that works on so many planes at a time; 0: on as many as it likes."""
    options = core_options(case, 1)
    options.planes = planes
    return sum(_core.estimate_memory(options, ranks).values())


def needed(case, ranks=1, planes=0):
    return counted(case, ranks, planes) + uncounted(core_options(case, 1), ranks)


# Options


def test_the_core_is_told_the_device_and_what_mpi_takes():
    default, given = core_options(case_of(), 1), core_options(case_of(device="cuda", gpu_aware="no"), 1)
    assert (default.device, default.gpu_aware) == ("cpu", "auto")
    assert (given.device, given.gpu_aware) == ("cuda", "no")


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_a_run_says_where_it_is(device):
    options = SimpleNamespace(transport="alltoall", planes=0)
    flow = SimpleNamespace(process_grid=(1, 1), options=options, ranks=1, threads=1)
    said = describe(case_of(device=device), flow)
    assert said.endswith("1 rank × 1 thread" + (" on cuda" if device == "cuda" else ""))
    options.planes = 2
    assert describe(case_of(device=device), flow).endswith("room for 2 planes at a time)")


def test_the_log_tells_what_planes_were_tried(tmp_path, monkeypatch):
    trials = [(24 << 20, 4, 0.0123), (512 << 20, 80, 0.0157)]
    case = case_of(points=8).updated(["initial.name=zero", f"output.directory={tmp_path / 'run'}"])
    before = Simulation(case)
    log = before.directory.log
    assert "planes of a GPU stream" not in log.read_text()
    before.close()

    class Flow:
        """One of a GPU, by what it says of planes."""

        def __init__(self, flow):
            self.flow, self.plane_trials = flow, trials

        def __getattr__(self, name):
            return getattr(self.flow, name)

    make = begin.make_flow
    monkeypatch.setattr(begin, "make_flow", lambda options, comm: Flow(make(options, comm)))
    Simulation(case.updated([f"output.directory={tmp_path / 'other'}"])).close()
    assert (
        "planes of a GPU stream by the time of a right-hand side: 24 MiB, 4 of rank 0: 0.0123 s; "
        "512 MiB, 80 of rank 0: 0.0157 s"
    ) in (tmp_path / "other" / log.name).read_text()
    assert provenance.planes_tried(SimpleNamespace(plane_trials=[(0, 3, 0.0)])) == ""


# The device


@pytest.mark.parametrize(
    ("device", "words"),
    [
        ("cuda", ["built with CUDA (docs/gpu.md)", "built without", 'use "cpu"']),
        ("cpu-as-gpu", ["for tests (-DWHORL_CPU_AS_GPU=ON)", "built without", 'use "cpu"']),
        ("hip", ["in no build of whorl yet", 'use "cpu"']),
    ],
)
def test_a_device_that_is_not_built_is_refused(monkeypatch, device, words):
    monkeypatch.setattr(_core, "build_info", build("cpu"))
    said = refusal(check_device, case_of(device=device), MPI.COMM_SELF)
    for word in (f'run.device = "{device}"', *words):
        assert word in said
    check_device(case_of(), MPI.COMM_SELF)
    monkeypatch.setattr(_core, "build_info", build("cpu", device))
    monkeypatch.setattr(_core, "gpus", lambda: [CARD])
    check_device(case_of(device=device), MPI.COMM_SELF)


def test_a_transport_that_is_not_built_is_refused(monkeypatch):
    monkeypatch.setattr(_core, "build_info", build("cpu"))
    said = refusal(check_device, case_of(transport="nccl"), MPI.COMM_SELF)
    assert 'run.transport = "nccl" needs whorl built with CUDA where NCCL is' in said
    check_device(case_of(transport="auto"), MPI.COMM_SELF)
    monkeypatch.setattr(_core, "build_info", build("cpu", transports=["alltoall", "nccl"]))
    check_device(case_of(transport="nccl"), MPI.COMM_SELF)


@on_ranks(1, 3)
def test_a_rank_without_a_gpu_is_told_of_by_all(world):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_core, "build_info", build("cpu", "cuda"))
        patch.setattr(_core, "gpus", lambda: [CARD])
        check_device(case_of(device="cuda"), world)
        patch.setattr(_core, "gpus", lambda: [CARD] if world.rank < world.size - 1 else [])
        said = refusal(check_device, case_of(device="cuda"), world)
        assert 'run.device = "cuda" needs a GPU and none can be used on' in said
        assert 'or use "cpu"' in said
        check_device(case_of(), world)


# Its memory


def show(patch, *free, **more):
    """GPUs with so many bytes left."""
    cards = [CARD | {"id": str(number)} | more for number in range(len(free))]
    patch.setattr(_core, "gpus", lambda: cards)
    patch.setattr(_core, "gpu_free_memory", lambda number: free[number])


def test_a_gpu_s_free_memory_is_what_counts(monkeypatch):
    case = case_of(device="cuda", threads=1)
    show(monkeypatch, needed(case))
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=1))
    check_memory(core_options(case, 1), MPI.COMM_SELF)
    show(monkeypatch, needed(case, planes=1) - 1)
    said = refusal(check_memory, core_options(case, 1), MPI.COMM_SELF)
    for word in ("of memory on GPU 0 (Toy 1) of ", "(ranks there: 1)", "single precision or more GPUs"):
        assert word in said


def test_a_gpu_works_on_the_planes_it_has_room_for(monkeypatch):
    case = case_of(device="cuda", threads=1)
    sizes = [needed(case, planes=planes) for planes in (0, 8, 4, 2, 1)]
    assert sizes == sorted(set(sizes), reverse=True)
    for planes in (0, 4, 1):
        show(monkeypatch, needed(case, planes=planes))
        options = check_memory(core_options(case, 1), MPI.COMM_SELF)
        assert options.planes == planes


def test_a_card_whose_blocks_have_little_memory_is_counted_as_such(monkeypatch):
    """Rows of more points than fit there take room for their lines."""
    case = case_of((3072, 8, 64), device="cuda", precision="single", threads=1)
    show(monkeypatch, 8 * GIB, block_memory=99 << 10)
    options = check_memory(core_options(case, 1), MPI.COMM_SELF)
    assert options.block_memory == 99 << 10
    little, plenty = (_core.estimate_memory(o, 1)["workspace"] for o in (options, core_options(case, 1)))
    assert little > 1.3 * plenty


def test_exact_linear_terms_need_more_of_a_gpu_than_is_counted():
    options = core_options(case_of(), 1)
    explicit = uncounted(options, 1)
    options.linear = "exact"
    assert uncounted(options, 1) - explicit > 512 << 20


def test_particles_of_a_script_are_compared_with_the_memory_they_take(monkeypatch):
    """On a GPU with its own, and the copy of them with the host's."""
    if "cpu-as-gpu" not in _core.build_info()["devices"]:
        pytest.skip("this build has no device cpu-as-gpu")
    case = Case(**case_of(device="cpu-as-gpu", threads=1).to_dict() | {"initial": {"name": "abc"}})
    with Simulation(case) as state:
        monkeypatch.setattr(memory_checks, "GPUS", (*memory_checks.GPUS, "cpu-as-gpu"))
        for on_gpu, on_host, place in (
            (1 << 20, 8 * GIB, "GPU 0 (Toy 1)"),
            (8 * GIB, 1 << 20, f"on {socket.gethostname()} "),
            (8 * GIB, 8 * GIB, None),
        ):
            show(monkeypatch, on_gpu)
            monkeypatch.setattr(memory_checks, "available_memory", lambda left=on_host: (left, ""))
            if place:
                with pytest.raises(CaseError, match="100000 particles need") as error:
                    state.particles(100_000)
                assert place in str(error.value)
            else:
                assert state.particles(100_000).count == 100_000


def test_a_run_works_on_the_planes_that_fit(monkeypatch):
    if "cpu-as-gpu" not in _core.build_info()["devices"]:
        pytest.skip("this build has no device cpu-as-gpu")
    monkeypatch.setattr(memory_checks, "GPUS", (*memory_checks.GPUS, "cpu-as-gpu"))
    monkeypatch.setattr(checks, "check_device", lambda *_: None)
    case = case_of((32, 32, 64), device="cpu-as-gpu", threads=1, batches=1)
    case = Case(**case.to_dict() | {"initial": {"name": "abc"}})
    show(monkeypatch, needed(case, planes=4))
    for flow in (Simulation(case).flow, _core.Flow(checked_options(case, MPI.COMM_SELF)[0], 0)):
        assert flow.options.planes == 4
        assert flow.memory()["workspace"] < _core.estimate_memory(core_options(case, 1), 1)["workspace"]


@on_ranks(2)
def test_messages_that_pass_through_the_host_have_their_place_there(world):
    case = case_of(device="cuda", gpu_aware="no")
    options = core_options(case, 1)
    parts = _core.estimate_memory(options, world.size)
    staged = world.size * (parts["exchange"] + parts["row_buffers"])
    with pytest.MonkeyPatch.context() as patch:
        show(patch, 2 * needed(case, world.size))
        patch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=staged))
        check_memory(options, world)
        patch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=staged - 1))
        assert "to pass messages of 2 ranks through" in refusal(check_memory, options, world)
        options.gpu_aware = "yes"
        check_memory(options, world)


MEMORY = re.compile(r"^\| (\d+)³, (phase-shift|2/3 sphere) \| ([\d.]+) GiB \|$", re.MULTILINE)


def test_the_page_has_the_memory_that_is_counted():
    rows = MEMORY.findall((ROOT / "docs" / "gpu.md").read_text(encoding="utf-8"))
    assert len(rows) == 3
    for n, kept, shown in rows:
        dealias, _, shape = kept.partition(" ")
        grid = {"dealias": dealias} | ({"shape": shape} if shape else {})
        case = case_of(int(n), grid, device="cuda", precision="single", threads=1)
        case = Case(**case.to_dict() | {"time": {"scheme": "rk2", "dt": 0.1, "steps": 1}})
        assert f"{counted(case) / GIB:.3g}" == shown, (n, kept)


@pytest.mark.parametrize("device", ["cpu", "cpu-as-gpu"])
def test_what_lies_in_the_host_s_memory_is_compared_with_that(monkeypatch, device):
    if device not in _core.build_info()["devices"]:
        pytest.skip(f"this build has no device {device}")
    case = case_of(device=device, threads=1, precision="single")
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=counted(case)))
    check_memory(core_options(case, 1), MPI.COMM_SELF)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=counted(case) - 1))
    said = refusal(check_memory, core_options(case, 1), MPI.COMM_SELF)
    assert re.search(r"use \d+ × \d+ × \d+ points \(the most that fit in this shape\) or more nodes\.", said)


def test_what_does_not_fit_is_told_what_does(monkeypatch):
    """It fits, and of the next good size it does not."""
    case = case_of(4096, device="cuda", precision="single")
    show(monkeypatch, 6 * GIB)
    options = core_options(case, 1)
    said = refusal(check_memory, options, MPI.COMM_SELF)
    points = [int(n) for n in re.search(r"use (\d+) × (\d+) × (\d+) points", said).groups()]
    assert points == [points[0]] * 3
    assert tuple(options.points) == (4096,) * 3
    case = case_of(points, device="cuda", precision="single")
    check_memory(core_options(case, 1), MPI.COMM_SELF)
    larger = case_of(next_good_size(points[0] + 2), device="cuda", precision="single")
    refusal(check_memory, core_options(larger, 1), MPI.COMM_SELF)


def test_where_nothing_fits_no_grid_is_named(monkeypatch):
    show(monkeypatch, 1000)
    assert "use fewer points, single" in refusal(
        check_memory, core_options(case_of(device="cuda"), 1), MPI.COMM_SELF
    )


@on_ranks(3)
def test_ranks_of_a_node_share_its_gpus_in_turn(world):
    """Of two GPUs ranks 0 and 2 have the first."""
    options = core_options(case_of(device="cuda"), 1)
    fullest = needed(case_of(device="cuda"), world.size, planes=1)

    def fits(*free: float, **more: object) -> str | None:
        with pytest.MonkeyPatch.context() as patch:
            show(patch, *(count * fullest for count in free), **more)
            try:
                check_memory(options, world)
            except CaseError as error:
                return str(error)
        return None

    assert fits(2, 1) is None
    assert fits(1, 1, 1) is None
    assert fits(3) is None
    assert "GPU 0 (Toy 1) of" in (said := fits(1.9, 1))
    assert "(ranks there: 2)" in said
    assert "GPU 1 (Toy 1) of" in (said := fits(2, 0.9))
    assert "(ranks there: 1)" in said
    assert "(ranks there: 3)" in fits(2.9)
    # Each is shown one alone: not the same one if they are called differently.
    assert fits(1, id=f"card {world.rank}") is None
    assert "(ranks there: 3)" in fits(1, id="card 0")


# The largest grid

SHAPES = [
    (96, {}, 1),
    ((96, 48, 64), {"shape": "sphere"}, 4),
    ((48, 128, 1), {}, 2),
    ((64, 60, 60), {"dealias": "phase-shift"}, 8),
]


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("share", [0.05, 0.3, 0.7, 0.99])
@pytest.mark.parametrize(("points", "grid", "ranks"), SHAPES)
def test_the_largest_grid_is_that_of_all_that_fit(points, grid, ranks, share, device):
    options = core_options(case_of(points, grid, device=device), 1)
    wanted = tuple(options.points)
    whole = sum(_core.estimate_memory(options, ranks).values())
    found = largest_points(options, ranks, whole, share * whole)
    assert tuple(options.points) == wanted
    longest = wanted.index(max(wanted))
    fitting = None
    for n in range(4, max(wanted), 2):
        scaled = [1 if m == 1 else max(4, m * n // max(wanted) // 2 * 2) for m in wanted]
        while bad := [i for i, m in enumerate(scaled) if m > 1 and next_good_size(m) != m]:
            scaled[bad[0]] -= 2
        if scaled[longest] != n:
            continue
        options.points = scaled
        try:
            needs = sum(_core.estimate_memory(options, ranks).values())
        except _core.Error:
            continue
        fitting = tuple(scaled) if needs <= share * whole else fitting
    assert found == fitting


def test_too_many_ranks_for_what_would_fit():
    options = core_options(case_of(16), 1)
    whole = sum(_core.estimate_memory(options, 48).values())
    assert largest_points(options, 40, whole, 0.9 * whole) == (14, 14, 14)
    assert largest_points(options, 48, whole, 0.9 * whole) is None


# What is said of them


def test_information_lists_devices_and_gpus(monkeypatch):
    facts = information(MPI.COMM_SELF)
    assert facts["core devices"] == ", ".join(_core.build_info()["devices"])
    assert facts["core cuda"] == _core.build_info()["cuda"]
    monkeypatch.setattr(_core, "gpus", lambda: [CARD, CARD | {"name": "Toy 2", "id": "2"}])
    facts = information(MPI.COMM_SELF)
    assert facts["GPUs"] == "Toy 1, 8 GiB; Toy 2, 8 GiB"
    monkeypatch.setattr(_core, "gpus", list)
    assert information(MPI.COMM_SELF)["GPUs"] == "none that this build can use"

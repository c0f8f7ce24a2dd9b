"""Plans for machines of GPUs, and of cases that are meant for them."""

import json

import pytest
from planner.cases import case, toy
from whorl import _core
from whorl.base.errors import CaseError
from whorl.machine.planner import report
from whorl.machine.planner.machine import load_machine
from whorl.machine.planner.notes import notes_on
from whorl.machine.planner.plan import as_json, make_plan
from whorl.machine.planner.run_length import first_step
from whorl.machine.planner.search import fewest_nodes, threads_of_rank, with_ranks
from whorl.machine.planner.whorl_load import Whorl
from whorl.run.core_options import core_options

GPU = {"kind": "gpu", "devices": 2, "ranks": 2, "memory": 20.0}
CARD = 139.0
LARGE = {
    "1024³": (1024, {"dealias": "phase-shift"}),
    "1728³": (1728, {"dealias": "phase-shift"}),
    "2048³": (2048, {"dealias": "2/3", "shape": "sphere"}),
}


def test_a_gpu_is_fed_by_one_thread():
    assert threads_of_rank(toy(node=GPU)) == 1


@pytest.mark.parametrize("overlap", [False, True])
def test_memory_is_counted_as_on_a_gpu(overlap):
    """As the core counts on a device of streams, with its batches, whatever the case says of the device."""
    for device in ("cpu", "cuda"):
        chosen = case(128, run={"device": device})
        plan = make_plan(chosen, toy(node=GPU), nodes=[2], overlap=overlap)
        layout = plan.cheapest.layout
        options = core_options(chosen, 1)
        options.device, options.process_grid = "cuda", layout.grid
        assert layout.own_batches == _core.choose_batches(options, layout.grid)
        options.batches = layout.batches
        options.transport = "overlap" if overlap else "alltoall"
        assert layout.memory == _core.estimate_memory(options, 4)
        options.device = "cpu"
        assert layout.memory != _core.estimate_memory(options, 4)


def test_a_machine_of_cores_counts_none():
    """Be the case for a GPU, which this build need not have."""
    plain, plan = (make_plan(case(run={"device": d}), toy(), nodes=[2]) for d in ("cpu", "cuda"))
    assert plan.runs == plain.runs
    assert plain.notes == ()
    assert plan.notes == ('run.device = "cuda" is not counted: toy is planned by its cores',)


def test_the_device_is_to_be_set_where_the_case_has_none():
    def asked(machine, device):
        plan = make_plan(case(run={"device": device}), machine, nodes=[1])
        return report.to_set(plan, plan.runs[0].layout)

    gpu = toy(node=GPU)
    assert asked(gpu, "cpu").startswith('run.device = "cuda" (on GPUs of AMD "hip", which no build has yet)')
    assert "run.device" not in asked(gpu, "cuda")
    assert "run.device" not in asked(toy(), "cpu")


def test_threads_are_not_counted_on_a_gpu():
    assert notes_on(case(run={"threads": 7}), toy(node=GPU), "whorl", overlap=False) == ()


def test_a_transport_of_gpus_is_planned_without_one():
    """What NCCL is handed is laid out as for another transport that does not block."""
    nccl, overlap = (
        make_plan(case(run={"transport": name, "device": "cuda"}), toy(node=GPU), nodes=[2])
        for name in ("nccl", "overlap")
    )
    assert nccl.overlap
    assert nccl.runs == overlap.runs
    assert json.loads(as_json(nccl))["case"]["run"]["transport"] == "nccl"


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ({"transport": "rma-shared"}, "receives into memory that processes of a node share"),
        ({"transport": "nccl", "wire": "single"}, "converts on the host"),
        ({"transport": "datatypes", "gpu_aware": "no"}, "packs nothing"),
    ],
)
def test_what_gpus_refuse_is_not_planned(run, words):
    make_plan(case(run={"device": "cuda"}), toy(node=GPU), nodes=[1])
    with pytest.raises(CaseError, match=words):
        make_plan(case(run={"device": "cuda", **run}), toy(node=GPU), nodes=[1])


def test_the_first_step_is_found_without_a_gpu():
    chosen = case(time={"dt": None, "courant": 0.5, "steps": 1})
    assert first_step(chosen.updated(["run.device=cuda"])) == first_step(chosen)


@pytest.mark.parametrize(("points", "grid"), LARGE.values(), ids=LARGE.keys())
def test_these_fit_on_one_h200(points, grid):
    machine = with_ranks(load_machine("h200"), 1)
    assert machine.node.memory == CARD
    (run,) = make_plan(case(points, grid=grid), machine, nodes=[1]).runs
    assert run.layout.ranks == 1
    assert run.layout.fits
    assert run.layout.memory_needed > CARD * 2**30 / 10


def test_a_larger_one_needs_more_of_them():
    chosen = case(3072, grid={"dealias": "phase-shift"})
    assert fewest_nodes(Whorl(chosen, "cuda"), with_ranks(load_machine("h200"), 1)) > 1
    assert fewest_nodes(Whorl(chosen, "cuda"), load_machine("h200")) == 1


@pytest.mark.parametrize(("precision", "size"), [("single", 4), ("double", 8)])
def test_an_h200_transforms_as_fast_as_it_copies(precision, size):
    """A complex line of N points, read and written once, takes as long as a copy of it."""
    rates = getattr(load_machine("h200"), precision)
    (copies,) = rates.copies
    for axis in "xyz":
        for n, rate in zip(rates.points, getattr(rates, axis), strict=True):
            operations = 5 * n * (n.as_integer_ratio()[0].bit_length() - 1)
            assert operations / rate == pytest.approx(2 * 2 * size * n / copies)

"""The best way on some nodes and the fewest nodes, against trying everything."""

import json

import pytest
from planner.cases import case, toy
from whorl import Simulation, _core
from whorl.base.errors import CaseError
from whorl.config.case import load_case, ready_cases
from whorl.machine.planner.cost import seconds
from whorl.machine.planner.gests import Gests
from whorl.machine.planner.machine import MachineNode, load_machine
from whorl.machine.planner.plan import as_json, make_plan
from whorl.machine.planner.search import best, fewest_nodes, node_counts, threads_of_rank, with_ranks
from whorl.machine.planner.whorl_load import Whorl

MEMORY = 2e-3  # GiB a node: 64³ points need several


@pytest.mark.parametrize("algorithm", [Whorl, Gests])
@pytest.mark.parametrize("nodes", [1, 4, 8])
@pytest.mark.parametrize("overlap", [False, True])
def test_the_best_way_is_the_quickest_of_all(algorithm, nodes, overlap):
    machine, way = toy(node={"ranks": 2}, links=HIDING), algorithm(case())
    tried = {
        (grid, batches): way.stages * seconds(way.load(grid, batches, overlap), machine, 4).total
        for grid in way.grids(2 * nodes)
        for batches in way.batch_counts(grid)
    }
    found = best(way, machine, nodes, overlap)
    own = {grid: way.own_batches(grid) for grid in way.grids(2 * nodes)}
    assert found.own_batches == own[found.grid]
    assert found.parts.total == pytest.approx(tried[found.grid, found.batches])
    quickest = min(tried.values())
    quickest_own = min(tried[grid, own[grid]] for grid in own)
    if found.batches == found.own_batches:
        assert found.parts.total == pytest.approx(quickest_own)
        assert quickest >= 0.8 * quickest_own
    else:
        assert found.parts.total == pytest.approx(quickest)
        assert quickest < 0.8 * quickest_own
    assert found.memory == way.memory(found.grid, found.batches, 1, overlap)


HIDING = [{"level": "machine", "ranks": 0, "bandwidth": 2.0, "latency": 5.0, "hidden": 1.0}]


@pytest.mark.parametrize(
    ("node", "threads"),
    [({"devices": 6, "ranks": 2}, 3), ({"devices": 2, "ranks": 2}, 1)],
)
def test_a_core_has_a_thread(node, threads):
    machine, way = toy(node=node), Whorl(case())
    found = best(way, machine, 2)
    assert threads_of_rank(machine) == threads
    assert found.ranks == 2 * machine.node.ranks
    assert found.memory == way.memory(found.grid, found.batches, threads)
    assert found.memory != way.memory(found.grid, found.batches, threads + 1)


def test_ranks_share_the_memory_of_a_node():
    assert best(Whorl(case()), toy(node={"memory": 3.0, "ranks": 2}), 1).memory_of_rank == 1.5 * 2**30


def test_a_given_process_grid_and_batches_are_kept():
    way = Whorl(case(run={"process_grid": [2, 4], "batches": 3}))
    found = best(way, toy(), 8)
    assert (found.grid, found.batches) == ((2, 4), 3)


def test_a_slower_way_that_fits_is_taken_before_a_quicker_one_that_does_not():
    way = Whorl(case())
    quickest = best(way, toy(), 8)
    machine = toy(node={"memory": 0.999 * quickest.memory_needed / 2**30})
    found = best(way, machine, 8)
    assert found.fits
    assert found.grid != quickest.grid
    assert found.parts.total > quickest.parts.total


@pytest.mark.parametrize("algorithm", [Whorl, Gests])
def test_on_one_node_less_the_case_does_not_fit(algorithm):
    machine, way = toy(node={"memory": MEMORY}), algorithm(case())
    fewest = fewest_nodes(way, machine)
    assert 1 < fewest <= 16
    assert best(way, machine, fewest).fits
    for nodes in range(1, fewest):
        found = best(way, machine, nodes)
        assert found is None or not found.fits


@pytest.mark.parametrize(("share", "fewest"), [(1.0, 4), (0.999, 8)])
def test_gests_fills_four_nodes_with_forty_two_bytes_a_point(share, fewest):
    """To the last byte; 64³ points are not cut into five, six or seven."""
    memory = share * 42 * 64**3 / 4 / 2**30
    assert fewest_nodes(Gests(case()), toy(node={"memory": memory})) == fewest


def test_what_fits_on_one_node_needs_one():
    assert fewest_nodes(Whorl(case()), toy()) == 1


def test_what_fits_nowhere_says_why():
    with pytest.raises(CaseError) as error:
        fewest_nodes(Whorl(case(256)), toy(node={"memory": 1e-3, "nodes": 4}))
    assert "does not fit on toy: on 4 of its 4 nodes a rank needs" in str(error.value)
    assert "and has 0.001 GiB" in str(error.value)
    assert "use fewer points" in str(error.value)


PLANE = {
    "points": (4, 1, 4),
    "flow": {"model": "boussinesq", "diffusivity": 0.01, "buoyancy_frequency": 1.0},
    "initial": {"name": "zero"},
}
FEW = {"ranks": 4, "devices": 4, "nodes": 8}
UNSHARED = {
    "plane": (
        Whorl,
        PLANE,
        "4 × 1 × 4 points cannot be shared by 4 ranks a node on toy; plan with --ranks-per-node 2, or use "
        "another number of points.",
    ),
    "part of a node": (
        Whorl,
        {"run": {"process_grid": [7, 2]}},
        "run.process_grid = [7, 2] is for 14 ranks and toy has 4 a node; plan with --ranks-per-node 2, or "
        "leave the process grid out.",
    ),
    "too large": (
        Whorl,
        {"run": {"process_grid": [8, 8]}},
        "run.process_grid = [8, 8] is for 64 ranks and toy has 32; choose a smaller one.",
    ),
    "gests": (
        Gests,
        {"run": {"process_grid": [4, 3]}},
        "run.process_grid = [4, 3] does not cut 64 × 64 × 64 points into equal pencils;",
    ),
}


@pytest.mark.parametrize(("algorithm", "chosen", "message"), UNSHARED.values(), ids=UNSHARED.keys())
def test_ranks_that_share_no_box_are_told_why(algorithm, chosen, message):
    with pytest.raises(CaseError) as error:
        fewest_nodes(algorithm(case(**chosen)), toy(node=FEW))
    assert str(error.value).startswith(message)
    if "--ranks-per-node" in message:
        ranks = int(message.split("--ranks-per-node ")[1].split(",")[0])
        assert fewest_nodes(algorithm(case(**chosen)), with_ranks(toy(node=FEW), ranks)) >= 1


SAVINGS = {
    "all": (
        Whorl,
        {},
        {"precision": "double"},
        'fewer points, run.precision = "single" or grid.shape = "sphere".',
    ),
    "single": (Whorl, {}, {}, 'use fewer points or grid.shape = "sphere".'),
    "none": (Whorl, {"shape": "sphere"}, {}, "GiB; use fewer points."),
    "phases": (Whorl, {"dealias": "phase-shift"}, {}, 'use fewer points or grid.dealias = "2/3".'),
    "grid": (
        Whorl,
        {"shape": "sphere"},
        {"process_grid": [2, 2]},
        "use fewer points or another run.process_grid.",
    ),
    "gests": (Gests, {}, {"precision": "double"}, 'use fewer points or run.precision = "single".'),
    "gests, single": (Gests, {}, {}, "GiB; use fewer points."),
}


@pytest.mark.parametrize(("algorithm", "grid", "run", "advice"), SAVINGS.values(), ids=SAVINGS.keys())
def test_what_does_not_fit_is_advised_what_it_has_not(algorithm, grid, run, advice):
    with pytest.raises(CaseError) as error:
        fewest_nodes(algorithm(case(256, grid=grid, run=run)), toy(node={"memory": 1e-3, "nodes": 4}))
    assert str(error.value).endswith(advice)


def test_a_given_process_grid_binds_gests_too():
    way = Gests(case(run={"process_grid": [2, 4]}))
    assert (way.grids(8), way.grids(16)) == ([(2, 4)], [])


def test_nodes_whose_ranks_share_no_points_are_told_so():
    with pytest.raises(
        CaseError, match=r"ranks of 47 or 53 nodes of toy cannot share the points; .* are 1\."
    ):
        make_plan(case(), toy(), nodes=[47, 53])
    given = case(run={"process_grid": [2, 4]})
    with pytest.raises(CaseError, match=r"the points as run.process_grid = \[2, 4\] says; .* are 8\."):
        make_plan(given, toy(), nodes=[4])


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("overlap", [False, True])
@pytest.mark.parametrize(
    "chosen",
    [
        case(64),
        case((64, 32, 48), grid={"shape": "sphere"}),
        case(48, grid={"dealias": "phase-shift"}, run={"precision": "double"}),
        case((128, 128, 1)),
    ],
)
def test_the_quick_bound_of_memory_is_one(chosen, overlap, device):
    way = Whorl(chosen, device)
    for ranks in (1, 2, 6, 8, 16, 35, 64, 180, 512):
        for grid in way.grids(ranks):
            for batches in way.batch_counts(grid):
                needed = sum(way.memory(grid, batches, 2, overlap).values())
                assert way.memory_at_least(grid, batches, 2, overlap) <= needed


@pytest.mark.parametrize(("device", "near"), [("cpu", 0.96), ("cuda", 0.85)])
def test_the_quick_bound_is_near(device, near):
    way = Whorl(case(4096), device)
    for grid in way.grids(192):
        needed = sum(way.memory(grid, 8, 1).values())
        assert near * needed < way.memory_at_least(grid, 8, 1) <= needed


def test_the_fewest_nodes_need_not_be_round():
    """12288³ in double precision, were all memory of Frontier free: of 149 nodes the ranks share badly."""
    machine = load_machine("frontier").model_copy(update={"node": FRONTIER})
    way = Whorl(case(12288, run={"precision": "double"}))
    assert fewest_nodes(way, machine) == 147
    assert [best(way, machine, nodes).fits for nodes in (146, 147, 149)] == [False, True, False]


FRONTIER = MachineNode(devices=8, ranks=8, memory=512.0, nodes=9408)


@pytest.mark.long("exact counts of so many points are slow")
def test_what_cannot_fit_is_refused_by_the_bound(monkeypatch):
    """Exact counts are slow: of one rank, and of the way that the message tells of."""
    counted = []
    exact = Whorl.memory
    monkeypatch.setattr(Whorl, "memory", lambda *a, **k: counted.append(a[1]) or exact(*a, **k))
    with pytest.raises(CaseError, match="on 9408 of its 9408 nodes a rank needs"):
        fewest_nodes(Whorl(case(65536), "cuda"), load_machine("frontier"), overlap=True)
    assert len(counted) <= 5


def test_many_rows_are_taken_where_there_is_no_other_way():
    assert Whorl(case((8192, 8192, 1))).grids(128) == [(128, 1)]
    assert max(rows for rows, _ in Whorl(case(8192)).grids(256)) == 64


def test_nodes_without_a_process_grid_are_named():
    plan = make_plan(case(), toy(), nodes=[4, 47, 64])
    assert plan.without_grid == (47,)
    assert json.loads(as_json(plan))["nodes_without_process_grid"] == [47]
    assert [run.layout.nodes for run in plan.runs] == [4, 64]


def test_plans_are_made_for_the_fewest_nodes_and_their_doublings():
    assert node_counts(3, toy()) == [3, 6, 12, 24, 48]
    plan = make_plan(case(), toy(node={"memory": MEMORY}))
    assert plan.runs[0].layout.nodes == plan.fewest
    assert plan.cheapest.node_hours == min(run.node_hours for run in plan.runs)


def test_a_run_costs_its_steps_and_its_output():
    plan = make_plan(case(output={"snapshot_every": "5 steps"}), toy(), nodes=[2])
    (run,) = plan.runs
    assert run.seconds == pytest.approx(10 * run.layout.parts.total + run.output.seconds)
    assert run.node_hours == pytest.approx(2 * run.seconds / 3600)
    assert '"nodes": 2' in as_json(plan)


IN_BATCHES = (256, 256, 64)  # of itself, on four ranks

OVERLAPS = {
    "alltoall": ({}, False),
    "datatypes": ({"transport": "datatypes"}, True),
    "overlap": ({"transport": "overlap"}, True),
    "pairwise": ({"transport": "pairwise"}, True),
    "rma": ({"transport": "rma"}, True),
    "beside": ({"threading": "serialized"}, True),
    "threads": ({"threading": "multiple"}, False),
}


@pytest.mark.parametrize(("run", "overlap"), OVERLAPS.values(), ids=OVERLAPS.keys())
def test_work_overlaps_where_the_case_says_so(run, overlap):
    machine = toy(links=HIDING)
    plan = make_plan(case(IN_BATCHES, run=run), machine, nodes=[4])
    assert plan.overlap == overlap
    assert (plan.runs[0].layout.parts.hidden > 0) == overlap
    for asked in (False, True):
        plan = make_plan(case(IN_BATCHES, run=run), machine, nodes=[4], overlap=asked)
        assert (plan.runs[0].layout.parts.hidden > 0) == asked


@pytest.mark.parametrize("latency", [0.0, 2000.0])
@pytest.mark.parametrize("overlap", [False, True])
def test_fewer_batches_are_planned_where_calls_are_dear(overlap, latency):
    """Be they hidden or not; small gains, of which the rates know nothing, are left."""
    links = [{"level": "machine", "ranks": 0, "bandwidth": 2.0, "latency": latency}]
    (run,) = make_plan(case(IN_BATCHES), toy(links=links), nodes=[4], overlap=overlap).runs
    assert run.layout.own_batches == 8
    assert run.layout.batches == (1 if latency else 8)


@pytest.mark.parametrize("given", [3, 60_000])
@pytest.mark.parametrize("overlap", [False, True])
def test_batches_that_are_given_are_planned_as_far_as_there_are_planes(overlap, given):
    chosen = case(run={"batches": given, "process_grid": [1, 4]})
    (run,) = make_plan(chosen, toy(), nodes=[4], overlap=overlap).runs
    assert run.layout.batches == run.layout.own_batches == min(given, 16)
    same = make_plan(case(run={"batches": min(given, 16), "process_grid": [1, 4]}), toy(), nodes=[4])
    assert make_plan(chosen, toy(), nodes=[4]).runs[0].layout == same.runs[0].layout


@pytest.mark.parametrize("overlap", [False, True])
def test_finer_cuts_may_fit_where_the_usual_one_does_not(overlap):
    chosen = case(run={"process_grid": [2, 2]})
    usual, finest = (sum(Whorl(chosen).memory((2, 2), batches, 2, overlap).values()) for batches in (8, 32))
    assert finest < usual
    machine = toy(node={"memory": (usual + finest) / 2 / 2**30})
    plan = make_plan(chosen, machine, nodes=[4], overlap=overlap)
    assert plan.fewest == 4
    assert (plan.runs[0].layout.batches, plan.runs[0].layout.own_batches) > (8, 8)
    with pytest.raises(CaseError, match="does not fit on toy"):
        make_plan(chosen.updated(["run.batches=8"]), machine, overlap=overlap)


def test_minutes_of_a_plan_are_those_of_its_steps():
    chosen = case(time={"steps": 100_000}, output={"checkpoint_every": "2 minutes"})
    (run,) = make_plan(chosen, toy(), nodes=[2]).runs
    minutes = 100_000 * run.layout.parts.total / 60
    assert minutes > 4
    assert run.output.checkpoints == 2 + int(minutes / 2)  # one early, one at the end


@pytest.mark.parametrize("precision", ["single", "double"])
def test_an_exchange_that_a_run_refuses_is_not_planned(precision):
    refused = case(run={"transport": "datatypes", "wire": "single", "precision": precision})
    with pytest.raises(
        CaseError, match=r'run\.transport = "datatypes" packs nothing, .* choose run\.wire = "full"'
    ):
        make_plan(refused, toy(), nodes=[4])
    with pytest.raises(_core.Error, match='"datatypes" packs nothing'):
        Simulation(refused)
    assert make_plan(refused, toy(), nodes=[4], algorithm="gests").runs


@pytest.mark.parametrize("name", ready_cases())
def test_no_ready_case_is_taken_for_one_that_a_run_refuses(name):
    one_rank = toy(node={"devices": 1, "memory": 100.0})
    assert make_plan(load_case(name), one_rank, nodes=[1], dt=0.1).runs


def test_nodes_that_are_too_few_name_those_that_do():
    machine = toy(node={"memory": MEMORY})
    fewest = fewest_nodes(Whorl(case()), machine)
    with pytest.raises(CaseError, match=f"on none of the nodes given.*the fewest nodes that do are {fewest}"):
        make_plan(case(), machine, nodes=[1, 2])
    shared = toy(node={"memory": MEMORY, "ranks": 2})
    with pytest.raises(CaseError, match=r"and a rank of toy has 0\.001 GiB"):
        make_plan(case(), shared, nodes=[1])


def test_nodes_that_are_not_there_are_refused():
    with pytest.raises(CaseError, match="--nodes 65: toy has 64 nodes"):
        make_plan(case(), toy(), nodes=[65])


def test_the_largest_case_of_the_paper_needs_4096_nodes():
    """Its runs of 32768³ points were on 4096 nodes and more; eq. 9 says 42 of 64 GiB a GPU there."""
    largest = case(32768)
    plan = make_plan(largest, load_machine("frontier"), algorithm="gests", nodes=[4096])
    assert plan.runs[0].layout.memory_needed == 42 * 2**30
    assert plan.fewest == 4096


def test_a_rank_s_process_takes_memory_beside_its_arrays():
    """A case fits on two nodes by its arrays alone, not with what a process takes beside."""
    way, arrays = Whorl(case(run={"process_grid": [1, 4]})), toy(node={"ranks": 2})
    needed = best(way, arrays, 2).memory_needed
    share = 2 * (needed + 2**20) / 2**30  # of a node with two ranks: a MiB more than the arrays
    fits, full = (toy(node={"ranks": 2, "memory": share, "overhead": size}) for size in (0.9, 1.1))
    assert best(way, fits, 2).memory["process"] == pytest.approx(0.9 * 2**20)
    assert best(way, fits, 2).memory_needed == pytest.approx(needed + 0.9 * 2**20)
    assert best(way, fits, 2).fits
    assert not best(way, full, 2).fits
    assert fewest_nodes(way, fits) == 2
    with pytest.raises(CaseError, match="does not fit on toy: on 2 of"):
        fewest_nodes(way, full)

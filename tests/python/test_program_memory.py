"""The memory of expressions, diagnostics and probes: what is counted before a run is what they take."""

import json
import os

import numpy as np
import pytest
from planner.cases import case as planned_case
from planner.cases import toy
from support import devices, flows
from support.examples import FULL
from support.ranks import on_ranks
from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.parallel import world as world_of
from whorl.config.case import Case
from whorl.config.clock import Clock
from whorl.expressions.answers import answer
from whorl.machine.planner import report
from whorl.machine.planner.plan import as_json, make_plan
from whorl.machine.planner.search import fewest_nodes
from whorl.machine.planner.whorl_load import Whorl
from whorl.output.plans import questions_at_a_time
from whorl.particles.ask import PathReading
from whorl.particles.groups import placed
from whorl.probes.ask import Reading
from whorl.run.core_options import core_options
from whorl.run.memory import checks as memory_checks
from whorl.run.memory.checks import check_memory

# Bytes of terms, instructions and points that a device has copies of, which are not counted.
TABLES = 16_000

GRID = {"points": (24, 20, 18), "lengths": (2 * np.pi, 3.0, 5.0)}
PDF = {"kind": "pdf", "of": ["grad(u)", "p"]}
JOINT = {"kind": "joint-pdf", "of": ["Q", "R"], "bins": [60, 50]}
CONDITIONAL = {"kind": "conditional", "of": ["p", "u.x"], "given": "Q"}
FILTERED = {"kind": "pdf", "of": ["filter(grad(u), 2, 6)", "filter(u, 3)"], "bins": 40}
SPECTRUM = {"kind": "spectrum", "of": "-div(outer(u, u))", "times": "u"}
SHELLS = {"kind": "shell-to-shell", "shells": [0.5, 1.5, 1.9, 2.6, 5.0, 30.0]}
SLICE = {"kind": "slice", "of": ["omega", "p"], "at": 0.5}
INCREMENTS = {"kind": "structure-functions", "of": ["u", "p"]}
MODES = {
    "kind": "modes",
    "of": ["u", "grad(u)", "omega"],
    "modes": [[n % 5, n // 5 % 5, n // 25] for n in range(75)],
}
MODE_SHELLS = {"kind": "modes", "name": "shells", "of": ["u", "omega"], "shells": "linear", "sample": 20}
LINE = {"kind": "points", "name": "line", "of": "u", "first": [0, 0.2, 1], "last": [0, 2.8, 1], "points": 300}
CLOUD = np.random.default_rng(1).uniform(0, 2, (40, 3)).round(1).tolist()
SCATTERED = {"kind": "points", "name": "cloud", "of": ["u", "dx(u.y)**2"], "positions": CLOUD}
TRACERS = {"kind": "tracer", "count": 30, "of": ["grad(p)", "dx(u.x*u.y)", "u.x - 1.0*mean(u.y**3)"]}
COLUMNS = {f"m{n}": f"mean(abs(dx(u.x))**{n}) + 1.0*max(u.y)/{n}" for n in range(1, 7)}
OF_MODES = {f"e{n}": f"mean(filter(u.x, {n})**2)" for n in range(1, 6)}

ASKED = {
    "means": {"output": {"columns": COLUMNS}},
    "modes": {"output": {"columns": OF_MODES}},
    "pressure": {"output": {"columns": {"pp": "mean(p**2)"}}},
    "fields": {"output": {"fields": ["velocity", "p", "S = strain(u)"]}},
    "products of products": {"output": {"columns": {"m": "mean(dx(u.x*p)**2)"}}},
    "pdf": {"diagnostics": [PDF]},
    "joint": {"diagnostics": [JOINT]},
    "conditional": {"diagnostics": [CONDITIONAL]},
    "filtered": {"diagnostics": [FILTERED]},
    "spectrum": {"diagnostics": [SPECTRUM]},
    "slice": {"diagnostics": [SLICE]},
    "increments": {"diagnostics": [INCREMENTS]},
    "shells": {"diagnostics": [SHELLS]},
    "force": {
        "forcing": [{"kind": "stochastic", "power": 0.1, "correlation_time": 0.4, "k_max": 2.0}],
        "diagnostics": [{"kind": "moments", "of": ["velocity_force", "dx(u.x)"]}],
    },
    "mode probe": {"probes": [MODES]},
    "mode shells": {"probes": [MODE_SHELLS]},
    "line": {"probes": [LINE]},
    "points": {"probes": [SCATTERED]},
    "tracers": {"particles": [TRACERS]},
    "forced tracers": {
        "forcing": [{"kind": "stochastic", "power": 0.1, "correlation_time": 0.4, "k_max": 2.0}],
        "particles": [TRACERS | {"of": "velocity_force"}],
    },
    "all": {
        "output": {"columns": COLUMNS | OF_MODES | {"pp": "mean(p**2)"}, "fields": ["p", "Q"]},
        "diagnostics": [
            {"name": f"d{n}"} | one
            for n, one in enumerate((SLICE, PDF, JOINT, CONDITIONAL, FILTERED, SPECTRUM, INCREMENTS))
        ],
        "probes": [MODES, MODE_SHELLS, LINE, SCATTERED],
        "particles": [TRACERS],
    },
}


def case_of(asked, *, grid=GRID, **run):
    return Case(
        grid=grid,
        flow={"viscosity": 0.1},
        time={"dt": 0.1, "until": 1.0},
        run={"device": devices.current(), "batches": 3, **run},
        **asked,
    )


def ask_all(world, case, flow):
    """All that a run asks, in one state; the probes stay open with what is returned."""
    for questions in questions_at_a_time(case):
        answer(questions, flow, 0.0, comm=world)
    readings = [Reading(case, probe) for probe in case.probes]
    groups = placed(case, world, flow, Clock(), [one.label for one in case.particles])
    paths = [PathReading(case, group, groups) for group in case.particles]
    for one in (*readings, *paths):
        one.read(flow)
    return readings


def compare(world, asked, **run):
    """What was counted, and the fullest rank's own count of what was allocated, by array."""
    case = case_of(asked, **run)
    options = core_options(case, 2)
    flow = _core.Flow(options, world.py2f())
    before, there = flow.memory(), ask_all(world, case, flow)
    taken = world.allgather(flow.memory())
    assert before["programs"] == before["particles"] == 0
    assert {**flow.memory(), "programs": 0, "particles": 0} == before
    del there
    if world.size > 1:
        flows.made.append(flow)
    counted = _core.estimate_memory(options, world.size)["particles"]
    assert counted >= max(memory.pop("particles") for memory in taken)
    options.particles = []  # of which the first rank keeps rows
    estimate = _core.estimate_memory(options, world.size)
    assert estimate.pop("particles") == 0
    return estimate, max(taken, key=lambda memory: sum(memory.values()))


def assert_counted(counted, taken):
    assert counted["programs"] > 0
    # Of forces the most of any rank is counted; a rank may have none of their modes.
    assert counted.pop("forcing") >= taken.pop("forcing")
    if devices.current() == "cpu":
        assert counted == taken
    else:
        assert counted.keys() == taken.keys()
        assert 0 <= sum(taken.values()) - sum(counted.values()) < TABLES


@pytest.mark.every_device
@on_ranks(1, 2, 4)
@pytest.mark.parametrize("name", ASKED)
def test_the_estimate_is_what_is_taken(world, name):
    for precision in flows.PRECISIONS:
        assert_counted(*compare(world, ASKED[name], precision=precision))


@pytest.mark.cpu_by_default
@pytest.mark.every_device
@on_ranks(4)
def test_it_is_on_every_process_grid(world):
    for grid, transport in (((2, 2), "overlap"), ((4, 1), "alltoall")):
        assert_counted(*compare(world, ASKED["all"], process_grid=grid, transport=transport))


@pytest.mark.every_device
@on_ranks(2, 4)
def test_modes_that_ranks_exchange_are_counted(world):
    """Where they need more than the sums: one quantity on one thread."""
    one = {"diagnostics": [{"kind": "structure-functions", "of": "u.x"}]}
    counted, taken = compare(world, one, grid={"points": 64}, precision="double", threads=1)
    tables = 0 if devices.current() == "cpu" else TABLES
    assert -tables <= counted["programs"] - taken["programs"] < 0.02 * taken["programs"]


@pytest.mark.every_device
@on_ranks(1, 2)
def test_one_wide_round_trip_serves_all(world):
    """As wide as the widest that is planned, whatever comes first."""
    narrow, wide = {"name": "a", "kind": "pdf", "of": "grad(u)"}, FILTERED
    counted, taken = compare(world, {"diagnostics": [narrow, wide]})
    only_wide, _ = compare(world, {"diagnostics": [wide]})
    assert only_wide["programs"] <= counted["programs"]
    assert_counted(counted, taken)


def test_what_a_closed_probe_took_is_free_again():
    case = case_of({"probes": [LINE]})
    flow = _core.Flow(core_options(case, 1), world_of().py2f())
    there = ask_all(world_of(), case, flow)
    assert flow.memory()["programs"] > 0
    there.clear()
    assert flow.memory()["programs"] == 0


def test_nothing_is_counted_where_nothing_is_asked():
    assert _core.estimate_memory(core_options(case_of({}), 1), 1)["programs"] == 0


def test_needs_have_known_names():
    with pytest.raises(_core.Error, match='needs have no "input"'):
        _core.ProgramNeeds(input=3)


def test_a_run_is_refused_for_its_diagnostics(monkeypatch):
    """There is room for the flow, and not for what is measured."""
    plain, asked = (core_options(case_of(one), 1) for one in ({}, {"diagnostics": [FILTERED]}))
    room = 1.2 * sum(_core.estimate_memory(plain, 1).values())
    monkeypatch.setattr(memory_checks, "available_memory", lambda: (room, ""))
    check_memory(plain, world_of())
    with pytest.raises(CaseError, match="of memory on"):
        check_memory(asked, world_of())


@pytest.mark.turns
@pytest.mark.parametrize(("device", "near"), [("cpu", 0.9), ("cuda", 0.75)])
@pytest.mark.parametrize("name", ["fields", "filtered", "pressure", "all"])
def test_the_quick_bound_counts_them(name, device, near):
    asked = {key: value for key, value in ASKED[name].items() if key != "probes"}
    way = Whorl(planned_case(1024, **asked), device)
    for turn, grid in enumerate(way.grids(48)):
        counts = way.batch_counts(grid)
        for batches in counts if FULL in os.environ else {1, counts[turn % len(counts)], counts[-1]}:
            needed = sum(way.memory(grid, batches, 1).values())
            assert way.memory_at_least(grid, batches, 1) <= needed
        needed = sum(way.memory(grid, 8, 1).values())
        assert near * needed < way.memory_at_least(grid, 8, 1)


def test_a_plan_takes_more_nodes_for_them_and_tells_why():
    machine = toy(node={"memory": 0.05})
    plain, asked = planned_case(128), planned_case(128, diagnostics=[FILTERED])
    assert fewest_nodes(Whorl(plain), machine) < fewest_nodes(Whorl(asked), machine)
    plan = make_plan(asked, machine)
    counted = json.loads(as_json(plan))["runs"][0]["memory"]["programs"]
    assert counted > 0
    table = report.in_full(plan)
    shown = " ".join(str(cell) for column in table.columns for cell in column.cells)
    assert f"programs {memory_checks.gibibytes(plan.cheapest.layout.memory['programs'])}" in shown


def test_a_plan_for_gpus_has_their_round_trips():
    """Of which each measures fewer nodes than one on a CPU."""
    many = planned_case(64, diagnostics=[{"kind": "moments", "of": ["grad(u)", "strain(u)", "omega", "p"]}])
    cpu, gpu = (len(Whorl(many, device)._options.programs) for device in ("cpu", "cuda"))
    assert gpu > cpu


def test_what_is_counted_follows_the_forces():
    """A plan is kept for cases like it; one with a force on the field that is measured is another."""
    asked = {"diagnostics": [{"kind": "moments", "of": "velocity_force + 1.0*u"}]}
    alone, forced = ({**asked, "forcing": forces} for forces in ([], ASKED["force"]["forcing"]))
    needs = [core_options(case_of(one), 1).programs for one in (alone, forced)]
    assert [max(run.forces for run in runs) for runs in needs] == [0, 3]

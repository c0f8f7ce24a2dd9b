"""The time of particles: what is planned of their number, kind and interpolation, and how it is measured."""

import io
import re
from types import SimpleNamespace

import pytest
from planner.cases import case, sections, toy
from rich.console import Console
from support.ranks import on_ranks
from support.tools import load
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.machine.planner import measure, report
from whorl.machine.planner.machine import machine_from, machine_toml
from whorl.machine.planner.picture import draw_plan
from whorl.machine.planner.plan import make_plan
from whorl.machine.planner.whorl_load import Whorl

LAGRANGE = {"kind": "tracer", "interpolation": "lagrange", "precision": "single"}
COSTS = [
    LAGRANGE | {"points": [2.0, 4.0, 6.0, 8.0], "nanoseconds": [50.0, 100.0, 200.0, 300.0]},
    LAGRANGE | {"precision": "double", "points": [4.0], "nanoseconds": [70.0]},
    {
        "kind": "inertial",
        "interpolation": "spline",
        "precision": "double",
        "points": [4.0],
        "nanoseconds": [500.0],
    },
]
TRACERS = {"kind": "tracer", "count": 1000}
HEAVY = {"kind": "inertial", "count": 1000, "response_time": 1.0, "interpolation": "spline"}
CHARGED = {"kind": "charged", "count": 1000, "charge_to_mass": 1.0}
TWO = ("lagrange", "spline")
MHD = {"model": "mhd", "resistivity": 0.01}


def with_costs(**changes):
    return machine_from(sections(**changes) | {"particles": COSTS})


def parts_of(*groups, machine=None, **more):
    machine = machine or with_costs()
    return make_plan(case(particles=list(groups), **more), machine, nodes=[1]).runs[0].layout.parts


def test_a_step_takes_longer_with_particles():
    """A rank has two devices, and a step of rk2 two stages."""
    without, some = parts_of(), parts_of(TRACERS)
    assert without.particles == 0
    assert some.particles == pytest.approx(1000 * 100e-9 * 2 / 2)
    assert some.total == pytest.approx(without.total + some.particles)


def test_it_is_in_proportion_to_their_number_and_the_stages():
    some = parts_of(TRACERS).particles
    assert parts_of(TRACERS | {"count": 7000}).particles == pytest.approx(7 * some)
    assert parts_of(TRACERS, TRACERS | {"name": "others"}).particles == pytest.approx(2 * some)
    assert parts_of(TRACERS | {"count": 250, "pairs": [0.1, 0.2]}).particles == pytest.approx(some)
    assert parts_of(TRACERS, time={"scheme": "rk4"}).particles == pytest.approx(2 * some)
    # Two round trips of a stage move them once.
    assert parts_of(TRACERS, grid={"dealias": "phase-shift-exact"}).particles == pytest.approx(some)
    shared = with_costs(node={"ranks": 2})
    assert parts_of(TRACERS, machine=shared).particles == pytest.approx(some)


def test_it_is_that_of_their_interpolation_and_precision():
    some = parts_of(TRACERS).particles
    assert parts_of(TRACERS | {"points": 8}).particles == pytest.approx(3 * some)
    assert parts_of(TRACERS, run={"precision": "double"}).particles == pytest.approx(0.7 * some)
    assert parts_of(HEAVY).particles == pytest.approx(5 * some)  # in double precision, as it is known


BUBBLES = {"kind": "inertial", "count": 1000, "response_time": 1.0, "added_mass": 3.0}
# Variables inwards of y, beyond it, and passages of each: the three inputs of a trip, without products. The
# pressure follows from six products of three velocities by three fluxes, on two grids with phase shifts.
NONE, THREE = (0, 0, 0), (3, 3, 1)
TRIPS = {
    "taken from the step": ({}, (1, 4), TRACERS, "cpu", NONE),
    "lines of a trial": ({"run": {"lines": "auto"}}, (1, 4), TRACERS, "cpu", NONE),
    "exchanged rows": ({}, (2, 2), TRACERS, "cpu", THREE),
    "lines of FFTW": ({"run": {"lines": "fftw"}}, (1, 4), TRACERS, "cpu", THREE),
    "a GPU": ({}, (1, 4), TRACERS, "cuda", THREE),
    "splines": ({}, (1, 4), HEAVY, "cpu", THREE),
    "more than the velocity": ({"flow": MHD}, (1, 4), CHARGED, "cpu", (9, 9, 1)),
    "added mass": ({"grid": {"dealias": "2/3"}}, (2, 2), BUBBLES, "cpu", (3 + 6 + 6, 3 + 3 + 6, 2 + 1)),
    "added mass on two grids": (
        {"grid": {"dealias": "phase-shift"}},
        (1, 4),
        BUBBLES,
        "cpu",
        (2 * (3 + 6) + 6, 2 * (3 + 3) + 6, 2 * 2 + 1),
    ),
    "added mass in two trips of a stage": (
        {"grid": {"dealias": "phase-shift-exact"}},
        (1, 4),
        BUBBLES,
        "cpu",
        (3 + 6 + 3, 3 + 3 + 3, 2 + 0.5),
    ),
}


@pytest.mark.parametrize(("more", "grid", "group", "device", "further"), TRIPS.values(), ids=TRIPS.keys())
def test_other_round_trips_than_that_of_the_step_are_counted(more, grid, group, device, further):
    plain = Whorl(case(**more), device)
    some = Whorl(case(**more, particles=[group]), device).load(grid, 1)
    alone, shape = plain.load(grid, 1), plain._shape
    inner, outer, calls = further
    ahead, beyond = shape["inputs"] + shape["products"], shape["inputs"] + shape["fluxes"]
    for axis, share in (("x", inner / ahead), ("y", inner / ahead), ("z", outer / beyond)):
        assert some.operations[axis] == pytest.approx((1 + share) * alone.operations[axis])
    assert some.column.bytes == pytest.approx((1 + outer / beyond) * alone.column.bytes)
    assert some.column.calls - alone.column.calls == calls
    assert some.row.calls - alone.row.calls == calls
    assert some.row.bytes == pytest.approx((1 + inner / ahead) * alone.row.bytes)


def test_their_messages_are_of_so_many_variables():
    """Of at most four: one for three inputs, two for six, and one for the fluxes of the pressure."""
    more = {"grid": {"dealias": "2/3"}, "run": {"variables_per_message": 4}}
    without, some = (Whorl(case(**more, particles=of)).load((2, 2), 1) for of in ([], [BUBBLES]))
    assert some.column.calls - without.column.calls == 1 + 1 + 2
    assert some.row.calls - without.row.calls == 1 + 2 + 2


def test_what_is_not_counted_is_said():
    (said,) = make_plan(case(particles=[HEAVY, TRACERS]), toy(), nodes=[1]).notes
    assert said == (
        "the time of particles (inertial by spline, tracer by lagrange) is not counted: toy has no "
        "[[particles]] for it, which whorl bench machine measures"
    )
    assert make_plan(case(particles=[HEAVY, TRACERS]), with_costs(), nodes=[1]).notes == ()
    said = make_plan(case(particles=[TRACERS]), with_costs(), algorithm="gests", nodes=[1])
    assert said.notes == ("gests has no particles: those of the case are not counted",)
    assert said.runs[0].layout.parts.particles == 0


def test_plans_with_particles_have_a_column_and_a_colour_of_them(tmp_path, monkeypatch):
    shown = {}
    for groups in ([], [TRACERS | {"count": 10**6}]):
        plan = make_plan(case(particles=groups), with_costs(), nodes=[1, 2])
        console = Console(file=io.StringIO(), width=120)
        report.show_plan(plan, console)
        shown[bool(groups)] = " ".join(console.file.getvalue().split())
        drawn = []
        monkeypatch.setattr(
            "whorl.machine.planner.picture.save_picture", lambda figure, _, drawn=drawn: drawn.append(figure)
        )
        draw_plan(plan, tmp_path / "plan.png")
        named = [text.get_text() for text in drawn[0].legends[0].get_texts()]
        assert ("particles" in named) == bool(groups)
    assert "row column s a step" in shown[False]
    assert "row column particles s a step" in shown[True]
    assert "0.1 " in shown[True]


@pytest.mark.parametrize("threads", [1, 3])
def test_a_cost_is_the_difference_that_many_make(monkeypatch, threads):
    """Of a step of two stages, as the time of one thread."""
    seconds = {1: 0.5 + 4e-6, 16**3 // 8: 0.5 + 4e-6 * 16**3 // 8}
    monkeypatch.setattr(
        measure, "quickest", lambda case, count, *_: 0.5 + 4e-6 * count if count in seconds else 0
    )
    flow = measure.timed_case("tracer", 16, "double", threads)
    found = measure.nanoseconds(flow, "tracer", ("spline", 4), MPI.COMM_SELF)
    assert found == pytest.approx(2000 * threads)
    monkeypatch.setattr(measure, "quickest", lambda _, count, *__: 1 / count)
    assert measure.nanoseconds(flow, "tracer", ("spline", 4), MPI.COMM_SELF) < 0
    assert flow.run.lines == "own"  # in both steps the same


def test_what_takes_no_time_is_left_out_with_a_warning(monkeypatch):
    """Some numbers of points, or all of an interpolation."""
    found = {("lagrange", 4): 0.0, ("lagrange", 8): -3.0} | {("spline", n): -1.0 for n in (2, 4, 6, 8)}
    monkeypatch.setattr(measure, "nanoseconds", lambda case, kind, how, comm: found.get(how, 5.0))
    monkeypatch.setattr(measure, "_ways", lambda: [("tracer", way, "single") for way in TWO])
    said = []
    sections = measure.measure_particles(1, MPI.COMM_SELF, (16,), said.append)
    assert sections == [LAGRANGE | {"points": [2.0, 6.0], "nanoseconds": [5.0, 5.0]}]
    assert [text.partition(":")[0] for text in said] == [
        "particles (tracer by lagrange, single) took no time with 4, 8 points",
        "particles (tracer by spline, single) took no time with 2, 4, 6, 8 points",
    ]


class Slow:
    """A flow on a clock of its own whose first step is quickest, on rank 1 twice as slow."""

    STEPS = (0.1, 5.0, 3.0, 2.0, 4.0, 6.0)

    def __init__(self, rank: int):
        self.factor, self.now = rank + 1, 0.0

    def step(self, dt: float, step_number: int) -> None:
        self.now += self.factor * self.STEPS[step_number]

    def close(self) -> None:
        pass


@on_ranks(2)
def test_the_quickest_step_behind_the_first_on_the_slowest_rank_counts(world):
    flow, asked = Slow(world.rank), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure, "_core", SimpleNamespace(Flow=lambda *_: flow))
        patch.setattr(measure, "core_options", lambda *_: None)
        patch.setattr(measure, "set_initial", lambda *_: None)
        patch.setattr(measure, "added", lambda *given: asked.append(given[-2:]))
        patch.setattr(measure, "time", SimpleNamespace(perf_counter=lambda: flow.now))
        chosen = measure.timed_case("inertial", 16, "single", 1)
        assert measure.quickest(chosen, 20, "inertial", ("spline", 6), world) == 4.0
    assert asked == [(20, {"kind": "inertial", "interpolation": "spline", "points": 6, "response_time": 1.0})]


WRONG = {
    "kind": ({"kind": "tracers"}, "tracer"),
    "short": ({"nanoseconds": [1.0]}, "nanoseconds has 1 numbers and points has 4; give one for each"),
    "falling": ({"points": [4.0, 2.0, 6.0, 8.0]}, "must ascend"),
    "zero": ({"nanoseconds": [0.0, 1.0, 1.0, 1.0]}, "greater than 0"),
}


@pytest.mark.parametrize(("change", "told"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_cost_is_refused(change, told):
    with pytest.raises(CaseError, match=told):
        machine_from(sections() | {"particles": [COSTS[0] | change]})


def test_two_costs_of_one_way_are_refused():
    told = "two [[particles]] are of tracer by lagrange in single precision; give one, with all its points"
    with pytest.raises(CaseError, match=re.escape(told)):
        machine_from(
            sections() | {"particles": [*COSTS, COSTS[0] | {"points": [16.0], "nanoseconds": [1.0]}]}
        )


def test_the_benchmark_shows_a_plan_where_there_is_one(monkeypatch, tmp_path):
    benchmark = load("benchmarks/particles.py")
    (tmp_path / "here.toml").write_text(machine_toml(with_costs()))
    planned = benchmark.planned(str(tmp_path / "here.toml"), case(particles=[TRACERS]))
    assert planned.endswith(", 50 ns")  # by two devices
    monkeypatch.setattr(benchmark, "best", lambda *_: None)
    assert benchmark.planned(str(tmp_path / "here.toml"), case(particles=[TRACERS])) == "no plan"

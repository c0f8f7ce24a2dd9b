"""What a right-hand side asks of a rank: against the paper, against the floor, against the core itself."""

import math

import pytest
from planner.cases import case
from support.ranks import on_ranks
from whorl import _core
from whorl.core_options import core_options
from whorl.errors import CaseError
from whorl.floor import work
from whorl.planner.gests import Gests
from whorl.planner.load import line_operations
from whorl.planner.whorl_load import Whorl

VARIABLE = 4 * 64**3 / 8  # bytes on one of 8 ranks, single precision


def test_gests_carries_every_variable_whole():
    load = Gests(case()).load((2, 4), 1)
    assert load.column.bytes == 7 * VARIABLE  # 3 velocities, 4 fluxes
    assert load.row.bytes == 8 * VARIABLE  # 3 velocities, 5 products
    assert (load.column.ranks, load.column.stride) == (4, 2)
    assert (load.row.ranks, load.row.stride) == (2, 1)
    lines = 64 * 32 / 8  # of complex numbers, of one variable
    assert load.operations["y"] == pytest.approx(8 * line_operations(64, lines))
    assert load.operations["z"] == pytest.approx(7 * line_operations(64, lines))
    assert load.copy == 4 * 15 * VARIABLE
    assert load.point == 8 * VARIABLE
    assert load.modes == (9 + 6 + 13) * VARIABLE


def test_slabs_have_no_row_exchange():
    load = Gests(case()).load((1, 8), 1)
    assert load.row.bytes == 0
    assert load.copy == 4 * 7 * VARIABLE


def test_gests_takes_forty_two_bytes_a_point():
    way = Gests(case(128))
    assert sum(way.memory((2, 4), 1, 1).values()) * 8 == 42 * 128**3
    wide = Gests(case(128, run={"variables_per_message": 3}))
    assert sum(wide.memory((2, 4), 1, 1).values()) * 8 == (42 + 4 * 4) * 128**3


@pytest.mark.parametrize(("q", "rows", "columns"), [(1, 8, 7), (2, 5, 4), (3, 3, 3), (9, 2, 2)])
def test_variables_that_travel_together_save_messages(q, rows, columns):
    load = Gests(case(run={"variables_per_message": q})).load((2, 4), 1)
    assert (load.row.calls, load.column.calls) == (rows, columns)


def test_gests_cuts_the_box_into_equal_pencils():
    assert Gests(case(32)).grids(64) == [(2, 32), (4, 16), (8, 8), (16, 4)]


def test_gests_is_navier_stokes_alone():
    with pytest.raises(CaseError, match='not "mhd"'):
        Gests(case(flow={"model": "mhd", "resistivity": 0.01}, initial={"name": "orszag-tang"}))


CASES = {
    "cube": case((48, 32, 64)),
    "sphere": case((32, 36, 40), grid={"dealias": "2/3", "shape": "sphere"}),
    "phase shift": case(48, grid={"dealias": "phase-shift"}, run={"precision": "double"}),
    "two grids at once": case(32, grid={"dealias": "phase-shift-exact"}, time={"scheme": "rk4"}),
    "untruncated": case(32, grid={"dealias": "none"}),
    "flat": case((64, 64, 1)),
    "walls": case(
        32,
        grid={"bases": "SSS", "lengths": 1.0},
        flow={"model": "rayleigh-benard", "rayleigh": 1e4, "prandtl": 1.0},
        initial={"name": "zero"},
    ),
    "scalars": case(32, scalars=({"name": "a", "schmidt": 1.0}, {"name": "b", "schmidt": 0.7})),
}


@pytest.mark.parametrize("chosen", CASES.values(), ids=CASES.keys())
def test_one_rank_transforms_what_the_floor_counts(chosen):
    load, floor = Whorl(chosen).load((1, 1), 1), work(chosen)
    passes = 2 if chosen.grid.dealias == "phase-shift-exact" else 1
    assert passes * sum(load.operations.values()) == pytest.approx(sum(floor.operations.values()), rel=1e-9)


@pytest.mark.parametrize(
    ("grid", "share"),
    [
        ({"dealias": "phase-shift"}, 2 * math.pi / 9),
        ({"dealias": "2/3"}, 4 / 9),
        ({"dealias": "2/3", "shape": "sphere"}, math.pi / 9),
    ],
)
def test_truncation_saves_of_the_columns(grid, share):
    """Disc of radius √2 N/3, square and disc of N/3, over the square of N."""
    whole = Gests(case(512)).load((1, 1), 1).column.bytes
    assert Whorl(case(512, grid=grid)).load((1, 1), 1).column.bytes / whole == pytest.approx(share, rel=0.01)


LAYOUTS = [
    ((42, 16, 12), "2/3", "cube"),
    ((20, 14, 18), "phase-shift", "cube"),
    ((36, 24, 12), "2/3", "sphere"),
    ((28, 20, 16), "none", "cube"),
]


@on_ranks()
@pytest.mark.parametrize(("points", "dealias", "shape"), LAYOUTS)
def test_the_core_cuts_and_counts_alike(world, points, dealias, shape):
    chosen = case(list(points), grid={"dealias": dealias, "shape": shape})
    way = Whorl(chosen)
    for grid in _core.allowed_process_grids(core_options(chosen, 1), world.size):
        own = chosen.updated([f"run.process_grid={list(grid)}"])
        flow = _core.Flow(core_options(own, 1), world.py2f())
        taken = world.allgather(flow.memory())
        assert Whorl(own).grids(world.size) == [tuple(grid)]
        assert way.imbalance(tuple(grid)) == pytest.approx(flow.imbalance, rel=1e-12)
        assert way.modes == flow.modes
        assert way.batch_counts(tuple(grid)) == [flow.batches]
        assert way.memory(tuple(grid), flow.batches, 1) in taken


def busiest_ranks(world, chosen, grid):
    """By leg, what three variables are planned to take and what the busiest rank sends in either direction.

    Towards the points a rank sends what it receives on the way back; it keeps its own share.
    """
    own = chosen.updated([f"run.process_grid={list(grid)}"])
    flow, load = _core.Flow(core_options(own, 1), world.py2f()), Whorl(own).load(grid, 1)
    found = []
    for leg, exchange, variables in (("row", load.row, 8), ("column", load.column, 7)):
        most = []
        for inwards in (True, False) if exchange.ranks > 1 else ():
            flow.reset_timings()
            flow.exchange(leg == "row", 3, inwards)
            most += world.allgather(flow.traffic()[leg])
        found.append((exchange.bytes * (1 - 1 / exchange.ranks) * 3 / variables, max(most, default=0)))
    return found


@on_ranks(2, 4, 6)
@pytest.mark.parametrize("wire", ["full", "single"])
@pytest.mark.parametrize("grid", [{}, {"shape": "sphere"}, {"dealias": "phase-shift"}])
def test_what_travels_is_what_the_busiest_rank_sends_or_receives(world, grid, wire):
    chosen = case(48, grid=grid, run={"precision": "double", "wire": wire})
    for process_grid in Whorl(chosen).grids(world.size):
        for planned, counted in busiest_ranks(world, chosen, process_grid):
            assert planned == pytest.approx(counted, rel=1e-12)


@on_ranks(4)
@pytest.mark.parametrize("points", [(40, 42, 36), (36, 30, 42)])
def test_what_travels_over_uneven_blocks(world, points):
    """Where points are no multiple of the ranks some have a plane or a row more, and keep more."""
    chosen = case(points, grid={"shape": "sphere"})
    for process_grid in Whorl(chosen).grids(world.size):
        for planned, counted in busiest_ranks(world, chosen, process_grid):
            assert planned == pytest.approx(counted, rel=0.05)


@pytest.mark.parametrize("grid", [{"shape": "sphere"}, {"dealias": "phase-shift"}])
def test_the_block_at_the_edge_of_a_sphere_is_wide(grid):
    """Columns of a disc by kx: the last block of as many columns as the others reaches over more kx."""
    way = Whorl(case(32768, grid=grid))
    for p_row, wider in ((2, 1.19), (4, 1.46), (8, 1.81)):
        widest = way.shares((p_row, 64)).widest
        assert widest * p_row / way.kept_x == pytest.approx(wider, abs=0.01)
        lines = way.load((p_row, 64), 1).operations["y"]
        assert lines == pytest.approx(8 * line_operations(32768, widest * 512))


def test_a_load_counts_messages():
    way = Whorl(case(run={"variables_per_message": 2}))
    load = way.load((2, 4), 5)
    assert load.column.calls == 5 * (2 + 2)  # 3 inputs, 4 fluxes
    assert load.row.calls == 5 * (2 + 3)  # 3 inputs, 5 products
    assert Whorl(case()).load((2, 4), 5).column.calls == 10


def test_a_grid_that_is_given_is_taken_as_it_is():
    way = Whorl(case(run={"process_grid": [2, 4]}))
    assert way.grids(8) == [(2, 4)]
    assert way.grids(16) == []

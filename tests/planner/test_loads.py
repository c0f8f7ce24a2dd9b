"""What a right-hand side asks of a rank: against the paper, against the floor, against the core itself."""

import math

import numpy as np
import pytest
from planner.cases import case
from support.ranks import on_ranks
from whorl import _core
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.config.schemes import SCHEMES
from whorl.initial.fields import set_initial
from whorl.machine.floor import work
from whorl.machine.planner.gests import Gests
from whorl.machine.planner.load import line_operations
from whorl.machine.planner.whorl_load import Whorl
from whorl.run.core_options import core_options

VARIABLE = 4 * 64**3 / 8  # bytes on one of 8 ranks, single precision


def test_gests_carries_every_variable_whole():
    load = Gests(case()).load((2, 4), 1)
    assert load.column.bytes == 7 * VARIABLE  # 3 velocities, 4 fluxes
    assert load.row.bytes == 8 * VARIABLE  # 3 velocities, 5 products
    assert (load.column.ranks, load.column.stride) == (4, 2)
    assert (load.row.ranks, load.row.stride) == (2, 1)
    lines = 64 * 32 / 8  # of complex numbers, of one variable
    assert load.operations["x"] == pytest.approx(8 * line_operations(64, lines))
    assert load.operations["y"] == pytest.approx(8 * line_operations(64, lines))
    assert load.operations["z"] == pytest.approx(7 * line_operations(64, lines))
    assert load.copy == 4 * 15 * VARIABLE
    assert load.point == 8 * VARIABLE
    assert load.modes == (9 + 6 + 13) * VARIABLE
    assert load.working_set == 10.5 * VARIABLE


def test_gests_doubles_its_bytes_in_double_precision():
    way = Gests(case(run={"precision": "double"}))
    assert way.load((2, 4), 1).column.bytes == 2 * 7 * VARIABLE
    assert sum(way.memory((2, 4), 1, 1).values()) * 8 == 84 * 64**3


def test_gests_writes_checkpoints_of_all_modes():
    assert Gests(case((32, 48, 64))).modes == 32 * 48 * 64 / 2


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


@pytest.mark.parametrize(
    ("points", "ranks", "grids"),
    [
        (32, 64, [(2, 32), (4, 16), (8, 8), (16, 4)]),
        ((16, 24, 40), 8, [(1, 8), (2, 4), (4, 2), (8, 1)]),
        ((16, 24, 40), 20, []),  # columns of 5 or more do not divide 24 points along y
        ((16, 24, 40), 24, []),  # and those of 3 not 40 along z
        ((16, 12, 8), 8, [(2, 4), (4, 2)]),  # nor rows, or columns, of 8 the 12 along y
    ],
)
def test_gests_cuts_the_box_into_equal_pencils(points, ranks, grids):
    assert Gests(case(points)).grids(ranks) == grids


BEYOND_GESTS = {
    'not "mhd" with 0': {
        "flow": {"model": "mhd", "resistivity": 0.01},
        "initial": {"name": "orszag-tang"},
    },
    'not "navier-stokes" with 1': {"scalars": ({"name": "dye", "schmidt": 1.0},)},
}


@pytest.mark.parametrize(("message", "sections"), BEYOND_GESTS.items())
def test_gests_is_navier_stokes_alone(message, sections):
    with pytest.raises(CaseError, match=message):
        Gests(case(**sections))


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
    ((12, 10, 144), "2/3", "cube"),
    ((40, 1, 36), "2/3", "cube"),
]
# Of flow in the plane x, z.
PLANE = {"model": "boussinesq", "buoyancy_frequency": 1.0}


@on_ranks()
@pytest.mark.parametrize(("points", "dealias", "shape"), LAYOUTS)
def test_the_core_cuts_and_counts_alike(world, points, dealias, shape):
    flow = PLANE if points[1] == 1 else {}
    chosen = case(list(points), grid={"dealias": dealias, "shape": shape}, flow=flow)
    way = Whorl(chosen)
    for grid in _core.allowed_process_grids(core_options(chosen, 1), world.size):
        own = chosen.updated([f"run.process_grid={list(grid)}"])
        flow = _core.Flow(core_options(own, 1), world.py2f())
        taken = world.allgather(flow.memory())
        assert Whorl(own).grids(world.size) == [tuple(grid)]
        assert way.imbalance(tuple(grid)) == pytest.approx(flow.imbalance, rel=1e-12)
        assert way.modes == flow.modes
        assert way.own_batches(tuple(grid)) == flow.batches
        assert way.memory(tuple(grid), flow.batches, 1) in taken


def busiest_ranks(world, chosen, grid):
    """By leg, what three variables are planned to take and what the busiest rank sends in either direction.

    Towards the points a rank sends what it receives on the way back; it keeps its own share.
    """
    own = chosen.updated([f"run.process_grid={list(grid)}"])
    flow, load = _core.Flow(core_options(own, 1), world.py2f()), Whorl(own).load(grid, 1)
    shape, found = _core.model_shape(core_options(own, 1)), []
    inner, outer = (shape["inputs"] + shape[leg] for leg in ("products", "fluxes"))
    for leg, exchange, variables in (("row", load.row, inner), ("column", load.column, outer)):
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


@on_ranks(2, 3, 4)
def test_what_travels_in_the_plane_x_z(world):
    """Ranks share planes, of which each gives away and takes in all but its own."""
    chosen = case((72, 1, 48), flow=PLANE)
    [grid] = Whorl(chosen).grids(world.size)
    assert grid == (world.size, 1)
    for planned, counted in busiest_ranks(world, chosen, grid):
        assert planned == pytest.approx(counted, rel=1e-12)
    load = Whorl(chosen).load(grid, 1)
    assert load.point == 12 * 72 * 48 / world.size * 4
    assert load.operations["x"] == pytest.approx(12 * line_operations(72, 48 / world.size / 2))
    assert Whorl(chosen).batch_counts(grid) == [1]


@on_ranks(2)
@pytest.mark.parametrize("dealias", ["2/3", "phase-shift-exact"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_step_has_as_many_round_trips_as_the_core_makes(world, scheme, dealias):
    """Of what one carries, 1/2 goes to the other rank; the cube's columns are shared evenly."""
    chosen = case(24, grid={"dealias": dealias}, time={"scheme": scheme}, run={"process_grid": [1, 2]})
    way, flow = Whorl(chosen), _core.Flow(core_options(chosen, 1), world.py2f())
    set_initial(flow, chosen, None, world)
    flow.step(1e-3, step_number=0)  # a multistep scheme begins with another
    flow.reset_timings()
    flow.step(1e-3, step_number=1)
    counted = world.allreduce(flow.traffic()["column"])
    column = way.load((1, 2), 1).column
    once = world.size * column.bytes / way.imbalance((1, 2)) / 2
    assert way.stages == round(counted / once)


def test_the_load_of_uneven_pencils_by_hand():
    """Of 48 × 40 × 36 points the cube keeps 16 kx, 27 ky and 23 kz.

    Three rows have at most 14 of y and 6 kx, eight columns of ranks 5 of z and 4 ky.
    """
    load = Whorl(case((48, 40, 36), time={"scheme": "rk4"})).load((3, 8), 1)
    inner, outer, value = 8, 7, 8
    assert load.operations["x"] == pytest.approx(inner * line_operations(48, 14 * 5 / 2))
    assert load.operations["y"] == pytest.approx(inner * line_operations(40, 6 * 5))
    assert load.operations["z"] == pytest.approx(outer * line_operations(36, 6 * 4))
    # A rank of 6 kx hands over 40 rows of each plane; one of 14 rows takes 16 kx, which is less.
    rows, columns = inner * 6 * 40 * 5 * value, outer * 6 * 4 * 36 * value
    assert (load.row.ranks, load.row.stride, load.row.bytes) == (3, 1, rows)
    assert (load.column.ranks, load.column.stride, load.column.bytes) == (8, 3, columns)
    assert load.copy == 4 * (rows + columns)
    assert load.point == inner * 48 * 14 * 5 * 4
    assert load.modes == pytest.approx((5 * 3 + outer) * 6 * 4 * 23 * value)
    slabs = Whorl(case((48, 40, 36))).load((1, 8), 1)
    assert (slabs.row.bytes, slabs.copy) == (0, 4 * slabs.column.bytes)


def test_the_working_set_is_the_state_and_the_exchange():
    """Two registers of three fields, 22 · 43² modes each, and four fluxes on 22 · 43 columns of 64."""
    whole = 8 * (2 * 3 * 22 * 43**2 + 4 * 22 * 43 * 64)
    assert Whorl(case(64)).load((2, 4), 1).working_set == pytest.approx(whole / 8, rel=0.01)


@pytest.mark.parametrize(("precision", "halved"), [("double", 2), ("single", 1)])
def test_a_wire_of_single_numbers_halves_double_ones_alone(precision, halved):
    full, thin = (
        Whorl(case(run={"precision": precision, "wire": wire})).load((2, 4), 1) for wire in ("full", "single")
    )
    assert full.column.bytes == halved * thin.column.bytes
    assert full.row.bytes == halved * thin.row.bytes
    assert full.copy == thin.copy


def test_batches_are_no_more_than_planes():
    """The core's own are eight, or one for four planes where that is more, of 2¹⁷ points at least."""
    thin, thick = Whorl(case((256, 256, 64))), Whorl(case((256, 256, 384)))
    own = (thin.own_batches((1, 2)), thin.own_batches((2, 8)), thick.own_batches((2, 4)))
    assert (Whorl(case(32)).own_batches((1, 2)), *own) == (1, 8, 2, 24)
    assert Whorl(case(32)).batch_counts((2, 8)) == [1, 2, 4]
    assert thick.batch_counts((2, 4)) == [1, 2, 4, 8, 16, 24, 32, 64]
    assert Whorl(case(32, run={"batches": 3})).batch_counts((2, 8)) == [3]
    assert Whorl(case(32, run={"batches": 60_000})).batch_counts((2, 8)) == [4]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_modes_are_those_kept_whatever_registers_there_are(scheme):
    """22 · 43² of a cube, as many on both grids of an exact phase shift as on one."""
    assert Whorl(case(64, time={"scheme": scheme})).modes == 22 * 43**2
    once, exact = (
        Whorl(case(64, grid={"dealias": name}, time={"scheme": scheme})).modes
        for name in ("phase-shift", "phase-shift-exact")
    )
    assert once == exact


def test_rows_of_ranks_stay_within_sixty_four():
    grids = Whorl(case(512, grid={"dealias": "none"})).grids(256)
    assert {rows * columns for rows, columns in grids} == {256}
    assert sorted(rows for rows, _ in grids) == [1, 2, 4, 8, 16, 32, 64]


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


WITHIN = " - 0.1*grad(gauss(dot(u, u), 0.3)*s)*s"


def typed(further, dealias):
    equations = [f"dt(u) = -advect(u, u) + nu*lap(u){further}", "dt(s) = -dot(u, grad(s)) + nu*lap(s)"]
    flow = {
        "model": "equations",
        "fields": {"u": "velocity", "s": "scalar"},
        "equations": equations,
        "parameters": {"nu": 0.01},
        "rate": "1",
    }
    time = {"scheme": "rk2", "dt": 0.01, "steps": 1}
    return Case(grid={"points": 32, "dealias": dealias}, flow=flow, time=time, run={"threads": 1})


@on_ranks(2, 4)
@pytest.mark.parametrize("dealias", ["2/3", "phase-shift", "phase-shift-exact"])
def test_what_travels_in_a_step_with_products_within_products(world, dealias):
    """In multiples of a step without them: that of all ranks is that of the planned one."""
    plain, within = (typed(further, dealias) for further in ("", WITHIN))
    for grid in Whorl(plain).grids(world.size):
        shares = []
        for chosen in (plain, within):
            own = chosen.updated([f"run.process_grid={list(grid)}"])
            flow, load = _core.Flow(core_options(own, 1), world.py2f()), Whorl(own).load(grid, 1)
            flow.reset_timings()
            flow.step(0.01)
            travels = [sum(world.allgather(flow.traffic()[leg])) for leg in ("row", "column")]
            shares.append((np.array([load.row.bytes, load.column.bytes]), np.array(travels)))
        (planned, counted), (planned_within, counted_within) = shares
        used = counted > 0
        assert used.any()
        assert (planned_within > 1.1 * planned)[used].all()
        assert counted_within[used] / counted[used] == pytest.approx(
            planned_within[used] / planned[used], rel=1e-9
        )

"""Which lines a flow takes: asked for, or the fastest; none of it changes more than roundings."""

import numpy as np
import pytest
from support import flows
from support.build import needs
from support.flows import assert_close
from support.ranks import on_ranks
from support.twin import Twin
from whorl import _core
from whorl.base.ranks import MPI

KINDS = {"own", "fftw-estimate"}
LARGE = 72  # a side of which grid something is measured


def lines_of(world, points, **settings):
    return flows.make(world, Twin((points,) * 3), **settings).options.lines


@needs("fftw")
@pytest.mark.parametrize(
    ("lines", "taken"),
    [
        ("own", "own,own,own"),
        ("fftw,fftw,fftw", "fftw,fftw,fftw"),
        ("own,fftw,direct", "own,fftw,direct"),
        ("auto", "own,own,own"),
    ],
)
def test_a_flow_says_which_lines_it_has(lines, taken):
    """With the columns of its tiles, and what it says makes the same again."""
    said = lines_of(MPI.COMM_SELF, 8, lines=lines)
    kinds, _, columns = said.rpartition(",")
    assert (kinds, lines_of(MPI.COMM_SELF, 8, lines=said)) == (taken, said)
    assert int(columns) in range(8, 89, 16)


WRONG = [
    "own,own",
    "own,own,own,own",
    "own,own,own,0",
    "own,own,own,-8",
    "own,own,own,12",
    "own,own,own,8,8",
    "own,fast,own",
    ",",
]


@pytest.mark.parametrize("lines", WRONG)
def test_lines_are_of_one_kind_or_of_three(lines):
    with pytest.raises(_core.Error, match=r"^lines = .* (is unknown; choose|is neither one kind nor)"):
        lines_of(MPI.COMM_SELF, 8, lines=lines)


@on_ranks(1, 2, 6)
def test_the_fastest_are_the_same_on_all_ranks_and_change_roundings_only(world):
    twin = Twin((LARGE, 64, 70), viscosity=0.01)
    u = flows.noise(twin)
    fields = {}
    grid = _core.allowed_process_grids(flows.options(twin), world.size)[-1]
    for lines in ("auto", "own"):
        flow = flows.make(world, twin, lines=lines, process_grid=grid)
        chosen = flow.options.lines
        assert set(chosen.split(",")[:3]) <= KINDS
        assert len(set(world.allgather(chosen))) == 1
        flows.write(flow, u)
        flow.step(1e-4, step_number=0)
        fields[lines] = flows.read(world, flow)
    assert_close(fields["auto"], fields["own"], "double")


@on_ranks(2)
def test_ranks_with_different_caches_take_the_same_tiles(world):
    """Those of the smallest, which a restart gives to all."""
    own = lines_of(world, 64, second_cache=(1 << 16) << (6 * world.rank))
    assert world.allgather(own) == [lines_of(MPI.COMM_SELF, 64, second_cache=1 << 16)] * 2


def test_many_variables_have_trials_too():
    """Seven scalars beside a velocity: eighteen fluxes."""
    scalars = [(f"s{number}", (0.01, 0.0, 0.0, 0.0)) for number in range(7)]
    assert lines_of(MPI.COMM_SELF, LARGE, lines="auto", scalars=scalars).split(",")[0] in KINDS


def test_trials_leave_nothing_behind():
    """A flow whose lines were measured takes what was counted before, and allocates no more."""
    flow = flows.make(MPI.COMM_SELF, Twin((LARGE,) * 3), lines="auto")
    counted = _core.estimate_memory(flow.options, 1)
    assert flow.memory() == counted
    flow.step(1e-4, step_number=0)
    before = _core.allocations()
    flow.step(1e-4, step_number=1)
    assert _core.allocations() == before


def test_tiles_follow_from_the_second_cache():
    """They fill it, but for rows that are too short for memory or need not be longer."""

    def columns(second, **settings):
        return int(lines_of(MPI.COMM_SELF, 64, second_cache=second, **settings).rpartition(",")[2])

    def workspace(second):
        options = flows.options(Twin((128,) * 3), second_cache=second, lines="own")
        return _core.estimate_memory(options, 1)["workspace"]

    sizes = [1 << 16, 1 << 18, 1 << 22]
    assert [columns(second) for second in sizes] == [40, 56, 88]
    assert [columns(second, precision="single") for second in sizes] == [72, 88, 88]
    assert workspace(1 << 19) < workspace(1 << 22)


def test_the_second_cache_is_that_of_the_machine():
    assert 1 << 16 <= _core.second_cache() <= 1 << 28


def test_tiles_change_roundings_and_what_a_flow_says_repeats_the_bits():
    twin = Twin((32, 36, 40), dealias="phase-shift", viscosity=0.01)
    u = flows.noise(twin)

    def stepped(**settings):
        flow = flows.make(MPI.COMM_SELF, twin, **settings)
        flows.write(flow, u)
        flow.step(0.01, step_number=0)
        return flow.options.lines, flows.read(MPI.COMM_SELF, flow)

    wide, by_wide = stepped(second_cache=1 << 23)
    narrow, by_narrow = stepped(second_cache=1 << 16)
    assert wide != narrow
    assert_close(by_narrow, by_wide, "double")
    again, by_again = stepped(lines=wide, second_cache=1 << 16)
    assert again == wide
    np.testing.assert_array_equal(by_again, by_wide)

"""Lines in the memory of blocks of threads: whatever their length, they are those of the CPU."""

import numpy as np
import pytest
from support import flows
from support.ranks import on_ranks
from support.twin import Twin
from whorl import _core

pytestmark = pytest.mark.parametrize(
    "device",
    ["cpu-as-gpu", pytest.param("cuda", marks=pytest.mark.gpu)],
    indirect=True,
    scope="module",
)

# Every radix in every place of a line, along each axis, in one to four passes; several pairs of rows a block,
# and one.
SHAPES = [
    (4, 6, 10),
    (14, 32, 18),
    (16, 28, 8),
    (30, 4, 210),
    (36, 50, 64),
    (128, 126, 4),
    (256, 6, 12),
    (8, 512, 6),
    (6, 10, 1024),
    (1400, 4, 8),
]
# A block has memory for these lines of one variable, not of all of them at once; those of y, of z.
ALONE = [(4, 2048, 6), (6, 4, 3600)]
# More than a block has memory for, along one axis each: these go by the library.
TOO_LONG = [(2048, 4, 6), (4, 7290, 6), (6, 4, 7290)]


def a_step(world, points, device, precision, **settings):
    twin = Twin(points, (3.0, 2 * np.pi, 5.0), "phase-shift", viscosity=0.01, scheme="rk2")
    flow = flows.make(world, twin, device=device, precision=precision, **settings)
    flows.write(flow, flows.noise(twin, seed=sum(points)))
    flow.step(1e-4, step_number=1)
    return flow


def check_against_the_cpu(world, points, device, precision, **settings):
    velocity = [
        flows.read(world, a_step(world, points, on, precision, **of))
        for on, of in ((device, settings), ("cpu", {}))
    ]
    flows.assert_close(velocity[0], velocity[1], precision)


@pytest.mark.turns
@on_ranks(1)
@pytest.mark.parametrize("precision", flows.PRECISIONS)
@pytest.mark.parametrize("points", SHAPES + ALONE + TOO_LONG, ids=str)
def test_lines_are_those_of_the_cpu(world, points, precision, device):
    check_against_the_cpu(world, points, device, precision)


@pytest.mark.turns
@on_ranks(2, 3, 6)
@pytest.mark.parametrize("points", [(14, 32, 18), (72, 12, 10), *ALONE], ids=str)
def test_rows_of_several_ranks_are_those_of_the_cpu(world, points, device):
    for grid in _core.allowed_process_grids(flows.options(Twin(points, dealias="phase-shift")), world.size):
        check_against_the_cpu(world, points, device, "double", process_grid=grid)


@on_ranks(1)
def test_lines_of_the_library_are_those_of_the_cpu(world, device):
    check_against_the_cpu(world, (14, 32, 18), device, "double", lines="fftw")


@on_ranks(1)
def test_what_is_done_as_lines_are_read_and_written_has_no_kernel_of_its_own(world, device):
    """Modes are loaded and stored by the lines along z, products contracted by those along y."""

    def seconds(points, lines="own"):
        twin = Twin(points, dealias="phase-shift")
        flow = flows.make(world, twin, device=device, precision="double", lines=lines)
        flow.reset_timings()
        flow.evaluate()
        return flow.timings()

    of_blocks, long_y, long_z = seconds((14, 32, 18)), seconds(ALONE[0]), seconds(ALONE[1])
    assert of_blocks["modes"] == of_blocks["pack"] == 0 < min(of_blocks["z_lines"], of_blocks["y_lines"])
    assert long_y["modes"] == 0 < long_y["pack"]
    assert long_z["pack"] == 0 < long_z["modes"]
    assert min(seconds((14, 32, 18), "fftw")[part] for part in ("modes", "pack")) > 0


@on_ranks(1)
def test_rows_in_blocks_need_no_place_of_their_own(world, device):
    """Nor has a row too long for a block any other place than the library's."""

    def workspace(points, lines):
        twin = Twin(points, dealias="phase-shift")
        return flows.make(world, twin, device=device, precision="double", lines=lines).memory()["workspace"]

    assert workspace((128, 16, 16), "own") < workspace((128, 16, 16), "fftw")
    assert workspace((2048, 4, 6), "own") == workspace((2048, 4, 6), "fftw")


@on_ranks(1)
def test_the_fastest_velocity_is_found_in_blocks(world, device):
    """The time step a Courant number gives, on rows that fill a block and rows that do not."""
    for points in ((14, 6, 18), (1400, 4, 8)):
        steps = []
        for on in (device, "cpu"):
            flow = a_step(world, points, on, "double")
            steps.append(flow.step(0.0, courant=0.2, dt_max=1.0, step_number=2))
        assert steps[0].dt == pytest.approx(steps[1].dt, rel=1e-13)


# What may be chosen of blocks by hand, to be measured.
CHOSEN = [
    *({"lane_bytes": lanes} for lanes in (32, 64, 128)),
    *({"block_pairs": pairs} for pairs in (1, 2, 3)),
    *({"block_threads": threads} for threads in (96, 256, 512)),
]


@on_ranks(1)
@pytest.mark.parametrize("chosen", CHOSEN, ids=str)
def test_blocks_chosen_by_hand_change_no_result(world, chosen, device):
    for precision in flows.PRECISIONS:
        check_against_the_cpu(world, (14, 32, 18), device, precision, **chosen)


@on_ranks(1)
@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"lane_bytes": 48}, "32, 64 or 128"),
        ({"block_threads": 100}, "multiple of 32"),
        ({"block_threads": 544}, "32 to 512"),
        ({"block_pairs": -1}, "one pair of rows or more"),
    ],
    ids=str,
)
def test_impossible_blocks_are_refused(world, chosen, said, device):
    with pytest.raises(_core.Error, match=said):
        flows.make(world, Twin((8, 8, 8)), device=device, **chosen)


@on_ranks(2, 3)
def test_odd_rows_of_the_library_are_those_of_the_cpu(world, device):
    """The last row of a rank's planes, whose partner it is itself, is written once."""
    for precision in flows.PRECISIONS:
        grid = [world.size, 1]
        check_against_the_cpu(world, (12, 18, 10), device, precision, lines="fftw", process_grid=grid)


H100, A100 = 227 << 10, 163 << 10
MORE_THAN_ONE = {H100: (113 << 10, 75 << 10), A100: (81 << 10, 53 << 10)}  # two blocks, three


# Points, variables, precision and memory, and the bytes of a lane: 128 where three blocks fit, else the
# widest of which two do, else of which one does.
@on_ranks(1)
@pytest.mark.parametrize(
    ("points", "variables", "precision", "memory", "lane"),
    [
        (256, 1, "single", H100, 128),
        (512, 1, "single", H100, 128),
        (512, 1, "single", A100, 64),
        (512, 3, "single", H100, 64),
        (1024, 1, "double", H100, 64),
        (1024, 3, "single", H100, 32),
        (1024, 3, "single", A100, 32),
        (1024, 5, "single", H100, 32),
        (3000, 1, "double", H100, 32),
        (2880, 1, "single", A100, 32),
        (3220, 1, "single", H100, 64),
        (7264, 1, "single", H100, 32),
        (7290, 1, "single", H100, 0),
        (1440, 5, "single", H100, 32),
    ],
)
def test_as_many_blocks_as_fit_have_lanes_as_wide_as_fit(world, points, variables, precision, memory, lane):
    found, of_block, begins = _core.block_of_lines(points, variables, precision, memory)
    assert found == lane
    if lane == 0:
        return
    row = variables * lane
    assert begins[-1] + row == of_block <= memory
    assert len(set(begins)) == points == len(begins)
    two, three = MORE_THAN_ONE[memory]
    if lane == 128:
        assert of_block <= three
    if lane < 128:
        assert 2 * of_block > three
    if lane == 64 and of_block > two:
        assert of_block > 2 * two


@on_ranks(1)
@pytest.mark.parametrize(
    ("points", "variables", "lanes"), [(64, 1, 32), (64, 3, 32), (512, 1, 32), (512, 5, 32), (64, 1, 64)]
)
@pytest.mark.parametrize("precision", flows.PRECISIONS)
def test_butterflies_of_neighbouring_points_share_no_bank(world, points, variables, lanes, precision):
    """A pass of radix 8 on points one apart: what a warp reads together lies in other banks.

    A memory has 32 banks of four bytes, and a warp reads its numbers 128 bytes at a time.
    """
    value = {"single": 8, "double": 16}[precision]
    found, _, begins = _core.block_of_lines(points, variables, precision, H100, lanes)
    assert found == lanes
    lines = variables * lanes // value
    together = 128 // value
    for first in range(0, min(4 * together, points // 8 * lines), together):
        items = [divmod(first + t, lines) for t in range(together)]
        banks = [(begins[8 * butterfly] + line * value) // value % together for butterfly, line in items]
        assert len(set(banks)) == together

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


@on_ranks(1)
@pytest.mark.parametrize("precision", flows.PRECISIONS)
@pytest.mark.parametrize("points", SHAPES + ALONE + TOO_LONG, ids=str)
def test_lines_are_those_of_the_cpu(world, points, precision, device):
    check_against_the_cpu(world, points, device, precision)


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

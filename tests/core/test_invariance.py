"""The same result whatever the ranks, threads, batches and kind of lines."""

import numpy as np
import pytest
from support import devices, flows
from support.build import LEFT_OUT
from support.flows import assert_close
from support.ranks import on_ranks
from support.twin import Twin
from whorl import _core
from whorl.base.ranks import MPI

pytestmark = pytest.mark.every_device

BOXES = [((20, 14, 18), "2/3"), ((12, 30, 10), "phase-shift"), ((28, 20, 1), "phase-shift-exact")]
SETTINGS = [{"threads": n} for n in (2, 3)] + [{"batches": n} for n in (1, 2, 5, 100)]
SETTINGS += [{"lines": "direct"}, {"threads": 3, "batches": 5}]
SETTINGS += [{"lines": "own,direct,own"}, {"second_cache": 1 << 15}]
if "fftw" not in LEFT_OUT:
    SETTINGS += [{"lines": "fftw"}, {"lines": "fftw,own,fftw"}]

boxes = pytest.mark.parametrize(("points", "dealias"), BOXES)
precisions = pytest.mark.parametrize("precision", flows.PRECISIONS)


def two_steps(world, twin, u, **settings):
    """What there is to see after them."""
    flow = flows.make(world, twin, **settings)
    flows.write(flow, u)
    flow.step(0.01, step_number=0)
    report = flow.step(0.0, courant=0.3, step_number=1)
    return {
        "velocity": flows.read(world, flow),
        "vorticity": flows.read(world, flow, "vorticity"),
        "transfer": flow.transfer()["velocity"],
        "report": np.array([report.dt, report.maximum_velocity]),
    }


@pytest.mark.turns
@pytest.mark.cpu_by_default
@on_ranks()
@precisions
@boxes
def test_threads_batches_and_lines_change_nothing(world, points, dealias, precision):
    twin = Twin(points, (3.0, 2 * np.pi, 5.0), dealias, viscosity=0.01, scheme="rk3")
    u = flows.noise(twin)
    for grid in _core.allowed_process_grids(flows.options(twin), world.size):
        common = {"precision": precision, "process_grid": grid}
        plain = two_steps(world, twin, u, **common)
        kinds = {*devices.lines(), "fftw"}
        own = [each for each in SETTINGS if kinds.issuperset(each.get("lines", "own").split(","))]
        # What one rank has shown more need not show again and again.
        for settings in own if world.size < 3 else own[-3:]:
            other = two_steps(world, twin, u, **common, **settings)
            for name, value in plain.items():
                # Terms of either sign, some ten times the energy a shell holds, add up to the transfer.
                scale = 100.0 if name == "transfer" else 0.0
                assert_close(other[name], value, precision, scale, f"{name} with {settings} on {grid}")


@on_ranks(1, 2, 6)
def test_batches_and_planes_change_no_bit(world):
    """Rows of a plane travel in pairs, and one of seven, or of three, alone: whatever the planes in hand."""
    twin = Twin((20, 14, 18), (3.0, 2 * np.pi, 5.0), "phase-shift", viscosity=0.01)
    u = flows.noise(twin)
    for grid in _core.allowed_process_grids(flows.options(twin), world.size):
        plain, *others = (
            two_steps(world, twin, u, process_grid=grid, batches=batches, planes=planes)
            for batches, planes in ((1, 0), (1, 1), (1, 3), (2, 0), (5, 2), (100, 0))
        )
        for other in others:
            assert np.array_equal(other["velocity"], plain["velocity"]), grid


@on_ranks(2, 3, 4, 6)
@precisions
@boxes
def test_ranks_change_nothing(world, points, dealias, precision):
    twin = Twin(points, (3.0, 2 * np.pi, 5.0), dealias, viscosity=0.01, scheme="rk3")
    u = flows.noise(twin)
    alone = two_steps(MPI.COMM_SELF, twin, u, precision=precision)
    for grid in _core.allowed_process_grids(flows.options(twin), world.size):
        together = two_steps(world, twin, u, precision=precision, process_grid=grid)
        assert_close(together["velocity"], alone["velocity"], precision, what=f"velocity on {grid}")
        assert_close(together["report"], alone["report"], precision, what=f"report on {grid}")


@on_ranks(1, 6)
def test_twice_the_same_is_the_same_to_the_last_bit(world):
    """Whatever thread takes whatever line: what a restart relies on."""
    twin = Twin((20, 14, 18), dealias="phase-shift", viscosity=0.01)
    u = flows.noise(twin)
    first = two_steps(world, twin, u, threads=3)
    for _ in range(3):
        again = two_steps(world, twin, u, threads=3)
        assert all(np.array_equal(again[name], value) for name, value in first.items())

"""Lines of every kind of length, along each axis, against the sum as it is defined, or a library's."""

import numpy as np
import pytest
from support import devices, flows
from support.flows import assert_close
from support.twin import Twin
from whorl.base.ranks import MPI

pytestmark = pytest.mark.every_device

# One pass, two and three, of every radix in any place.
SHORT = [4, 6, 10, 14, 16, 18, 24, 42, 48, 50, 64, 98, 120, 128, 210, 250, 256, 432]
LENGTHS = [*SHORT, *(pytest.param(length, marks=pytest.mark.slow) for length in (512, 686, 1024))]


def one_step(twin, u, **settings):
    flow = flows.make(MPI.COMM_SELF, twin, **settings)
    flows.write(flow, u)
    flow.step(1e-4, step_number=0)
    return flows.read(MPI.COMM_SELF, flow)


@pytest.mark.turns
@pytest.mark.parametrize("precision", flows.PRECISIONS)
@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.parametrize("length", LENGTHS)
def test_fast_lines_are_the_sums_they_stand_for(length, axis, precision):
    """A step from white noise, which all modes and all points of the lines have a part in."""
    points = {"x": (length, 6, 8), "y": (6, length, 4), "z": (6, 4, length)}[axis]
    twin = Twin(points, dealias="none", viscosity=0.01)
    u = flows.noise(twin)
    sums = one_step(twin, u, precision=precision, lines=devices.lines()[1])
    assert np.ptp(sums) > 1.0
    assert_close(one_step(twin, u, precision=precision), sums, precision)

"""`a % b` and `fmod(a, b)` at the points against NumPy, exact multiples included, on any device."""

import numpy as np
import pytest
from support import flows
from support.programs import case_of, smooth, worked_out
from support.ranks import on_ranks
from support.twin import Twin

pytestmark = pytest.mark.every_device

# Of a spacing of 1, so that x, y and z are whole numbers at the points.
POINTS = (24, 20, 18)
# Quotients of these are never rounded to a whole number, and products with it are exact.
EXACT = [
    ("x - 12", "y - 9.5"),
    ("x - 12", "where(y < 9, -4, 2)"),
    ("(x - 12)/8", "(y - 9.5)/4"),
    ("(x - 12)*(z + 1)", "y - 9.5"),
    ("x - 12", "(x - 12.5)*1024"),
]
# Of these some are: 1/0.1, 3/(3/49).
ROUNDED = [
    ("x - 12", "where(y < 9, -0.1, 0.1)"),
    ("x - 12", "where(y < 9, -0.3, 0.3)"),
    ("x - 12.5", "(x - 12.5)/49"),
    ("(x - 12)*0.1", "where(y < 9, -0.1, 0.1)"),
    ("(z - 9)*(y - 9.5)/7", "(y - 9.5)/7"),
    ("x/3 - 4", "(y - 9.5)/3"),
    ("u.x", "0.3"),
    ("100*u.x", "u.y"),
    ("u.x*u.z", "-u.y"),
    ("u.x", "1000*u.z"),
]
OPERATIONS = [("({}) % ({})", np.mod), ("fmod({}, {})", np.fmod)]


@pytest.mark.parametrize("precision", flows.PRECISIONS)
@on_ranks(1, 2)
def test_remainders_are_numpys(world, precision):
    case, twin = case_of(POINTS, POINTS), Twin(POINTS, POINTS)
    flow = flows.make(world, twin, precision=precision)
    flows.write(flow, smooth(twin))
    dtype = np.dtype("f4" if precision == "single" else "f8")
    for pair in (*EXACT, *ROUNDED):
        a, b = (worked_out(world, flow, case, text)[0].astype(dtype) for text in pair)
        for text, of_numpy in OPERATIONS:
            found = worked_out(world, flow, case, text.format(*pair))[0].astype(dtype)
            assert np.array_equal(found, of_numpy(a, b)), text.format(*pair)

"""The exact viscous factor, seen through a single transverse wave, which the nonlinear term leaves alone."""

import numpy as np
import pytest
from support import flows
from support.ranks import on_ranks
from support.twin import EARLIER, TABLES, Twin

pytestmark = pytest.mark.every_device

# nu k^2 dt over many decades, up to where nothing is left; k = 1 and nu = 1, so that no product is rounded.
SMALL = [0.0, 1e-20, 1e-12, 1e-8, 1e-5, 1e-3]
LARGE = [0.02, 0.1, 0.34, 0.35, 0.5, np.log(2) / 2, np.log(2), 1.0, 2.5, 7.0, 20.0, 45.0, 80.0]
HUGE = [100.0, 300.0, 600.0, 680.0]

# Nothing but k = (1, 0, 0) lies in the first shell of a box as narrow as this.
NARROW = {"points": (12, 8, 10), "lengths": (2 * np.pi, 0.5, 0.4)}


def decay_in_a_step(world, flow, dt):
    """By what one step multiplies a wave v(x), w(x), which is alone: every other mode is zero to the bit."""
    flow.set_random([0.0, 1.0], 4)
    before = flows.read(world, flow)
    assert not before[0].any()
    flow.step(dt)
    after = flows.read(world, flow)
    largest = np.unravel_index(np.abs(before).argmax(), before.shape)
    return after[largest] / before[largest]


@on_ranks(1, 2)
@pytest.mark.parametrize("precision", flows.PRECISIONS)
@pytest.mark.parametrize("dealias", ["2/3", "phase-shift-exact"])
def test_one_step_decays_by_the_exponential(world, dealias, precision):
    flow = flows.make(world, Twin(**NARROW, dealias=dealias, viscosity=1.0), precision=precision)
    dtype = {"single": np.float32, "double": np.float64}[precision]
    rounding = 6 * float(np.finfo(dtype).eps)  # of the series and the transforms, whatever the decade
    for x in SMALL + LARGE + (HUGE if precision == "double" else []):
        x = float(dtype(x))
        assert decay_in_a_step(world, flow, x) == pytest.approx(np.exp(-x), rel=rounding, abs=0), x


@on_ranks(1)
@pytest.mark.parametrize("precision", flows.PRECISIONS)
def test_what_decays_below_all_numbers_is_zero_and_stays(world, precision):
    flow = flows.make(world, Twin(**NARROW, viscosity=1.0), precision=precision)
    for x in (800.0, 1e4, 1e30):
        assert decay_in_a_step(world, flow, x) == 0.0
        assert flow.step(1.0).maximum_velocity == 0.0


@pytest.mark.only_cpu
@on_ranks(1)
@pytest.mark.parametrize(("precision", "x"), [("single", 48.0), ("double", 365.0)])
def test_subnormal_numbers_are_zero_in_steps_alone(world, precision, x):
    """Threads of the CPU flush them, which are slow. The caller has them after the step."""
    dtype = np.float32 if precision == "single" else np.float64
    flow = flows.make(world, Twin(**NARROW, viscosity=1.0), precision=precision, threads=2)
    assert 0.0 < decay_in_a_step(world, flow, x) < np.sqrt(np.finfo(dtype).tiny)
    flow.step(x)
    assert not flows.read(world, flow).any()
    assert np.finfo(dtype).tiny * dtype(0.5) > 0.0


@on_ranks(1)
@pytest.mark.parametrize("scheme", [*TABLES, *EARLIER])
def test_every_scheme_decays_exactly_however_large_the_step(world, scheme):
    flow = flows.make(world, Twin(**NARROW, viscosity=0.3, scheme=scheme))
    for dt in (1e-3, 1.0, 50.0, 500.0):
        assert decay_in_a_step(world, flow, dt) == pytest.approx(np.exp(-0.3 * dt), rel=1e-13, abs=0), dt


@on_ranks(1)
def test_the_decay_goes_with_the_square_of_the_wavenumber(world):
    """Modes of every length at once, in a box of unequal lengths; w(x, y) alone is carried by nothing."""
    twin = Twin((20, 14, 6), (3.0, 2 * np.pi, 5.0), viscosity=0.05)
    u = flows.noise(twin)
    u[:2], u[2] = 0, u[2].mean(0)
    flow = flows.make(world, twin)
    flows.write(flow, u)
    flow.step(0.7)
    expected = twin.to_points(twin.load(u) * np.exp(-0.05 * 0.7 * twin.k2))
    flows.assert_close(flows.read(world, flow), expected, "double")

"""The round trip against numpy.fft: every truncation, precision, number of ranks and process grid."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support import devices, flows
from support.examples import examples
from support.flows import assert_close
from support.ranks import COUNTS, on_ranks, run_on
from support.twin import DIFFERENCED, TABLES, Twin
from whorl import _core

pytestmark = pytest.mark.every_device

# Unequal sizes with factors 2, 3, 5 and 7, which ranks do not divide, and unequal lengths.
BOXES = [
    ((20, 14, 18), (2 * np.pi, 3.0, 5.0)),
    ((12, 30, 10), (1.0, 2 * np.pi, 0.7)),
    ((42, 16, 12), (7.0, 2.0, 2 * np.pi)),
    ((28, 20, 1), (2 * np.pi, 4.0, 1.0)),
]
SIZES = [4, 6, 8, 10, 12, 14, 16, 18, 20, 28, 30]
ALL_RULES = [
    ("2/3", "cube"),
    ("2/3", "sphere"),
    ("phase-shift", "cube"),
    ("phase-shift-exact", "cube"),
    ("none", "cube"),
]
# Single precision is the same code compiled once more: the two grids and one without shifts are enough.
RULES = [("double", *rule) for rule in ALL_RULES] + [("single", *ALL_RULES[0]), ("single", *ALL_RULES[2])]

boxes = pytest.mark.parametrize(("points", "lengths"), BOXES)
rules = pytest.mark.parametrize(("precision", "dealias", "shape"), RULES)


def flows_on_every_grid(world, twin, **settings):
    for grid in _core.allowed_process_grids(flows.options(twin), world.size):
        flow = flows.make(world, twin, process_grid=grid, **settings)
        assert tuple(flow.process_grid) == grid
        yield flow


def check_fields(world, flow, twin, precision):
    u = flows.noise(twin)
    a = twin.load(u)
    assert flow.modes == twin.modes
    flows.write(flow, u)
    assert_close(flows.read(world, flow), twin.to_points(a), precision, what="velocity")
    vorticity = twin.to_points(twin.curl(a))
    assert_close(flows.read(world, flow, "vorticity"), vorticity, precision, what="vorticity")
    flows.write(flow, u, project=False)
    whole = twin.to_points(twin.load(u, project=False))
    assert_close(flows.read(world, flow), whole, precision, what="velocity with its divergence")


def check_transfer(world, flow, twin, precision):
    u = flows.noise(twin)
    a = twin.load(u)
    flows.write(flow, u)
    # Terms of either sign are summed: what rounding does is measured by their size, at most rate E.
    scale = twin.speeds(twin.to_points(a))[0] * twin.energy_spectrum(a).max()
    transfer = flow.transfer()["velocity"]
    assert_close(transfer, twin.transfer(a, twin.nonlinear(a)), precision, scale, "transfer")


def check_all(world, twin, precision, **settings):
    flow = flows.make(world, twin, precision=precision, **settings)
    check_fields(world, flow, twin, precision)
    check_transfer(world, flow, twin, precision)


@pytest.mark.mpi
@settings(max_examples=examples(40), derandomize=True)
@given(
    points=st.tuples(st.sampled_from(SIZES), st.sampled_from(SIZES), st.sampled_from([1, *SIZES])),
    lengths=st.tuples(*[st.floats(0.5, 20.0)] * 3),
    rule=st.sampled_from(RULES),
    ranks=st.sampled_from(COUNTS),
    data=st.data(),
)
def test_any_box_on_any_process_grid(points, lengths, rule, ranks, data):
    precision, dealias, shape = rule
    twin = Twin(points, lengths, dealias, shape)
    grids = _core.allowed_process_grids(flows.options(twin), ranks)
    assume(grids)
    options = {
        "process_grid": data.draw(st.sampled_from(grids)),
        "batches": data.draw(st.integers(0, 9)),
        "threads": data.draw(st.integers(1, 3)),
        "lines": data.draw(st.sampled_from(devices.lines())) if ranks > 1 else devices.lines()[1],
    }
    run_on(ranks, check_all, twin=twin, precision=precision, **options)


@on_ranks()
@rules
@boxes
def test_fields_there_and_back(world, points, lengths, precision, dealias, shape):
    twin = Twin(points, lengths, dealias, shape)
    for flow in flows_on_every_grid(world, twin, precision=precision):
        check_fields(world, flow, twin, precision)


@pytest.mark.turns
@on_ranks()
@rules
@boxes
def test_transfer_and_step(world, points, lengths, precision, dealias, shape):
    twin = Twin(points, lengths, dealias, shape, viscosity=0.01, shift_seed=5)
    u = flows.noise(twin)
    a = twin.load(u)
    dt = 0.3 / twin.speeds(twin.to_points(a))[0]
    after = twin.to_points(twin.step(a, dt, step_number=3))
    for flow in flows_on_every_grid(world, twin, precision=precision):
        check_transfer(world, flow, twin, precision)
        flow.step(dt, step_number=3)
        assert_close(flows.read(world, flow), after, precision, what="velocity after a step")


@on_ranks(1, 4)
@pytest.mark.parametrize("precision", flows.PRECISIONS)
@pytest.mark.parametrize("dealias", ["2/3", "phase-shift", "phase-shift-exact"])
@pytest.mark.parametrize("scheme", [*TABLES, *DIFFERENCED])
def test_every_scheme_steps_like_its_formulas(world, scheme, dealias, precision):
    # The decay of a step is strong where a scheme integrates it along: z = nu k^2 dt from 0 to about 30.
    viscosity = 1.0 if scheme in DIFFERENCED else 0.02
    twin = Twin(
        (12, 14, 10), (3.0, 2 * np.pi, 5.0), dealias, viscosity=viscosity, scheme=scheme, shift_seed=2**40 + 3
    )
    u = flows.noise(twin, seed=4)
    a = twin.load(u)
    dt = 0.4 / twin.speeds(twin.to_points(a))[0]
    flow = flows.make(world, twin, precision=precision)
    flows.write(flow, u)
    for number in (2**33 + 1, 7):
        a = twin.step(a, dt, number)
        flow.step(dt, step_number=number)
        assert_close(flows.read(world, flow), twin.to_points(a), precision, what=f"velocity after {number}")


@on_ranks()
@pytest.mark.parametrize("dealias", ["2/3", "phase-shift", "phase-shift-exact"])
@pytest.mark.parametrize("points", [(18, 20, 14), (28, 20, 1)])
def test_a_step_reports_speeds_and_chooses_dt(world, points, dealias):
    twin = Twin(points, (5.0, 2 * np.pi, 4.0), dealias, viscosity=0.01, scheme="rk4", shift_seed=1)
    u = flows.noise(twin, seed=2)
    a = twin.load(u)
    first_grid = twin.stage_grid(0, 9)
    rate, speed = twin.speeds(twin.to_points(a * twin.shift(first_grid)))
    flow = flows.make(world, twin)
    for asked, dt in [((0.02,), 0.02), ((1.0, 0.3), 0.3 / rate), ((1.0, 0.3, 0.1 / rate), 0.1 / rate)]:
        flows.write(flow, u)
        report = flow.step(*asked, step_number=9)
        assert report.dt == pytest.approx(dt, rel=1e-12)
        assert report.courant == pytest.approx(rate * dt, rel=1e-12)
        assert report.maximum_velocity == pytest.approx(speed, rel=1e-12)
        after = twin.to_points(twin.step(a, dt, 9))
        assert_close(flows.read(world, flow), after, "double", what=f"velocity after dt = {dt}")


@pytest.mark.turns
@on_ranks(1, 3)
@pytest.mark.parametrize(
    ("precision", "points"),
    [("double", (14, 20, 1)), ("double", (14, 36, 1)), ("single", (18, 6, 1)), ("single", (16, 36, 1))],
)
def test_the_largest_speed_is_found_wherever_it_is(world, precision, points):
    """A jet through one point after another: each counts, in whole blocks of rows and in the last."""
    twin = Twin(points, dealias="none")
    flow = flows.make(world, twin, precision=precision)
    nx, ny, _ = points
    everywhere = twin.to_points(twin.load(jet(points, 0, 0), project=False))
    for x, y in np.ndindex(nx, ny):
        flows.write(flow, jet(points, x, y))
        speed = flow.step(0.0, step_number=0).maximum_velocity
        assert speed == pytest.approx(np.abs(everywhere).max(), rel=1e-5)


def jet(points, x, y):
    nx, ny, nz = points
    u = np.zeros((3, nz, ny, nx))
    u[2, :, y, x] = 1.0
    return u


@on_ranks()
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_step_reports_what_is_not_finite_on_every_rank(world, value):
    twin = Twin((12, 10, 14))
    flow = flows.make(world, twin, precision="single")
    u = flows.noise(twin)
    u[1, 13, 9, 11] = value
    flows.write(flow, u)
    assert np.isnan(flow.step(0.01).maximum_velocity)


@on_ranks(1)
def test_an_error_of_the_callback_comes_through(world):
    flow = flows.make(world, Twin((8, 8, 8)))

    def fill(*_):
        raise LookupError("no such field")

    with pytest.raises(LookupError, match="no such field"):
        flow.set_physical(fill)
    with pytest.raises(LookupError, match="no such field"):
        flow.read_fields("velocity", fill)
    u = flows.noise(Twin((8, 8, 8)))
    flows.write(flow, u)
    twin = Twin((8, 8, 8))
    assert_close(flows.read(world, flow), twin.to_points(twin.load(u)), "double")

"""Aliases are removed exactly where the table of truncations says so, and are there where it says not."""

import numpy as np
import pytest
from support import flows
from support.flows import assert_close
from support.ranks import on_ranks
from support.twin import TABLES, Twin

pytestmark = pytest.mark.every_device

BOXES = [(16, 12, 10), (12, 18, 24), (24, 18, 1)]  # divisible by 3 too: an alias may fall on the boundary
EXACT = [("2/3", "cube"), ("2/3", "sphere"), ("phase-shift-exact", "cube")]
LENGTHS = (2 * np.pi, 5.0, 4.0)

# Two modes whose sum n is aliased to n - N along one, two and three axes of 16 x 12 x 10 points.
PAIRS = {"x": ((7, 1, 0), (6, 0, 1)), "y": ((1, 5, 0), (0, 4, -1)), "z": ((1, 0, 4), (0, 1, 3))}
PAIRS |= {"xy": ((6, 5, 0), (7, 4, 1)), "yz": ((1, 5, 4), (0, 4, 4)), "xyz": ((6, 5, 4), (7, 5, 3))}


def alias_of(pair, points):
    """The kept wavenumber the sum of two modes is taken for on the grid."""
    return tuple((p + q + n // 2) % n - n // 2 for p, q, n in zip(*pair, points, strict=True))


def place(numbers):
    return (slice(None), numbers[2], numbers[1], numbers[0])


def two_modes(twin, pair):
    """A velocity of two solenoidal modes and their conjugates."""
    generator = np.random.default_rng(8)
    a = np.zeros((3, *twin.points[::-1]), complex)
    for numbers in pair:
        value = generator.standard_normal(3) + 1j * generator.standard_normal(3)
        a[place(numbers)] += value
        a[place([-n for n in numbers])] += value.conj()
    return twin.to_points(twin.project(a))


def modes_after(world, twin, u, dt):
    flow = flows.make(world, twin)
    flows.write(flow, u)
    flow.step(dt)
    return twin.to_modes(flows.read(world, flow))


@on_ranks(1, 4)
@pytest.mark.parametrize(("dealias", "shape"), EXACT)
@pytest.mark.parametrize("points", BOXES)
def test_no_alias_is_left_by_the_exact_rules(world, points, dealias, shape):
    """With every kept mode there: the tendency is that of a grid twice as fine."""
    twin = Twin(points, LENGTHS, dealias, shape)
    u = flows.noise(twin)
    a = twin.load(u)
    flow = flows.make(world, twin)
    flows.write(flow, u)
    flow.step(0.001)
    after = twin.step(a, 0.001, nonlinear=lambda b, *_: twin.alias_free(b))
    assert_close(flows.read(world, flow), twin.to_points(after), "double", what="velocity")


@on_ranks(1, 4)
@pytest.mark.parametrize(("dealias", "shape"), [*EXACT, ("phase-shift", "cube")])
@pytest.mark.parametrize("points", BOXES)
def test_no_alias_is_in_the_transfer(world, points, dealias, shape):
    """Phase shifts that cancel over two steps cancel in one spectrum, too."""
    twin = Twin(points, LENGTHS, dealias, shape)
    u = flows.noise(twin)
    a = twin.load(u)
    flow = flows.make(world, twin)
    flow.step(0.0, step_number=1)  # leaves a shifted grid behind
    flows.write(flow, u)
    scale = twin.speeds(u)[0] * twin.energy_spectrum(a).max()
    transfer = flow.transfer()["velocity"]
    assert_close(transfer, twin.transfer(a, twin.alias_free(a)), "double", scale, "transfer")
    assert abs(transfer.sum()) < 1e-13 * np.abs(transfer).sum()
    assert_close(flow.transfer()["velocity"], transfer, "double", what="transfer once more")


@on_ranks(1, 4)
@pytest.mark.parametrize("points", BOXES)
def test_aliases_are_there_without_an_exact_rule(world, points):
    """So that the tests above can fail: one evaluation on one grid, and it is wrong by a lot."""
    for dealias in ("none", "phase-shift"):
        twin = Twin(points, LENGTHS, dealias)
        u = flows.noise(twin)
        a = twin.load(u)
        flow = flows.make(world, twin)
        flows.write(flow, u)
        one_grid = flow.transfer()["velocity"] if dealias == "none" else twin.transfer(a, twin.on_grid(a))
        difference = one_grid - twin.transfer(a, twin.alias_free(a))
        assert np.abs(difference).max() > 0.02 * np.abs(one_grid).max()


@on_ranks(1, 3)
@pytest.mark.parametrize("axes", PAIRS)
def test_the_alias_of_two_modes_appears_where_nothing_removes_it(world, axes):
    twin = Twin((16, 12, 10), LENGTHS, "none")
    u, dt = two_modes(twin, PAIRS[axes]), 1e-4
    alias = place(alias_of(PAIRS[axes], twin.points))
    assert twin.mask[alias[1:]]
    expected = dt * twin.on_grid(twin.to_modes(u))[alias]
    assert np.abs(expected).max() > 1e-5
    assert modes_after(world, twin, u, dt)[alias] == pytest.approx(expected, rel=0.01, abs=1e-7)


@on_ranks(1, 3)
@pytest.mark.parametrize(("dealias", "shape"), EXACT)
@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_the_alias_of_two_kept_modes_is_removed_exactly(world, axis, dealias, shape):
    """Two modes as far out along one axis as are kept: their sum leaves the grid."""
    twin = Twin((16, 12, 10), LENGTHS, dealias, shape)
    i = "xyz".index(axis)
    pair = np.zeros((2, 3), int)
    pair[:, i] = max(np.abs(twin.numbers[i][twin.mask]))
    pair[0, (i + 1) % 3], pair[1, (i + 2) % 3] = 1, 1
    if not all(twin.mask[place(numbers)[1:]] for numbers in pair):
        pair[:, i] -= 1
    assert all(twin.mask[place(numbers)[1:]] for numbers in pair)
    u = two_modes(twin, pair)
    after = modes_after(world, twin, u, 1e-3)
    alias = place(alias_of(pair, twin.points))
    assert np.abs(after[alias]).max() < 1e-15
    expected = twin.step(twin.to_modes(u), 1e-3, nonlinear=lambda b, *_: twin.alias_free(b))
    assert_close(after, expected, "double", what="modes")


@on_ranks(1, 3)
@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_a_single_alias_changes_sign_half_a_cell_on(world, axis):
    """The alias of each stage of rk2 is that of one grid; of both nothing of first order in dt is left."""
    twin = Twin((16, 12, 10), LENGTHS, "phase-shift", shift_seed=3)
    pair = {"x": ((6, 1, 0), (6, 0, 1)), "y": ((1, 4, 0), (0, 5, 1)), "z": ((1, 0, 4), (0, 1, 4))}[axis]
    u = two_modes(twin, pair)
    a = twin.to_modes(u)
    assert twin.mask[place(pair[0])[1:]]
    assert twin.mask[place(pair[1])[1:]]
    alias = place(alias_of(pair, twin.points))
    assert twin.mask[alias[1:]]
    one, other = (twin.on_grid(a, twin.stage_grid(stage, 0))[alias] for stage in (0, 1))
    assert np.abs(one).max() > 0.1
    assert np.abs(one + other).max() < 1e-14
    dt = 1e-4
    assert np.abs(modes_after(world, twin, u, dt)[alias]).max() < 0.01 * dt * np.abs(one).max()


def alias_order(world, twin, steps):
    """Exponent of dt in what steps leave of the aliases of a flow with every kept mode."""
    u, flow = flows.noise(twin), flows.make(world, twin)
    errors = []
    for dt in (2e-4, 1e-4):
        flows.write(flow, u)
        expected = twin.load(u)
        for number in steps:
            flow.step(dt, step_number=number)
            expected = twin.step(expected, dt, nonlinear=lambda b, *_: twin.alias_free(b))
        errors.append(np.abs(twin.to_modes(flows.read(world, flow)) - expected).max())
    return np.log2(errors[0] / errors[1])


@on_ranks(1, 3)
@pytest.mark.parametrize("scheme", ["rk2", "rk4"])
@pytest.mark.parametrize(("dealias", "order"), [("none", 1), ("phase-shift", 2)])
def test_aliases_of_a_step_cancel_but_for_their_change_within_it(world, dealias, order, scheme):
    """Where odd and even stages weigh the same: what is left shrinks as dt^2, without the shifts as dt."""
    twin = Twin((16, 12, 10), LENGTHS, dealias, scheme=scheme)
    assert alias_order(world, twin, [0]) == pytest.approx(order, abs=0.1)


@pytest.mark.turns
@on_ranks(1, 3)
@pytest.mark.parametrize("scheme", TABLES)
def test_aliases_of_a_pair_of_steps_cancel_with_every_scheme(world, scheme):
    """An even step and the one after it; two steps of different pairs leave aliases as large as dt."""
    twin = Twin((16, 12, 10), LENGTHS, "phase-shift", scheme=scheme)
    assert alias_order(world, twin, [6, 7]) == pytest.approx(2, abs=0.1)
    if scheme in ("rk3", "rk4-gill"):
        assert alias_order(world, twin, [7, 8]) == pytest.approx(1, abs=0.1)


@on_ranks(1)
def test_a_pair_of_steps_of_rk3_leaves_a_single_alias_of_the_next_order(world):
    """One alias of two modes, next to what one step of the pair leaves of it: (0.7 - 0.3) dt of its rate."""
    twin = Twin((16, 12, 10), LENGTHS, "phase-shift", scheme="rk3")
    pair, dt = ((6, 1, 0), (6, 0, 1)), 1e-4
    u, alias, flow = two_modes(twin, pair), place(alias_of(pair, twin.points)), flows.make(world, twin)
    rate = np.abs(twin.on_grid(twin.to_modes(u), twin.stage_grid(0, 0))[alias]).max()
    assert rate > 0.1
    flows.write(flow, u)
    left = []
    for number in (0, 1):
        flow.step(dt, step_number=number)
        left.append(np.abs(twin.to_modes(flows.read(world, flow))[alias]).max())
    assert left[0] == pytest.approx(0.4 * rate * dt, rel=0.02)
    assert left[1] < 0.01 * left[0]

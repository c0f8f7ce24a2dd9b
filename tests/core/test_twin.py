"""The reference itself against known answers, so that two equal mistakes cannot agree."""

import numpy as np
import pytest
from support.philox import philox
from support.twin import TABLES, Twin

pytestmark = pytest.mark.every_device


def test_philox_gives_the_published_words():
    # Known answers that come with Random123, the authors' library.
    assert philox((0, 0, 0, 0), (0, 0)) == (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)
    pi = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344)
    assert philox(pi, (0xA4093822, 0x299F31D0)) == (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)


@pytest.mark.parametrize(
    ("points", "dealias", "shape", "modes"),
    [
        ((12, 12, 12), "2/3", "cube", 4 * 7 * 7),  # |n| <= 3: n = 4 = N / 3 is out
        ((14, 16, 18), "2/3", "cube", 5 * 11 * 11),  # |n| <= 4, 5, 5
        ((8, 10, 12), "none", "cube", 4 * 9 * 11),
        ((6, 6, 6), "2/3", "sphere", 18),  # n^2 < 4: 27 points
        ((6, 6, 6), "phase-shift", "cube", 51),  # n^2 < 8: 81 points, 21 of them with n_x = 0
        ((6, 6, 6), "phase-shift-exact", "cube", 51),
        ((6, 6, 1), "phase-shift", "cube", 13),  # n^2 < 8 in the plane: 21 points, 5 of them with n_x = 0
        ((12, 8, 1), "2/3", "cube", 4 * 5),
    ],
)
def test_kept_modes_counted_by_hand(points, dealias, shape, modes):
    assert Twin(points, dealias=dealias, shape=shape).modes == modes


def test_nonlinear_term_of_a_known_flow():
    # u = (sin y, sin x, 0): u.grad u = (sin x cos y, cos x sin y, 0), a gradient: nothing is left of it.
    twin = Twin((12, 12, 12))
    x, y = np.arange(12)[None, None, :] * np.pi / 6, np.arange(12)[None, :, None] * np.pi / 6
    zero = np.zeros((12, 12, 12))
    balanced = twin.load(np.stack([np.sin(y) + zero, np.sin(x) + zero, zero]))
    assert np.abs(twin.nonlinear(balanced)).max() < 1e-15
    # u = (sin y, sin 2x, 0): the vorticity 2 cos 2x - cos y turns at the rate -u.grad of itself.
    a = twin.load(np.stack([np.sin(y) + zero, np.sin(2 * x) + zero, zero]))
    turning = 4 * np.sin(y) * np.sin(2 * x) - np.sin(2 * x) * np.sin(y)
    assert np.allclose(twin.to_points(twin.curl(twin.nonlinear(a)))[2], turning + zero, atol=1e-13)


@pytest.mark.parametrize("scheme", TABLES)
def test_tables_are_consistent(scheme):
    nodes, matrix, weights = TABLES[scheme]
    assert np.allclose([sum(row) for row in matrix], nodes)
    order = {"rk2": 2, "rk3": 3}.get(scheme, 4)
    for power in range(order):
        assert np.isclose(np.dot(weights, np.array(nodes) ** power), 1 / (power + 1))


@pytest.mark.parametrize(("dealias", "exact"), [("2/3", True), ("phase-shift-exact", True), ("none", False)])
def test_twice_the_points_agree_where_no_alias_is(dealias, exact):
    twin = Twin((12, 10, 14), (6.0, 5.0, 7.0), dealias)
    a = twin.load(np.random.default_rng(1).standard_normal((3, 14, 10, 12)))
    difference = np.abs(twin.nonlinear(a) - twin.alias_free(a)).max()
    assert (difference < 1e-13) == exact

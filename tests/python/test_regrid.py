"""Fields between the points of two grids: sums of waves that both have are exact, others left out or zero."""

import numpy as np
import pytest
from whorl.initial.files import matrix, regridded

KINDS = ("periodic", "sine", "cosine")


def wave(kind, n, phase=0.0):
    """The n-th wave of an axis of length 1."""
    if kind == "periodic":
        return lambda x: np.cos(2 * np.pi * n * x + phase)
    return lambda x: (np.sin if kind == "sine" else np.cos)(np.pi * n * x)


def positions(points, kind):
    return (np.arange(points) + (0.0 if kind == "periodic" else 0.5)) / points


def waves_of(points, kind):
    """The numbers of those that so many points have."""
    if kind == "periodic":
        return range((points - 1) // 2 + 1)
    return range(1 if kind == "sine" else 0, points)


@pytest.mark.parametrize(
    ("points", "of"), [(12, 8), (8, 12), (10, 10), (4, 30), (30, 4), (1, 6), (6, 1), (4, 1)]
)
@pytest.mark.parametrize("kind", KINDS)
def test_every_wave_that_both_have_is_itself_and_every_other_is_zero(kind, points, of):
    taken = matrix(points, of, kind)
    assert taken.shape == (points, of)
    for n in waves_of(of, kind):
        function = wave(kind, n, phase=0.3)
        there = function(positions(points, kind)) if n in waves_of(points, kind) else np.zeros(points)
        assert taken @ function(positions(of, kind)) == pytest.approx(there, abs=1e-14)


@pytest.mark.parametrize("at_once", [1, 10**9])
def test_a_block_is_that_part_of_the_whole(monkeypatch, at_once):
    monkeypatch.setattr("whorl.initial.files.AT_ONCE", at_once)
    of, points, kinds = (6, 8, 4), (12, 4, 10), ("sine", "periodic", "cosine")
    values = np.random.default_rng(1).standard_normal(of[::-1])
    x, y, z = (matrix(*axis) for axis in zip(points, of, kinds, strict=True))
    whole = np.einsum("Zz,Yy,Xx,zyx->ZYX", z, y, x, values)
    block = regridded(lambda z0, z1, y0, y1: values[z0:z1, y0:y1], of, points, kinds)
    assert block(2, 7, 1, 4) == pytest.approx(whole[2:7, 1:4], abs=1e-13)
    assert block(0, 0, 0, 4).shape == (0, 4, 12)

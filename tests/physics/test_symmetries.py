"""Symmetries of the Navier–Stokes equations on random fields in a box of unequal sides."""

import numpy as np
import pytest
from physics.flows import AXES, EXACT, TAU, distance, make_case, names, noise, run, slope

pytestmark = pytest.mark.every_device

BOX = (12, 16, 10)
LENGTHS = (TAU, 1.2 * TAU, 0.9 * TAU)
NU = 0.02
STEPS = 5
ROUNDING = 1e-13
# Random grid shifts single out points of space; every other truncation has the symmetries to rounding.
SYMMETRIC = (*EXACT, {"dealias": "none"})


def end_state(field, points=BOX, lengths=LENGTHS, steps=STEPS, dt=0.02, **grid):
    return run(make_case(points, NU, dt=dt, lengths=lengths, **grid), field, steps)


def permuted(field: np.ndarray, axes: tuple[int, int, int]) -> np.ndarray:
    """Old axis i (of x, y, z) becomes axes[i], for components as for positions."""
    old = [axes.index(new) for new in range(3)]
    in_memory = [1 + 2 - old[2 - place] for place in range(3)]
    return field[old].transpose(0, *in_memory)


def reflected(field: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """The mirror image in planes through the origin: position and component along each axis change sign."""
    field = field.copy()
    for axis in axes:
        field = np.roll(np.flip(field, 3 - axis), 1, 3 - axis)
        field[axis] *= -1
    return field


@pytest.mark.parametrize("truncation", SYMMETRIC, ids=names(SYMMETRIC))
@pytest.mark.parametrize("axes", AXES[1:])
def test_axes_are_alike(axes, truncation):
    field = noise(BOX)
    usual = end_state(field, **truncation)
    moved = [tuple(np.array(sides)[[axes.index(i) for i in range(3)]].tolist()) for sides in (BOX, LENGTHS)]
    other = end_state(permuted(field, axes), *moved, **truncation)
    assert distance(other.velocity(), permuted(usual.velocity(), axes)) < ROUNDING
    expected = usual.statistics()
    handed = -1 if np.linalg.det(np.eye(3)[list(axes)]) < 0 else 1
    for name in ("energy", "enstrophy", "dissipation", "palinstrophy"):
        assert other.statistics()[name] == pytest.approx(expected[name], rel=ROUNDING)
    assert other.statistics()["helicity"] == pytest.approx(handed * expected["helicity"], rel=1e-10)


@pytest.mark.parametrize("truncation", SYMMETRIC, ids=names(SYMMETRIC))
@pytest.mark.parametrize("mirrors", [(0,), (1,), (2,), (0, 1), (0, 1, 2)])
def test_mirror_images(mirrors, truncation):
    field = noise(BOX, seed=1)
    usual = end_state(field, **truncation).velocity()
    other = end_state(reflected(field, mirrors), **truncation).velocity()
    assert distance(other, reflected(usual, mirrors)) < ROUNDING


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_places_are_alike(axis):
    field = noise(BOX, seed=2)
    usual = end_state(field).velocity()
    other = end_state(np.roll(field, 3, 3 - axis)).velocity()
    assert distance(other, np.roll(usual, 3, 3 - axis)) < ROUNDING


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_galilean_invariance(axis):
    """A mean flow that carries the field over two cells in the time of the run changes nothing else.

    The carrying is integrated by the scheme, so it is right to the scheme's order.
    """
    field = noise(BOX, seed=3, reach=2, size=0.3)
    end = 0.4
    mean = np.zeros((3, 1, 1, 1))
    mean[axis] = 2 * LENGTHS[axis] / BOX[axis] / end
    errors = []
    for count in (20, 40):
        usual = end_state(field, steps=count, dt=end / count).velocity()
        carried = end_state(field + mean, steps=count, dt=end / count).velocity()
        assert (
            np.abs(carried.mean(axis=(1, 2, 3)) - usual.mean(axis=(1, 2, 3)) - mean.ravel()).max() < ROUNDING
        )
        errors.append(distance(carried - mean, np.roll(usual, 2, 3 - axis)))
    assert errors[1] < 1e-5
    assert slope([1 / 20, 1 / 40], errors) == pytest.approx(4, abs=0.3)


def test_larger_and_faster_is_the_same_flow():
    """u → s u, x → l x, t → t l/s, ν → ν l s."""
    field, length, speed = noise(BOX, seed=4), 3.0, 7.0
    usual = end_state(field).velocity()
    case = make_case(
        BOX, NU * length * speed, dt=0.02 * length / speed, lengths=tuple(length * side for side in LENGTHS)
    )
    assert distance(run(case, speed * field, STEPS).velocity(), speed * usual) < ROUNDING


def test_plane_flow_is_three_dimensional_flow_without_z():
    """The third component is carried along as a scalar."""
    flat = noise((12, 16, 1), seed=5)
    plane = end_state(flat, (12, 16, 1))
    deep = end_state(np.repeat(flat, 10, axis=1))
    assert distance(deep.velocity(), np.repeat(plane.velocity(), 10, axis=1)) < ROUNDING
    assert plane.statistics()["enstrophy"] == pytest.approx(deep.statistics()["enstrophy"], rel=ROUNDING)

"""Initial positions of the particles of a group, some at a time, the same on every rank."""

import math
from collections.abc import Iterator

import numpy as np

from whorl.base.errors import CaseError
from whorl.base.text import counted
from whorl.config.case import Case
from whorl.particles.options import ParticleGroup, read_places

CHUNK = 1 << 16  # particles that are drawn at a time
Places = Iterator[tuple[int, np.ndarray]]  # the identity of the first, and positions [particle][axis]

# The corners of a regular tetrahedron of edge 1 about its middle.
TETRAHEDRON = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / math.sqrt(8)


def places(case: Case, group: ParticleGroup) -> Places:
    """Positions of the particles of a group, with consecutive identities.

    Pair i has the identities 2i and 2i + 1, tetrahedron i has 4i to 4i + 3. Particles of the first size come
    first. Raises CaseError if a file does not have as many positions as the group has particles.
    """
    if group.path is not None:
        return _of_file(case, group)
    if group.lattice is not None:
        return on_lattice(case, group.lattice)
    if group.positions is not None:
        return iter([(0, np.array(group.positions, float))])
    if group.pairs is not None:
        return _figures(case, group, group.pairs, 2)
    if group.tetrahedra is not None:
        return _figures(case, group, group.tetrahedra, 4)
    return _at_random(case, group)


def _of_file(case: Case, group: ParticleGroup) -> Places:
    found = read_places(group.path)
    place = f"particles.{group.label}.path"
    if len(found) != group.count:
        raise CaseError(
            f"{place} = {group.path} has {counted(len(found), 'position')}, and "
            f"particles.{group.label}.count is {group.count}; give the number of positions, or leave it out."
        )
    for axis, x in zip("xyz", found.T, strict=True):
        try:
            group.check_along(axis, x, case.grid, "path")
        except ValueError as error:
            raise CaseError(f"{error}.") from None
    return iter([(0, found)])


def _at_random(case: Case, group: ParticleGroup) -> Places:
    for first in range(0, group.count, CHUNK):
        draw = _generator(group, first // CHUNK)
        here = _in_box(case, draw.random((min(CHUNK, group.count - first), 3)))
        if group.plane is not None:
            here[:, "xyz".index(group.plane.axis)] = group.plane.position
        yield first, here


def on_lattice(case: Case, numbers: tuple[int, int, int]) -> Places:
    """The middles of cells, of which `numbers` are along x, y and z; x varies fastest."""
    count = math.prod(numbers)
    return (
        (first, _in_box(case, _middles(np.arange(first, min(first + CHUNK, count)), numbers)))
        for first in range(0, count, CHUNK)
    )


def _middles(ids: np.ndarray, numbers: tuple[int, int, int]) -> np.ndarray:
    z, y, x = np.unravel_index(ids, numbers[::-1])
    return (np.stack([x, y, z], -1) + 0.5) / numbers


def _figures(case: Case, group: ParticleGroup, sizes: tuple[float, ...], corners: int) -> Places:
    """Pairs or tetrahedra, their middles uniform where all corners are between walls."""
    lengths, flat = np.array(case.grid.lengths), np.array(case.grid.points) == 1
    walls = np.array([basis == "S" for basis in reversed(case.grid.bases)])
    for number, size in enumerate(sizes):
        for first in range(0, group.count, CHUNK // 4):
            draw = _generator(group, first // (CHUNK // 4), number)
            count = min(CHUNK // 4, group.count - first)
            turned = _directions(draw, count, flat) if corners == 2 else _turned(draw, count)
            offsets = size * turned
            low = np.where(walls, -offsets.min(axis=1), 0.0)
            high = np.where(walls, lengths - offsets.max(axis=1), lengths)
            middles = np.where(flat, 0.0, low + draw.random((count, 3)) * (high - low))
            found = (middles[:, None] + offsets).reshape(-1, 3)
            # Rounding must not put a corner beyond a wall.
            yield corners * (number * group.count + first), np.where(walls, np.clip(found, 0, lengths), found)


def _directions(draw: np.random.Generator, count: int, flat: np.ndarray) -> np.ndarray:
    """The two ends of lines of length 1 in random directions, [line][end][axis]."""
    along = np.where(flat, 0.0, draw.standard_normal((count, 3)))
    half = along / (2 * np.linalg.norm(along, axis=1, keepdims=True))
    return np.stack([-half, half], axis=1)


def _turned(draw: np.random.Generator, count: int) -> np.ndarray:
    """Regular tetrahedra of edge 1 turned at random, [tetrahedron][corner][axis], by unit quaternions.

    Shoemake, in Graphics Gems III (1992), p. 124.
    """
    quaternion = draw.standard_normal((count, 4))
    w, *v = (quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)).T
    v = np.array(v).T[:, None]
    across = np.cross(v, TETRAHEDRON)
    return TETRAHEDRON + 2 * (w[:, None, None] * across + np.cross(v, across))


def _generator(group: ParticleGroup, chunk: int, number: int = 0) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=group.seed, counter=[0, 0, number, chunk]))


def _in_box(case: Case, shares: np.ndarray) -> np.ndarray:
    """Positions by shares of the lengths of the box; 0 along an axis with one point."""
    flat = np.array(case.grid.points) == 1
    return np.where(flat, 0.0, shares * case.grid.lengths)

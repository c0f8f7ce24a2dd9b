"""Initial positions of particles: at random, given, on a lattice, in figures or a plane, from a file."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field

from whorl.config.section import FilePath, Positive, Section, Seed, listed, option, three
from whorl.probes.options import Positions, ReadAtPoints

if TYPE_CHECKING:
    from whorl.config.case import Case

MOST = 10**9  # particles of a group
FARTHEST = 1e6  # lengths of the box from it; a position in it is then exact to some 1e-10 of its length
BEHIND = 1e-9  # lengths of the box; a particle that rounding puts this far beyond a wall counts as on it
ALONE = ("positions", "lattice")  # without a count
WAYS = ("count", *ALONE)
WITH_COUNT = ("pairs", "tetrahedra", "plane", "path")

Whole = Annotated[int, Field(ge=1, le=MOST)]
Lattice = Annotated[tuple[Whole, Whole, Whole], BeforeValidator(three)]


def _sizes(value: Any) -> Any:
    """A list of sizes; one number stands for a list of one."""
    return (value,) if isinstance(value, int | float) and not isinstance(value, bool) else listed(value)


Sizes = Annotated[tuple[Positive, ...], BeforeValidator(_sizes)]


class Plane(Section):
    """A plane of constant x, y or z."""

    axis: Literal["x", "y", "z"] = option(..., "axis across the plane")
    position: float = option(..., "where the plane is along this axis", unit="length")


class Placed(ReadAtPoints):
    """Base of groups with initial positions: the ways to give these."""

    count: int | None = option(
        None,
        "number of particles, uniformly random in the box; of pairs or tetrahedra for each size; of a file "
        "those in it",
        ge=1,
        le=MOST,
    )
    seed: Seed = option(1, "of random positions, and of the noise of molecular")
    positions: Positions | None = option(
        None, "positions x, y, z, unwrapped; instead of count", unit="length", min_length=1
    )
    lattice: Lattice | None = option(
        None, "numbers along x, y, z of evenly spaced particles; instead of count"
    )
    pairs: Sizes | None = option(
        None,
        "separations of pairs in random directions, `count` pairs of each",
        unit="length",
        min_length=1,
    )
    tetrahedra: Sizes | None = option(
        None,
        "edges of regular tetrahedra, turned at random, `count` of each",
        unit="length",
        min_length=1,
    )
    plane: Plane | None = option(None, "a plane, axis and position, with `count` particles at random in it")
    path: FilePath | None = option(
        None, "file of positions: .npy of shape (particles, 3), or text with x, y, z in each line"
    )

    rivals: ClassVar = {
        "count": ALONE,
        **{way: ("count", *(set(ALONE) - {way}), *WITH_COUNT) for way in ALONE},
        **{way: (*ALONE, *(set(WITH_COUNT) - {way})) for way in ("pairs", "tetrahedra", "plane")},
        "path": ("count", *ALONE, "pairs", "tetrahedra", "plane"),
    }

    def number(self, case: "Case" = None) -> int:
        if self.positions is not None:
            return len(self.positions)
        if self.lattice is not None:
            return int(np.prod(self.lattice, dtype=object))
        return self.count * self.in_figures

    @property
    def in_figures(self) -> int:
        """The number of particles for each one of `count`."""
        if self.pairs is not None:
            return 2 * len(self.pairs)
        return 1 if self.tetrahedra is None else 4 * len(self.tetrahedra)

    def check_places(self, case: "Case") -> None:
        """Raises ValueError, naming the options, if the positions are not possible in the case."""
        place = f"particles.{self.label}"
        given = [way for way in WAYS if getattr(self, way) is not None]
        beside = [way for way in WITH_COUNT if getattr(self, way) is not None]
        if len(given) > 1 or not given + beside:
            told = " and ".join(f"{place}.{way}" for way in given) or "none"
            raise ValueError(
                f"{place} takes one of {', '.join(WAYS)}, path to place particles; given: {told}"
            )
        if len(beside) == 1 and self.count is None and not given:
            raise ValueError(
                f"{place}.{beside[0]} goes with {place}.count, which is missing; give it: "
                f"{'the number in this plane' if beside == ['plane'] else 'the number of each size'}"
            )
        if len(beside) > 1 or (beside and self.count is None):
            told = " and ".join(f"{place}.{way}" for way in [*beside, *given])
            raise ValueError(
                f"{place} takes one of {', '.join(WITH_COUNT)}, and with it count; given: {told}"
            )
        if self.number() > MOST:
            raise ValueError(
                f"{place}.{(beside or given)[0]} has {self.number()} particles; a group has at most "
                f"{MOST:.0e}, so take fewer, or more groups"
            )
        for axis, x in zip("xyz", np.array(self.positions or (), float).reshape(-1, 3).T, strict=True):
            self.check_along(axis, x, case.grid, "positions")
        for axis, n, points in zip("xyz", self.lattice or (1, 1, 1), case.grid.points, strict=True):
            if n > 1 and points == 1:
                raise ValueError(
                    f"{place}.lattice has {n} particles along {axis}, along which the flow is plane "
                    f"(grid.points is 1 there) and they would be alike; give 1"
                )
        self._check_figures(case.grid)

    def _check_figures(self, grid: Any) -> None:
        if self.plane is not None:
            self.check_along(self.plane.axis, np.array([self.plane.position]), grid, "plane")
        if self.tetrahedra is not None and 1 in grid.points:
            raise ValueError(
                f"particles.{self.label}.tetrahedra need three dimensions, and the flow is plane "
                "(grid.points has a 1); take pairs"
            )
        for way in ("pairs", "tetrahedra"):
            for axis, length, basis in zip("xyz", grid.lengths, reversed(grid.bases), strict=True):
                if basis == "S" and (wrong := [size for size in getattr(self, way) or () if size > length]):
                    raise ValueError(
                        f"particles.{self.label}.{way} holds {wrong[0]:g}, which does not fit between the "
                        f"walls, {length:g} apart along {axis}"
                    )

    def check_along(self, axis: str, x: np.ndarray, grid: Any, what: str) -> None:
        """Raises ValueError if a coordinate is beyond a wall, or so far away that it has lost digits."""
        number = "xyz".index(axis)
        length, wall = grid.lengths[number], grid.bases[2 - number] == "S"
        first, last = (-BEHIND, 1 + BEHIND) if wall else (-FARTHEST, FARTHEST)
        if (wrong := x[(x < first * length) | (x > last * length)]).size:
            why = (
                f"behind a wall, since {axis} is 0 to {length:g}"
                if wall
                else f"more than {FARTHEST:g} lengths of the box away, which loses digits"
            )
            raise ValueError(f"particles.{self.label}.{what} has {axis} = {wrong[0]:g}, {why}")

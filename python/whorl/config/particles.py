"""Particles, [[particles]] of a case: groups that move with the flow and read it along their paths."""

from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field

from whorl.config.columns import UNITS_OF_CASE
from whorl.config.diagnostics.base import Array, Axis, Layout, Texts
from whorl.config.probes import Positions, Read, ReadAtPoints, not_asked
from whorl.config.scalars import plain_name
from whorl.config.section import Interval, Seed, option, tag_of, three
from whorl.programs.nodes import Node

MOST = 10**9  # particles of a group
FARTHEST = 1e6  # lengths of the box from it; the place in it is then exact to some 1e-10 of its length
WAYS = ("count", "positions", "lattice")

Whole = Annotated[int, Field(ge=1, le=MOST)]
Lattice = Annotated[tuple[Whole, Whole, Whole], BeforeValidator(three)]


class ParticleGroup(ReadAtPoints):
    """Base of all kinds of particles: where they begin, how fields are interpolated, what is written."""

    kind: str = option(..., "kind of particles")
    name: Annotated[str, AfterValidator(plain_name)] | None = option(
        None, "their group in particles.h5; their kind by default"
    )
    count: int | None = option(None, "number of particles, uniformly random in the box", ge=1, le=MOST)
    seed: Seed = option(1, "of random positions")
    positions: Positions | None = option(
        None, "positions x, y, z, unwrapped; instead of count", unit="length", min_length=1
    )
    lattice: Lattice | None = option(
        None, "numbers along x, y, z of evenly spaced particles; instead of count"
    )
    interpolation: Literal["spline", "lagrange"] = option(
        "spline", "B-splines through all values, or polynomials through the nearest"
    )
    points: Literal[2, 4, 6, 8] = option(4, "grid points along each axis that a value is interpolated from")
    of: Texts = option((), "expressions whose components are read along the paths")
    every: Interval = option("10 steps", "how often they are written; also at the start and the end")
    order: Literal["time", "particle"] = option(
        "time", "what arrays in particles.h5 go by first: all particles of a time, or all times of a particle"
    )

    section: ClassVar[str] = "particles"
    called: ClassVar[tuple[str, str]] = ("particles", "two groups of particles")
    free: ClassVar[tuple[str, ...]] = ("name", "every", "of")
    rivals: ClassVar = {way: tuple(other for other in WAYS if other != way) for way in WAYS}

    def number(self, case: Any = None) -> int:
        if self.positions is not None:
            return len(self.positions)
        return self.count if self.lattice is None else int(np.prod(self.lattice, dtype=object))

    def check_size(self, quantities: int, case: Any) -> None:
        """Allow any number: they are sampled together, however many."""

    def refused(self, node: Node) -> str:
        """Nothing is: what a node follows from is brought to the modes and interpolated."""
        return ""

    def same_paths(self, other: "ParticleGroup", *, but: tuple[str, ...] = ()) -> bool:
        """Whether the options agree that the paths depend on, but for some."""
        left_out = {*self.free, *but}
        return self.model_dump(exclude=left_out) == other.model_dump(exclude=left_out)

    def check(self, case: Any) -> None:
        place = f"particles.{self.label}"
        if "velocity" not in case.flow.outputs:
            raise ValueError(
                f'{place}: flow.model = "{case.flow.model}" has no velocity that particles could move with; '
                "leave [[particles]] out, or choose a model that has one"
            )
        given = [way for way in WAYS if getattr(self, way) is not None]
        if len(given) != 1:
            told = " and ".join(f"{place}.{way}" for way in given) or "none"
            raise ValueError(f"{place} takes one of {', '.join(WAYS)} to place particles; given: {told}")
        if self.number() > MOST:
            raise ValueError(
                f"{place}.lattice has {self.number()} particles; a group has at most {MOST:.0e}, so take "
                "fewer, or more groups"
            )
        for axis, x in zip("xyz", np.array(self.positions or (), float).reshape(-1, 3).T, strict=True):
            self._check_along(axis, x, case.grid)
        for axis, n, points in zip("xyz", self.lattice or (1, 1, 1), case.grid.points, strict=True):
            if n > 1 and points == 1:
                raise ValueError(
                    f"{place}.lattice has {n} particles along {axis}, along which the flow is plane "
                    f"(grid.points is 1 there) and they would be alike; give 1"
                )

    def _check_along(self, axis: str, x: np.ndarray, grid: Any) -> None:
        """Raises ValueError if a coordinate is behind a wall, or so far away that it has lost digits."""
        number = "xyz".index(axis)
        length, wall = grid.lengths[number], grid.bases[2 - number] == "S"
        first, last = (0.0, length) if wall else (-FARTHEST * length, FARTHEST * length)
        if (wrong := x[(x < first) | (x > last)]).size:
            why = (
                f"behind a wall, since {axis} is 0 to {length:g}"
                if wall
                else f"more than {FARTHEST:g} lengths of the box away, which loses digits"
            )
            raise ValueError(f"particles.{self.label}.positions has {axis} = {wrong[0]:g}, {why}")

    def layout(self, case: Any, reads: Any) -> Layout:
        axes = (
            Axis("particle", range(self.number()), "identity of the particle"),
            Axis("axis", list("xyz"), "axis"),
        )
        position = Array(
            "position", ("particle", "axis"), "unwrapped position; modulo the box", not_asked, "length"
        )
        if not reads:
            return Layout(axes, (position,))
        return Layout((*axes, quantity_axis(reads)), (position, VALUE))

    def coordinates(self, case: Any) -> dict[str, tuple[np.ndarray, str, str]]:
        return {}


VALUE = Array("value", ("particle", "quantity"), "value at the particle", not_asked, UNITS_OF_CASE)


def quantity_axis(reads: list[Read]) -> Axis:
    """The axis of what is read."""
    return Axis("quantity", [one.text for one in reads], "what is read")


class Tracers(ParticleGroup):
    """Particles that move with the velocity of the flow, dX/dt = u(X, t) + U."""

    kind: Literal["tracer"] = option(..., "kind of particles")


KINDS: dict[str, type[ParticleGroup]] = {tag_of(kind): kind for kind in (Tracers,)}
AnyParticles = Tracers

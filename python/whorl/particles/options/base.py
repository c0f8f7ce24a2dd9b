"""Groups of particles, [[particles]] of a case: options of all kinds, and the layout of their paths."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator

from whorl.base.dimension import UNITS_OF_CASE
from whorl.config.scalars import plain_name
from whorl.config.schemes import SCHEMES
from whorl.config.section import Interval, option
from whorl.diagnostics.options.base import Array, ArrayLayout, Axis, Texts
from whorl.expressions.nodes import Node
from whorl.particles.options.placement import Placed
from whorl.probes.options import Read, not_asked, unit_of

if TYPE_CHECKING:
    from whorl.config.case import Case


class ParticleGroup(Placed):
    """Base of all kinds of particles: initial positions, interpolation and output."""

    kind: str = option(..., "kind of particles")
    name: Annotated[str, AfterValidator(plain_name)] | None = option(
        None, "their group in particles.h5; their kind by default"
    )
    interpolation: Literal["lagrange", "spline"] = option(
        "lagrange", "polynomials through the nearest values, or B-splines through all"
    )
    points: Literal[2, 4, 6, 8] = option(4, "grid points along each axis that a value is interpolated from")
    of: Texts = option((), "expressions whose components are read along the paths")
    every: Interval = option("10 steps", "how often they are written from the first row on; also at the end")
    order: Literal["time", "particle"] = option(
        "time", "first axis of arrays in particles.h5: all particles of a time, or all times of a particle"
    )
    release: float = option(
        0.0, "time of release: particles are added after the first step that reaches it", unit="time", ge=0
    )

    section: ClassVar[str] = "particles"
    called: ClassVar[tuple[str, str]] = ("particles", "two groups of particles")
    free: ClassVar[tuple[str, ...]] = ("name", "every", "of")
    statistics: ClassVar[str] = "statistics along paths"
    fewest_rows: ClassVar[int] = 8
    # Whether they have a velocity of their own, and how many vectors the core keeps for each within a step.
    moves_itself: ClassVar[bool] = False
    vectors_kept: ClassVar[int] = 0
    # Options of the kind, and a flow, with which `whorl bench machine` times them.
    timed_with: ClassVar[dict[str, Any]] = {}
    timed_in: ClassVar[dict[str, Any]] = {"viscosity": 0.01}

    @classmethod
    def sampled(cls, options: Mapping[str, Any]) -> tuple[str, ...]:
        """The vectors that the core samples at them to move them, the velocity of the flow first."""
        return ("velocity",)

    def check_size(self, quantities: int, case: "Case") -> None:
        """Allow any number of quantities, which are sampled together."""

    def refused(self, node: Node) -> str:
        """No node is refused: fields that it follows from are transformed to modes and interpolated."""
        return ""

    @classmethod
    def needs(cls, options: Mapping[str, Any]) -> dict[str, int]:
        """The numbers that, with the particles' count, set the memory (`run.core_options.particle_needs`)."""
        numbers = 3 * len(cls.sampled(options))
        return {
            "variables": 2 if cls.moves_itself else 1,
            "vectors_kept": cls.vectors_kept,
            "sampled": numbers,
            "points": options["points"],
        }

    def same_paths(self, other: "ParticleGroup", *, but: tuple[str, ...] = ()) -> bool:
        """Whether the options that set the paths agree, except those in `but`."""
        left_out = {*self.free, *but}
        return self.model_dump(exclude=left_out) == other.model_dump(exclude=left_out)

    def numbers(self, case: "Case") -> dict[str, list[float]]:
        """The options of its kind, as numbers for the core."""
        return {}

    def from_flow(self) -> dict[str, str]:
        """Further options of its kind, a number each, as expressions of the flow when the particles begin."""
        return {}

    def check_found(self, case: "Case", found: Mapping[str, float]) -> None:
        """Raises ValueError, naming options and values, if the values of `from_flow` do not fit the case."""

    def check(self, case: "Case") -> None:
        place = f"particles.{self.label}"
        if "velocity" not in case.flow.outputs | case.flow.quantities():
            raise ValueError(
                f'{place}: flow.model = "{case.flow.model}" has no velocity that particles could move with; '
                "leave [[particles]] out, or choose a model that has one"
            )
        self.check_places(case)
        self._check_release(case)
        self.check_kind(case)

    def _check_release(self, case: "Case") -> None:
        place, end = f"particles.{self.label}.release", case.time.end.time
        if self.release and SCHEMES[case.time.scheme].earlier:
            raise ValueError(
                f'{place} = {self.release:g} is after steps that time.scheme = "{case.time.scheme}" '
                "remembers and these particles lack; leave it out, or choose a one-step scheme, such as rk2"
            )
        if self.release and end is not None and self.release >= end:
            raise ValueError(
                f"{place} = {self.release:g} is not before the end, time.until = {end:g}, so they would "
                "never be released; give an earlier time"
            )

    def check_kind(self, case: "Case") -> None:
        """Raises ValueError if the options of the kind do not fit the case."""

    def layout(self, case: "Case", reads: Any) -> ArrayLayout:
        axes = (
            Axis("particle", range(self.number()), "identity of the particle"),
            Axis("axis", list("xyz"), "axis"),
        )
        arrays = (POSITION, VELOCITY) if self.moves_itself else (POSITION,)
        if not reads:
            return ArrayLayout(axes, arrays)
        return ArrayLayout((*axes, quantity_axis(reads)), (*arrays, replace(VALUE, unit=unit_of(reads))))

    def coordinates(self, case: "Case") -> dict[str, tuple[np.ndarray, str, str]]:
        return {}


POSITION = Array("position", ("particle", "axis"), "unwrapped position; modulo the box", not_asked, "length")
VELOCITY = Array("velocity", ("particle", "axis"), "velocity of the particle", not_asked, "length/time")
VALUE = Array("value", ("particle", "quantity"), "value at the particle", not_asked, UNITS_OF_CASE)


def quantity_axis(reads: list[Read]) -> Axis:
    """The axis of the quantities that are read."""
    return Axis("quantity", [one.text for one in reads], "what is read")

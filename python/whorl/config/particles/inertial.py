"""Inertial particles."""

from typing import Any, ClassVar, Literal

from whorl.config.particles.base import ParticleGroup
from whorl.config.section import Vector, option

LONGEST_STEP = 10.0  # response times in a step, as the core has it


class Inertial(ParticleGroup):
    """Small heavy spheres with Stokes drag and gravity, dv/dt = (u + U − v)/τ + g."""

    kind: Literal["inertial"] = option(..., "kind of particles")
    response_time: float = option(
        ..., "time τ in which drag brings them to the velocity of the flow", unit="time", gt=0
    )
    gravity: Vector = option(
        (0.0, 0.0, 0.0), "acceleration g by gravity; one number: along z", unit="length/time²"
    )
    velocity: Vector | None = option(
        None, "their velocity at first; by default that of the flow where they are", unit="length/time"
    )

    moves_itself: ClassVar = True
    vectors_kept: ClassVar = 1

    def numbers(self, case: Any) -> dict[str, list[float]]:
        return {"response_time": [self.response_time], "gravity": list(self.gravity)}

    def check_kind(self, case: Any) -> None:
        dt = case.time.dt
        if dt is not None and dt > LONGEST_STEP * self.response_time:
            raise ValueError(
                f"time.dt = {dt:g} is more than {LONGEST_STEP:g} times particles.{self.label}.response_time "
                f"= {self.response_time:g}, and such particles do not follow the flow; take shorter steps, a "
                "longer response time, or tracers"
            )

"""Inertial particles."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from whorl.config.clock import NEAR
from whorl.config.section import Vector, option
from whorl.expressions.faults import ExpressionError
from whorl.particles.options.base import ParticleGroup

if TYPE_CHECKING:
    from whorl.config.case import Case

LONGEST_STEP = 10.0  # response times in a step, as in the core
FEWEST_STEPS = 5.0  # steps n in the correlation time of a force, whose velocity is wrong by 1/(√12 n)
DENSEST = 3.0  # β of spheres without a mass of their own


class Inertial(ParticleGroup):
    """Small spheres with Stokes drag, added mass and gravity, dv/dt = (u + U − v)/τ + β Du/Dt + (1 − β) g."""

    kind: Literal["inertial"] = option(..., "kind of particles")
    response_time: float | None = option(
        None,
        "time τ in which drag brings them to the velocity of the flow; instead of stokes_number",
        unit="time",
        gt=0,
    )
    stokes_number: float | None = option(
        None,
        "Stokes number τ/τ_η, τ_η = (ν/ε)^½ of the flow where they begin; instead of response_time",
        gt=0,
    )
    added_mass: float = option(
        0.0,
        "β = 3 ρ_f/(2 ρ_p + ρ_f) by the densities of fluid and particles: 0 of heavy ones, 3 of bubbles",
        ge=0,
        le=DENSEST,
    )
    gravity: Vector = option(
        (0.0, 0.0, 0.0), "acceleration g by gravity; one number: along z", unit="length/time²"
    )
    velocity: Vector | None = option(
        None, "their velocity at first; by default that of the flow where they are", unit="length/time"
    )

    rivals: ClassVar = ParticleGroup.rivals | {
        "response_time": ("stokes_number",),
        "stokes_number": ("response_time",),
    }
    moves_itself: ClassVar = True
    vectors_kept: ClassVar = 1
    timed_with: ClassVar = {"response_time": 1.0}

    @classmethod
    def sampled(cls, options: Mapping[str, Any]) -> tuple[str, ...]:
        """The velocity and, with added mass, the acceleration of the fluid."""
        return ("velocity", "material_acceleration") if options.get("added_mass") else ("velocity",)

    def numbers(self, case: "Case") -> dict[str, list[float]]:
        known = {} if self.response_time is None else {"response_time": [self.response_time]}
        return known | {"added_mass": [self.added_mass], "gravity": list(self.gravity)}

    def from_flow(self) -> dict[str, str]:
        """The response time St (ν/ε)^½, in which ε = ν⟨ω²⟩."""
        if self.stokes_number is None:
            return {}
        return {"response_time": f"{self.stokes_number!r}/sqrt(mean(dot(curl(velocity), curl(velocity))))"}

    def check_kind(self, case: "Case") -> None:
        place = f"particles.{self.label}"
        if (self.response_time is None) == (self.stokes_number is None):
            given = "none" if self.response_time is None else "both"
            raise ValueError(f"{place} takes either response_time or stokes_number; given: {given}")
        if self.response_time is not None:
            self._check_step(case, self.response_time, f"{place}.response_time = {self.response_time:g}")
        if self.added_mass:
            self._check_acceleration(case, f"{place}.added_mass = {self.added_mass:g}")

    def check_found(self, case: "Case", found: Mapping[str, float]) -> None:
        for time in found.values():
            given = f"particles.{self.label}.stokes_number = {self.stokes_number:g}"
            told = f"the response time {time:.4g} that {given} comes to"
            self._check_step(case, time, told, "larger Stokes number")

    @staticmethod
    def _check_step(case: "Case", time: float, told: str, more: str = "longer response time") -> None:
        dt = case.time.dt
        if dt is not None and dt > LONGEST_STEP * time:
            raise ValueError(
                f"time.dt = {dt:g} is more than {LONGEST_STEP:g} times {told}, and such particles do not "
                f"follow the flow; take shorter steps, a {more}, or tracers"
            )

    def _check_acceleration(self, case: "Case", given: str) -> None:
        rotation = [value for name, value in case.flow.constants().items() if name.startswith("rotation_")]
        if any(rotation):
            raise ValueError(
                f"{given} is for a frame without rotation, since the Coriolis force on particles is missing; "
                "leave added_mass out, or rotation"
            )
        self._check_random_forces(case, given)
        try:
            case.planned.moving(*self.sampled(self.model_dump()))
        except ExpressionError as error:
            why = str(error).partition(":\n")[0]
            raise ValueError(
                f"{given} needs the acceleration of the fluid where they are, and {why}; leave added_mass out"
            ) from None

    def _check_random_forces(self, case: "Case", given: str) -> None:
        """Refuses random forces that the steps do not resolve.

        The flow uses their means over steps, and particles use their values at the stages.
        """
        on_velocity, dt = {"velocity", *case.flow.forced_by.get("velocity", ())[:1]}, case.time.dt
        for force in case.forcing:
            known_for = force.correlated_for
            place = f'the force "{force.label}" on the {force.field}'
            if force.field not in on_velocity:
                continue
            if known_for == 0:
                raise ValueError(
                    f"{given} needs the acceleration of the fluid at each moment, and {place} is white in "
                    'time, which leaves it undefined; choose forcing.kind = "stochastic" with a '
                    "correlation_time, or leave added_mass out"
                )
            if dt is not None and known_for < FEWEST_STEPS * dt * (1 - NEAR):
                raise ValueError(
                    f"{given} needs the acceleration of the fluid at each stage, and time.dt = {dt:g} does "
                    f"not resolve {place}: forcing.correlation_time = {known_for:g} is less than "
                    f"{FEWEST_STEPS:g} steps; give shorter steps, a longer correlation_time, or no added_mass"
                )

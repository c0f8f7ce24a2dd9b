"""Tracers."""

from typing import Literal

from whorl.config.section import option
from whorl.particles.options.base import ParticleGroup


class Tracers(ParticleGroup):
    """Particles that move with the velocity of the flow, dX/dt = u(X, t) + U."""

    kind: Literal["tracer"] = option(..., "kind of particles")

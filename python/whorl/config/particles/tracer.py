"""Tracers."""

from typing import Literal

from whorl.config.particles.base import ParticleGroup
from whorl.config.section import option


class Tracers(ParticleGroup):
    """Particles that move with the velocity of the flow, dX/dt = u(X, t) + U."""

    kind: Literal["tracer"] = option(..., "kind of particles")

"""Particles, [[particles]] of a case: groups that move with the flow; a line here registers a kind.

Each kind has a file. Initial positions are in placement.py, and files.py reads them from a file.
"""

from typing import TYPE_CHECKING

from whorl.config.section import one_of, tag_of
from whorl.particles.options.base import VALUE, ParticleGroup, quantity_axis
from whorl.particles.options.charged import Charged
from whorl.particles.options.files import read_places, with_number
from whorl.particles.options.inertial import Inertial
from whorl.particles.options.molecular import Molecular
from whorl.particles.options.placement import ALONE, WITH_COUNT
from whorl.particles.options.tracer import Tracers

KINDS: dict[str, type[ParticleGroup]] = {
    tag_of(kind): kind
    for kind in (
        Tracers,
        Inertial,
        Molecular,
        Charged,
    )
}
if TYPE_CHECKING:
    AnyParticles = ParticleGroup
else:
    AnyParticles = one_of(KINDS.values(), "kind")

__all__ = [
    "ALONE",
    "KINDS",
    "VALUE",
    "WITH_COUNT",
    "AnyParticles",
    "ParticleGroup",
    "quantity_axis",
    "read_places",
    "with_number",
]

"""The advected real Ginzburg–Landau equation, which prepares superfluid states from a flow."""

from typing import Any, ClassVar, Literal

from whorl.config.section import option
from whorl.models.gross_pitaevskii import PSI, Superfluid
from whorl.models.viscous import VELOCITY


class GinzburgLandau(Superfluid):
    """Relaxes a wavefunction towards the vortices of a given flow, which stays as it is (ARGLE)."""

    model: Literal["ginzburg-landau"] = option(..., "equation set")

    formulas: ClassVar = """\
∂ψ/∂t = a ∇²ψ − b |ψ|²ψ + b ρ0 ψ − i u·∇ψ − u²/(4a) ψ,  a = c ξ/√2,  b = c/(√2 ξ ρ0)"""
    state: ClassVar = {"psi": PSI, "velocity": VELOCITY}
    outputs: ClassVar = {"psi": PSI, "velocity": VELOCITY}
    not_columns: ClassVar = (*Superfluid.not_columns, "flow_energy", "maximum_divergence")
    example: ClassVar[dict[str, Any]] = {
        "grid": {"points": 64},
        "flow": {"sound_speed": 2.0, "coherence_length": 0.1},
        "time": {"dt": 0.005, "until": 1.0},
        "initial": {"name": "taylor-green", "velocity": {"name": "taylor-green"}},
    }

    def prescribed(self) -> tuple[str, ...]:
        """The velocity."""
        return ("velocity",)

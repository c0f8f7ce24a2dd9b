"""Incompressible Navier–Stokes, in a rotating frame if asked."""

from dataclasses import replace
from typing import ClassVar, Literal

from whorl.config.section import option
from whorl.models.base import Picture
from whorl.models.viscous import SKEWNESS, ViscousFlow


class NavierStokes(ViscousFlow):
    """Incompressible flow, in a rotating frame if asked; two-dimensional (three components) with nz = 1."""

    model: Literal["navier-stokes"] = option("navier-stokes", "equation set")

    formulas: ClassVar = """\
∂u/∂t + (U + u)·∇u = −∇p − 2 Ω×u + ν ∇²u − ν_h (−∇²)^p u − μ (−∇²)^−q u − α u
∇·u = 0"""
    of_states: ClassVar = (SKEWNESS,)  # terms of other models are part of the transfer
    transfers_enstrophy: ClassVar = True
    only_kinetic: ClassVar = True
    example: ClassVar = {
        "grid": {"points": 64},
        "flow": {"viscosity": 0.0025},
        "time": {"until": 10.0},
        "initial": {"name": "taylor-green"},
    }

    @property
    def picture(self) -> Picture:  # type: ignore[override]
        """The picture; in a rotating frame of a plane along the axis, where eddies are columns."""
        usual = ViscousFlow.picture
        if not any(self.rotation):
            return usual
        normal = "x" if abs(self.rotation[1]) > abs(self.rotation[0]) else "y"
        return replace(usual, slices=tuple(replace(one, normal=normal) for one in usual.slices))

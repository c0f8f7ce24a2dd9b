"""Liquid-metal flow in a strong magnetic field: magnetohydrodynamics of small magnetic Reynolds number."""

import math
from dataclasses import replace
from typing import ClassVar, Literal

from pydantic import model_validator

from whorl.config.columns import Column
from whorl.config.section import Vector, option
from whorl.models.base import Balance, Curves, Defined, Picture, PictureSlice, components
from whorl.models.viscous import ENERGY_CURVE, FLOW_COLUMNS, ViscousFlow

ALONG = "(field_direction_x*dx({0}) + field_direction_y*dy({0}) + field_direction_z*dz({0}))"
JOULE = f"interaction*dot(velocity, inv_lap({ALONG.format(ALONG.format('velocity'))}))"


class QuasiStaticMhd(ViscousFlow):
    """Flow of a liquid metal in a uniform magnetic field, whose Joule damping is exact in time."""

    model: Literal["quasi-static-mhd"] = option(..., "equation set")
    interaction: float = option(
        ..., "rate Q = σ B0²/ρ at which the field damps motion across it", unit="1/time", ge=0
    )
    field_direction: Vector = option(
        (0.0, 0.0, 1.0), "direction e of the magnetic field, of any length; one number: z"
    )

    formulas: ClassVar = """\
∂u/∂t + (U + u)·∇u = −∇p − Q ∇⁻²(e·∇)²u − 2 Ω×u + ν ∇²u − ν_h (−∇²)^p u − μ (−∇²)^−q u − α u
∇·u = 0"""
    columns: ClassVar = (
        *FLOW_COLUMNS,
        Column("joule_dissipation", "length²/time³", "2 Q Σ (k·e)²/k² ½|u|², lost to the currents"),
    )
    picture: ClassVar = Picture(
        (PictureSlice("vorticity", "|ω|", normal="y"), PictureSlice("velocity", "|u|", normal="y")),
        (
            ENERGY_CURVE,
            Curves("Dissipation", (("dissipation", "all"), ("joule_dissipation", "Joule"))),
        ),
        (("energy", "E(k)"),),
    )
    only_kinetic: ClassVar = True
    example: ClassVar = {
        "grid": {"points": 64},
        "flow": {"viscosity": 0.005, "interaction": 1.0},
        "time": {"until": 5.0},
        "initial": {"name": "random"},
    }

    @model_validator(mode="after")
    def _a_direction(self) -> "QuasiStaticMhd":
        if not any(self.field_direction):
            raise ValueError("flow.field_direction = [0, 0, 0] is no direction; give one, such as [0, 0, 1]")
        return self

    def constants(self) -> dict[str, float]:
        length = math.hypot(*self.field_direction)
        unit = tuple(value / length for value in self.field_direction)
        field = {"interaction": self.interaction} | components("field_direction", unit)  # type: ignore[arg-type]
        return super().constants() | field

    def quantities(self) -> dict[str, Defined]:
        usual = super().quantities()
        whole = Defined(f"{usual['dissipation'].text} + {JOULE}", usual["dissipation"].meaning)
        joule = Defined(JOULE, "Q u·∇⁻²(e·∇)²u, lost to the currents")
        return usual | {"dissipation": whole, "joule_dissipation": joule}

    def balances(self) -> dict[str, Balance]:
        of_energy = super().balances()["energy"]
        joule = f"-interaction*inv_lap({ALONG.format(ALONG.format('velocity'))})"
        terms = of_energy.terms | {"joule": (joule,)}
        return {"energy": replace(of_energy, terms=terms)}

    def symbols(self) -> dict[str, float]:
        return super().symbols() | {"Q": self.interaction}

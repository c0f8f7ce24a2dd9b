"""Stably stratified flow in the Boussinesq approximation, in a rotating frame if asked."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import model_validator

from whorl.config.columns import Column
from whorl.config.section import at_most_one, given_one, option
from whorl.models.base import Balance, Curves, Defined, Exchange, FieldOf, Picture, PictureSlice
from whorl.models.viscous import ENERGY_SPECTRUM as ENERGY_BY_SHELL
from whorl.models.viscous import (
    FLOW_COLUMNS,
    STRESS_AND_ROTATION,
    VELOCITY,
    VORTICITY,
    ViscousFlow,
    advected,
    along,
    balance_of_advected,
    length,
)
from whorl.models.viscous import HELICITY_SPECTRUM as HELICITY_BY_SHELL

DENSITY = FieldOf(
    1,
    "length/time",
    "density anomaly θ in units of velocity, heavy where positive; the buoyancy is −N θ",
    symbol="theta",
)


class Boussinesq(ViscousFlow):
    """Stratified, rotating flow under gravity along −z; two-dimensional in x, z with ny = 1."""

    model: Literal["boussinesq"] = option(..., "equation set")
    buoyancy_frequency: float = option(..., "Brunt–Väisälä frequency N", unit="1/time", ge=0)
    diffusivity: float | None = option(
        None, "diffusivity κ of the buoyancy; instead of prandtl", unit="length²/time", ge=0
    )
    prandtl: float | None = option(None, "Prandtl number ν/κ; 1 without diffusivity", gt=0)

    rivals: ClassVar = {"diffusivity": ("prandtl",), "prandtl": ("diffusivity",)}
    formulas: ClassVar = """\
∂u/∂t + (U + u)·∇u = −∇p − 2 Ω×u − N θ ẑ + ν ∇²u − ν_h (−∇²)^p u − μ (−∇²)^−q u − α u
∂θ/∂t + (U + u)·∇θ = N w + κ ∇²θ
∇·u = 0"""
    state: ClassVar = {"velocity": VELOCITY, "temperature": DENSITY}
    outputs: ClassVar = {"velocity": VELOCITY, "vorticity": VORTICITY, "temperature": DENSITY}
    snapshot: ClassVar = ("velocity", "vorticity", "temperature")
    pressure_sources: ClassVar = f"{STRESS_AND_ROTATION} - buoyancy_frequency*dz(temperature)"
    columns: ClassVar = (
        *FLOW_COLUMNS,
        Column("potential_energy", "length²/time²", "½⟨θ²⟩"),
        Column("potential_dissipation", "length²/time³", "κ⟨|∇θ|²⟩"),
        Column("buoyancy_flux", "length²/time³", "⟨N w θ⟩, from kinetic to potential energy"),
    )
    spectra: ClassVar = (
        ENERGY_BY_SHELL,
        HELICITY_BY_SHELL,
        Column("potential_energy", "length²/time²", "potential energy ½|θ|² of the shell"),
    )
    progress: ClassVar = (
        ("E", "energy"), ("Ep", "potential_energy"), ("ε", "dissipation"), ("kmax·η", "kmax_eta"),
    )  # fmt: skip
    picture: ClassVar = Picture(
        (
            PictureSlice("temperature", "θ", "value", "y", name="density anomaly"),
            PictureSlice("vorticity", "|ω|", normal="y"),
        ),
        (
            Curves("Energy", (("energy", "kinetic"), ("potential_energy", "potential"))),
            Curves("Dissipation", (("dissipation", "kinetic"), ("potential_dissipation", "potential"))),
        ),
        (("energy", "kinetic"), ("potential_energy", "potential")),
    )
    waves: ClassVar = (*ViscousFlow.waves, "buoyancy_frequency")
    flat_axes: ClassVar = "y"
    example: ClassVar = {
        "grid": {"points": 64},
        "flow": {"viscosity": 0.005, "buoyancy_frequency": 2.0},
        "time": {"until": 10.0},
        "initial": {"name": "random"},
    }

    @model_validator(mode="before")
    @classmethod
    def _prandtl_unless_diffusive(cls, data: Any) -> Any:
        return given_one(data, "prandtl", 1.0, "diffusivity")

    @model_validator(mode="after")
    def _one_diffusivity(self) -> "Boussinesq":
        at_most_one(self, "flow", "diffusivity", "prandtl")
        return self

    def frequencies(self, k: np.ndarray) -> tuple[np.ndarray, ...]:
        """Inertia-gravity waves, (ω − U·k)² = (N² k_h² + (2 Ω·k)²)/k²; vortical modes have ω = U·k.

        Vallis, Atmospheric and Oceanic Fluid Dynamics, 2nd ed. (2017), section 7.3.
        """
        gravity = self.buoyancy_frequency * np.hypot(k[0], k[1])
        wave, advected = (
            np.hypot(gravity, 2 * along(self.rotation, k)) / length(k),
            along(self.mean_velocity, k),
        )
        return advected + wave, advected - wave

    def quantities(self) -> dict[str, Defined]:
        return super().quantities() | {
            "buoyancy_flux": Defined(
                "buoyancy_frequency*velocity.z*temperature",
                "N w θ, from kinetic to potential energy",
            ),
            "potential_dissipation": Defined("diffusivity*sum(grad(temperature)**2)", "κ |∇θ|²"),
        }

    def budget(self) -> dict[str, tuple[str, ...]]:
        return {
            "energy": ("-buoyancy_flux", "-dissipation", "velocity_force_power"),
            "potential_energy": ("buoyancy_flux", "-potential_dissipation", "temperature_force_power"),
        }

    def exchanges(self) -> dict[str, Exchange]:
        return super().exchanges() | {"theta to theta": advected("temperature")}

    def balances(self) -> dict[str, Balance]:
        of_u = super().balances()["energy"]
        buoyancy = {"buoyancy": ("vector(0, 0, -buoyancy_frequency*temperature)",)}
        of_theta = {"buoyancy": "buoyancy_frequency*velocity.z"}
        return {
            "energy": replace(of_u, terms=of_u.terms | buoyancy),
            "potential_energy": balance_of_advected("temperature", "diffusivity", of_theta),
        }

    def without_mean(self, bases: str) -> tuple[str, ...]:
        return ("temperature",) if self.buoyancy_frequency else ()

    def moves(self, statistics: Mapping[str, float]) -> bool:
        """Buoyancy moves a fluid at rest."""
        buoyant = self.buoyancy_frequency != 0 and statistics.get("potential_energy", 0.0) > 0
        return buoyant or super().moves(statistics)

    def constants(self) -> dict[str, float]:
        kappa = self.diffusivity if self.prandtl is None else self.viscosity / self.prandtl
        stratification = {"diffusivity": kappa, "buoyancy_frequency": self.buoyancy_frequency}
        return super().constants() | stratification

    def symbols(self) -> dict[str, float]:
        return super().symbols() | {"κ": self.constants()["diffusivity"], "N": self.buoyancy_frequency}

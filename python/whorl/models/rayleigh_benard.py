"""Thermal convection between plates, in a rotating frame if asked, in units of free fall."""

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import model_validator

from whorl.base.dimension import LENGTH, TIME, Dimension
from whorl.config.columns import Column, Known
from whorl.config.section import Linear, at_most_one, option
from whorl.models.base import Balance, Curves, Defined, Exchange, FieldOf, Model, Picture, PictureSlice
from whorl.models.viscous import (
    ACCELERATIONS,
    ADVECTION,
    ADVECTION_TOGETHER,
    FLOW_COLUMNS,
    HELICITY,
    INVARIANTS,
    U_TO_U,
    VELOCITY,
    VISCOUS,
    VORTICITY,
    advected,
    balance_of_advected,
    material_acceleration,
    pressure,
    turnover_rate,
)
from whorl.models.viscous import ENERGY_SPECTRUM as ENERGY_BY_SHELL

TEMPERATURE = FieldOf(
    1, "1", "temperature θ = T − (1 − z), in differences between the plates", ("z",), "theta", scaled=True
)


def diffusivity(of: Known) -> float:
    return of.flow.constants()["diffusivity"]


# ⟨∂θ/∂z⟩ = 0, so that ⟨|∇T|²⟩ = 1 + ⟨|∇θ|²⟩.
NUSSELT = (
    Column(
        "nusselt_volume",
        "",
        "Nu from the flux of heat: 1 + √(Ra Pr) ⟨w θ⟩",
        lambda of: 1 + of["convective_flux"] / diffusivity(of),
    ),
    Column(
        "nusselt_plates",
        "",
        "Nu from the gradient at the plates: 1 − ⟨∂θ/∂z⟩ there",
        lambda of: 1 - of.get("plate_gradient", math.nan),
    ),
    Column(
        "nusselt_dissipation",
        "",
        "Nu from the thermal dissipation: ⟨|∇T|²⟩",
        lambda of: 1 + of["thermal_dissipation"] / diffusivity(of),
    ),
)


class RayleighBenard(Model):
    """Convection between free-slip, isothermal plates z = 0, 1; two-dimensional in x, z with ny = 1.

    Walls by `grid.bases`: `SFF` at z (the plates), `SSF` also at y, `SSS` also at x; `FFF` has none.
    """

    model: Literal["rayleigh-benard"] = option(..., "equation set")
    rayleigh: float = option(..., "Rayleigh number Ra; goes with prandtl", gt=0)
    prandtl: float = option(..., "Prandtl number Pr = ν/κ; goes with rayleigh", gt=0)
    taylor: float | None = option(None, "Taylor number Ta = (2 Ω d²/ν)², rotation about z", ge=0)
    rossby: float | None = option(
        None, "convective Rossby number Ro = √(Ra/(Pr Ta)); instead of taylor", gt=0
    )
    linear: Linear = option("explicit", "how buoyancy and rotation are advanced")

    rivals: ClassVar = {"taylor": ("rossby",), "rossby": ("taylor",)}
    formulas: ClassVar = """\
∂u/∂t + u·∇u = −∇p − ẑ×u/Ro + θ ẑ + √(Pr/Ra) ∇²u
∂θ/∂t + u·∇θ = w + ∇²θ/√(Ra Pr)
∇·u = 0"""
    state: ClassVar = {"velocity": VELOCITY, "temperature": TEMPERATURE}
    outputs: ClassVar = {"velocity": VELOCITY, "vorticity": VORTICITY, "temperature": TEMPERATURE}
    snapshot: ClassVar = ("velocity", "temperature")
    columns: ClassVar = (
        *(column for column in FLOW_COLUMNS if column is not HELICITY),
        Column("thermal_variance", "", "½⟨θ²⟩"),
        Column("thermal_dissipation", "1/time", "κ⟨|∇θ|²⟩"),
        Column("convective_flux", "length/time", "⟨w θ⟩"),
        *NUSSELT,
    )
    not_columns: ClassVar = ("palinstrophy", "energy_per_wavenumber", "maximum_divergence", "plate_gradient")
    spectra: ClassVar = (
        ENERGY_BY_SHELL,
        Column("thermal_variance", "", "½|θ|² of the shell"),
    )
    progress: ClassVar = (("E", "energy"), ("Nu", "nusselt_volume"), ("kmax·η", "kmax_eta"))
    picture: ClassVar = Picture(
        (
            PictureSlice("temperature", "T", "value", "y", (1.0, -1.0)),
            PictureSlice("velocity", "|u|", normal="y"),
        ),
        (
            Curves("Kinetic energy  ½⟨u²⟩", (("energy", ""),)),
            Curves(
                "Nusselt number",
                (
                    ("nusselt_volume", "flux"),
                    ("nusselt_plates", "plates"),
                    ("nusselt_dissipation", "dissipation"),
                ),
            ),
        ),
        (("energy", "½|u|²"), ("thermal_variance", "½|θ|²")),
        "Spectra",
    )
    bases: ClassVar = ("SFF", "SSF", "SSS", "FFF")
    waves: ClassVar = ("taylor", "rossby")
    flat_axes: ClassVar = "y"
    turnover_rate: ClassVar[Any] = staticmethod(turnover_rate)
    example: ClassVar = {
        "grid": {"points": [64, 64, 48], "lengths": [2.0, 2.0, 1.0]},
        "flow": {"rayleigh": 1e4, "prandtl": 1.0},
        "time": {"courant": 0.5, "dt_max": 0.02, "until": 20.0},
        "initial": {
            "name": "zero",
            "temperature": {"name": "formula", "value": "0.01*cos(pi*x)*cos(pi*y)*sin(pi*z)"},
        },
    }

    @model_validator(mode="before")
    @classmethod
    def _rayleigh_with_prandtl(cls, data: Any) -> Any:
        if isinstance(data, dict) and ("rayleigh" in data) != ("prandtl" in data):
            given, missing = ("rayleigh", "prandtl") if "rayleigh" in data else ("prandtl", "rayleigh")
            raise ValueError(
                f"flow.{given} = {data[given]} needs flow.{missing}, too: the two together give viscosity "
                "√(Pr/Ra) and diffusivity 1/√(Ra Pr)"
            )
        return data

    @model_validator(mode="after")
    def _one_rotation(self) -> "RayleighBenard":
        at_most_one(self, "flow", "taylor", "rossby")
        return self

    def check_grid(self, grid: Any) -> None:
        super().check_grid(grid)
        if grid.lengths[2] != 1:
            raise ValueError(
                f"grid.lengths along z is {grid.lengths[2]:g}: lengths are in units of the distance between "
                f"the plates here; give grid.lengths = [{grid.lengths[0]:g}, {grid.lengths[1]:g}, 1]"
            )
        if self.rotation_rate() != 0 and grid.bases not in ("FFF", "SFF"):
            raise ValueError(
                f'grid.bases = "{grid.bases}" excludes rotation, which turns flow along walls into flow '
                'through them; use "SFF", or leave flow.taylor and flow.rossby out'
            )

    def rotation_rate(self) -> float:
        """Ω in units of free fall: 2 Ω = 1/Ro."""
        if self.rossby is not None:
            return 1 / (2 * self.rossby)
        return math.sqrt(self.prandtl * (self.taylor or 0.0) / self.rayleigh) / 2

    def moves(self, statistics: Mapping[str, float]) -> bool:
        """Buoyancy limits the step of a layer at rest, too, unless it is integrated exactly and θ is zero."""
        warm = statistics.get("thermal_variance", 0.0) > 0
        return self.linear == "explicit" or warm or statistics["energy"] > 0

    def without_mean(self, bases: str) -> tuple[str, ...]:
        """The temperature without plates: nothing keeps a mean θ, and the mean w it drives, from growing."""
        return ("temperature",) if bases == "FFF" else ()

    def constants(self) -> dict[str, float]:
        return {
            "viscosity": math.sqrt(self.prandtl / self.rayleigh),
            "diffusivity": 1 / math.sqrt(self.rayleigh * self.prandtl),
            "rotation_z": self.rotation_rate(),
        }

    def units(self) -> dict[str, Dimension]:
        """The units of the parameters, by name."""
        diffusion = LENGTH**2 / TIME
        return {"viscosity": diffusion, "diffusivity": diffusion, "rotation_z": TIME**-1}

    def quantities(self) -> dict[str, Defined]:
        sources = "dz(temperature) + 2*rotation_z*vorticity.z - div(div(outer(velocity, velocity)))"
        own = {
            "dissipation": Defined(VISCOUS, "2 ν s_ij s_ij"),
            "convective_flux": Defined("velocity.z*temperature", "w θ, the work of buoyancy"),
            "thermal_dissipation": Defined("diffusivity*sum(grad(temperature)**2)", "κ |∇θ|²"),
        }
        whole = material_acceleration(self.balances())
        return pressure(sources) | own | INVARIANTS | ACCELERATIONS | whole

    def budget(self) -> dict[str, tuple[str, ...]]:
        return {
            "energy": ("convective_flux", "-dissipation", "velocity_force_power"),
            "thermal_variance": ("convective_flux", "-thermal_dissipation", "temperature_force_power"),
        }

    def exchanges(self) -> dict[str, Exchange]:
        return {"u to u": U_TO_U, "theta to theta": advected("temperature")}

    def balances(self) -> dict[str, Balance]:
        of_u = {
            "advection": (ADVECTION,),
            "buoyancy": ("vector(0, 0, temperature)",),
            "viscous": ("viscosity*lap(velocity)",),
            "forcing": ("velocity_force",),
        }
        of_theta = {"buoyancy": "velocity.z"}
        turning = {"pressure": ("-grad(p)",)}
        if self.rotation_rate():
            turning["coriolis"] = ("-2*cross(vector(0, 0, rotation_z), velocity)",)
        return {
            "energy": Balance(("velocity",), of_u, turning, together=ADVECTION_TOGETHER),
            "thermal_variance": balance_of_advected("temperature", "diffusivity", of_theta),
        }

    def symbols(self) -> dict[str, float]:
        rotation = {"Ta": self.taylor} if self.taylor else {"Ro": self.rossby} if self.rossby else {}
        return {"Ra": self.rayleigh, "Pr": self.prandtl} | rotation

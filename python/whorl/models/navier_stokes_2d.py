"""Two-dimensional flow by its vorticity alone."""

import math
from dataclasses import replace
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from whorl.config.columns import Column, Measured
from whorl.config.section import Linear, option
from whorl.models.base import (
    KOLMOGOROV,
    Balance,
    Curves,
    Defined,
    Exchange,
    FieldOf,
    Picture,
    PictureSlice,
    acting,
)
from whorl.models.viscous import (
    ACCELERATIONS,
    DISSIPATION,
    ENERGY,
    ENERGY_CURVE,
    ENSTROPHY,
    INVARIANTS,
    LARGEST,
    TURNOVER_TIME,
    VELOCITY,
    Losses,
    advected,
    material_acceleration,
    pressure,
    turnover_rate,
)
from whorl.models.viscous import ENERGY_SPECTRUM as ENERGY_BY_SHELL

VORTICITY = FieldOf(1, "1/time", "vorticity ω along z", symbol="omega")
BY_VORTICITY = replace(VELOCITY, definition="vector(-dy(inv_lap(vorticity)), dx(inv_lap(vorticity)), 0)")

PRESSURE_SOURCES = "-div(div(outer(velocity, velocity)))"  # of ∇²p


def integral_scale(of: Measured) -> float:
    """2/u'² Σ E/|k| over the modes: the longitudinal one, isotropic in a plane, where u'² = E; NaN at rest.

    It is π/(2u'²) times the one-dimensional spectrum of the longitudinal velocity at zero wavenumber (Pope,
    Turbulent Flows, eq. 6.213), which is (4/π) Σ E/|k| in a plane.
    """
    return float(2 * np.divide(of["energy_per_wavenumber"], np.float64(of["energy"])))


class NavierStokes2D(Losses):
    """Two-dimensional flow in vorticity form, on a β-plane if asked; nz = 1."""

    model: Literal["navier-stokes-2d"] = option(..., "equation set")
    beta: float = option(0.0, "gradient β of the planetary vorticity along y", unit="1/(length time)")
    linear: Linear = option("explicit", "how the term of β is advanced")

    formulas: ClassVar = """\
∂ω/∂t + u·∇ω + β v = ν ∇²ω − ν_h (−∇²)^p ω − μ (−∇²)^−q ω − α ω
u = (−∂ψ/∂y, ∂ψ/∂x),  ∇²ψ = ω"""
    state: ClassVar = {"vorticity": VORTICITY}
    outputs: ClassVar = {"velocity": BY_VORTICITY, "vorticity": VORTICITY}
    snapshot: ClassVar = ("velocity", "vorticity")
    columns: ClassVar = (
        ENERGY,
        DISSIPATION,
        ENSTROPHY,
        Column("enstrophy_dissipation", "1/time³", "mean dissipation ζ of Z by all linear losses"),
        Column("palinstrophy", "1/(length² time²)", "P = ½⟨|∇ω|²⟩"),
        LARGEST,
        Column(
            "enstrophy_length",
            "length",
            "η = (ν³/(2νP))^⅙, where viscosity ends the cascade",
            lambda of: (
                (of.flow.viscosity**2 / (2 * of["palinstrophy"])) ** (1 / 6)
                if of["palinstrophy"] > 0 and of.flow.viscosity > 0
                else math.nan
            ),
        ),
        Column(
            "kmax_eta",
            "",
            "largest kept wavenumber times that length",
            lambda of: of.kmax * of["enstrophy_length"],
        ),
        Column("rms_velocity", "length/time", "u' = √E, of one component", lambda of: np.sqrt(of["energy"])),
        Column(
            "integral_scale",
            "length",
            "L = 2/u'² Σ E/|k| over the modes, with |k| of each",
            integral_scale,
            before=("L = 2/u'² Σ E(k)/k",),
        ),
        TURNOVER_TIME,
    )
    not_columns: ClassVar = ("energy_per_wavenumber",)
    spectra: ClassVar = (
        ENERGY_BY_SHELL,
        Column("enstrophy", "1/time²", "enstrophy of the shell, Z(k)"),
    )
    progress: ClassVar = (("E", "energy"), ("Z", "enstrophy"), ("kmax·η", "kmax_eta"))
    picture: ClassVar = Picture(
        (PictureSlice("vorticity", "ω", "value"), PictureSlice("velocity", "|u|")),
        (ENERGY_CURVE, Curves("Enstrophy  ½⟨ω²⟩", (("enstrophy", ""),))),
        (("energy", "E(k)"),),
        slope=(-3, "$k^{-3}$"),
        slope_below=KOLMOGOROV,
    )
    forced_by: ClassVar = {
        "velocity": ("vorticity", "vector(-dy(inv_lap(f)), dx(inv_lap(f)), 0)"),
        "vorticity": ("velocity", "curl(f).z"),
    }
    waves: ClassVar = ("beta",)
    must_be_flat: ClassVar = True
    turnover_rate: ClassVar = staticmethod(partial(turnover_rate, share=1.0, scale=integral_scale))
    only_kinetic: ClassVar = True
    example: ClassVar = {
        "grid": {"points": [256, 256, 1]},
        "flow": {"viscosity": 0.0005},
        "time": {"until": 10.0},
        "initial": {"name": "random"},
    }

    @classmethod
    def first_field(cls) -> str:
        """The velocity, which [initial] sets; [initial.vorticity] sets the vorticity instead."""
        return "velocity"

    def symbols(self) -> dict[str, float]:
        return super().symbols() | acting(β=self.beta)

    def quantities(self) -> dict[str, Defined]:
        parts = self.dissipations("vorticity", "viscosity*sum(grad(vorticity)**2)")
        of_enstrophy = Defined(
            " + ".join(parts[name] for name in self.acting()),
            "loss of ½ω² at the point by all linear losses that act; by viscosity ν |∇ω|²",
        )
        own = {"Q": INVARIANTS["Q"], "enstrophy_dissipation": of_enstrophy}
        named = pressure(PRESSURE_SOURCES) | super().quantities() | own | ACCELERATIONS
        named |= material_acceleration(self.balances())
        return {name: one for name, one in named.items() if name not in self.unknown()}

    def unknown(self) -> dict[str, str]:
        if not self.beta:
            return {}
        why = "with flow.beta it balances a Coriolis force that grows with y and is not periodic"
        return {
            name: f"{name} is not known: {why}; take advection or viscous_acceleration, or set flow.beta to 0"
            for name in ("p", "pressure_acceleration", "acceleration", "material_acceleration")
        }

    def budget(self) -> dict[str, tuple[str, ...]]:
        return super().budget() | {"enstrophy": ("-enstrophy_dissipation", "vorticity_force_power")}

    def exchanges(self) -> dict[str, Exchange]:
        return super().exchanges() | {"omega to omega": advected("vorticity")}

    def balances(self) -> dict[str, Balance]:
        """The balances of energy, by the velocity, and enstrophy; the β term does no work on either."""
        terms = {"advection": ("-div(velocity*vorticity)",)} | self.losses_of("vorticity")
        terms["forcing"] = ("vorticity_force",)
        return super().balances() | {"enstrophy": Balance(("vorticity",), terms)}

    def constants(self) -> dict[str, float]:
        return self.losses() | {"beta": self.beta}

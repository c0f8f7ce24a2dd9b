"""Incompressible magnetohydrodynamics, with a mean field, the Hall term or a prescribed velocity if asked."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import model_validator

from whorl.config.columns import Column
from whorl.config.section import Vector, at_most_one, given_one, option
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
    components,
    transport,
)
from whorl.models.viscous import ENERGY_SPECTRUM as ENERGY_BY_SHELL
from whorl.models.viscous import (
    FLOW_COLUMNS,
    STRESS_AND_ROTATION,
    VELOCITY,
    VORTICITY,
    ViscousFlow,
    along,
    length,
)
from whorl.models.viscous import HELICITY_SPECTRUM as HELICITY_BY_SHELL

MAGNETIC = FieldOf(
    3,
    "length/time",
    "magnetic field b in units of the Alfvén velocity, without B0",
    symbol="b",
    solenoidal=True,
)
MEAN_FIELD = "vector(mean_field_x, mean_field_y, mean_field_z)"
WHOLE_FIELD = f"(magnetic + {MEAN_FIELD})"
LORENTZ = f"cross(current, magnetic + {MEAN_FIELD})"
BY_B = Exchange("magnetic", "magnetic", "magnetic", 1, uniform=MEAN_FIELD)
VECTOR_POTENTIAL = "-inv_lap(current)"
EXCLUDED_BY_KINEMATIC = ("hall", "rotation", "drag", "hyperviscosity", "hypoviscosity")
CURRENT = FieldOf(3, "1/time", "current j, the curl of b", symbol="j", definition="curl(magnetic)")


def _along_mean(field: str) -> str:
    """(B0·∇) of a field."""
    return f"dot(grad({field}), {MEAN_FIELD})"


@dataclass(frozen=True)
class HallExchange(Exchange):
    """The transfer between modes of b by the Hall term, −d ∇×(j×b), with j of the giver.

    B0 turns each mode, j·(j×B0) = 0, and brings nothing to others (Mininni, Alexakis and Pouquet, J. Plasma
    Phys. 73, 377 (2007)).
    """

    ion_length: float = 0.0

    def term(self, g: str) -> str:
        """−d ∇×((∇×g)×b)."""
        return f"-{self.ion_length!r}*curl(cross(curl({g}), {self.mediator}))"

    def of_triad(
        self, k: np.ndarray, p: np.ndarray, f: np.ndarray, g: np.ndarray, m: np.ndarray
    ) -> np.ndarray:
        """2 Re(f(k)·N(−k)), N(−k) = i d k×((i p×g(p))×m(q))."""
        force = np.cross(k, np.cross(1j * np.cross(p, g.T), m.T))
        return 2 * (f.T * 1j * self.ion_length * force).sum(1).real


def _shown(value: Any) -> str:
    return f"[{', '.join(f'{part:g}' for part in value)}]" if isinstance(value, tuple) else f"{value:g}"


class Mhd(ViscousFlow):
    """Conducting flow with a magnetic field b about a mean field B0; in units of the Alfvén velocity."""

    model: Literal["mhd"] = option(..., "equation set")
    resistivity: float | None = option(
        None, "magnetic diffusivity η; instead of magnetic_prandtl", unit="length²/time", ge=0
    )
    magnetic_prandtl: float | None = option(None, "magnetic Prandtl number ν/η; 1 without resistivity", gt=0)
    mean_field: Vector = option(
        (0.0, 0.0, 0.0), "uniform magnetic field B0; one number: along z", unit="length/time"
    )
    hall: float = option(0.0, "ion inertial length d of the Hall term", unit="length", ge=0)
    kinematic: bool = option(False, "whether u is prescribed and constant in time, and only b advances")

    rivals: ClassVar = {"resistivity": ("magnetic_prandtl",), "magnetic_prandtl": ("resistivity",)}
    formulas: ClassVar = """\
∂u/∂t + (U + u)·∇u = −∇p + j×(B0 + b) − 2 Ω×u + ν ∇²u − ν_h (−∇²)^p u − μ (−∇²)^−q u − α u
∂b/∂t = ∇×((U + u − d j)×(B0 + b)) + η ∇²b,  j = ∇×b
∇·u = 0,  ∇·b = 0"""
    state: ClassVar = {"velocity": VELOCITY, "magnetic": MAGNETIC}
    outputs: ClassVar = {
        "velocity": VELOCITY,
        "vorticity": VORTICITY,
        "magnetic": MAGNETIC,
        "current": CURRENT,
    }
    snapshot: ClassVar = ("velocity", "magnetic", "vorticity", "current")
    pressure_sources: ClassVar = f"{STRESS_AND_ROTATION} + div({LORENTZ})"
    columns: ClassVar = (
        *FLOW_COLUMNS,
        Column("magnetic_energy", "length²/time²", "½⟨b²⟩"),
        Column("ohmic_dissipation", "length²/time³", "η⟨j²⟩"),
        Column("mean_square_current", "1/time²", "½⟨j²⟩"),
        Column("cross_helicity", "length²/time²", "⟨u·b⟩"),
        Column("magnetic_helicity", "length³/time²", "⟨a·b⟩, b = ∇×a"),
        Column("lorentz_work", "length²/time³", "⟨u·(j×(B0 + b))⟩, from magnetic to kinetic energy"),
    )
    not_columns: ClassVar = (*ViscousFlow.not_columns, "maximum_magnetic_divergence")
    spectra: ClassVar = (
        ENERGY_BY_SHELL,
        HELICITY_BY_SHELL,
        Column("magnetic_energy", "length²/time²", "magnetic energy of the shell"),
        Column("cross_helicity", "length²/time²", "cross helicity of the shell"),
    )
    progress: ClassVar = (
        ("E", "energy"), ("Eb", "magnetic_energy"), ("ε", "dissipation"), ("kmax·η", "kmax_eta"),
    )  # fmt: skip
    picture: ClassVar = Picture(
        (
            PictureSlice("current", "|j|"),
            PictureSlice("magnetic", "|b|"),
            PictureSlice("vorticity", "|ω|"),
            PictureSlice("velocity", "|u|"),
        ),
        (
            Curves("Energy", (("energy", "kinetic"), ("magnetic_energy", "magnetic"))),
            Curves("Dissipation", (("dissipation", "viscous"), ("ohmic_dissipation", "ohmic"))),
        ),
        (("energy", "kinetic"), ("magnetic_energy", "magnetic")),
        slope=KOLMOGOROV,
    )
    waves: ClassVar = (*ViscousFlow.waves, "mean_field")
    example: ClassVar = {
        "grid": {"points": [128, 128, 1]},
        "flow": {"viscosity": 0.01},
        "time": {"until": 4.0},
        "initial": {"name": "orszag-tang", "magnetic": {"name": "orszag-tang"}},
    }

    @model_validator(mode="before")
    @classmethod
    def _prandtl_unless_resistive(cls, data: Any) -> Any:
        return given_one(data, "magnetic_prandtl", 1.0, "resistivity")

    @model_validator(mode="after")
    def _one_resistivity(self) -> "Mhd":
        at_most_one(self, "flow", "resistivity", "magnetic_prandtl")
        return self

    @model_validator(mode="after")
    def _nothing_acts_on_a_prescribed_velocity(self) -> "Mhd":
        given = {name: getattr(self, name) for name in EXCLUDED_BY_KINEMATIC}
        acting = [f"flow.{name} = {_shown(value)}" for name, value in given.items() if np.any(value)]
        if self.kinematic and acting:
            raise ValueError(
                f"flow.kinematic = true advances b by a velocity that stays as it is, and excludes "
                f"{' and '.join(acting)}; leave one or the other out"
            )
        return self

    def frequencies(self, k: np.ndarray) -> tuple[np.ndarray, ...]:
        """Alfvén waves ω = U·k ± k·B0, with rotation ω = U·k ± (Ω·k/k ± √((Ω·k/k)² + (k·B0)²)).

        Finlay, in Dynamos (Les Houches 88, 2008), chapter 8; none with the Hall term or a prescribed u.
        """
        if self.hall or self.kinematic:
            return ()
        if not np.any(self.mean_field):
            return super().frequencies(k)
        advected, alfven = along(self.mean_velocity, k), along(self.mean_field, k)
        inertial = along(self.rotation, k) / length(k)
        fast, slow = inertial + np.hypot(inertial, alfven), inertial - np.hypot(inertial, alfven)
        branches = (advected + fast, advected + slow)
        return (*branches, advected - fast, advected - slow) if np.any(self.rotation) else branches

    def quantities(self) -> dict[str, Defined]:
        named = super().quantities() | {
            "vector_potential": Defined(VECTOR_POTENTIAL, "a of b = ∇×a, ∇·a = 0"),
            "cross_helicity": Defined("dot(velocity, magnetic)", "u·b"),
            "magnetic_helicity": Defined(f"dot({VECTOR_POTENTIAL}, magnetic)", "a·b"),
            "lorentz_force": Defined(LORENTZ, "j×(B0 + b)"),
            "lorentz_work": Defined(
                f"dot(velocity, {LORENTZ})", "u·(j×(B0 + b)), from magnetic to kinetic energy"
            ),
            "ohmic_dissipation": Defined("resistivity*dot(current, current)", "η j²"),
        }
        return {name: one for name, one in named.items() if name not in self.unknown()}

    def unknown(self) -> dict[str, str]:
        if not self.kinematic:
            return {}
        why = "with flow.kinematic = true the velocity stays as it is, and no force acts on it"
        return {name: f"{name} is not known: {why}" for name in ("acceleration", "material_acceleration")}

    def budget(self) -> dict[str, tuple[str, ...]]:
        of_b: dict[str, tuple[str, ...]] = {
            "magnetic_energy": ("-lorentz_work", "-ohmic_dissipation", "magnetic_force_power")
        }
        if self.kinematic:
            return of_b
        return {"energy": ("lorentz_work", "-dissipation", "velocity_force_power")} | of_b

    def exchanges(self) -> dict[str, Exchange]:
        """The exchanges of u and b; B0 mediates between modes of one wavenumber."""
        within_b = {
            "b to b": Exchange("magnetic", "magnetic", "velocity", -1),
            "u to b": replace(BY_B, giver="velocity"),
        }
        if self.hall:
            of_b = ("magnetic", "magnetic", "magnetic", -1)
            within_b["b to b by hall"] = HallExchange(*of_b, ion_length=self.hall)
        if self.kinematic:
            return within_b
        return super().exchanges() | within_b | {"b to u": replace(BY_B, receiver="velocity")}

    def balances(self) -> dict[str, Balance]:
        """The magnetic field is advected and stretched by u; the Lorentz force is without its gradient."""
        of_b = {
            "advection": ("-div(outer(magnetic, velocity))",),
            "stretching": (f"div(outer(velocity, magnetic)) + {_along_mean('velocity')}",),
        }
        if self.hall:
            of_b["hall"] = (f"-hall*curl({LORENTZ})",)
        of_b |= {"ohmic": ("resistivity*lap(magnetic)",), "forcing": ("magnetic_force",)}
        magnetic = Balance(("magnetic",), of_b)
        if self.kinematic:
            return {"magnetic_energy": magnetic}
        of_u = super().balances()["energy"]
        terms = {"lorentz": (f"div(outer(magnetic, magnetic)) + {_along_mean('magnetic')}",)}
        together = {"lorentz": (f"{transport('magnetic', 'magnetic')} + {_along_mean('magnetic')}",)}
        # The gradient of ½|B0 + b|² is with the pressure's.
        turning = of_u.turning | {"pressure": (f"-grad(p) - grad(dot({WHOLE_FIELD}, {WHOLE_FIELD}))/2",)}
        return {
            "energy": replace(
                of_u, terms=of_u.terms | terms, turning=turning, together=of_u.together | together
            ),
            "magnetic_energy": magnetic,
        }

    def magnetic_diffusivity(self) -> float:
        if self.magnetic_prandtl is None:
            return self.resistivity
        return self.viscosity / self.magnetic_prandtl

    def moves(self, statistics: Mapping[str, float]) -> bool:
        """Alfvén waves along b limit the step, too, unless the velocity is prescribed."""
        alfven = statistics["magnetic_energy"] > 0 and not self.kinematic
        return alfven or super().moves(statistics)

    def prescribed(self) -> tuple[str, ...]:
        """The velocity of a kinematic dynamo."""
        return ("velocity",) if self.kinematic else ()

    def constants(self) -> dict[str, float]:
        magnetic = {"resistivity": self.magnetic_diffusivity(), "hall": self.hall}
        mean = components("mean_field", self.mean_field)
        prescribed = {"viscosity": 0.0} if self.kinematic else {}
        return super().constants() | prescribed | magnetic | mean | {"kinematic": float(self.kinematic)}

    def viscosity_of_schmidt(self) -> float:
        """The given ν, which does not act on a prescribed velocity."""
        return self.viscosity

    def symbols(self) -> dict[str, float]:
        """The parameters by symbol, without the losses of a prescribed velocity."""
        found = {} if self.kinematic else super().symbols()
        return (
            found | {"η": self.magnetic_diffusivity()} | acting(B0=math.hypot(*self.mean_field), d=self.hall)
        )

"""Superfluid flow: the Gross–Pitaevskii equation, and the gradient flow that prepares its states."""

import math
from typing import Any, ClassVar, Literal

import numpy as np

from whorl.base.dimension import LENGTH, TIME, Dimension
from whorl.config.columns import Column
from whorl.config.section import Linear, option
from whorl.models.base import Balance, Curves, Defined, FieldOf, Model, Picture, PictureSlice

PSI = FieldOf(2, "√density", "wavefunction ψ, real and imaginary part", symbol="psi", parts=True)
ENERGY = "density length²/time²"


RHO = "abs(psi)**2"
MOMENTUM = "(real(psi)*grad(imag(psi)) - imag(psi)*grad(real(psi)))"
PARTS = "(real(psi)*grad(real(psi)) + imag(psi)*grad(imag(psi)))"
# The length of lines r = s = 0 per volume is |∇r × ∇s| δ(r) δ(s). A Gaussian of r and s, of variance ρ0/12
# each, replaces the deltas and thus includes neighbouring lines of constant r and s.
# ρu²/2 = 2a² |r∇s − s∇r|²/ρ and c²ξ² |∇√ρ|² = 2a² |r∇r + s∇s|²/ρ, with ψ = r + is and a = cξ/√2.
QUANTITIES = {
    "rho": Defined(RHO, "ρ = |ψ|²"),
    "superfluid_velocity": Defined(f"2*dispersion*{MOMENTUM}/{RHO}", "u = 2a∇φ, infinite on vortex lines"),
    "kinetic_energy": Defined(f"2*dispersion**2*sum({MOMENTUM}**2)/{RHO}", "½ρu²"),
    "quantum_energy": Defined(f"2*dispersion**2*sum({PARTS}**2)/{RHO}", "c²ξ²|∇√ρ|²"),
    "interaction_energy": Defined(f"dispersion*interaction*({RHO} - density)**2", "c²/(2ρ0) (ρ − ρ0)²"),
    "momentum": Defined(f"2*dispersion*{MOMENTUM}", "ρu = 2a ρ∇φ"),
    "line_density": Defined(
        f"6/(pi*density)*exp(-6*{RHO}/density)*norm(cross(grad(real(psi)), grad(imag(psi))))",
        "length of vortex lines in a volume: the mean over a of that of lines ψ = a, a of variance ρ0/6",
    ),
}


# Injection by a force f on ψ, ∂ψ/∂t = … + f.
INJECTIONS = {
    "mass_injection": Defined("2*real(conj(psi)*psi_force)", "2 Re ψ*f, rate of |ψ|² by the force f"),
    "energy_injection": Defined(
        f"4*dispersion*real(conj(interaction*({RHO} - density)*psi - dispersion*lap(psi))*psi_force)",
        "4a Re (b(ρ − ρ0)ψ − a∇²ψ)*f, rate of the energy by the force f in the mean",
    ),
}


class Superfluid(Model):
    """A wavefunction by its sound speed and coherence length."""

    sound_speed: float = option(..., "speed of sound c at the uniform density", unit="length/time", gt=0)
    coherence_length: float = option(..., "healing length ξ, the size of a vortex core", unit="length", gt=0)
    density: float = option(1.0, "uniform density ρ0 = |ψ|²", unit="density", gt=0)

    columns: ClassVar[tuple[Column, ...]] = (
        Column("mass", "density", "⟨|ψ|²⟩"),
        Column("energy", ENERGY, "½⟨ρu²⟩ + quantum + interaction energy, u the superfluid's velocity"),
        Column(
            "kinetic_incompressible",
            ENERGY,
            "½⟨|(√ρ u)ᵢ|²⟩, solenoidal part of the kept modes: vortices",
        ),
        Column("kinetic_compressible", ENERGY, "½⟨|(√ρ u)ᶜ|²⟩, gradient part of the kept modes: sound"),
        Column("quantum_energy", ENERGY, "c²ξ²⟨|∇√ρ|²⟩"),
        Column("interaction_energy", ENERGY, "c²/(2ρ0) ⟨(ρ − ρ0)²⟩"),
    )
    not_columns: ClassVar[tuple[str, ...]] = ("gradient_energy",)
    spectra: ClassVar[tuple[Column, ...]] = (
        Column("mass", "density", "|ψ|² of the shell"),
        Column("kinetic_incompressible", ENERGY, "incompressible kinetic energy of the shell"),
        Column("kinetic_compressible", ENERGY, "compressible kinetic energy of the shell"),
    )
    progress: ClassVar[tuple[tuple[str, str], ...]] = (("E", "energy"), ("mass", "mass"))
    picture: ClassVar = Picture(
        (PictureSlice("psi", "|ψ|²", "density", name="density"),),
        (
            Curves(
                "Kinetic energy",
                (("kinetic_incompressible", "vortices"), ("kinetic_compressible", "sound")),
            ),
            Curves("Energy", (("energy", "total"), ("interaction_energy", "interaction"))),
        ),
        (("kinetic_incompressible", "incompressible"), ("kinetic_compressible", "compressible")),
    )
    snapshot: ClassVar[tuple[str, ...]] = ("psi",)
    dealias: ClassVar = "1/2"
    measured: ClassVar = "density"
    viscous: ClassVar = False

    def constants(self) -> dict[str, float]:
        c, xi = self.sound_speed, self.coherence_length
        return {
            "dispersion": c * xi / math.sqrt(2),
            "interaction": c / (math.sqrt(2) * xi * self.density),
            "density": self.density,
        }

    def units(self) -> dict[str, Dimension]:
        """The units of the parameters, by name."""
        density = Dimension.of("density")
        return {"dispersion": LENGTH**2 / TIME, "interaction": (density * TIME) ** -1, "density": density}

    def quantities(self) -> dict[str, Defined]:
        return QUANTITIES

    def symbols(self) -> dict[str, float]:
        return {"c": self.sound_speed, "ξ": self.coherence_length}


class GrossPitaevskii(Superfluid):
    """Superfluid at zero temperature: the Gross–Pitaevskii equation."""

    model: Literal["gross-pitaevskii"] = option(..., "equation set")
    linear: Linear = option("exact", "how the dispersion is advanced")

    formulas: ClassVar = """\
i ∂ψ/∂t = −a ∇²ψ + b |ψ|²ψ − b ρ0 ψ,  a = c ξ/√2,  b = c/(√2 ξ ρ0)"""
    state: ClassVar = {"psi": PSI}
    outputs: ClassVar = {"psi": PSI}
    waves: ClassVar[tuple[str, ...]] = ("sound_speed",)
    example: ClassVar[dict[str, Any]] = {
        "grid": {"points": 64},
        "flow": {"sound_speed": 2.0, "coherence_length": 0.1},
        "time": {"dt": 0.0025, "until": 2.0},
        "initial": {"name": "taylor-green"},
    }

    def frequencies(self, k: np.ndarray) -> tuple[np.ndarray, ...]:
        """Bogoliubov's waves on the uniform state, ω = ± c k √(1 + ξ²k²/2) (J. Phys. USSR 11, 23 (1947))."""
        k2 = (k**2).sum(0)
        wave = np.where(
            k2 > 0, self.sound_speed * np.sqrt(k2 * (1 + self.coherence_length**2 * k2 / 2)), np.nan
        )
        return wave, -wave

    def quantities(self) -> dict[str, Defined]:
        return QUANTITIES | INJECTIONS

    def budget(self) -> dict[str, tuple[str, ...]]:
        """The budgets of mass and energy, which are conserved without a force."""
        return {"mass": ("mass_injection",), "energy": ("energy_injection",)}

    def balances(self) -> dict[str, Balance]:
        """The balance of the mass: dispersion turns each mode, and interaction exchanges between modes."""
        local = f"interaction*({RHO} - density)"
        terms = {
            "interaction": (f"{local}*imag(psi)", f"-{local}*real(psi)"),
            "forcing": ("real(psi_force)", "imag(psi_force)"),
        }
        return {"mass": Balance(("real(psi)", "imag(psi)"), terms, factor=1.0)}

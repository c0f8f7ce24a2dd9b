"""Base of the flows with a viscous velocity: losses, rotation, mean velocity, columns and scales."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from whorl.config.columns import Column, ColumnState, Known, Measured
from whorl.config.section import Linear, Vector, option
from whorl.models.base import (
    KOLMOGOROV,
    Balance,
    Curves,
    Defined,
    Exchange,
    FieldOf,
    Model,
    Picture,
    PictureSlice,
    acting,
    components,
    transport,
)

VELOCITY = FieldOf(3, "length/time", "velocity u", ("x", "y", "z"), symbol="u", solenoidal=True)
VORTICITY = FieldOf(3, "1/time", "vorticity ω, the curl of u", symbol="omega", definition="curl(velocity)")
# The right-hand side of ∇²p = −∂_i ∂_j (u_i u_j) + 2 Ω·ω, where p has no mean.
STRESS_AND_ROTATION = (
    "2*(rotation_x*vorticity.x + rotation_y*vorticity.y + rotation_z*vorticity.z) "
    "- div(div(outer(velocity, velocity)))"
)

ADVECTION = "-div(outer(velocity, velocity))"
ADVECTION_TOGETHER = {"advection": (f"-{transport('velocity', 'velocity')}",)}
CORIOLIS = "-2*cross(vector(rotation_x, rotation_y, rotation_z), velocity)"
VISCOUS = "2*viscosity*sum(strain(velocity)**2)"
# Cantwell, Phys. Fluids A 4, 782 (1992), for ∇·u = 0.
INVARIANTS = {
    "Q": Defined(
        "-trace(grad(velocity) @ grad(velocity))/2",
        "−½ A_ij A_ji = ¼ω² − ½ s_ij s_ij, A_ij = ∂u_i/∂x_j",
    ),
    "R": Defined("-det(grad(velocity))", "−det A = −⅓ A_ij A_jk A_ki"),
}
ACCELERATIONS = {
    "advection": Defined("-grad(velocity) @ velocity", "−(u·∇)u"),
    "pressure_acceleration": Defined("-grad(p)", "−∇p"),
    "viscous_acceleration": Defined("viscosity*lap(velocity)", "ν∇²u"),
    "acceleration": Defined(
        "viscosity*lap(velocity) - grad(p) + velocity_force",
        "−∇p + ν∇²u + f, of a fluid element by these, f the force of [[forcing]]",
    ),
}


def material_acceleration(balances: Mapping[str, Balance]) -> dict[str, Defined]:
    """Du/Dt by all terms of the balance of the velocity but its advection; none without a balance."""
    if "energy" not in balances:
        return {}
    of_energy = balances["energy"]
    terms = {name: text for name, (text,) in of_energy.terms.items() if name != "advection"}
    texts = [*terms.values(), *(text for (text,) in of_energy.turning.values())]
    meaning = "Du/Dt = ∂u/∂t + ((u + U)·∇)u of a fluid element, by all terms that act"
    return {"material_acceleration": Defined(" + ".join(texts).replace("+ -", "- "), meaning)}


def pressure(sources: str) -> dict[str, Defined]:
    """The pressure whose Laplacian is `sources`, without a mean."""
    return {"p": Defined(f"inv_lap({sources})", "pressure p by its Poisson equation")}


ENERGY = Column("energy", "length²/time²", "mean kinetic energy E = ½⟨u²⟩")
DISSIPATION = Column(
    "dissipation", "length²/time³", "mean dissipation ε of E by all linear losses; by viscosity 2 ν Z"
)
ENSTROPHY = Column("enstrophy", "1/time²", "Z = ½⟨ω²⟩")
HELICITY = Column("helicity", "length/time²", "⟨u·ω⟩")
LARGEST = Column(
    "maximum_velocity",
    "length/time",
    "largest |u| on the grid at the start of that step",
    lambda report: report.maximum_velocity,
    of="step",
)


def viscosity(of: Known) -> float:
    return of.flow.constants()["viscosity"]


def rms_velocity(of: Known) -> float:
    return np.sqrt(2 * np.float64(of["energy"]) / 3)


def taylor_scale(of: Known) -> float:
    return np.sqrt(5 * np.float64(of["energy"]) / np.float64(of["enstrophy"]))


def per_viscosity(of: Known, length: float) -> float:
    """The Reynolds number u' ℓ/ν."""
    return rms_velocity(of) * length / viscosity(of) if viscosity(of) > 0 else math.inf


def viscous_loss(of: Known) -> float:
    """2νZ, the ε of the scales below."""
    return 2 * viscosity(of) * np.float64(of["enstrophy"])


def kolmogorov_length(of: Known) -> float:
    if not viscosity(of) > 0:
        return math.nan  # undefined without viscosity, and 0 would look like a length
    return (viscosity(of) ** 2 / (2 * np.float64(of["enstrophy"]))) ** 0.25


def integral_scale(of: Measured) -> float:
    """π/(2u'²) Σ E/|k| over the modes, each with its own |k| > 0; NaN at rest.

    Pope, Turbulent Flows, eq. 6.259, for isotropic flow. The |k| of the middle of a shell would make L too
    large by a tenth if the energy is in the first shells. The few modes of these lie further out.
    """
    return float(3 * math.pi / 4 * np.divide(of["energy_per_wavenumber"], np.float64(of["energy"])))


def turnover_rate(
    sums: Mapping[str, float],
    share: float = 2 / 3,
    scale: Callable[[Measured], float] = integral_scale,
) -> float:
    """u'/L by sums over modes: u'² is `share` times E, L is `scale`. 0 at rest, NaN if E is not finite."""
    with np.errstate(invalid="ignore"):
        length = scale(sums)
    return math.sqrt(share * sums["energy"]) / length if length > 0 else 0.0 * sums["energy"]


def derivative_skewness(of: ColumnState) -> float:
    """−√(135/98) Σ k²T / Z^{3/2}, which is ⟨(∂u/∂x)³⟩/⟨(∂u/∂x)²⟩^{3/2} in isotropic flow.

    Σ k²T is the production of Z by stretching, −(35/2) ⟨(∂u/∂x)³⟩, and Z = (15/2) ⟨(∂u/∂x)²⟩ (Batchelor and
    Townsend, Proc. R. Soc. A 190, 534 (1947)). Both are sums over modes with k of each. NaN at rest, and for
    spectra that earlier versions wrote without the transfer to Z.
    """
    enstrophy = of.row["enstrophy"]
    if not enstrophy > 0 or "enstrophy_transfer" not in of.spectra:
        return math.nan
    return float(-math.sqrt(135 / 98) * np.sum(of.spectra["enstrophy_transfer"]) / enstrophy**1.5)


TURNOVER_TIME = Column(
    "turnover_time",
    "time",
    "T = L/u', of the largest eddies",
    lambda of: np.float64(of["integral_scale"]) / of["rms_velocity"],
)
# The ε of λ, η and of the other scales is the loss by viscosity alone, 2νZ.
SCALES = (
    Column("rms_velocity", "length/time", "u' = √(2E/3), of one component", rms_velocity),
    Column("taylor_scale", "length", "λ = √(15 ν u'²/(2νZ)) = √(5 E/Z)", taylor_scale),
    Column("R_lambda", "", "u' λ/ν", lambda of: per_viscosity(of, taylor_scale(of))),
    Column(
        "kolmogorov_length", "length", "η = (ν³/(2νZ))^¼, of the loss by viscosity alone", kolmogorov_length
    ),
    Column(
        "kolmogorov_time",
        "time",
        "τ = √(ν/(2νZ)) = 1/√(2Z)",
        lambda of: 1 / np.sqrt(2 * np.float64(of["enstrophy"])),
    ),
    Column(
        "kolmogorov_velocity",
        "length/time",
        "(ν 2νZ)^¼ = η/τ",
        lambda of: (viscosity(of) * viscous_loss(of)) ** 0.25,
    ),
    Column("kmax_eta", "", "largest kept wavenumber times η", lambda of: of.kmax * of["kolmogorov_length"]),
    Column(
        "integral_scale",
        "length",
        "L = π/(2u'²) Σ E/|k| over the modes, with |k| of each",
        integral_scale,
        before=("L = π/(2u'²) Σ E(k)/k",),
    ),
    TURNOVER_TIME,
    Column("R_L", "", "u' L/ν", lambda of: per_viscosity(of, of["integral_scale"])),
    Column(
        "C_epsilon",
        "",
        "Cε = 2νZ L/u'³, of the loss by viscosity alone",
        lambda of: viscous_loss(of) * of["integral_scale"] / np.float64(of["rms_velocity"]) ** 3,
    ),
)
FLOW_COLUMNS = (ENERGY, DISSIPATION, ENSTROPHY, HELICITY, LARGEST, *SCALES)
ENERGY_SPECTRUM = Column("energy", "length²/time²", "kinetic energy of the shell, E(k)")
SKEWNESS = Column(
    "derivative_skewness",
    "",
    "skewness of ∂u/∂x by isotropy, −√(135/98) Σ k²T / Z^{3/2}, with k of each mode",
    derivative_skewness,
    of="state",
)
HELICITY_SPECTRUM = Column("helicity", "length/time²", "helicity of the shell, H(k)")

VORTICITY_SLICE = PictureSlice("vorticity", "|ω|")
VELOCITY_SLICE = PictureSlice("velocity", "|u|")
ENERGY_CURVE = Curves("Kinetic energy  ½⟨u²⟩", (("energy", ""),))
DISSIPATION_CURVE = Curves("Dissipation  ε", (("dissipation", ""),))


def along(vector: tuple[float, float, float], k: np.ndarray) -> np.ndarray:
    """The product of a vector with each wavenumber, [axis, mode]."""
    return np.tensordot(np.array(vector), k, 1)


def length(k: np.ndarray) -> np.ndarray:
    """|k| of each wavenumber; NaN for k = 0, which is no wave."""
    k2 = (k**2).sum(0)
    return np.where(k2 > 0, np.sqrt(k2), np.nan)


def _applied(operator: str, power: int, field: str) -> str:
    """(−∇²)^power f or (−∇²)^−power f, with lap or inv_lap."""
    sign = "-" if power % 2 else ""
    return f"{sign}{f'{operator}(' * power}{field}{')' * power}"


def _square_with(operator: str, power: int, field: str) -> str:
    """f·(−∇²)^power f or f·(−∇²)^−power f."""
    applied = _applied(operator, power, field)
    return f"{field}*({applied})" if field == "vorticity" else f"dot({field}, {applied})"


U_TO_U = Exchange("velocity", "velocity", "velocity", -1)


def advected(name: str) -> Exchange:
    """A number that the velocity carries."""
    return Exchange(name, name, "velocity", -1, rank=0)


def balance_of_advected(name: str, diffusivity: str, sources: Mapping[str, str]) -> Balance:
    """The balance of a number that the velocity carries and that diffuses, with other `sources` by term."""
    advection, diffusion = f"-div(velocity*{name})", f"{diffusivity}*lap({name})"
    terms = {"advection": advection, **sources, "diffusion": diffusion, "forcing": f"{name}_force"}
    return Balance((name,), {term: (text,) for term, text in terms.items()})


class Losses(Model):
    """Linear losses of a velocity: viscosity, powers of it, and drag."""

    viscosity: float = option(..., "kinematic viscosity ν", unit="length²/time", ge=0)
    hyperviscosity: float = option(
        0.0, "coefficient ν_h of the loss ν_h (−∇²)^p u at small scales", unit="length^2p/time", ge=0
    )
    hyperviscosity_power: int = option(2, "its power p of −∇²", ge=1, le=15)
    hypoviscosity: float = option(
        0.0, "coefficient μ of the loss μ (−∇²)^−q u at large scales", unit="1/(length^2q time)", ge=0
    )
    hypoviscosity_power: int = option(1, "its power q of the inverse of −∇²", ge=1, le=15)
    drag: float = option(0.0, "coefficient α of the linear drag −α u", unit="1/time", ge=0)

    turnover_rate: ClassVar[Any] = staticmethod(turnover_rate)

    def unit_of(self, option: str) -> str:
        """The unit of an option, with the powers of the losses in it."""
        powers = {"2p": 2 * self.hyperviscosity_power, "2q": 2 * self.hypoviscosity_power}
        unit = super().unit_of(option)
        for word, power in powers.items():
            unit = unit.replace(word, str(power))
        return unit

    def losses(self) -> dict[str, float]:
        return {name: float(getattr(self, name)) for name in Losses.model_fields if name != "model"}

    def dissipations(self, field: str, viscous: str) -> dict[str, str]:
        """The dissipation of ½f² of a field f at the points by each loss, −f·(the term of the loss)."""
        return {
            "viscous": viscous,
            "hyperviscous": f"hyperviscosity*{_square_with('lap', self.hyperviscosity_power, field)}",
            "hypoviscous": f"hypoviscosity*{_square_with('inv_lap', self.hypoviscosity_power, field)}",
            "drag": f"drag*{field}**2" if field == "vorticity" else f"drag*dot({field}, {field})",
        }

    def acting(self) -> list[str]:
        """The losses among `dissipations` that are not zero, viscosity always among them."""
        given = {"hyperviscous": self.hyperviscosity, "hypoviscous": self.hypoviscosity, "drag": self.drag}
        return ["viscous", *(name for name, value in given.items() if value)]

    def quantities(self) -> dict[str, Defined]:
        """The dissipation, loss by loss."""
        parts = self.dissipations("velocity", VISCOUS)
        whole = " + ".join(parts[name] for name in self.acting())
        return {
            "dissipation": Defined(whole, "ε at the point, by all linear losses that act"),
            "viscous_dissipation": Defined(parts["viscous"], "2 ν s_ij s_ij"),
            "hyperviscous_dissipation": Defined(parts["hyperviscous"], "ν_h u·(−∇²)^p u, of either sign"),
            "hypoviscous_dissipation": Defined(parts["hypoviscous"], "μ u·(−∇²)^−q u, of either sign"),
            "drag_dissipation": Defined(parts["drag"], "α u²"),
        }

    def budget(self) -> dict[str, tuple[str, ...]]:
        return {"energy": ("-dissipation", "velocity_force_power")}

    def losses_of(self, field: str) -> dict[str, tuple[str, ...]]:
        """The terms of the losses that act on a field."""
        by_name = {
            "viscous": f"viscosity*lap({field})",
            "hyperviscous": f"-hyperviscosity*({_applied('lap', self.hyperviscosity_power, field)})",
            "hypoviscous": f"-hypoviscosity*({_applied('inv_lap', self.hypoviscosity_power, field)})",
            "drag": f"-drag*{field}",
        }
        return {name: (by_name[name],) for name in self.acting()}

    def exchanges(self) -> dict[str, Exchange]:
        return {"u to u": U_TO_U}

    def balances(self) -> dict[str, Balance]:
        terms = {"advection": (ADVECTION,)} | self.losses_of("velocity")
        terms["forcing"] = ("velocity_force",)
        turning = {"pressure": ("-grad(p)",)}
        return {"energy": Balance(("velocity",), terms, turning, together=ADVECTION_TOGETHER)}

    def moves(self, statistics: Mapping[str, float]) -> bool:
        return statistics["energy"] > 0

    def symbols(self) -> dict[str, float]:
        """The losses that act, as the equations name them; ν = 0 where none does."""
        found = acting(ν=self.viscosity)
        if self.hyperviscosity:
            found |= {"νₕ": self.hyperviscosity, "p": self.hyperviscosity_power}
        if self.hypoviscosity:
            found |= {"μ": self.hypoviscosity, "q": self.hypoviscosity_power}
        return found | acting(α=self.drag) or {"ν": 0.0}


class ViscousFlow(Losses):
    """An incompressible velocity in three dimensions, with rotation and a mean velocity."""

    rotation: Vector = option(
        (0.0, 0.0, 0.0), "angular velocity Ω of the frame; one number: about z", unit="1/time"
    )
    mean_velocity: Vector = option(
        (0.0, 0.0, 0.0), "uniform velocity U that carries the flow; one number: along z", unit="length/time"
    )
    linear: Linear = option("explicit", "how linear terms that limit the step (rotation, waves) are advanced")

    state: ClassVar = {"velocity": VELOCITY}
    outputs: ClassVar = {"velocity": VELOCITY, "vorticity": VORTICITY}
    snapshot: ClassVar[tuple[str, ...]] = ("velocity", "vorticity")
    pressure_sources: ClassVar = STRESS_AND_ROTATION
    columns: ClassVar[tuple[Column, ...]] = FLOW_COLUMNS
    not_columns: ClassVar[tuple[str, ...]] = ("palinstrophy", "energy_per_wavenumber", "maximum_divergence")
    spectra: ClassVar[tuple[Column, ...]] = (ENERGY_SPECTRUM, HELICITY_SPECTRUM)
    waves: ClassVar[tuple[str, ...]] = ("rotation", "mean_velocity")
    progress: ClassVar[Any] = (
        ("E", "energy"),
        ("ε", "dissipation"),
        ("kmax·η", "kmax_eta"),
    )
    picture: ClassVar = Picture(
        (VORTICITY_SLICE, VELOCITY_SLICE),
        (ENERGY_CURVE, DISSIPATION_CURVE),
        (("energy", "E(k)"),),
        slope=KOLMOGOROV,
    )

    def symbols(self) -> dict[str, float]:
        return super().symbols() | acting(Ω=math.hypot(*self.rotation), U=math.hypot(*self.mean_velocity))

    def frequencies(self, k: np.ndarray) -> tuple[np.ndarray, ...]:
        """Inertial waves, ω = U·k ± 2 Ω·k/k (Greenspan, The Theory of Rotating Fluids, 1968, chapter 4)."""
        if not np.any(self.rotation):
            return ()
        wave, advected = 2 * along(self.rotation, k) / length(k), along(self.mean_velocity, k)
        return advected + wave, advected - wave

    def quantities(self) -> dict[str, Defined]:
        """Pressure, dissipation, invariants, helicity and accelerations."""
        named = pressure(self.pressure_sources) | super().quantities() | INVARIANTS
        helicity = Defined("dot(velocity, vorticity)", "u·ω")
        whole = material_acceleration(self.balances())
        return named | {"helicity": helicity} | ACCELERATIONS | whole

    def balances(self) -> dict[str, Balance]:
        """The balance of the energy, with the Coriolis force, which does no work."""
        of_energy = super().balances()["energy"]
        turning = of_energy.turning | ({"coriolis": (CORIOLIS,)} if np.any(self.rotation) else {})
        return {"energy": replace(of_energy, turning=turning)}

    def constants(self) -> dict[str, float]:
        frame = components("rotation", self.rotation) | components("mean_velocity", self.mean_velocity)
        return self.losses() | frame

"""Profiles of stably stratified flow: density, shear, fluxes, dissipation, mixing."""

from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from whorl.config.section import option
from whorl.diagnostics.options.base import Array, ArrayLayout, Axis, Diagnostic
from whorl.diagnostics.options.buoyancy import OF_BOTH, Means, Planes, check_model
from whorl.expressions.questions import Questions

if TYPE_CHECKING:
    from whorl.config.case import Case

MEANS = OF_BOTH | {
    "x": "u.x",
    "y": "u.y",
    "z": "u.z",
    "xx": "u.x**2",
    "yy": "u.y**2",
    "zz": "u.z**2",
    "xz": "u.x*u.z",
    "yz": "u.y*u.z",
    "shear_x": "dz(u.x)",
    "shear_y": "dz(u.y)",
}
SQUARE, RATE = "length²/time²", "length²/time³"


class Stratification(Diagnostic):
    """Profiles of stratified flow: density anomaly, shear, fluxes, dissipation, and numbers of mixing."""

    kind: Literal["stratification"] = option(..., "kind of diagnostic")

    reference: ClassVar[str] = "W. R. Peltier and C. P. Caulfield, Annu. Rev. Fluid Mech. 35, 135 (2003)"

    def ask(self, questions: Questions, case: "Case") -> ArrayLayout:
        check_model(self, case, "boussinesq")
        planes, of_case = Planes(questions, case, MEANS), case.flow.constants()
        nu, kappa, frequency = (of_case[name] for name in ("viscosity", "diffusivity", "buoyancy_frequency"))
        return ArrayLayout(
            (planes.axis, Axis("component", list("xyz"), "component of the velocity")),
            (
                *_means(planes, frequency),
                *_fluxes(planes, nu, kappa, frequency),
                *_mixing(planes, nu, kappa, frequency),
            ),
        )


def _means(planes: Planes, frequency: float) -> tuple[Array, ...]:
    def velocity_variance(of: Means) -> list[np.ndarray]:
        return [np.maximum(of[axis * 2] - of[axis] ** 2, 0.0) for axis in "xyz"]

    def squared_frequency(of: Means) -> np.ndarray:
        return frequency**2 - frequency * of["slope"]

    def squared_shear(of: Means) -> np.ndarray:
        return of["shear_x"] ** 2 + of["shear_y"] ** 2

    by_component = ("component", "z")
    return (
        planes.array("anomaly", "⟨θ⟩", "length/time", lambda of: of["theta"]),
        planes.array(
            "anomaly_variance",
            "⟨θ²⟩ − ⟨θ⟩²",
            SQUARE,
            lambda of: np.maximum(of["square"] - of["theta"] ** 2, 0.0),
        ),
        planes.array(
            "velocity", "⟨u_i⟩", "length/time", lambda of: [of[axis] for axis in "xyz"], by_component
        ),
        planes.array("velocity_variance", "⟨u_i²⟩ − ⟨u_i⟩²", SQUARE, velocity_variance, by_component),
        planes.array(
            "squared_frequency", "N² − N d⟨θ⟩/dz, of the mean density", "1/time²", squared_frequency
        ),
        planes.array("squared_shear", "|d⟨u⟩/dz|²", "1/time²", squared_shear),
        planes.array(
            "richardson",
            "gradient Richardson number, squared_frequency/squared_shear",
            "",
            lambda of: squared_frequency(of) / squared_shear(of),
        ),
    )


def _fluxes(planes: Planes, nu: float, kappa: float, frequency: float) -> tuple[Array, ...]:
    def momentum_flux(of: Means) -> list[np.ndarray]:
        return [of[axis + "z"] - of[axis] * of["z"] for axis in "xyz"]

    return (
        planes.array("momentum_flux", "⟨u_i w⟩ − ⟨u_i⟩⟨w⟩", SQUARE, momentum_flux, ("component", "z")),
        planes.array(
            "buoyancy_flux",
            "N⟨wθ⟩, from kinetic to potential energy",
            RATE,
            lambda of: frequency * of["flux"],
        ),
        planes.array("diffusive_flux", "−κN d⟨θ⟩/dz", RATE, lambda of: -kappa * frequency * of["slope"]),
        planes.array("dissipation", "2ν⟨s_ij s_ij⟩", RATE, lambda of: 2 * nu * of["strain"]),
        planes.array("potential_dissipation", "κ⟨|∇θ|²⟩", RATE, lambda of: kappa * of["gradient"]),
    )


def _mixing(planes: Planes, nu: float, kappa: float, frequency: float) -> tuple[Array, ...]:
    def losses(of: Means) -> tuple[np.ndarray, np.ndarray]:
        return 2 * nu * of["strain"].mean(), kappa * of["gradient"].mean()

    def mixing_efficiency(of: Means) -> np.ndarray:
        kinetic, potential = losses(of)
        return potential / (kinetic + potential)

    def flux_richardson(of: Means) -> np.ndarray:
        flux = frequency * of["flux"].mean()
        return flux / (flux + losses(of)[0])

    def buoyancy_reynolds(of: Means) -> np.ndarray:
        return 2 * of["strain"].mean() / np.float64(frequency) ** 2

    return (
        planes.array("mixing_efficiency", "χ/(ε + χ), of volume means", "", mixing_efficiency, ()),
        planes.array("flux_richardson", "B/(B + ε), of volume means", "", flux_richardson, ()),
        planes.array("buoyancy_reynolds", "ε/(νN²), of volume means", "", buoyancy_reynolds, ()),
    )

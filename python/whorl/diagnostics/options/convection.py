"""Profiles of convection between plates: heat flux, fluctuations, dissipation, boundary layers."""

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from whorl.config.section import option
from whorl.diagnostics.options.base import Array, ArrayLayout, Axis, Diagnostic
from whorl.diagnostics.options.buoyancy import OF_BOTH, Means, Planes, at_lower_wall, check_model, highest
from whorl.expressions.questions import Questions

if TYPE_CHECKING:
    from whorl.config.case import Case

PLATES = ("lower", "upper")
MEANS = OF_BOTH | {
    "horizontal": "u.x**2 + u.y**2",
    "vertical": "u.z**2",
    "carried": "theta**2*u.z",
    "half_slope": "theta*dz(theta)",
    "rising": "u.z",  # zero between plates
}


class Convection(Diagnostic):
    """Profiles of convection: temperature, heat flux (Nusselt number), dissipation, boundary layers."""

    kind: Literal["convection"] = option(..., "kind of diagnostic")

    reference: ClassVar[str] = "G. Ahlers, S. Grossmann and D. Lohse, Rev. Mod. Phys. 81, 503 (2009)"

    def ask(self, questions: Questions, case: "Case") -> ArrayLayout:
        check_model(self, case, "rayleigh-benard")
        planes = Planes(questions, case, MEANS)
        nu, kappa = (case.flow.constants()[name] for name in ("viscosity", "diffusivity"))
        plates = case.grid.bases[0] == "S"
        axes = (planes.axis, *_axes(plates))
        arrays = (*_profiles(planes, nu, kappa), *_numbers(planes, nu, kappa, plates))
        return ArrayLayout(axes, arrays)


def _axes(plates: bool) -> tuple[Axis, ...]:
    relation = Axis("relation", list(_relations(plates)), "what the Nusselt number follows from")
    return (relation, Axis("plate", PLATES, "z = 0 and z = 1")) if plates else (relation,)


def _profiles(planes: Planes, nu: float, kappa: float) -> tuple[Array, ...]:
    z = np.asarray(planes.axis.values)

    def variance(of: Means) -> np.ndarray:
        return np.maximum(of["square"] - of["theta"] ** 2, 0.0)

    def carrying(of: Means) -> np.ndarray:
        return of["flux"] - of["rising"] * of["theta"]

    def variance_flux(of: Means) -> np.ndarray:
        theta = of["theta"]
        carried = of["carried"] / 2 - theta * of["flux"] + theta**2 * of["rising"] / 2
        return carried - kappa * (of["half_slope"] - theta * of["slope"])

    speed, rate = "length/time", "1/time"
    return (
        planes.array("temperature", "⟨T⟩", "", lambda of: of["theta"] + 1 - z),
        planes.array("temperature_variance", "σ_T² = ⟨T²⟩ − ⟨T⟩²", "", variance),
        planes.array("convective_flux", "⟨wθ⟩, that is ⟨wT⟩ between plates", speed, lambda of: of["flux"]),
        planes.array("conductive_flux", "−κ d⟨T⟩/dz", speed, lambda of: kappa * (1 - of["slope"])),
        planes.array("nusselt", "(⟨wθ⟩ − κ d⟨T⟩/dz)/κ", "", lambda of: 1 + of["flux"] / kappa - of["slope"]),
        planes.array("horizontal_variance", "⟨u² + v²⟩", "length²/time²", lambda of: of["horizontal"]),
        planes.array("vertical_variance", "⟨w²⟩", "length²/time²", lambda of: of["vertical"]),
        planes.array("dissipation", "2ν⟨s_ij s_ij⟩", "length²/time³", lambda of: 2 * nu * of["strain"]),
        planes.array(
            "thermal_dissipation",
            "κ⟨|∇T|²⟩",
            rate,
            lambda of: kappa * (of["gradient"] - 2 * of["slope"] + 1),
        ),
        planes.array(
            "variance_production", "−⟨wT'⟩ d⟨T⟩/dz", rate, lambda of: carrying(of) * (1 - of["slope"])
        ),
        planes.array(
            "variance_dissipation",
            "κ⟨|∇T'|²⟩, T' = T − ⟨T⟩",
            rate,
            lambda of: kappa * (of["gradient"] - of["slope"] ** 2),
        ),
        planes.array("variance_flux", "½⟨wT'²⟩ − κ d(½σ_T²)/dz", speed, variance_flux),
    )


def _relations(plates: bool) -> dict[str, Any]:
    """Nusselt numbers that are equal in a steady state: functions of the means, ν and κ."""
    at_plates = {
        "lower plate": lambda of, nu, kappa: 1 - at_lower_wall(of["slope"]),
        "upper plate": lambda of, nu, kappa: 1 - at_lower_wall(of["slope"][::-1]),
    }
    return {
        "flux": lambda of, nu, kappa: 1 + of["flux"].mean() / kappa,
        **(at_plates if plates else {}),
        "thermal dissipation": lambda of, nu, kappa: 1 + of["gradient"].mean() - 2 * of["slope"].mean(),
        "dissipation": lambda of, nu, kappa: 1 + 2 * nu * of["strain"].mean() / kappa,
    }


def _numbers(planes: Planes, nu: float, kappa: float, plates: bool) -> tuple[Array, ...]:
    spacing = 1 / len(planes.axis.values)

    def nusselt_of(of: Means) -> list[float]:
        return [relation(of, nu, kappa) for relation in _relations(plates).values()]

    def slope_thickness(of: Means) -> np.ndarray:
        at_plates = [at_lower_wall(of["slope"]), at_lower_wall(of["slope"][::-1])]
        return 0.5 / np.abs(1 - np.array(at_plates))

    def fluctuation_thickness(of: Means) -> list[float]:
        variance = of["square"] - of["theta"] ** 2
        return [spacing * highest(variance), spacing * highest(variance[::-1])]

    relations = planes.array(
        "nusselt_of",
        "Nu from the mean flux 1 + ⟨wθ⟩/κ, from −d⟨T⟩/dz at the plates, as ⟨|∇T|²⟩ and as 1 + ε/κ",
        "",
        nusselt_of,
        ("relation",),
    )
    if not plates:
        return (relations,)
    return (
        relations,
        planes.array("slope_thickness", "½/|d⟨T⟩/dz| at the plate", "length", slope_thickness, ("plate",)),
        planes.array(
            "fluctuation_thickness",
            "distance from the plate to the largest σ_T of its half",
            "length",
            fluctuation_thickness,
            ("plate",),
        ),
    )

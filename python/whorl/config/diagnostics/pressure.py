"""The ready set of the pressure and the Eulerian acceleration."""

from typing import Any, Literal

from whorl.config.columns import UNITS_OF_CASE
from whorl.config.diagnostics.ready import Contents, Group, Number, ReadySet
from whorl.config.section import option

PRESSURE, FRICTION = "grad(p)", "viscosity*lap(velocity)"
WHOLE = f"({FRICTION} - {PRESSURE})"
SQUARE = f"mean(dot({WHOLE}, {WHOLE}))"


class Pressure(ReadySet):
    """Moments and densities of the pressure and of the acceleration −∇p + ν∇²u, and its parts."""

    kind: Literal["pressure"] = option(..., "kind of diagnostic")
    reference = "Vedula and Yeung, Phys. Fluids 11, 1208 (1999)"

    def contents(self, case: Any) -> Contents:
        if "p" not in case.flow.quantities():
            raise ValueError(f'needs a pressure, which flow.model = "{case.flow.model}" has none of')
        parts = {f"acceleration.{axis}": f"{WHOLE}.{axis}" for axis in "xyz"}
        of_friction, of_epsilon = (
            f"mean(dot({FRICTION}, {FRICTION}))",
            "mean(2*viscosity*sum(strain(velocity)**2))",
        )
        numbers = (
            Number(
                "pressure_to_velocity",
                "std(p)/(mean(dot(velocity, velocity))/3)",
                "⟨p²⟩^½/u'², u'² = ⟨u²⟩/3",
            ),
            Number(
                "pressure_gradient", f"mean(dot({PRESSURE}, {PRESSURE}))", "⟨|∇p|²⟩", f"({UNITS_OF_CASE})²"
            ),
            Number("friction", of_friction, "⟨|ν∇²u|²⟩", f"({UNITS_OF_CASE})²"),
            Number("acceleration_square", SQUARE, "⟨|−∇p + ν∇²u|²⟩", f"({UNITS_OF_CASE})²"),
        )
        a0 = Number(
            "a0",
            f"{SQUARE}/(3*{of_epsilon}**1.5*viscosity**-0.5)",
            "a₀ = ⟨a_i a_i⟩/(3 ε^{3/2} ν^{−1/2}), a = −∇p + ν∇²u, ε = 2ν⟨s_ij s_ij⟩",
        )
        acts = case.flow.parameters()["viscosity"] > 0
        return Contents((Group({"p": "p"} | parts),), (*numbers, *((a0,) if acts else ())))

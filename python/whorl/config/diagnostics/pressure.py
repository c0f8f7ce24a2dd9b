"""The ready set of the pressure and the Eulerian acceleration."""

from typing import Any, Literal

from whorl.config.columns import UNITS_OF_CASE
from whorl.config.diagnostics.ready import Contents, Group, Number, ReadySet
from whorl.config.forces_named import refusals
from whorl.config.section import option

PRESSURE, FRICTION = "grad(p)", "viscosity*lap(velocity)"
WHOLE = f"({FRICTION} - {PRESSURE})"
PER_TIME = f"({UNITS_OF_CASE})²"


def _square(vector: str) -> str:
    return f"mean(dot({vector}, {vector}))"


class Pressure(ReadySet):
    """Moments and densities of the pressure and of the acceleration −∇p + ν∇²u, and its parts.

    The acceleration is without the force of [[forcing]], whose mean square is beside that of the others.
    """

    kind: Literal["pressure"] = option(..., "kind of diagnostic")
    reference = "Vedula and Yeung, Phys. Fluids 11, 1208 (1999)"

    def contents(self, case: Any) -> Contents:
        flow = case.flow
        if "p" not in flow.quantities():
            raise ValueError(
                flow.unknown().get("p", f'needs a pressure, which flow.model = "{flow.model}" has none of')
            )
        axes = "xy" if flow.must_be_flat else "xyz"
        count = len(axes)
        parts = {f"acceleration.{axis}": f"{WHOLE}.{axis}" for axis in axes}
        of_epsilon = "mean(2*viscosity*sum(strain(velocity)**2))"
        numbers = [
            Number(
                "pressure_to_velocity",
                f"std(p)/(mean(dot(velocity, velocity))/{count})",
                f"⟨p²⟩^½/u'², u'² = ⟨u²⟩/{count}",
            ),
            Number("pressure_gradient", _square(PRESSURE), "⟨|∇p|²⟩", PER_TIME),
            Number("friction", _square(FRICTION), "⟨|ν∇²u|²⟩", PER_TIME),
            Number("acceleration_square", _square(WHOLE), "⟨|−∇p + ν∇²u|²⟩", PER_TIME),
        ]
        if flow.parameters()["viscosity"] > 0:
            numbers.append(
                Number(
                    "a0",
                    f"{_square(WHOLE)}/({count}*{of_epsilon}**1.5*viscosity**-0.5)",
                    f"a₀ = ⟨a_i a_i⟩/({count} ε^{{3/2}} ν^{{−1/2}}), a = −∇p + ν∇²u, ε = 2ν⟨s_ij s_ij⟩",
                )
            )
        if any(force.field == "velocity" for force in case.forcing) and "velocity_force" not in refusals(
            case
        ):
            numbers.append(
                Number("force_square", _square("velocity_force"), "⟨|f|²⟩ of [[forcing]], not in a", PER_TIME)
            )
        return Contents((Group({"p": "p"} | parts),), tuple(numbers))

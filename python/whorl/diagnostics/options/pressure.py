"""The ready set of the pressure and the acceleration of fluid elements."""

from typing import TYPE_CHECKING, Literal

from whorl.config.section import option
from whorl.diagnostics.options.ready import Group, Number, ReadySet, SetContents
from whorl.forcing.names import refusals
from whorl.models.viscous import VISCOUS

if TYPE_CHECKING:
    from whorl.config.case import Case

PRESSURE, FRICTION = "grad(p)", "viscosity*lap(velocity)"
WHOLE = f"({FRICTION} - {PRESSURE})"
FORCE = "velocity_force"
FORCED = f"({FRICTION} - {PRESSURE} + {FORCE})"


def _square(vector: str) -> str:
    return f"mean(dot({vector}, {vector}))"


OF_FORCE = (
    Number("force_square", _square(FORCE), "⟨|f|²⟩ of [[forcing]], not in a"),
    Number(
        "force_friction",
        f"2*mean(dot({FORCE}, {FRICTION}))",
        "2⟨f·ν∇²u⟩, so that ⟨|a + f|²⟩ = ⟨|a|²⟩ + ⟨|f|²⟩ + 2⟨f·ν∇²u⟩",
    ),
    Number("forced_acceleration_square", _square(FORCED), "⟨|−∇p + ν∇²u + f|²⟩"),
)


class Pressure(ReadySet):
    """Moments and densities of the pressure and of the unforced acceleration −∇p + ν∇²u, and its parts.

    The force f of [[forcing]] is left out; where it is known, further numbers include it.
    """

    kind: Literal["pressure"] = option(..., "kind of diagnostic")
    reference = "Vedula and Yeung, Phys. Fluids 11, 1208 (1999)"

    def contents(self, case: "Case") -> SetContents:
        flow = case.flow
        if "p" not in flow.quantities():
            raise ValueError(
                flow.unknown().get("p", f'needs a pressure, which flow.model = "{flow.model}" does not have')
            )
        axes = "xy" if flow.must_be_flat else "xyz"
        count = len(axes)
        parts = {f"unforced_acceleration.{axis}": f"{WHOLE}.{axis}" for axis in axes}
        of_epsilon = f"mean({VISCOUS})"
        numbers = [
            Number(
                "pressure_to_velocity",
                f"std(p)/(mean(dot(velocity, velocity))/{count})",
                f"⟨p²⟩^½/u'², u'² = ⟨u²⟩/{count}",
            ),
            Number("pressure_gradient", _square(PRESSURE), "⟨|∇p|²⟩"),
            Number("friction", _square(FRICTION), "⟨|ν∇²u|²⟩"),
            Number("unforced_acceleration_square", _square(WHOLE), "⟨|−∇p + ν∇²u|²⟩"),
        ]
        scaled = f"({count}*{of_epsilon}**1.5*viscosity**-0.5)"
        meaning = f"⟨a_i a_i⟩/({count} ε^{{3/2}} ν^{{−1/2}})"
        forced = _is_forced(case)
        if flow.constants()["viscosity"] > 0:
            of_a = f"a₀ = {meaning}, a = −∇p + ν∇²u, ε = 2ν⟨s_ij s_ij⟩"
            numbers.append(Number("a0", f"{_square(WHOLE)}/{scaled}", of_a))
            with_force = f"a₀ with the force: {meaning}, a = −∇p + ν∇²u + f"
            if forced:
                numbers.append(Number("a0_forced", f"{_square(FORCED)}/{scaled}", with_force))
        numbers += OF_FORCE if forced else ()
        return SetContents((Group({"p": "p"} | parts),), tuple(numbers))


def _is_forced(case: "Case") -> bool:
    """Whether a force acts on the velocity, or on a field that it follows from, and is known."""
    fields = {"velocity", *case.flow.forced_by.get("velocity", ())[:1]}
    return FORCE not in refusals(case) and any(force.field in fields for force in case.forcing)

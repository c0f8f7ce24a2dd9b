"""The ready set of the current and the Elsasser fields."""

from typing import TYPE_CHECKING, Literal

from whorl.config.section import option
from whorl.diagnostics.options.ready import Group, Number, ReadySet, SetContents

if TYPE_CHECKING:
    from whorl.config.case import Case

FIELDS = {"j": "current", "z+": "(velocity + magnetic)", "z-": "(velocity - magnetic)"}
PAIRS = {
    "u, b": ("velocity", "magnetic"),
    "j, b": ("current", "magnetic"),
    "u, omega": ("velocity", "vorticity"),
}


class Current(ReadySet):
    """Moments and densities of the current and of u ± b, and of the cosines of angles between fields."""

    kind: Literal["current"] = option(..., "kind of diagnostic")
    reference = "Biskamp, Magnetohydrodynamic Turbulence (2003)"

    def contents(self, case: "Case") -> SetContents:
        if "magnetic" not in case.flow.state:
            raise ValueError(f'needs a magnetic field, which flow.model = "{case.flow.model}" does not have')
        parts = {f"{name}.{axis}": f"{of}.{axis}" for name, of in FIELDS.items() for axis in "xyz"}
        cosines = {f"cos({name})": f"dot({a}, {b})/(norm({a})*norm({b}))" for name, (a, b) in PAIRS.items()}
        aligned = "2*mean(dot(velocity, magnetic))/mean(dot(velocity, velocity) + dot(magnetic, magnetic))"
        return SetContents(
            (Group(parts), Group(cosines, "absolute", "angle_")),
            (Number("alignment", aligned, "2⟨u·b⟩/⟨u² + b²⟩"),),
        )

"""The ready set of the dissipation and the enstrophy."""

from typing import TYPE_CHECKING, Literal

from whorl.config.measures import quantities
from whorl.config.section import option
from whorl.diagnostics.options.ready import Group, ReadySet, SetContents, require_velocity
from whorl.models.viscous import VISCOUS

if TYPE_CHECKING:
    from whorl.config.case import Case

ENSTROPHY = "dot(curl(velocity), curl(velocity))"
POSITIVE = ("potential_dissipation", "thermal_dissipation", "ohmic_dissipation")


class Dissipation(ReadySet):
    """Moments, densities and the joint density of dissipation and enstrophy, and other dissipations."""

    kind: Literal["dissipation"] = option(..., "kind of diagnostic")
    reference = "Donzis, Yeung and Sreenivasan, Phys. Fluids 20, 045108 (2008)"

    def contents(self, case: "Case") -> SetContents:
        require_velocity(case)
        known = quantities(case)
        of_scalars = [f"{scalar.name}_dissipation" for scalar in case.scalars]
        others = {name: known[name].text for name in (*POSITIVE, *of_scalars) if name in known}
        acts = case.flow.constants()["viscosity"] > 0
        of_flow = ({"dissipation": VISCOUS} if acts else {}) | {"enstrophy": ENSTROPHY}
        joint = (VISCOUS, ENSTROPHY) if acts else None
        return SetContents((Group(of_flow | others, "log", ratios=True),), joint=joint)

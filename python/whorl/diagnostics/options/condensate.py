"""The ready set of a superfluid."""

from typing import TYPE_CHECKING, Literal

from whorl.config.section import option
from whorl.diagnostics.options.ready import Group, Number, ReadySet, SetContents

if TYPE_CHECKING:
    from whorl.config.case import Case


class Condensate(ReadySet):
    """Moments and densities of the density, the speed and the parts of the energy of a superfluid."""

    kind: Literal["condensate"] = option(..., "kind of diagnostic")
    reference = "Nore, Abid and Brachet, Phys. Fluids 9, 2644 (1997)"

    def contents(self, case: "Case") -> SetContents:
        if "psi" not in case.flow.state:
            raise ValueError(f'needs a wavefunction, which flow.model = "{case.flow.model}" does not have')
        known = case.flow.quantities()
        energies = ("kinetic_energy", "quantum_energy", "interaction_energy")
        texts = {"rho": known["rho"].text, "speed": f"norm({known['superfluid_velocity'].text})"}
        texts |= {name: known[name].text for name in energies}
        share = Number(
            "depleted",
            "mean(abs(psi)**2 < 0.1*density)",
            "part of the volume with ρ < ρ0/10, near vortex lines",
        )
        volume = "Lx*Ly*Lz" if case.grid.points[2] > 1 else "Lx*Ly"
        of_lines = Number(
            "line_length",
            f"mean(line_density)*{volume}",
            "length of all vortex lines, by line_density; of a plane flow the number of vortices",
        )
        return SetContents((Group(texts, "log"),), (share, of_lines))

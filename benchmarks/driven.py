"""Find the error of the steady state of a driven mode against its decay in a step, for every time scheme.

    .venv/bin/python benchmarks/driven.py

The steady inviscid flow (sin y, 0, 0) carries a scalar along a mean gradient G = 1, so that its mode k = 1
obeys dθ/dt = -G sin y - κ θ, and in the end θ = -(G/κ) sin y. Each run makes steps of z = κ dt until the mode
no longer changes; the error is relative. The table is written into docs/method.md.
"""

import numpy as np
from shared import ROOT, console, table, write_page
from whorl.config.case import Case
from whorl.config.schemes import SCHEMES
from whorl.run.simulation import Simulation

DECAYS = (8.0, 4.0, 1.0, 0.4, 0.1)  # z = κ k² dt
DIFFUSIVITY = 400.0


def error_of(scheme: str, z: float) -> float:
    """The relative error of the steady state."""
    case = Case(
        grid={"points": [4, 8, 4]},
        flow={"viscosity": 0.0},
        time={"scheme": scheme, "dt": z / DIFFUSIVITY, "steps": 10**6},
        scalars=[{"name": "dye", "diffusivity": DIFFUSIVITY, "gradient": [1.0, 0.0, 0.0]}],
    )
    simulation = Simulation(case, lambda x, y, z: (np.sin(y) + 0 * (x + z), 0.0, 0.0))
    for _ in range(int(40 / z) + 20):
        simulation.step()
    y = simulation.coordinates[1]
    dye = simulation.field("dye")[0, 0, :, 0]
    return float(np.abs(DIFFUSIVITY * dye + np.sin(y)).max())


def shown(error: float) -> str:
    return "rounding" if error < 1e-11 else f"{error:.1g}"


def main() -> None:
    rows = [(f"`{scheme}`", *(shown(error_of(scheme, z)) for z in DECAYS)) for scheme in SCHEMES]
    text = table(("scheme", *(f"z = {z:g}" for z in DECAYS)), rows)
    console.print(text, markup=False)
    write_page("driven", text, ROOT / "docs" / "method.md")


if __name__ == "__main__":
    main()

"""Steady two-dimensional rolls between free-slip plates against an independent Newton–Galerkin solution.

    .venv/bin/python validation/rayleigh_benard.py           Ra from 1000 to 10⁵; a quarter of an hour
    .venv/bin/python validation/rayleigh_benard.py 1e5       one of the Rayleigh numbers

The flow has Pr = 1 and one pair of rolls in the length 2√2, and begins from a perturbation without noise. It
runs for five diffusive times or until its energy is constant. After 200 more, shorter steps the heat flux of
every plane is compared. The script prints the table of errors and exits with 1 if an error is too large.
Without an argument it writes validation/results/rayleigh-benard.json and the table in
docs/models/rayleigh-benard.md.
"""

import math
from typing import Annotated

import numpy as np
import typer
import xarray as xr
from comparison import ROOT, Error, show, write_page_table, write_result
from whorl import Case, Simulation

app = typer.Typer(add_completion=False, help=__doc__, rich_markup_mode=None, pretty_exceptions_enable=False)

LENGTH = 2 * math.sqrt(2)
LIMIT = 1e-6
# By Ra: Nu, U = √⟨u²⟩ in units of κ/d, points along x and z, and the step in units of free fall. Nu and U are
# those of Newton–Galerkin solutions with 24 to 64 modes along each axis. Their Nu at the plates and in the
# bulk agree to 2e-8.
STEADY = {
    1000.0: (1.7385935, 7.062242, (32, 20), 0.08),
    2 * 27 * math.pi**4 / 4: (2.1414898, 10.062962, (32, 20), 0.08),
    2000.0: (2.6964746, 15.098010, (32, 24), 0.07),
    5000.0: (3.9242960, 30.942707, (48, 32), 0.06),
    1e4: (5.0870245, 50.857326, (64, 40), 0.04),
    2e4: (6.5590375, 82.271195, (96, 56), 0.03),
    5e4: (9.1049548, 153.282828, (112, 64), 0.025),
    1e5: (11.6185367, 244.060910, (180, 112), 0.016),
}


def case_of(rayleigh: float) -> Case:
    *_, (nx, nz), dt = STEADY[rayleigh]
    return Case(
        grid={"points": [nx, 1, nz], "lengths": [LENGTH, 1.0, 1.0], "bases": "SFF"},
        flow={"model": "rayleigh-benard", "rayleigh": rayleigh, "prandtl": 1.0},
        time={"scheme": "rk4", "dt": dt, "until": 5 * math.sqrt(rayleigh)},
    )


def roll(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """One pair of rolls, and the mean profile they make."""
    return 0.1 * np.cos(2 * math.pi * x / LENGTH) * np.sin(math.pi * z) - 0.05 * np.sin(2 * math.pi * z)


def settle(rayleigh: float) -> Simulation:
    """The flow once its energy changes by less than 1e-10 in a quarter of a time d²/κ."""
    simulation = Simulation(case_of(rayleigh), {"temperature": roll})
    before, now = 0.0, 1.0
    while not simulation.finished and abs(now - before) > 1e-10 * now:
        until = simulation.time + 0.25 * math.sqrt(rayleigh)
        while not simulation.finished and simulation.time < until:
            simulation.step()
        before, now = now, simulation.statistics()["energy"]
    return simulation


def numbers(simulation: Simulation, rayleigh: float) -> dict[str, float]:
    """The derived numbers of the series, and U."""
    sums = simulation.statistics()
    return simulation.case.flow.derived(sums, 1.0) | {"speed": math.sqrt(2 * sums["energy"] * rayleigh)}


def profiles(simulation: Simulation) -> xr.Dataset:
    """The diagnostic `convection` after 200 steps of dt/5, since small scales at rest depend on the step."""
    dt = simulation.case.time.dt / 5
    case = simulation.case.updated(time={"dt": dt, "until": 200 * dt})
    finer = Simulation(case, {name: simulation.field(name) for name in ("velocity", "temperature")})
    finer.run(progress=False)
    return finer.diagnose("convection")


def compare(rayleigh: float) -> list[Error]:
    nusselt, speed, *_ = STEADY[rayleigh]
    simulation = settle(rayleigh)
    found, of_planes = numbers(simulation, rayleigh), profiles(simulation)
    columns = ("nusselt_volume", "nusselt_plates", "nusselt_dissipation")
    worst = max(abs(found[column] / nusselt - 1) for column in columns)
    own = f"Ra = {rayleigh:.6g}: Nu = {found['nusselt_volume']:.7f} against {nusselt:.7f}"
    return [
        Error(f"{own}, worst of three, relative", worst, LIMIT),
        Error(f"Ra = {rayleigh:.6g}: U = {found['speed']:.6f} against {speed:.6f}, relative",
              abs(found["speed"] / speed - 1), LIMIT),
        Error(f"Ra = {rayleigh:.6g}: Nu of every plane, worst of {of_planes.sizes['z']}, relative",
              float(abs(of_planes["nusselt"] / nusselt - 1).max()), LIMIT),
        Error(f"Ra = {rayleigh:.6g}: thickness {float(of_planes['slope_thickness'][0]):.7f} of the boundary "
              f"layers against 1/(2 Nu) = {0.5 / nusselt:.7f}, relative",
              float(abs(of_planes["slope_thickness"] * 2 * nusselt - 1).max()), LIMIT),
    ]  # fmt: skip


@app.command()
def main(
    rayleigh: Annotated[float | None, typer.Argument(help="One of the Rayleigh numbers.")] = None,
) -> None:
    known = [one for one in STEADY if rayleigh is not None and math.isclose(one, rayleigh, rel_tol=1e-6)]
    if rayleigh is not None and not known:
        raise typer.BadParameter(f"{rayleigh:g} is none of {', '.join(f'{one:.8g}' for one in STEADY)}")
    chosen = known or list(STEADY)
    title = "Steady rolls between free-slip plates, Pr = 1, L = 2√2"
    errors = [error for one in chosen for error in compare(one)]
    show(title, errors)
    if rayleigh is None:
        cases = {f"{one:.8g}": case_of(one).to_dict() for one in chosen}
        write_result("rayleigh-benard", title, errors, {"cases": cases})
        write_page_table("rayleigh-benard", errors, ROOT / "docs" / "models" / "rayleigh-benard.md")
    if any(error.verdict == "FAILED" for error in errors):
        raise SystemExit(1)


if __name__ == "__main__":
    app()

"""The Taylor–Green vortex in a rotating frame and in a stratified fluid against an independent code.

    .venv/bin/python validation/taylor_green_waves.py rotating      Ω = 1 about z; a minute
    .venv/bin/python validation/taylor_green_waves.py stratified    N = 2

It prints the table of errors and writes validation/results/NAME.json and the table on the model's page. It
exits with 1 if an error is too large.
"""

from dataclasses import dataclass
from typing import Annotated, Any

import typer
from comparison import ROOT, Error, show, write_page_table, write_result
from whorl import Case, Simulation

app = typer.Typer(add_completion=False, help=__doc__, rich_markup_mode=None, pretty_exceptions_enable=False)


@dataclass(frozen=True)
class Validation:
    """A flow, its page, and each quantity's values at TIMES with the limit of its relative error."""

    title: str
    page: str
    flow: dict[str, Any]
    reference: dict[str, tuple[tuple[float, ...], float]]

    def case(self) -> Case:
        return Case(
            grid={"points": 64},
            flow={"viscosity": 0.01, **self.flow},
            time={"scheme": "rk4", "dt": 0.02, "until": TIMES[-1]},
            initial={"name": "taylor-green"},
        )


TIMES = (1.0, 2.0, 3.0, 5.0)
# An independent RK4 code with 64³ points, θ = 0 at first, ν = κ = 0.01. Its own error: 1e-6 of E, 1e-5 of Z
# (rotating), 1e-5 of E (stratified), 1e-4 of ½⟨θ²⟩ at t = 5.
VALIDATIONS = {
    "rotating": Validation(
        "Taylor–Green, Ω = 1 about z, Re = 100, 64³",
        "navier-stokes",
        {"model": "navier-stokes", "rotation": 1.0},
        {
            "E": ((0.117425048, 0.109070851, 0.100552015, 0.086543949), 2e-6),
            "Z": ((0.396778214, 0.431856143, 0.403952985, 0.312084973), 2e-5),
            "½⟨w²⟩": ((0.058894076, 0.038927037, 0.003141409, 0.025079626), 1e-5),
        },
    ),
    "stratified": Validation(
        "Taylor–Green, N = 2, Pr = 1, Re = 100, 64³",
        "boussinesq",
        {"model": "boussinesq", "buoyancy_frequency": 2.0},
        {
            "E": ((0.115225042, 0.101149392, 0.097912942, 0.086215505), 1e-5),
            "Z": ((0.363063438, 0.318082291, 0.326911210, 0.285714199), 1e-4),
            "½⟨θ²⟩": ((0.002278738, 0.008479215, 0.003940072, 0.002083962), 1e-4),
            "⟨w θ⟩": ((0.003658068, 0.000922883, -0.001985309, 0.001617294), 1e-4),
        },
    ),
}


def measured(simulation: Simulation) -> dict[str, float]:
    now = simulation.statistics()
    values = {"E": now["energy"], "Z": now["enstrophy"]}
    values["½⟨w²⟩"] = float((simulation.velocity()[2] ** 2).mean() / 2)
    if simulation.case.flow.model == "boussinesq":
        values["½⟨θ²⟩"] = now["potential_energy"]
        values["⟨w θ⟩"] = now["buoyancy_flux"] / simulation.case.flow.buoyancy_frequency
    return values


def compare(validation: Validation) -> list[Error]:
    """The largest relative error of each quantity over TIMES."""
    largest = dict.fromkeys(validation.reference, 0.0)
    simulation = Simulation(validation.case())
    for index, time in enumerate(TIMES):
        while simulation.time < time - 1e-9:
            simulation.step()
        now = measured(simulation)
        for name, (values, _) in validation.reference.items():
            largest[name] = max(largest[name], abs(now[name] / values[index] - 1))
    return [
        Error(f"largest relative error of {name} at t = 1, 2, 3, 5", largest[name], limit)
        for name, (_, limit) in validation.reference.items()
    ]


@app.command()
def main(name: Annotated[str, typer.Argument(help=f"One of {', '.join(VALIDATIONS)}.")]) -> None:
    if name not in VALIDATIONS:
        raise typer.BadParameter(f"{name} is none of {', '.join(VALIDATIONS)}")
    validation = VALIDATIONS[name]
    errors = compare(validation)
    show(validation.title, errors)
    write_result(f"{name}-taylor-green", validation.title, errors, {"case": validation.case().to_dict()})
    page = ROOT / "docs" / "models" / f"{validation.page}.md"
    write_page_table(f"{name}-taylor-green", errors, page)
    if any(error.verdict == "FAILED" for error in errors):
        raise SystemExit(1)


if __name__ == "__main__":
    app()

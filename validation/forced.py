"""Stationary turbulence: designed, at constant power, by linear forcing, and the inverse cascade.

    .venv/bin/python validation/forced.py run designed-64      run or continue it, and compare
    .venv/bin/python validation/forced.py compare power-128    compare a finished run
    .venv/bin/python validation/forced.py list                 list the runs and their progress

Runs are kept in runs/validation/ and go on from their last checkpoint, so a long one may need several starts.
A comparison prints its table and writes validation/results/NAME.json, docs/figures/validation-NAME.png and
the table in docs/validation.md. It exits with 1 if an error is too large.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import typer
from comparison import OWN, REFERENCE, Error, picture, show, write_page_table, write_result
from forced_judges import (
    COMPONENTS,
    is_inverse_cascade,
    is_linear,
    is_of_power,
    jhtdb,
    mean,
    meets_design,
    resembles_jhtdb,
    scaled,
)
from kept_runs import commands, opened, output_in, start
from whorl import Case, Simulation, open_run
from whorl.base.parallel import world

TWO_ROOT_TWO = 2 * math.sqrt(2)


@dataclass(frozen=True)
class Validation:
    """A case, the turnovers that are averaged, and the judge of the averages."""

    title: str
    case: dict[str, Any]
    judge: Callable[[Any, Any], list[Error]]
    skipped: float  # turnovers before the averages
    averaged: float
    components: bool = True  # whether the energies of the components are written

    def complete_case(self, directory: Path) -> Case:
        until = {"until": f"{self.skipped + self.averaged:g} turnovers"}
        time = {"scheme": "rk2", "courant": 0.6} | self.case.get("time", {})
        return Case(
            **self.case
            | {"time": until | time, "output": output_in(directory, "50 steps") | self.case.get("output", {})}
        )


def box(points: int) -> dict[str, Any]:
    return {"points": points, "dealias": "phase-shift"}


def designed(points: int, kmax_eta: float, precision: str = "double", **more: Any) -> dict[str, Any]:
    """A case with the stochastic force of K_F = 2√2 that is designed for k_max η, with ε = 1."""
    target = {"kmax_eta": kmax_eta, "dissipation": 1.0}
    return {
        "grid": box(points),
        "flow": {"model": "navier-stokes"},
        "initial": {"name": "random", "k0": 2.0, "energy": 2.0},
        "forcing": [{"kind": "stochastic", "k_max": TWO_ROOT_TWO, "target": target}],
        "run": {"precision": precision},
    } | more


def of_power(points: int, viscosity: float) -> dict[str, Any]:
    return {
        "grid": box(points),
        "flow": {"viscosity": viscosity},
        "initial": {"name": "random", "k0": 2.0, "energy": 2.0},
        "forcing": [{"kind": "constant-power", "power": 1.0, "k_max": 2.5}],
    }


def linear(points: int, viscosity: float) -> dict[str, Any]:
    return {
        "grid": box(points),
        "flow": {"viscosity": viscosity},
        "initial": {"name": "random", "k0": 2.0, "energy": 1.0},
        "forcing": [{"kind": "linear", "rate": 0.2}],
    }


RING = {
    "grid": {"points": [512, 512, 1]},
    "flow": {
        "model": "navier-stokes-2d",
        "viscosity": 0.0,
        "hyperviscosity": 1e-16,
        "hyperviscosity_power": 4,
        "hypoviscosity": 20.0,
        "hypoviscosity_power": 1,
    },
    "time": {"scheme": "rk3", "courant": 0.5},
    "initial": {"name": "zero"},
    "forcing": [
        {
            "kind": "stochastic",
            "k_min": 98.0,
            "k_max": 102.0,
            "power": 1.0,
            "correlation_time": 0.0,
        }
    ],
}
VALIDATIONS = {
    "designed-64": Validation("Designed for k_max η = 1.5 at 64³", designed(64, 1.5), meets_design, 5, 60),
    "designed-128": Validation("Designed for k_max η = 1.5 at 128³", designed(128, 1.5), meets_design, 5, 60),
    "designed-128-coarse": Validation(
        "Designed for k_max η = 1 at 128³", designed(128, 1.0), meets_design, 5, 20
    ),
    "power-64": Validation("Constant power at 64³", of_power(64, 0.018), is_of_power, 5, 80),
    "power-128": Validation("Constant power at 128³", of_power(128, 0.0072), is_of_power, 5, 20),
    "linear-32": Validation("Linear forcing at 32³", linear(32, 0.03), is_linear, 10, 900),
    "linear-64": Validation("Linear forcing at 64³", linear(64, 0.01), is_linear, 10, 200),
    "linear-128": Validation("Linear forcing at 128³", linear(128, 0.004), is_linear, 10, 60),
    "designed-256": Validation(
        "Designed for k_max η = 1.5 at 256³", designed(256, 1.5, "single"), resembles_jhtdb, 3, 10
    ),
    "inverse-512": Validation(
        "Inverse cascade of two-dimensional turbulence, 512²", RING, is_inverse_cascade, 60, 90, False
    ),
}


def simulate(validation: Validation, directory: Path) -> bool:
    """Run the case, or go on with it, and return whether the end is reached. Collective."""
    case = validation.complete_case(directory)
    simulation = opened(directory, case.time.until, lambda: Simulation(case, overwrite=True))
    if simulation is None:
        return True
    if validation.components:
        note_components(simulation, directory / COMPONENTS)
    return simulation.run()


def note_components(simulation: Simulation, path: Path) -> None:
    """Write the mean square of each component every 20 steps.

    A run that goes on from a checkpoint first removes the rows of later times.
    """
    if world().rank == 0 and path.is_file():
        table = np.loadtxt(path, delimiter=",", ndmin=2)
        np.savetxt(path, table[table[:, 0] <= simulation.time], delimiter=",")

    @simulation.every("20 steps")
    def note(flow: Simulation) -> None:
        modes = flow.modes("velocity")
        weight = np.where(modes["kx"].values > 0, 2.0, 1.0)[:, None, None]
        squares = np.array([(weight * np.abs(one).astype(float) ** 2).sum() for one in modes.values])
        total = flow.comm.allreduce(squares)
        if flow.comm.rank == 0:
            with path.open("a") as file:
                file.write(",".join(map(repr, map(float, (flow.time, *total)))) + "\n")


def judge(name: str, validation: Validation, directory: Path) -> None:
    results = open_run(directory)
    turnovers = results.series["turnovers"].values
    if turnovers[-1] < validation.skipped + validation.averaged:
        raise SystemExit(f"the run in {directory} is not finished; go on with: forced.py run {name}")
    start = float(results.series["time"].values[np.searchsorted(turnovers, validation.skipped)])
    averages = results.average(start=start)
    errors = validation.judge(results, averages)
    case = results.case.to_dict()
    case["output"].pop("directory")
    numbers = {key: one.mean for key, one in averages.means.items() if math.isfinite(one.mean)}
    run = {"case": case, "averages": numbers, "verdict": averages.verdict}
    show(validation.title, errors)
    typer.echo(averages.verdict)
    write_result(name, validation.title, errors, run)
    draw(name, validation.title, results, averages)
    write_page_table(name, errors)
    if any(error.verdict == "FAILED" for error in errors):
        raise SystemExit(1)


def draw(name: str, title: str, results: Any, averages: Any) -> None:
    """Draw docs/figures/validation-NAME.png: energy, dissipation and the compensated mean spectrum."""
    series, viscosity = results.series, results.case.flow.viscosity
    with picture(name, title) as figure:
        energy, dissipation, spectrum = figure.subplots(1, 3)
        for ax, column, label in (
            (energy, "energy", "Kinetic energy  ½⟨u²⟩"),
            (dissipation, "dissipation", "Dissipation  ε"),
        ):
            ax.plot(series["time"], series[column], color=OWN, linewidth=1.2)
            average, error = mean(averages, column)
            ax.axvspan(averages.start, averages.end, color=OWN, alpha=0.08)
            ax.hlines(average, averages.start, averages.end, color=REFERENCE, linewidth=1)
            ax.fill_between(
                [averages.start, averages.end], average - error, average + error, color=REFERENCE, alpha=0.2
            )
            ax.set(title=label, xlabel="t")
            ax.set_ylim(0, 1.08 * float(series[column].max()))
        k, of_shell = averages.spectra["k"].values, averages.spectra["energy"].values
        if viscosity > 0:
            spectrum.loglog(*jhtdb(), color=REFERENCE, linewidth=1, label="JHTDB, R_λ = 418")
            own = scaled(k, of_shell, averages["dissipation"].mean, viscosity)
            label = f"whorl, R_λ = {averages['R_lambda'].mean:.0f}"
            spectrum.loglog(*own, color=OWN, linewidth=2, label=label)
            spectrum.set(
                title="Compensated spectrum  E(k) ε$^{-2/3}$ k$^{5/3}$", xlabel="kη", ylim=(1e-3, 10)
            )
        else:
            some = of_shell > 0
            spectrum.loglog(
                k[some], of_shell[some] * k[some] ** (5 / 3), color=OWN, linewidth=2, label="whorl"
            )
            spectrum.set(title="Compensated spectrum  E(k) k$^{5/3}$", xlabel="k")
        spectrum.legend(frameon=False, loc="lower left")


def reached(validation: Validation, series: Any) -> str:
    whole = validation.skipped + validation.averaged
    return f"{float(series['turnovers'][-1]):.1f} of {whole:g} turnovers"


app = commands(__doc__, VALIDATIONS, simulate, judge, reached)


if __name__ == "__main__":
    start(app)

"""Transfers and fluxes of turbulence against published results.

    .venv/bin/python validation/transfers.py run transfers-192      run or continue it, and compare
    .venv/bin/python validation/transfers.py compare transfers-192  compare a finished run
    .venv/bin/python validation/transfers.py list                   list the runs and their progress

Runs are kept in runs/validation/ and go on from their last checkpoint, so a long one may need several starts.
A comparison prints its table and writes validation/results/NAME.json, docs/figures/validation-NAME.png and
the table in docs/validation.md. It exits with 1 if an error is too large.
"""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import transfers_judges as judges
import transfers_measures as measures
import transfers_pictures as pictures
import typer
from comparison import Error, show, write_page_table, write_result
from kept_runs import commands, opened, output_in, start
from matplotlib.figure import Figure
from whorl import Case, Simulation, open_run

Measured = dict[str, Any]


@dataclass(frozen=True)
class Coarse:
    """A run on fewer points, from whose end another one begins."""

    points: int
    viscosity: float
    until: str


@dataclass(frozen=True)
class Validation:
    """A case, the window of its clock that is averaged, and the functions that judge and draw the means."""

    title: str
    case: dict[str, Any]
    measured: Sequence[Measured]
    every: str | float
    window: tuple[float, float]
    judge: Callable[[measures.Window], list[Error]]
    draw: Callable[[Figure, measures.Window], None]
    clock: str = "turnovers"  # or "time"
    coarse: Coarse | None = None

    @property
    def until(self) -> str | float:
        return f"{self.window[1]:g} turnovers" if self.clock == "turnovers" else self.window[1]

    def diagnostics(self) -> list[Measured]:
        return [one | {"every": self.every} for one in self.measured]

    def complete_case(self, directory: Path) -> Case:
        time = {"scheme": "rk2", "courant": 0.6, "until": self.until} | self.case.get("time", {})
        return Case(
            **self.case
            | {"time": time, "output": output_in(directory, "50 steps"), "diagnostics": self.diagnostics()}
        )


def shells(name: str, **options: Any) -> Measured:
    return {"kind": "shell-to-shell", "name": name} | options


def octaves(count: int) -> Measured:
    """Logarithmic shells, `count` in an octave."""
    return shells(f"shells-{count}", shells="logarithmic", per_octave=count)


TRANSFER = {"kind": "transfer"}
POWER = {"kind": "constant-power", "power": 1.0, "k_max": 2.5}
SINGLE = {"precision": "single"}


def abc_force(k: int) -> Validation:
    """Turbulence driven by a steady force of the ABC shape, curl f = k f."""
    shape = [f"sin({k}*{a}) + cos({k}*{b})" for a, b in ("zy", "xz", "yx")]
    return Validation(
        f"ABC force at k = {k}, 96³",
        {
            "grid": {"points": 96, "dealias": "phase-shift"},
            "flow": {"viscosity": 0.008},
            "initial": {"name": "random", "k0": float(k), "energy": 1.0},
            "forcing": [{"kind": "steady", "shape": {"name": "formula", "value": shape}}],
            "run": SINGLE,
        },
        [shells("shells", shells=[n + 0.5 for n in range(34)])],
        "0.5 turnovers",
        (5, 25),
        judges.is_forced_by_abc,
        pictures.draw_steps,
    )


PLANE = {
    "grid": {"points": [512, 512, 1]},
    "flow": {
        "model": "navier-stokes-2d",
        "viscosity": 0.0,
        "hyperviscosity": 1.6e-16,
        "hyperviscosity_power": 4,
        "hypoviscosity": 20.0,
        "hypoviscosity_power": 1,
    },
    "time": {"scheme": "rk3"},
    "initial": {"name": "zero"},
    "forcing": [{"kind": "stochastic", "k_min": 47.0, "k_max": 49.0, "power": 1.0, "correlation_time": 0.0}],
}
INSULATING = ["sin(x)*sin(y)*cos(z)", "cos(x)*cos(y)*cos(z)", "0"]
TAYLOR_GREEN = {
    "grid": {"points": 128},
    "flow": {"model": "mhd", "viscosity": 0.0025},
    "time": {"scheme": "rk3"},
    "initial": {"name": "taylor-green", "magnetic": {"name": "formula", "value": INSULATING}},
}
DYNAMO = {
    "grid": {"points": 64},
    "flow": {"model": "mhd", "viscosity": 0.014},
    "initial": {
        "name": "random",
        "k0": 2.0,
        "energy": 2.0,
        "magnetic": {"name": "random", "k0": 5.0, "energy": 0.5, "seed": 2},
    },
    "forcing": [POWER],
}
VALIDATIONS = {
    "transfers-192": Validation(
        "Constant power on k ≤ 2.5 at 192³",
        {
            "grid": {"points": 192, "dealias": "phase-shift"},
            "flow": {"viscosity": 0.0026},
            "initial": {"name": "random", "k0": 2.0, "energy": 2.0},
            "forcing": [POWER],
            "run": SINGLE,
        },
        [TRANSFER, octaves(4), octaves(2)],
        "0.25 turnovers",
        (11, 18),
        judges.is_turbulent,
        pictures.draw_turbulent,
        coarse=Coarse(96, 0.0065, "8 turnovers"),
    ),
    "transfers-abc-3": abc_force(3),
    "transfers-abc-6": abc_force(6),
    "transfers-2d": Validation(
        "Two-dimensional turbulence, 512², forced at k = 48",
        PLANE,
        [TRANSFER, shells("shells", shells="logarithmic", per_octave=4)],
        0.25,
        (8, 20),
        judges.is_plane,
        pictures.draw_plane,
        clock="time",
    ),
    "transfers-mhd": Validation(
        "Magnetic turbulence by constant power on k ≤ 2.5 at 64³",
        DYNAMO,
        [TRANSFER, octaves(2)],
        "0.5 turnovers",
        (6, 36),
        judges.is_dynamo,
        pictures.draw_magnetic,
    ),
    "transfers-taylor-green": Validation(
        "Decay of the insulating Taylor–Green flow at 128³",
        TAYLOR_GREEN,
        [TRANSFER, octaves(2)],
        0.25,
        (5.2, 7),
        judges.is_insulating,
        pictures.draw_magnetic,
        clock="time",
    ),
}


def simulate(validation: Validation, directory: Path) -> bool:
    """Run the case, or go on with it, and return whether the end is reached. Collective."""
    simulation = opened(directory, validation.until, lambda: begin(validation, directory))
    return simulation is None or simulation.run()


def begin(validation: Validation, directory: Path) -> Simulation:
    """The run at its start, after a run on fewer points if the validation has one."""
    case, coarse = validation.complete_case(directory), validation.coarse
    if coarse is None:
        return Simulation(case, overwrite=True)
    source = directory.with_name(f"{directory.name}-coarse")
    first = case.updated(
        grid={"points": coarse.points},
        flow={"viscosity": coarse.viscosity},
        time={"until": coarse.until},
        output={"directory": str(source)},
        diagnostics=[],
    )
    spinning = opened(source, coarse.until, lambda: Simulation(first, overwrite=True))
    if spinning is not None and not spinning.run():
        raise SystemExit("stopped before the end of the run on fewer points; go on by the same command")
    settings = [
        f"grid.points={case.grid.points[0]}",
        f"flow.viscosity={case.flow.viscosity!r}",
        f"diagnostics=[{', '.join(map(inline, validation.diagnostics()))}]",
    ]
    return Simulation.restart(source, directory, until=validation.until, settings=settings)


def inline(table: Measured) -> str:
    """A table as one line of TOML."""
    return f"{{{', '.join(f'{key} = {json.dumps(value)}' for key, value in table.items())}}}"


def window_of(name: str, validation: Validation, directory: Path) -> measures.Window:
    """Results and means of the window. Raises SystemExit if the run has not reached its end."""
    results = open_run(directory)
    clock, time = (results.series[name].values for name in (validation.clock, "time"))
    first, last = validation.window
    if clock[-1] < last - 1e-9:
        raise SystemExit(f"the run in {directory} is not finished; go on with: transfers.py run {name}")
    start, end = (
        (first, last)
        if validation.clock == "time"
        else (float(time[np.searchsorted(clock, one - 1e-9)]) for one in (first, last))
    )
    means = results.mean_diagnostics(start=start, end=end)
    return measures.Window(results, results.average(start=start, end=end), means, start, end)


def judge(name: str, validation: Validation, directory: Path) -> None:
    window = window_of(name, validation, directory)
    errors = validation.judge(window)
    case = window.results.case.to_dict()
    case["output"].pop("directory")
    averages = {key: [one.mean, one.error] for key, one in window.averages.means.items()}
    run = {
        "case": case,
        "averages": {key: one for key, one in averages.items() if all(map(math.isfinite, one))},
        "states": {key: int(one.attrs["states"]) for key, one in window.means.means.items()},
        "verdict": window.averages.verdict,
    }
    show(validation.title, errors)
    typer.echo(window.averages.verdict)
    write_result(name, validation.title, errors, run)
    pictures.save(name, validation.title, validation.draw, window)
    write_page_table(name, errors)
    if any(error.verdict == "FAILED" for error in errors):
        raise SystemExit(1)


def reached(validation: Validation, series: Any) -> str:
    return f"{float(series[validation.clock][-1]):.1f} of {validation.window[1]:g} {validation.clock}"


app = commands(__doc__, VALIDATIONS, simulate, judge, reached)


if __name__ == "__main__":
    start(app)

"""Tracers in stationary isotropic turbulence against what is published of particles.

    .venv/bin/python validation/lagrangian.py run lagrangian-64      run, or go on with a run, and compare
    .venv/bin/python validation/lagrangian.py compare lagrangian-64  compare a run that is finished
    .venv/bin/python validation/lagrangian.py list                   what there is, and how far each run is

Runs are kept in runs/validation/ and go on from their last checkpoint, so a long one may take several starts.
A comparison prints its table, writes validation/results/NAME.json, docs/figures/validation-NAME.png and the
table in docs/validation.md, and exits with 1 if a mark is missed.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lagrangian_judges as judges
import numpy as np
import typer
from comparison import FIGURES, show, write_page_table, write_result
from forced import designed
from kept_runs import commands, opened
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from whorl import Case, CaseError, Simulation, open_run
from whorl.results.lagrangian_plots import DRAWN
from whorl.results.picture_style import STYLE

GROUP = "tracer"
GRADIENT = ["dx(p)", "dy(p)", "dz(p)"]


@dataclass(frozen=True)
class Validation:
    """A designed flow with tracers, its step of time, and the turnovers that are averaged."""

    title: str
    case: dict[str, Any]
    dt: float
    every: str  # rows of paths
    window: tuple[float, float]  # turnovers
    count: int = 2000

    @property
    def until(self) -> str:
        return f"{self.window[1]:g} turnovers"

    def complete_case(self, directory: Path) -> Case:
        output = {
            "directory": str(directory),
            "series_every": "10 steps",
            "spectra_every": "200 steps",
            "checkpoint_every": "5 minutes",
        }
        particles = [{"kind": "tracer", "count": self.count, "of": ["u"], "every": self.every}]
        measured = [
            {"kind": "pressure", "every": "0.5 turnovers"},
            {"kind": "moments", "of": GRADIENT, "every": "0.5 turnovers"},
        ]
        time = {"scheme": "rk2", "dt": self.dt, "until": self.until}
        return Case(
            **self.case | {"time": time, "output": output},
            particles=particles,
            diagnostics=measured,
        )


VALIDATIONS = {
    "lagrangian-64": Validation(
        "Tracers in the flow of designed-64", designed(64, 1.5), 0.006, "4 steps", (5, 45)
    ),
    "lagrangian-96": Validation(
        "Tracers in a flow designed for k_max η = 1.1 at 96³",
        designed(96, 1.1, "single"),
        0.004,
        "4 steps",
        (5, 20),
    ),
}


def simulate(validation: Validation, directory: Path) -> bool:
    """Whether the end is reached; collective."""
    simulation = opened(
        directory,
        validation.until,
        lambda: Simulation(validation.complete_case(directory), overwrite=True),
    )
    return simulation is None or simulation.run()


def window_of(validation: Validation, directory: Path) -> tuple[float, float]:
    """The times of the window. Raises SystemExit if the run has not reached its end."""
    series = open_run(directory).series
    clock, time = series["turnovers"].values, series["time"].values
    first, last = validation.window
    if clock[-1] < last - 1e-9:
        raise SystemExit(f"the run in {directory} is not finished; go on by `run`")
    start, end = (float(time[np.searchsorted(clock, one - 1e-9)]) for one in (first, last))
    return start, end


def judge(name: str, validation: Validation, directory: Path) -> None:
    run = open_run(directory)
    found = judges.measured(run, GROUP, *window_of(validation, directory))
    errors = judges.judged(found)
    case = run.case.to_dict()
    case["output"].pop("directory")
    kept = {key: list(one) for key, one in found.numbers.items()}
    show(validation.title, errors)
    typer.echo(found.means.verdict)
    write_result(
        name, validation.title, errors, {"case": case, "numbers": kept, "verdict": found.means.verdict}
    )
    draw(name, validation.title, found)
    write_page_table(name, errors)
    if any(error.verdict == "FAILED" for error in errors):
        raise SystemExit(1)


def draw(name: str, title: str, found: judges.Found) -> None:
    """The correlation of the velocity, the PDF of the acceleration, D₂/(ε τ) and the change of pairs."""
    parts = (("velocity", 0), ("acceleration", 1), ("structure-functions", 1), ("dispersion", 0))
    with rc_context(STYLE):
        figure = Figure(figsize=(18, 4.4), layout="constrained")
        FigureCanvasAgg(figure)
        for ax, (kind, number) in zip(figure.subplots(1, len(parts)), parts, strict=True):
            DRAWN[kind][number](ax, found.means[kind])
        figure.suptitle(title, x=0.01, ha="left", fontsize=13)
        FIGURES.mkdir(exist_ok=True)
        figure.savefig(FIGURES / f"validation-{name}.png", dpi=100)


def reached(validation: Validation, series: Any) -> str:
    return f"{float(series['turnovers'][-1]):.1f} of {validation.window[1]:g} turnovers"


app = commands(__doc__, VALIDATIONS, simulate, judge, reached)


if __name__ == "__main__":
    try:
        app()
    except CaseError as error:
        raise SystemExit(str(error)) from None

"""Tracers in stationary isotropic turbulence against published Lagrangian statistics.

    .venv/bin/python validation/lagrangian.py run lagrangian-64      run or continue it, and compare
    .venv/bin/python validation/lagrangian.py compare lagrangian-64  compare a finished run
    .venv/bin/python validation/lagrangian.py list                   list the runs and their progress

Runs are kept in runs/validation/ and go on from their last checkpoint, so a long one may need several starts.
A comparison prints its table and writes validation/results/NAME.json, docs/figures/validation-NAME.png and
the table in docs/validation.md. It exits with 1 if an error is too large.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lagrangian_judges as judges
import particle_runs
import typer
from comparison import picture, show
from forced import designed
from kept_runs import commands, start
from particle_runs import keep, reached, simulate, window_of
from whorl import open_run
from whorl.particles.draw.statistics import DRAWN

GROUP = "tracer"
GRADIENT = ["dx(p)", "dy(p)", "dz(p)"]


@dataclass(frozen=True)
class Validation(particle_runs.Validation):
    """A designed flow with tracers."""

    count: int = 2000

    def particles(self) -> list[dict[str, Any]]:
        return [{"kind": "tracer", "count": self.count, "of": ["u"], "every": self.every}]

    def diagnostics(self) -> list[dict[str, Any]]:
        return [*super().diagnostics(), {"kind": "moments", "of": GRADIENT, "every": "0.5 turnovers"}]


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


def judge(name: str, validation: Validation, directory: Path) -> None:
    run = open_run(directory)
    found = judges.measured(run, GROUP, *window_of(validation, directory))
    errors = judges.judged(found)
    show(validation.title, errors)
    typer.echo(found.means.verdict)
    numbers = {key: list(one) for key, one in found.numbers.items()}
    kept = {"numbers": numbers, "verdict": found.means.verdict}
    keep(
        name,
        validation.title,
        errors,
        run.case,
        kept,
        lambda: draw(name, validation.title, found),
    )


def draw(name: str, title: str, found: judges.Found) -> None:
    """Draw the correlation of the velocity, the PDF of the acceleration, D₂/(ε τ) and the dispersion."""
    parts = (("velocity", 0), ("acceleration", 1), ("structure-functions", 1), ("dispersion", 0))
    with picture(name, title, (18, 4.4)) as figure:
        for ax, (kind, number) in zip(figure.subplots(1, len(parts)), parts, strict=True):
            DRAWN[kind][number](ax, found.means[kind])


app = commands(__doc__, VALIDATIONS, simulate, judge, reached)


if __name__ == "__main__":
    start(app)

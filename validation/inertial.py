"""Inertial particles in stationary isotropic turbulence against published results.

    .venv/bin/python validation/inertial.py run inertial-64      run or continue it, and compare
    .venv/bin/python validation/inertial.py compare inertial-64  compare a finished run
    .venv/bin/python validation/inertial.py list                 list the runs and their progress

Runs are kept in runs/validation/ and go on from their last checkpoint, so a long one may need several starts.
A comparison prints its table and writes validation/results/NAME.json, docs/figures/validation-NAME.png and
the table in docs/validation.md. It exits with 1 if an error is too large.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import inertial_judges as judges
import numpy as np
import particle_runs
from comparison import picture, show
from forced import designed
from kept_runs import commands, start
from particle_runs import keep, reached, simulate, window_of
from whorl import open_run

SLAB = 8.0  # η, the thickness of the slab that is drawn


@dataclass(frozen=True)
class Validation(particle_runs.Validation):
    """A designed flow with inertial particles."""

    gravity: float  # of settling particles; τ g is about the Kolmogorov velocity
    release: float = 4.0  # a time
    count: int = 15_000

    def particles(self) -> list[dict[str, Any]]:
        alike = {"kind": "inertial", "count": self.count, "release": self.release, "every": self.every}
        alike |= {"of": ["u", judges.SQUARED]}
        return [alike | options | {"name": name} for name, options in judges.groups(self.gravity).items()]


VALIDATIONS = {
    "inertial-64": Validation(
        "Inertial particles in the flow of designed-64", designed(64, 1.5), 0.006, "80 steps", (7, 37), -4.0
    ),
}


def judge(name: str, validation: Validation, directory: Path) -> None:
    run = open_run(directory)
    found = judges.measured(run, validation.gravity, *window_of(validation, directory))
    errors = judges.judged(found)
    show(validation.title, errors)
    numbers = {f"{group} {key}": list(one) for group, of in found.groups.items() for key, one in of.items()}
    keep(
        name,
        validation.title,
        errors,
        run.case,
        {"numbers": numbers},
        lambda: draw(name, validation.title, found),
    )


def draw(name: str, title: str, found: judges.Found) -> None:
    """Draw the particles in a slab, and the radial distributions."""
    with picture(name, title, (15, 5)) as figure:
        *slabs, last = figure.subplots(1, 3)
        for ax, group in zip(slabs, (judges.MOST, judges.BUBBLES), strict=True):
            place = np.mod(found.places[group], found.lengths)
            inside = place[place[:, 2] < SLAB * found.eta]
            ax.plot(inside[:, 0], inside[:, 1], ",")
            ax.set(xlabel="x", ylabel="y", aspect="equal", title=f"{group}, z < {SLAB:g} η")
        for group, data in found.clustering.items():
            last.loglog(data["r"] / found.eta, data["radial_distribution"], label=group)
        last.set(xlabel="r/η", ylabel="g(r)")
        last.legend()


app = commands(__doc__, VALIDATIONS, simulate, judge, reached)


if __name__ == "__main__":
    start(app)

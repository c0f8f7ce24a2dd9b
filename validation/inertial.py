"""Inertial particles in stationary isotropic turbulence against what is published of them.

    .venv/bin/python validation/inertial.py run inertial-64      run, or go on with a run, and compare
    .venv/bin/python validation/inertial.py compare inertial-64  compare a run that is finished
    .venv/bin/python validation/inertial.py list                 what there is, and how far each run is

Runs are kept in runs/validation/ and go on from their last checkpoint, so a long one may take several starts.
A comparison prints its table, writes validation/results/NAME.json, docs/figures/validation-NAME.png and the
table in docs/validation.md, and exits with 1 if a mark is missed.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import inertial_judges as judges
import numpy as np
from comparison import FIGURES, show, write_page_table, write_result
from forced import designed
from kept_runs import commands
from lagrangian import reached, simulate, window_of
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from whorl import Case, CaseError, open_run
from whorl.results.picture_style import STYLE

SLAB = 8.0  # η, the thickness of the slab that is drawn


@dataclass(frozen=True)
class Validation:
    """A designed flow with inertial particles, its step of time, and the turnovers that are averaged."""

    title: str
    case: dict[str, Any]
    dt: float
    every: str  # rows of paths
    gravity: float  # of those that settle, with τ g of about the Kolmogorov velocity
    window: tuple[float, float]  # turnovers
    release: float = 4.0  # a time
    count: int = 15_000

    @property
    def until(self) -> str:
        return f"{self.window[1]:g} turnovers"

    def particles(self) -> list[dict[str, Any]]:
        alike = {"kind": "inertial", "count": self.count, "release": self.release, "every": self.every}
        alike |= {"of": ["u", judges.SQUARED]}
        return [alike | options | {"name": name} for name, options in judges.groups(self.gravity).items()]

    def complete_case(self, directory: Path) -> Case:
        output = {
            "directory": str(directory),
            "series_every": "10 steps",
            "spectra_every": "200 steps",
            "checkpoint_every": "5 minutes",
        }
        measured = [{"kind": "pressure", "every": "0.5 turnovers"}]
        time = {"scheme": "rk2", "dt": self.dt, "until": self.until}
        return Case(
            **self.case | {"time": time, "output": output},
            particles=self.particles(),
            diagnostics=measured,
        )


VALIDATIONS = {
    "inertial-64": Validation(
        "Inertial particles in the flow of designed-64", designed(64, 1.5), 0.006, "80 steps", -4.0, (7, 37)
    ),
}


def judge(name: str, validation: Validation, directory: Path) -> None:
    run = open_run(directory)
    found = judges.measured(run, validation.gravity, *window_of(validation, directory))
    errors = judges.judged(found)
    case = run.case.to_dict()
    case["output"].pop("directory")
    kept = {f"{group} {key}": list(one) for group, of in found.groups.items() for key, one in of.items()}
    show(validation.title, errors)
    write_result(name, validation.title, errors, {"case": case, "numbers": kept})
    draw(name, validation.title, found)
    write_page_table(name, errors)
    if any(error.verdict == "FAILED" for error in errors):
        raise SystemExit(1)


def draw(name: str, title: str, found: judges.Found) -> None:
    """Particles in a slab, and radial distributions."""
    with rc_context(STYLE):
        figure = Figure(figsize=(15, 5), layout="constrained")
        FigureCanvasAgg(figure)
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
        figure.suptitle(title, x=0.01, ha="left", fontsize=13)
        FIGURES.mkdir(exist_ok=True)
        figure.savefig(FIGURES / f"validation-{name}.png", dpi=100)


app = commands(__doc__, VALIDATIONS, simulate, judge, reached)


if __name__ == "__main__":
    try:
        app()
    except CaseError as error:
        raise SystemExit(str(error)) from None

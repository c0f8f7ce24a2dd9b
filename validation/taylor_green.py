"""The Taylor–Green vortex against published and independent results.

    .venv/bin/python validation/taylor_green.py run re1600-64         run or continue it, and compare
    .venv/bin/python validation/taylor_green.py compare re1600-256    compare a finished run
    mpiexec -n 2 .venv/bin/python validation/taylor_green.py run re1600-256

Runs are kept in runs/validation/. A comparison prints its table of errors and writes
validation/results/NAME.json, docs/figures/validation-NAME.png and the table in docs/validation.md. It exits
with 1 if an error is too large.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from comparison import ROOT, Curves, Error, draw, paired, show, write_page_table, write_result
from kept_runs import commands, start
from whorl import Case, CaseError, Simulation, open_run
from whorl.base.parallel import on_root, world
from whorl.output.directory import RunDirectory

REFERENCE = ROOT / "validation" / "reference"


@dataclass(frozen=True)
class Validation:
    """A case, the judge that compares it with its reference, and the limits of the errors."""

    title: str
    reynolds: int
    case: dict[str, Any]
    judge: Callable[[Curves, Curves, dict[str, float]], list[Error]]
    limits: dict[str, float] = field(default_factory=dict)

    def complete_case(self, directory: Path) -> Case:
        output = {
            "directory": str(directory),
            "series_every": 0.05,
            "spectra_every": 0.5,
            "checkpoint_every": "10 minutes",
        }
        fixed = {
            "flow": {"viscosity": 1 / self.reynolds},
            "initial": {"name": "taylor-green"},
            "output": output | self.case.get("output", {}),
        }
        return Case(**(self.case | fixed))

    def reference(self) -> Curves:
        path = REFERENCE / f"taylor-green-re{self.reynolds}.dat"
        columns = np.loadtxt(path).T
        time, energy, dissipation = columns[:3]
        enstrophy = columns[3] if len(columns) > 3 else dissipation * self.reynolds / 2
        label = {1600: "spectral, 512³", 100: "independent code, 96³"}[self.reynolds]
        return Curves(label, time, energy, dissipation, enstrophy)


def differences(own: Curves, reference: Curves, limits: dict[str, float]) -> list[Error]:
    """The largest errors of energy and enstrophy over the run."""
    mine, theirs = paired(own, reference)
    span = f"{mine.time[0]:g} ≤ t ≤ {mine.time[-1]:g}"
    energy = np.abs(mine.energy - theirs.energy).max()
    enstrophy = np.abs(mine.enstrophy / theirs.enstrophy - 1).max()
    return [
        Error(f"largest |ΔE|, {span}", float(energy), limits.get("energy")),
        Error(f"largest |ΔZ| / Z, {span}", float(enstrophy), limits.get("enstrophy")),
    ]


def peak(curves: Curves) -> tuple[float, float]:
    """Time and value of the largest dissipation, from the parabola through the three largest samples."""
    top = int(np.clip(curves.dissipation.argmax(), 1, curves.time.size - 2))
    around = slice(top - 1, top + 2)
    centre = curves.time[top]
    a, b, c = np.polyfit(curves.time[around] - centre, curves.dissipation[around], 2)
    return float(centre - b / (2 * a)), float(c - b**2 / (4 * a))


def peak_and_differences(own: Curves, reference: Curves, limits: dict[str, float]) -> list[Error]:
    """The height and time of the peak of dissipation, then the errors of the whole curve."""
    (time, height), (known_time, known_height) = peak(own), peak(reference)
    return [
        Error(
            f"peak dissipation {height:.6f} against {known_height:.6f}, relative",
            abs(height / known_height - 1),
            limits["peak"],
        ),
        Error(f"time of the peak {time:.3f} against {known_time:.3f}", abs(time - known_time)),
        *differences(own, reference, limits),
    ]


def small_steps(points: int, until: float, dealias: str = "2/3") -> dict[str, Any]:
    return {
        "grid": {"points": points, "dealias": dealias},
        "time": {"scheme": "rk4", "dt": 0.01, "until": until},
    }


EVERY_STEP = {"output": {"series_every": "1 steps"}}
VALIDATIONS = {
    "re1600-64": Validation(
        "Re = 1600, 64³, 2/3 rule, to t = 2",
        1600,
        small_steps(64, 2.0) | EVERY_STEP,
        differences,
        {"energy": 2e-9, "enstrophy": 3e-5},
    ),
    "re1600-128": Validation(
        "Re = 1600, 128³, 2/3 rule, to t = 4",
        1600,
        small_steps(128, 4.0) | EVERY_STEP,
        differences,
        {"energy": 2e-6, "enstrophy": 4e-3},
    ),
    # RK4 gives each of the two shifted grids half of the weight, so its stages cancel the aliases.
    "re1600-256": Validation(
        "Re = 1600, 256³, phase shifts, to t = 10",
        1600,
        small_steps(256, 10.0, "phase-shift"),
        peak_and_differences,
        {"peak": 0.02},
    ),
    "re100-64": Validation(
        "Re = 100, 64³, 2/3 rule, to t = 10", 100, small_steps(64, 10.0), differences, {"energy": 1e-6}
    ),
}


def simulate(validation: Validation, directory: Path) -> bool:
    """Run the case, or go on with it, and return whether the end is reached. Collective."""
    case = validation.complete_case(directory)
    done, begun = on_root(world(), lambda: progress_of(case, directory))
    if done:
        return True
    return (Simulation.restart(directory) if begun else Simulation(case, overwrite=True)).run()


def progress_of(case: Case, directory: Path) -> tuple[bool, bool]:
    """Whether the run is finished, and whether it has a checkpoint to go on from."""
    if not RunDirectory(directory).is_run():
        return False, False
    earlier = open_run(directory)
    for section in ("grid", "flow", "time", "initial"):
        if getattr(earlier.case, section) != getattr(case, section):
            raise CaseError(
                f"{directory} holds a run with another [{section}]; remove it or give --directory"
            )
    return is_finished(earlier.series, case), bool(earlier.checkpoints)


def is_finished(series: xr.Dataset, case: Case) -> bool:
    return bool(series.sizes["time"] and series["time"].values[-1] >= case.time.until)


def judge(name: str, validation: Validation, directory: Path) -> None:
    results = open_run(directory)
    series = results.series
    if not is_finished(series, validation.complete_case(directory)):
        raise SystemExit(f"the run in {directory} is not finished; go on with: taylor_green.py run {name}")
    own = Curves(
        f"whorl, {results.case.grid.points[0]}³",
        *(series[column].values for column in ("time", "energy", "dissipation", "enstrophy")),
    )
    reference = validation.reference()
    errors = validation.judge(own, reference, validation.limits)
    case = results.case.to_dict()
    case["output"].pop("directory")
    run = {
        "case": case,
        "steps": int(series["step"][-1]),
        "least_kmax_eta": float(series["kmax_eta"].min()),
        "largest_courant": float(series["courant"].max()),
    }
    show(validation.title, errors)
    write_result(name, validation.title, errors, run)
    draw(name, validation.title, own, reference, validation.limits)
    write_page_table(name, errors)
    if any(error.verdict == "FAILED" for error in errors):
        raise SystemExit(1)


def reached(validation: Validation, series: xr.Dataset) -> str:
    end = validation.case["time"]["until"]
    return f"t = {float(series['time'][-1]):.3g} of {end:g}"


app = commands(__doc__, VALIDATIONS, simulate, judge, reached)


if __name__ == "__main__":
    start(app)

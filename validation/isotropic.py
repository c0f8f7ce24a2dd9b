"""Small scales of the designed turbulence of forced.py against published numbers of isotropic turbulence.

    .venv/bin/python validation/isotropic.py run isotropic-64        run or continue it, and compare
    .venv/bin/python validation/isotropic.py compare isotropic-64    compare a finished run
    .venv/bin/python validation/isotropic.py list                    list the runs and their progress

A run begins from the last state of a run of forced.py, which has to exist, and goes on from its own last
checkpoint. Every half turnover it measures the ready sets gradients, dissipation and pressure and keeps a
checkpoint, from which increments.py computes the structure functions. A comparison prints the deviations from
the published ranges (isotropic_published.py). It writes validation/results/NAME.json, and the table of all
such files in docs/validation.md. It exits with 1 if a number is too far outside of its range.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from comparison import PAGE, RESULTS, Error, show, write_between, write_result
from forced import VALIDATIONS as FORCED
from increments import of_run, scaling
from isotropic_published import PUBLISHED, Published
from kept_runs import commands, kept_in, opened, start
from whorl import Simulation, open_run
from whorl.base.parallel import on_root, world
from whorl.output.directory import RunDirectory
from whorl.output.means import mean_of
from xarray import DataArray, Dataset

EVERY = "0.5 turnovers"
SETS = ("gradients", "dissipation", "pressure")
BEGIN, END = "<!-- table isotropic -->", "<!-- end -->"


@dataclass(frozen=True)
class Validation:
    """The run that it begins from, the changes to its case, and the turnovers that are averaged."""

    title: str
    begins_from: str
    averaged: float
    skipped: float = 0.0  # turnovers until the smallest scales are those of the new viscosity
    points: int = 0  # 0: as in the run it begins from
    of_design: str = ""  # validation of forced.py whose viscosity it has; empty: unchanged

    def first(self) -> float:
        """The number of turnovers at which the averages begin."""
        before = FORCED[self.begins_from]
        return before.skipped + before.averaged + self.skipped

    def until(self) -> str:
        return f"{self.first() + self.averaged:g} turnovers"

    def settings(self, directory: Path) -> list[str]:
        sets = ", ".join(f'{{kind = "{kind}", every = "{EVERY}"}}' for kind in SETS)
        changes = [
            f"diagnostics=[{sets}]",
            f'output.checkpoint_every="{EVERY}"',
            "output.keep_checkpoints=10000",
            'run.precision="single"',
        ]
        if self.points:
            changes.append(f"grid.points={self.points}")
        if self.of_design:
            viscosity = FORCED[self.of_design].complete_case(directory).flow.viscosity
            changes.append(f"flow.viscosity={viscosity!r}")
        return changes


VALIDATIONS = {
    "isotropic-64": Validation("64³, k_max η = 1.5", "designed-64", 50),
    "isotropic-128": Validation("128³, k_max η = 1.5", "designed-128", 12),
    "isotropic-128-coarse": Validation("128³, k_max η = 1", "designed-128-coarse", 8),
    "isotropic-192": Validation("192³, k_max η = 1.1", "designed-128-coarse", 6, 3, 192, "designed-256"),
    "isotropic-256": Validation("256³, k_max η = 1.5", "designed-128-coarse", 8, 1, 256, "designed-256"),
}


def simulate(validation: Validation, directory: Path) -> bool:
    """Run the case, or go on with it, and return whether the end is reached. Collective."""
    source, until = kept_in(validation.begins_from), validation.until()

    def begin() -> Simulation:
        if not on_root(world(), RunDirectory(source).is_run):
            raise SystemExit(f"begin with: forced.py run {validation.begins_from}")
        return Simulation.restart(source, directory, until=until, settings=validation.settings(directory))

    simulation = opened(directory, until, begin)
    return simulation is None or simulation.run()


def measured(directory: Path, first: float) -> dict[str, tuple[float, float]]:
    """Means and standard errors by the names of isotropic_published.py, from a number of turnovers on."""
    results = open_run(directory)
    turnovers, time = (results.series[name].values for name in ("turnovers", "time"))
    start = float(time[np.searchsorted(turnovers, first)])
    averages = results.average(start=start)
    found = {name: (averages[name].mean, averages[name].error) for name in ("R_lambda", "kmax_eta")}
    states = [results.diagnostics[name].sel(time=slice(start, None)) for name in SETS]
    for name, values in of_states(*states).items():
        mean = mean_of(values["time"].values, values.values)
        found[name] = (mean.mean, mean.error)
    increments = of_run(directory, start, averages["integral_scale"].mean)
    dissipated = np.interp(increments["time"].values, time, results.series["dissipation"].values)
    return found | scaling(increments, averages["kolmogorov_length"].mean, dissipated)


def of_states(gradients: Dataset, dissipation: Dataset, pressure: Dataset) -> dict[str, DataArray]:
    """The numbers of each state over time, from the ready sets."""
    ratio, moment = dissipation["ratio"].sel(power=2), pressure["moment"].sel(quantity="p")
    strain, vorticity = (ratio.sel(quantity=name) for name in ("dissipation", "enstrophy"))
    return {
        "skewness": gradients["skewness"],
        "flatness": gradients["flatness"],
        "flatness_of_strain": gradients["flatness"] / (15 / 7 * strain),
        "dissipation": strain - 1,
        "enstrophy": vorticity - 1,
        "enstrophy_to_dissipation": (vorticity - 1) / (strain - 1),
        "a0": pressure["a0"],
        "friction": pressure["friction"] / pressure["pressure_gradient"],
        "pressure": pressure["pressure_to_velocity"],
        "pressure_skewness": moment.sel(order=3),
        "pressure_flatness": moment.sel(order=4),
    }


def judge(name: str, validation: Validation, directory: Path) -> None:
    results = open_run(directory)
    turnovers = float(results.series["turnovers"][-1]) - validation.first()
    if turnovers < validation.averaged:
        raise SystemExit(f"the run in {directory} is not finished; go on with: isotropic.py run {name}")
    found = measured(directory, validation.first())
    errors = [error for one in PUBLISHED if (error := error_of(one, found))]
    show(validation.title, errors)
    case = results.case.to_dict()
    case["output"].pop("directory")
    run = {"case": case, "turnovers": round(turnovers, 1), "measured": found}
    write_result(name, validation.title, errors, run)
    write_between(BEGIN, END, page_table(), PAGE)
    if any(error.verdict == "FAILED" for error in errors):
        raise SystemExit(1)


def error_of(one: Published, found: dict[str, tuple[float, float]]) -> Error | None:
    """How far a mean is outside of the published range; None if nothing is published at its R_λ."""
    outside = one.outside(found[one.name][0], found["R_lambda"][0])
    if outside is None:
        return None
    what = (
        f"{one.what} = {shown(found[one.name])}, published {one.told} ({one.cited}): outside of it, relative"
    )
    return Error(what, abs(outside), one.limit)


def shown(number: tuple[float, float]) -> str:
    """A mean and its error, with two digits of the error."""
    value, error = number
    digits = 3 if not error > 0 else max(0, 1 - int(np.floor(np.log10(error))))
    return f"{value:.{digits}f} ± {error:.{digits}f}".replace("-", "−")


def kept_results() -> dict[str, dict[str, Any]]:
    """The case, turnovers and measured numbers in each result file that exists, by name of the run."""
    files = {name: RESULTS / f"{name}.json" for name in VALIDATIONS}
    return {
        name: json.loads(file.read_text(encoding="utf-8"))["run"]
        for name, file in files.items()
        if file.is_file()
    }


def page_table() -> str:
    """The table of docs/validation.md: rows of published numbers, a column for each run."""
    runs = kept_results()
    rows = [["", *runs, "published", "whorl is outside by"]]
    rows.append(["---"] * len(rows[0]))
    for name, what in (("turnovers", "turnovers"), ("R_lambda", "R_λ"), ("kmax_eta", "k_max η")):
        values = [run[name] if name in run else run["measured"][name] for run in runs.values()]
        rows.append([what, *(shown(v) if isinstance(v, list) else f"{v:g}" for v in values), "", ""])
    for one in PUBLISHED:
        numbers = [run["measured"] for run in runs.values()]
        marks = [mark(one.outside(found[one.name][0], found["R_lambda"][0])) for found in numbers]
        cells = [shown(found[one.name]) for found in numbers]
        rows.append([one.what, *cells, f"{one.told} ({one.cited})", ", ".join(marks)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def mark(outside: float | None) -> str:
    if outside is None:
        return "–"
    return "0" if abs(outside) < 5e-4 else f"{100 * outside:+.1f} %".replace("-", "−")


def reached(validation: Validation, series: Any) -> str:
    turnovers = float(series["turnovers"][-1]) - validation.first()
    return f"{turnovers:.1f} of {validation.averaged:g} turnovers"


def titled(validation: Validation) -> str:
    return f"{validation.title}, begins from {validation.begins_from}"


app = commands(__doc__, VALIDATIONS, simulate, judge, reached, titled)


if __name__ == "__main__":
    start(app)

"""Designed flows with particles: their cases, their runs, and the results of a comparison."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from comparison import Error, write_page_table, write_result
from kept_runs import opened, output_in
from whorl import Case, Simulation, open_run


@dataclass(frozen=True)
class Validation(ABC):
    """A designed flow with particles, its time step, and the turnovers that are averaged."""

    title: str
    case: dict[str, Any]
    dt: float
    every: str  # rows of paths
    window: tuple[float, float]  # turnovers

    @property
    def until(self) -> str:
        return f"{self.window[1]:g} turnovers"

    @abstractmethod
    def particles(self) -> list[dict[str, Any]]:
        """The blocks [[particles]]."""

    def diagnostics(self) -> list[dict[str, Any]]:
        """The blocks [[diagnostics]]."""
        return [{"kind": "pressure", "every": "0.5 turnovers"}]

    def complete_case(self, directory: Path) -> Case:
        time = {"scheme": "rk2", "dt": self.dt, "until": self.until}
        return Case(
            **self.case | {"time": time, "output": output_in(directory, "200 steps")},
            particles=self.particles(),
            diagnostics=self.diagnostics(),
        )


def simulate(validation: Validation, directory: Path) -> bool:
    """Run the case, or go on with it, and return whether the end is reached. Collective."""
    simulation = opened(
        directory,
        validation.until,
        lambda: Simulation(validation.complete_case(directory), overwrite=True),
    )
    return simulation is None or simulation.run()


def reached(validation: Validation, series: Any) -> str:
    return f"{float(series['turnovers'][-1]):.1f} of {validation.window[1]:g} turnovers"


def window_of(validation: Validation, directory: Path) -> tuple[float, float]:
    """The times of the window. Raises SystemExit if the run has not reached its end."""
    series = open_run(directory).series
    clock, time = series["turnovers"].values, series["time"].values
    first, last = validation.window
    if clock[-1] < last - 1e-9:
        raise SystemExit(f"the run in {directory} is not finished; go on by `run`")
    start, end = (float(time[np.searchsorted(clock, one - 1e-9)]) for one in (first, last))
    return start, end


def keep(
    name: str, title: str, errors: list[Error], case: Case, kept: dict[str, Any], draw: Callable[[], None]
) -> None:
    """Write the results, with their picture. Raises SystemExit if an error is too large."""
    own = case.to_dict()
    own["output"].pop("directory")
    write_result(name, title, errors, {"case": own} | kept)
    draw()
    write_page_table(name, errors)
    if any(error.verdict == "FAILED" for error in errors):
        raise SystemExit(1)

"""`whorl bench scaling`: strong and weak scaling on the available ranks, with the exponents of FFTK.

Times go as p^(−γ) with the number of ranks p: γ1 of computation, γ2 of communication, γ of the total
(Chatterjee et al., J. Parallel Distrib. Comput. 113, 77 (2018)). In the strong series the grid is the same on
any number of ranks and γ = 1 is ideal; in the weak series it grows with the ranks and γ = 0 is ideal.
"""

import math
import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from rich.console import Console
from rich.table import Table

from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.base.text import counted
from whorl.config.case import Case
from whorl.config.sizes import next_good_size, prime_factors
from whorl.machine.benches.common import (
    layout_of,
    provenance,
    several_ranks,
    show_headline,
    spread,
)
from whorl.machine.benches.fft import set_kernel, time_pairs
from whorl.machine.benches.step import time_steps
from whorl.run.core_options import what
from whorl.run.threads import threads_of_rank
from whorl.run.tune import checked_options

SERIES = ("strong", "weak")
TIMES = ("computation", "communication", "total")
SYMBOLS = {"computation": "γ1", "communication": "γ2", "total": "γ"}
PATIENCE = 0.005  # seconds between checks by an idle rank

Result = TypeVar("Result")


def measure_scaling(
    case: Case, kernel: str, series: tuple[str, ...], times: int, comm: MPI.Intracomm
) -> dict[str, Any]:
    """Times steps, or pairs of transforms, on 1, 2, 4, … and all ranks. Collective.

    `kernel` is "step" or "fft"; every rank has the same number of threads throughout. Raises CaseError.
    """
    several_ranks(comm, "scaling")
    threads = case.run.threads or threads_of_rank(comm)
    fixed = case.updated([f"run.threads={threads}"])
    results: dict[str, Any] = {}
    for name in series:
        runs = []
        for ranks in rank_counts(comm.size):
            if name == "weak" and next_good_size(4 * ranks) > 4 * ranks:
                continue  # no grid has that multiple of the points
            own = grown(fixed, ranks) if name == "weak" else fixed
            run = on_some(comm, ranks, lambda some, own=own: _measure(own, kernel, times, some))  # type: ignore[misc]
            runs.append(run)
        results[name] = {"runs": runs, "exponents": exponents(runs)}
    return {
        "kernel": kernel,
        "series": results,
        "summary": f"{what(case)}, up to {counted(comm.size, 'rank')} × {threads}",
        "case": case.to_dict(),
        **provenance(comm),
    }


def rank_counts(most: int) -> list[int]:
    """1, 2, 4, … and all."""
    return sorted({2**power for power in range(most.bit_length())} | {most})


def grown(case: Case, ranks: int) -> Case:
    """The case with `ranks` times the points: each factor goes to the shortest axis, z before y and x."""
    points = list(case.grid.points)
    for factor in sorted(prime_factors(ranks), reverse=True):
        growing = [axis for axis in (2, 1, 0) if points[axis] > 1]
        points[min(growing, key=lambda axis: points[axis])] *= factor
    return case.updated([f"grid.points={points}"])


def on_some(comm: MPI.Intracomm, ranks: int, work: Callable[[MPI.Intracomm], Result]) -> Result:
    """Calls `work` on the first `ranks` ranks and returns its result on all; the others sleep meanwhile.

    A CaseError or an error of the core, which all those ranks raise, is raised on every rank.
    """
    some = comm.Split(0 if comm.rank < ranks else MPI.UNDEFINED, comm.rank)
    outcome: Any = None
    if some != MPI.COMM_NULL:
        try:
            outcome = (work(some), None)
        except (CaseError, _core.Error) as error:
            outcome = (None, error)
        some.Free()
    done = comm.Ibarrier()
    while not done.Test():
        time.sleep(PATIENCE)
    result, error = comm.bcast(outcome)  # type: ignore[misc]
    if error is not None:
        raise error
    return result


def _measure(case: Case, kernel: str, times: int, comm: MPI.Intracomm) -> dict[str, Any]:
    """One run of a series."""
    options, _ = checked_options(case, comm)
    flow = _core.Flow(options, comm.py2f())
    if kernel == "fft":
        set_kernel(flow, case)
        calls = time_pairs(flow, times, comm)
    else:
        calls = time_steps(flow, case, times, comm)
    layout = layout_of(flow)
    flow.close()
    return {
        "ranks": comm.size,
        "points": list(case.grid.points),
        **layout,
        **split(calls, comm.size),
    }


def split(calls: list[dict[str, float]], ranks: int) -> dict[str, dict[str, float]]:
    """The TIMES of the calls: communication is the exchange, including waiting; computation is the rest.

    One rank has no communication.
    """
    communication = [call["exchange"] if ranks > 1 else 0.0 for call in calls]
    total = [call["wall"] for call in calls]
    return {
        "computation": spread([whole - part for whole, part in zip(total, communication, strict=True)]),
        "communication": spread(communication),
        "total": spread(total),
    }


def exponents(runs: list[dict[str, Any]]) -> dict[str, dict[str, float | None]]:
    """γ and its standard error for each of TIMES, from the medians; None for too few runs."""
    fitted = {}
    for name in TIMES:
        timed = [(run["ranks"], run[name]["median"]) for run in runs if run[name]["median"] > 0]
        fitted[name] = fit([ranks for ranks, _ in timed], [seconds for _, seconds in timed])
    return fitted


def fit(ranks: list[int], seconds: list[float]) -> dict[str, float | None]:
    """γ of seconds = c · ranks^(−γ) by least squares in the logarithms, its standard error, and c.

    Two runs determine γ without an error; with fewer all are None.
    """
    if len(ranks) < 2:
        return {"gamma": None, "error": None, "seconds": None}
    x, y = np.log(ranks), np.log(seconds)
    across = x - x.mean()
    squares = float(across @ across)
    slope = float(across @ y) / squares
    residual = y - y.mean() - slope * across
    error = math.sqrt(float(residual @ residual) / (len(x) - 2) / squares) if len(x) > 2 else None
    return {"gamma": -slope, "error": error, "seconds": math.exp(float(y.mean() - slope * x.mean()))}


def shown(fitted: dict[str, float | None]) -> str:
    """An exponent with its error, as text."""
    if fitted["gamma"] is None:
        return "–"
    error = "" if fitted["error"] is None else f" ± {fitted['error']:.2f}"
    return f"{fitted['gamma']:.2f}{error}".replace("-", "−")


def show_scaling(figures: dict[str, Any], console: Console) -> None:
    """Print the series as tables, with the exponents below."""
    show_headline(figures, console)
    for name, series in figures["series"].items():
        titles = ("ranks", "points", "grid", *TIMES, "efficiency")
        title = f"{name} scaling, {figures['kernel']}, seconds"
        table = Table(
            *titles, title=title, title_justify="left", box=None, header_style="bold", pad_edge=False
        )
        for column in table.columns[3:]:
            column.justify = "right"
        for run, gained in zip(series["runs"], efficiencies(name, series["runs"]), strict=True):
            rows, columns = run["process_grid"]
            seconds = [f"{run[part]['median']:.4g}" for part in TIMES]
            points = "×".join(map(str, run["points"]))
            table.add_row(str(run["ranks"]), points, f"{rows}×{columns}", *seconds, f"{gained:.2f}")
        fitted = (shown(series["exponents"][part]) for part in TIMES)
        table.add_row("", "γ1, γ2, γ", "", *fitted, "")
        console.print(table)
    console.print("time ∝ ranks^−γ, from the medians", style="dim")


def efficiencies(name: str, runs: list[dict[str, Any]]) -> list[float]:
    """The time of one rank over that of several, in a strong series also over their number."""
    one = runs[0]["total"]["median"]
    return [one / run["total"]["median"] / (run["ranks"] if name == "strong" else 1) for run in runs]

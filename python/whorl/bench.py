"""`whorl bench step`: the time of a step and its parts, its memory, and the floor of the same run."""

import gc
import json
import statistics
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psutil
from mpi4py import MPI
from rich.console import Console
from rich.table import Table

from whorl import _core
from whorl.case import Case
from whorl.checks import check
from whorl.core_options import core_options, describe
from whorl.files import write_text
from whorl.floor import STAGES, work
from whorl.information import machine
from whorl.initial import set_initial
from whorl.models import DEFAULT, MODELS
from whorl.parallel import on_root, threads_of_rank
from whorl.tune import plain, tune
from whorl.version import __version__

WARM_UP = 2


def bench_case(
    points: int,
    precision: str,
    dealias: str | None,
    model: str,
    scheme: str,
    threads: int,
    settings: list[str],
) -> Case:
    """The case that is timed: the model's example on this grid at a fixed, stable step.

    Raises CaseError.
    """
    known = MODELS.get(model)
    example = known.example if known else MODELS[DEFAULT].example
    flat = [1 if known and known.must_be_flat and axis in known.flat_axes else points for axis in "xyz"]
    grid = {key: value for key, value in example["grid"].items() if key != "points"}
    case = Case(
        grid=grid | {"points": flat} | ({"dealias": dealias} if dealias else {}),
        flow={"model": model} | example["flow"],
        time={"scheme": scheme, "dt": 0.1 / points, "steps": 1},
        initial=example["initial"],
        run={"precision": precision, "threads": threads},
    )
    return case.updated(settings)


def measure_step(case: Case, steps: int, comm: MPI.Intracomm) -> dict[str, Any]:
    """Times `steps` steps after a warm-up and measures the floor. Collective; the same figures on every rank.

    Seconds are of the slowest rank, medians over the steps; `parts` are seconds a right-hand side, means;
    bytes are of all ranks.
    """
    threads = case.run.threads or threads_of_rank(comm)
    check(case, core_options(plain(case), threads), comm)
    tuned, trials = tune(case, threads, comm)
    process = psutil.Process()
    gc.collect()
    before = process.memory_info().rss
    flow = _core.Flow(core_options(tuned, threads), comm.py2f())
    set_initial(flow, case, None, comm)
    seconds, parts = _time_steps(flow, case, steps, comm)
    resident = comm.allreduce(process.memory_info().rss - before)
    counted = comm.allreduce(sum(flow.memory().values()))
    layout = {
        "process_grid": list(flow.process_grid),
        "batches": flow.batches,
        "threads": flow.threads,
        "transport": flow.options.transport,
        "tried": [asdict(trial) for trial in trials],
    }
    summary = describe(case, flow)
    del flow
    nx, ny, nz = case.grid.points
    stages = STAGES[case.time.scheme]
    step = statistics.median(seconds)
    floor, limits = _measure_floor(case, layout["threads"], comm)
    return {
        "seconds_per_step": step,
        "seconds_per_rhs": step / stages,
        "floor_seconds_per_rhs": floor,
        "bytes_per_point_counted": counted / (nx * ny * nz),
        "bytes_per_point_resident": resident / (nx * ny * nz),
        "parts": {name: value / (steps * stages) for name, value in parts.items() if name != "total"},
        "points_per_second": nx * ny * nz / step,
        "fraction_of_floor": floor / (step / stages),
        "limits": limits,
        "summary": summary,
        "steps": {"count": steps, "minimum": min(seconds), "maximum": max(seconds)},
        "case": case.to_dict(),
        "layout": layout,
        "machine": machine(comm),
        "build": dict(_core.build_info()),
        "whorl": __version__,
        "date": on_root(comm, lambda: time.strftime("%Y-%m-%dT%H:%M:%S%z")),
    }


def _time_steps(
    flow: _core.Flow, case: Case, steps: int, comm: MPI.Intracomm
) -> tuple[list[float], dict[str, float]]:
    """Seconds of each step on the slowest rank, and the core's timings of all of them."""
    seconds = []
    for step in range(WARM_UP + steps):
        if step == WARM_UP:
            flow.reset_timings()
        comm.Barrier()
        start = time.perf_counter()
        flow.step(case.time.dt, step_number=step)
        elapsed = comm.allreduce(time.perf_counter() - start, MPI.MAX)
        if step >= WARM_UP:
            seconds.append(elapsed)
    return seconds, dict(flow.timings())


def _measure_floor(case: Case, threads: int, comm: MPI.Intracomm) -> tuple[float, dict[str, Any]]:
    """The floor in seconds with the rates it comes from, all ranks measuring at once."""
    load = work(case)
    comm.Barrier()
    rates = {n: comm.allreduce(_core.line_rate(n, case.run.precision, threads)) for n in load.operations}
    comm.Barrier()
    bandwidth = comm.allreduce(_core.copy_bandwidth(threads))
    limits = {
        "operations_per_rhs": sum(load.operations.values()),
        "bytes_per_rhs": load.bytes,
        "line_rate": {str(n): rate for n, rate in rates.items()},
        "copy_bandwidth": bandwidth,
    }
    return load.seconds(rates, bandwidth), limits


def write_figures(figures: dict[str, Any], path: Path) -> None:
    write_text(path, json.dumps(figures, indent=2) + "\n")


def show_figures(figures: dict[str, Any], console: Console) -> None:
    """The figures as a table for people."""
    console.print(f"[bold]{figures['summary']}[/], {figures['machine']['processor']}", soft_wrap=True)
    rhs, floor = figures["seconds_per_rhs"], figures["floor_seconds_per_rhs"]
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    table.add_column(style="dim")
    spread = figures["steps"]
    table.add_row(
        "step",
        f"{figures['seconds_per_step']:.4g} s",
        f"median of {spread['count']}, least {spread['minimum']:.4g}",
    )
    table.add_row("right-hand side", f"{rhs:.4g} s", f"{rhs / floor:.2f} × the floor of {floor:.4g} s")
    for name, value in figures["parts"].items():
        table.add_row(f"  {name}", f"{value:.4g} s", f"{100 * value / rhs:.0f} %")
    table.add_row("grid points a second", f"{figures['points_per_second']:.4g}")
    table.add_row("bytes a grid point", f"{figures['bytes_per_point_counted']:.2f}", "counted")
    table.add_row("", f"{figures['bytes_per_point_resident']:.2f}", "resident")
    limits = figures["limits"]
    rates = ", ".join(f"{rate / 1e9:.3g} (n = {n})" for n, rate in limits["line_rate"].items())
    table.add_row("lines in cache", rates, "GFLOP/s")
    table.add_row("copy bandwidth", f"{limits['copy_bandwidth'] / 1e9:.3g}", "GB/s")
    console.print(table)

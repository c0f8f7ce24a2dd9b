"""Common parts of the benches: the case and flow to time, the timing, and the description of the machine."""

import json
import math
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from whorl import _core
from whorl.base.declared import GPUS
from whorl.base.errors import CaseError
from whorl.base.files import write_text
from whorl.base.host import commit
from whorl.base.parallel import on_root
from whorl.base.ranks import MPI
from whorl.base.version import __version__
from whorl.config.case import Case
from whorl.config.run import Run
from whorl.machine.floor import Work
from whorl.machine.information import machine
from whorl.models import DEFAULT, MODELS

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
    """The case to time: the model's example on this grid at a fixed, stable step.

    Raises CaseError.
    """
    known = MODELS.get(model)
    example = known.example if known else MODELS[DEFAULT].example
    flat = [1 if known and known.must_be_flat and axis in known.flat_axes else points for axis in "xyz"]
    grid = {key: value for key, value in example["grid"].items() if key != "points"}
    case = Case(
        grid=grid | {"points": flat} | ({"dealias": dealias} if dealias else {}),
        flow={"model": model} | example["flow"],
        time={"scheme": scheme, "dt": 0.1 / max(points, 1), "steps": 1},
        initial=example["initial"],
        run={"precision": precision, "threads": threads},
    )
    return case.updated(settings)


def several_ranks(comm: MPI.Intracomm, bench: str) -> None:
    """Raises CaseError on one rank."""
    if comm.size == 1:
        raise CaseError(
            f"whorl bench {bench} measures communication and this is one rank; start it on two or "
            f"more: mpiexec -n 2 whorl bench {bench}."
        )


def layout_of(flow: _core.Flow) -> dict[str, Any]:
    """The distribution of a flow over ranks and threads."""
    return {
        "process_grid": list(flow.process_grid),
        "batches": flow.batches,
        "threads": flow.threads,
        "transport": flow.options.transport,
        "lines": flow.options.lines,
        "level": _core.build_info()["level"],
    }


def slowest(comm: MPI.Intracomm, work: Callable[[], object]) -> float:
    """Seconds of the slowest rank; all ranks start together. Collective."""
    comm.Barrier()
    start = time.perf_counter()
    work()
    return comm.allreduce(time.perf_counter() - start, MPI.MAX)


def timed_calls(
    flow: _core.Flow, work: Callable[[int], object], times: int, comm: MPI.Intracomm
) -> list[dict[str, float]]:
    """Seconds, by part, of each of `times` calls work(0), work(1), … after a warm-up.

    The parts are the core's (`Flow.timings`), each from the rank that was slowest in it, and `wall`, the
    whole on the slowest rank. `Flow.traffic` is that of the last call. Collective.
    """
    if flow.options.device in GPUS:
        return _timed_on_gpu(flow, work, times, comm)
    calls = []
    for call in range(WARM_UP + times):
        flow.reset_timings()
        wall = slowest(comm, lambda call=call: work(call))  # type: ignore[misc]
        if call >= WARM_UP:
            calls.append(dict(flow.timings()) | {"wall": wall})
    return calls


def _timed_on_gpu(
    flow: _core.Flow, work: Callable[[int], object], times: int, comm: MPI.Intracomm
) -> list[dict[str, float]]:
    """Times whole calls, because timing parts makes a GPU wait; one further call gives the parts' shares."""

    def finished(call: int) -> None:
        work(call)
        flow.timings()

    walls = [slowest(comm, lambda call=call: finished(call)) for call in range(WARM_UP + times)][WARM_UP:]  # type: ignore[misc]
    flow.reset_timings()
    whole = slowest(comm, lambda: finished(WARM_UP + times))
    shares = {part: seconds / whole for part, seconds in flow.timings().items()}
    return [{part: share * wall for part, share in shares.items()} | {"wall": wall} for wall in walls]


def spread(seconds: list[float]) -> dict[str, float]:
    """A summary of several timings."""
    return {
        "count": len(seconds),
        "minimum": min(seconds),
        "median": statistics.median(seconds),
        "mean": statistics.fmean(seconds),
        "maximum": max(seconds),
    }


def means(calls: list[dict[str, float]]) -> dict[str, float]:
    """The mean of each part."""
    return {part: statistics.fmean(call[part] for call in calls) for part in calls[0]}


class SlowestRank:
    """The longest of all ranks' seconds, for consecutive trials.

    A rank that waits for a core starts late, and so does its clock: a trial is therefore timed from the end
    of the one before.
    """

    def __init__(self, comm: MPI.Intracomm):
        self._comm = comm
        self._ended = math.inf

    def __call__(self, seconds: float) -> float:
        longest = self._comm.allreduce(max(seconds, time.perf_counter() - self._ended), MPI.MAX)
        self._ended = time.perf_counter()
        return longest


def measure_floor(
    load: Work,
    run: Run,
    threads: int,
    comm: MPI.Intracomm,
    copies: _core.Copies | None = None,
    **trials: int,
) -> tuple[float, dict[str, Any]]:
    """The floor in seconds with the rates it follows from; all ranks measure at once, trial by trial.

    For repeated measurements, pass the copies, whose memory is then kept, and the number of trials. On GPUs
    the floor is only the traffic, at the bandwidth of copies in their own memory.
    """
    comm.Barrier()
    slowest_rank = SlowestRank(comm)
    if run.device in GPUS:
        load, rates = Work({}, load.bytes), {}
        bandwidth = comm.size * comm.allreduce(_core.gpu_copy_bandwidth(), MPI.MIN)
    else:
        rates = {
            n: comm.size * _core.line_rate(n, run.precision, threads, slowest_rank, **trials)
            for n in load.operations
        }
        copies = copies or _core.Copies(threads)
        bandwidth = comm.size * copies.bandwidth(slowest_rank, **trials)
    limits = {
        "operations": sum(load.operations.values()),
        "bytes": load.bytes,
        "line_rate": {str(n): rate for n, rate in rates.items()},
        "copy_bandwidth": bandwidth,
    }
    return load.seconds(rates, bandwidth), limits


def provenance(comm: MPI.Intracomm) -> dict[str, Any]:
    """Machine, versions, commit and date, for the JSON of every bench. Collective."""
    return {
        "machine": machine(comm),
        "build": dict(_core.build_info()),
        "whorl": __version__,
        "commit": on_root(comm, commit),
        "date": on_root(comm, lambda: time.strftime("%Y-%m-%dT%H:%M:%S%z")),
    }


def write_figures(figures: dict[str, Any], path: Path) -> None:
    write_text(path, json.dumps(figures, indent=2) + "\n")


def show_headline(figures: dict[str, Any], console: Console) -> None:
    """Print the summary of a bench, and the processor."""
    console.print(f"[bold]{figures['summary']}[/], {figures['machine']['processor']}", soft_wrap=True)


def facts_table() -> Table:
    """A table with a name, a value and a remark in each line."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    table.add_column(style="dim")
    return table


def add_limits(table: Table, limits: dict[str, Any]) -> None:
    """Add the rates from which the floor follows."""
    rates = ", ".join(f"{rate / 1e9:.3g} (n = {n})" for n, rate in limits["line_rate"].items())
    if rates:
        table.add_row("lines in cache", rates, "GFLOP/s")
    table.add_row("copy bandwidth", f"{limits['copy_bandwidth'] / 1e9:.3g}", "GB/s")

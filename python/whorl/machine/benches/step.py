"""`whorl bench step`: the time of a step and its parts, its memory, and the floor of the same run."""

import gc
import statistics
from dataclasses import asdict
from typing import Any

import psutil
from rich.console import Console
from rich.table import Table

from whorl import _core
from whorl.base.declared import GPUS
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.clock import Clock
from whorl.config.schemes import SCHEMES
from whorl.forcing.shapes import begin_forces, set_forces
from whorl.initial.fields import set_initial
from whorl.machine.benches.common import (
    add_limits,
    facts_table,
    layout_of,
    means,
    measure_floor,
    provenance,
    show_headline,
    spread,
    timed_calls,
)
from whorl.machine.floor import passes, work
from whorl.particles.particles import added
from whorl.run.core_options import core_options, describe
from whorl.run.tune import checked_options

# Columns of the tables of Yeung et al., Comput. Phys. Commun. 306, 109364 (2025).
COLUMNS = {
    "fft": "FFT",
    "pack": "pack, unpack",
    "row": "row",
    "column": "column",
    "other": "other",
    "total": "total",
}


def measure_step(case: Case, steps: int, comm: MPI.Intracomm, particles: int = 0) -> dict[str, Any]:
    """Times `steps` steps after a warm-up and measures the floor. Collective; the same figures on every rank.

    With `particles`, the same number of steps follows with this number of tracers.

    Seconds are those of the slowest rank, medians over the steps. `parts` are mean seconds of a right-hand
    side, `part_spreads` their least, median and so on; `columns` are seconds of a step, for the best step and
    the mean. Bytes are those of all ranks.
    """
    options, trials = checked_options(case, comm)
    process = psutil.Process()
    gc.collect()
    before = process.memory_info().rss
    flow = _core.Flow(options, comm.py2f())
    calls = time_steps(flow, case, steps, comm)
    after = process.memory_info().rss
    resident, whole = comm.allreduce(after - before), comm.allreduce(after)
    counted = comm.allreduce(sum(flow.memory().values()))
    layout = layout_of(flow) | {"tried": [asdict(trial) for trial in trials]}
    sent = {leg: comm.allreduce(count) for leg, count in flow.traffic().items()}
    messages = {leg: comm.allreduce(count) for leg, count in flow.messages().items()}
    summary = describe(case, flow)
    seconds = [call["wall"] for call in calls]
    step = statistics.median(seconds)
    of_particles = (
        {"particles": with_particles(flow, case, particles, steps, step, comm)} if particles else {}
    )
    flow.close()
    points = float(_points(case))
    stages = SCHEMES[case.time.scheme].right_hand_sides
    floor, limits = measure_floor(work(case), case.run, layout["threads"], comm)
    return {
        "seconds_per_step": step,
        "seconds_per_rhs": step / stages,
        "floor_seconds_per_rhs": floor,
        "bytes_per_point_counted": counted / points,
        "bytes_per_point_resident": None if case.run.device in GPUS else resident / points,
        "bytes_of_processes": whole,
        "parts": _parts(means(calls), stages),
        "part_spreads": _part_spreads(calls, stages),
        "columns": _columns_of(calls),
        "sent": _sent(sent, messages, untruncated_bytes(case, tuple(layout["process_grid"]))),
        "points_per_second": points / step,
        "fraction_of_floor": floor / (step / stages),
        "limits": limits,
        "summary": summary,
        "steps": spread(seconds),
        "case": case.to_dict(),
        "layout": layout,
        **of_particles,
        **provenance(comm),
    }


def time_steps(flow: _core.Flow, case: Case, steps: int, comm: MPI.Intracomm) -> list[dict[str, float]]:
    """Seconds by part of each step from the case's initial fields, after a warm-up. Collective."""
    set_forces(flow, case, comm)
    set_initial(flow, case, None, comm)
    begin_forces(flow, 0.0)
    dt = case.time.dt
    return timed_calls(flow, lambda step: flow.step(dt, time=step * dt, step_number=step), steps, comm)


OF_TRACERS = {"kind": "tracer", "interpolation": "lagrange", "points": 4}


def with_particles(
    flow: _core.Flow, case: Case, count: int, steps: int, without: float, comm: MPI.Intracomm
) -> dict[str, Any]:
    """The figures of steps with `count` tracers, of a flow whose steps take `without` seconds. Collective.

    Bytes are those of the tracers and of the sampler of their velocity, on all ranks.
    """
    process = psutil.Process()
    gc.collect()
    before = process.memory_info().rss
    group = added(case, comm, flow, Clock(), count, OF_TRACERS)
    dt = case.time.dt
    calls = timed_calls(flow, lambda step: flow.step(dt, time=step * dt, step_number=step), steps, comm)
    resident = comm.allreduce(process.memory_info().rss - before)
    seconds = [call["wall"] for call in calls]
    step, stages = statistics.median(seconds), SCHEMES[case.time.scheme].right_hand_sides
    return {
        "count": group.count,
        "seconds_per_step": step,
        "ratio": step / without,
        "seconds_per_particle_and_stage": (step - without) / count / stages,
        "bytes_per_particle_counted": comm.allreduce(flow.memory()["particles"]) / count,
        "bytes_per_particle_resident": None if case.run.device in GPUS else resident / count,
        "steps": spread(seconds),
    }


def _points(case: Case) -> int:
    nx, ny, nz = case.grid.points
    return nx * ny * nz


def _parts(mean: dict[str, float], stages: int) -> dict[str, float]:
    """The core's own parts, for one right-hand side."""
    return {name: value / stages for name, value in mean.items() if name not in ("total", "wall")}


def _part_spreads(calls: list[dict[str, float]], stages: int) -> dict[str, dict[str, float]]:
    steps = [_parts(call, stages) for call in calls]
    return {name: spread([parts[name] for parts in steps]) for name in steps[0]}


def _columns_of(calls: list[dict[str, float]]) -> dict[str, dict[str, float]]:
    return {
        "best": columns(min(calls, key=lambda call: call["wall"])),
        "mean": columns(means(calls)),
    }


def columns(call: dict[str, float]) -> dict[str, float]:
    """The COLUMNS of a step from its parts (`timed_calls`).

    `other` is the work at points and modes, waiting, and the work of a step outside the round trip. Each is
    from the rank that was slowest in it, so that the sum may exceed the total.
    """
    return {
        "fft": call["transforms"],
        "pack": call["pack"],
        "row": call["row"],
        "column": call["column"],
        "other": call["point"] + call["modes"] + call["other"] + call["wall"] - call["total"],
        "total": call["wall"],
    }


def untruncated_bytes(case: Case, process_grid: tuple[int, int]) -> dict[str, float]:
    """Bytes that all ranks would send to others in a step, by leg, if every column were kept.

    A variable has (nx/2 + 1) ny nz complex numbers, or nx ny nz / 2 if x has walls and all are real; one rank
    of p keeps 1/p of them. Rows carry the inputs and the products of every right-hand side, columns the
    inputs and the fluxes.
    """
    nx, ny, nz = case.grid.points
    shape = _core.model_shape(core_options(case, threads=1))
    rows, peers = process_grid
    elements = (nx // 2 + (case.grid.bases[2] == "F")) * ny * nz
    value = 16 if case.run.precision == "double" else 8
    rounds = SCHEMES[case.time.scheme].right_hand_sides * passes(case)
    return {
        "row": rounds * (shape["inputs"] + shape["products"]) * elements * value * (1 - 1 / rows),
        "column": rounds * (shape["inputs"] + shape["fluxes"]) * elements * value * (1 - 1 / peers),
    }


def _sent(sent: dict[str, int], messages: dict[str, int], whole: dict[str, float]) -> dict[str, Any]:
    """Messages and bytes of all ranks in a step, by leg; bytes over untruncated ones (None: no exchange)."""
    sums: dict[str, Any] = {leg: (count, messages[leg], whole[leg]) for leg, count in sent.items()}
    sums["total"] = tuple(map(sum, (sent.values(), messages.values(), whole.values())))
    return {
        leg: {
            "bytes_per_step": count,
            "of_untruncated": count / all_columns if all_columns else None,
            "messages_per_step": number,
        }
        for leg, (count, number, all_columns) in sums.items()
    }


def show_step(figures: dict[str, Any], console: Console) -> None:
    """Print the figures as tables."""
    show_headline(figures, console)
    rhs, floor = figures["seconds_per_rhs"], figures["floor_seconds_per_rhs"]
    table = facts_table()
    steps = figures["steps"]
    table.add_row(
        "step",
        f"{figures['seconds_per_step']:.4g} s",
        f"median of {steps['count']}, least {steps['minimum']:.4g}",
    )
    table.add_row("right-hand side", f"{rhs:.4g} s", f"{rhs / floor:.2f} × the floor of {floor:.4g} s")
    mean = rhs * steps["mean"] / figures["seconds_per_step"]
    for name, value in figures["parts"].items():
        table.add_row(f"  {name}", f"{value:.4g} s", f"{100 * value / mean:.0f} %")
    if "particles" in figures:
        _add_particles(table, figures["particles"])
    table.add_row("grid points a second", f"{figures['points_per_second']:.4g}")
    table.add_row("bytes a grid point", f"{figures['bytes_per_point_counted']:.2f}", "counted")
    if (resident := figures["bytes_per_point_resident"]) is not None:
        table.add_row("", f"{resident:.2f}", "resident")
    for leg, sent in figures["sent"].items():
        if sent["bytes_per_step"]:
            fraction = f"sent a step, {sent['of_untruncated']:.3f} of an untruncated exchange"
            table.add_row(f"bytes, {leg}", f"{sent['bytes_per_step']:.4g}", fraction)
    add_limits(table, figures["limits"])
    console.print(table)
    console.print("\n", columns_table(figures["columns"]), sep="")


def _add_particles(table: Table, found: dict[str, Any]) -> None:
    """Rows of the steps with tracers."""
    each = found["seconds_per_particle_and_stage"]
    steps = f"median of {found['steps']['count']}, least {found['steps']['minimum']:.4g}"
    table.add_row(f"step with {found['count']} tracers", f"{found['seconds_per_step']:.4g} s", steps)
    table.add_row("  with / without", f"{found['ratio']:.4g}", f"{1e9 * each:.3g} ns a tracer and stage")
    table.add_row("  bytes a tracer", f"{found['bytes_per_particle_counted']:.4g}", "counted")
    if (resident := found["bytes_per_particle_resident"]) is not None:
        table.add_row("", f"{resident:.4g}", "resident")


def columns_table(columns: dict[str, dict[str, float]]) -> Table:
    table = Table("s a step", *COLUMNS.values(), box=None, header_style="bold", pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for name, values in columns.items():
        table.add_row(name, *(f"{values[key]:.4g}" for key in COLUMNS))
    return table

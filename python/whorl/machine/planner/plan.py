"""A whole plan: layouts on several numbers of nodes, the length of the run, its output and its cost."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from whorl import _core
from whorl.base.declared import GPUS
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.base.text import counted
from whorl.config.case import Case
from whorl.machine.planner.gests import Gests
from whorl.machine.planner.machine import Machine
from whorl.machine.planner.notes import notes_on
from whorl.machine.planner.run_length import Length, OutputCost, length_of, output_of
from whorl.machine.planner.search import GIB, RunLayout, best, fewest_nodes, node_counts
from whorl.machine.planner.whorl_load import Whorl, planned_options
from whorl.output.plans import expression_plans
from whorl.run.checks import check_gpu_exchange
from whorl.run.core_options import refused

SMALL = 16  # points of a flow that is built to find options that the core refuses


@dataclass(frozen=True)
class PlannedRun:
    """A layout with the cost of the whole run on it."""

    layout: RunLayout
    output: OutputCost
    seconds: float

    @property
    def node_hours(self) -> float:
        return self.layout.nodes * self.seconds / 3600


@dataclass(frozen=True)
class RunPlan:
    """A case on a machine: runs by ascending nodes; `fewest` is the smallest number on which it fits."""

    case: Case
    machine: Machine
    algorithm: str
    overlap: bool
    fewest: int
    length: Length
    runs: tuple[PlannedRun, ...]
    without_grid: tuple[int, ...] = ()  # numbers of nodes whose ranks cannot share the box
    notes: tuple[str, ...] = ()
    expressions: tuple[tuple[str, str], ...] = ()

    @property
    def cheapest(self) -> PlannedRun:
        """The fewest node-hours among those that fit."""
        return min((run for run in self.runs if run.layout.fits), key=lambda run: run.node_hours)


def make_plan(
    case: Case,
    machine: Machine,
    *,
    algorithm: str = "whorl",
    nodes: Sequence[int] = (),
    dt: float | None = None,
    overlap: bool | None = None,
) -> RunPlan:
    """Plans `case` on `machine`, on the given numbers of nodes, or on the fewest and their doublings.

    `dt` is the mean step, in place of time.dt or of the step by time.courant; `overlap` follows from
    run.transport and run.threading by default. Raises CaseError, with a remedy, if the case does not fit.
    """
    _check_exchange(case, algorithm)
    if machine.device in GPUS and algorithm != "gests":
        check_gpu_exchange(case)
    if overlap is None:
        overlap = not _core.exchange_blocks(planned_options(case))
    if algorithm == "gests":
        way: Whorl | Gests = Gests(case)
    else:
        way = Whorl(case, machine.device)
    _check_nodes(nodes, machine)
    length = length_of(case, dt)
    fewest = fewest_nodes(way, machine, overlap)  # type: ignore[arg-type]
    counts = list(nodes or node_counts(fewest, machine))
    found = [best(way, machine, count, overlap) for count in counts]  # type: ignore[arg-type]
    runs = tuple(_run(way, machine, layout, length) for layout in found if layout is not None)
    if not any(run.layout.fits for run in runs):
        raise CaseError(_none_fits(case, nodes, machine, found, fewest))
    without = tuple(count for count, layout in zip(counts, found, strict=True) if layout is None)
    notes = notes_on(case, machine, algorithm, overlap, [run.layout for run in runs])
    expressions = tuple((what, str(how)) for what, how in expression_plans(case).items())
    return RunPlan(case, machine, algorithm, overlap, fewest, length, runs, without, notes, expressions)


def _check_exchange(case: Case, algorithm: str) -> None:
    """Raises CaseError for an exchange that the core refuses, by building the smallest flow on one rank.

    The build there may differ from this one, so the threads of MPI and the device are not requested.
    """
    if algorithm == "gests":
        return
    options = planned_options(case)
    options.forcing = []
    options.points = tuple(min(n, SMALL) for n in case.grid.points)
    options.process_grid, options.batches, options.threading = (0, 0), 0, "funneled"
    options.transport = {"rma-shared": "rma"}.get(options.transport, options.transport)
    try:
        _core.Flow(options, MPI.COMM_SELF.py2f())
    except _core.Error as error:
        raise refused(error) from None


def _check_nodes(nodes: Sequence[int], machine: Machine) -> None:
    for count in nodes:
        if not 1 <= count <= machine.node.nodes:
            raise CaseError(
                f"--nodes {count}: {machine.machine.name} has {counted(machine.node.nodes, 'node')}; give "
                f"{'1' if machine.node.nodes == 1 else '1 to that'}."
            )


def _none_fits(
    case: Case, nodes: Sequence[int], machine: Machine, found: list[RunLayout | None], fewest: int
) -> str:
    if not any(found):
        rows, columns = case.run.process_grid
        grid = f" as run.process_grid = [{rows}, {columns}] says" if rows else ""
        return (
            f"the ranks of {' or '.join(map(str, nodes))} nodes of {machine.machine.name} cannot share the "
            f"points{grid}; the fewest nodes that do are {fewest}."
        )
    ways = [
        f"{layout.memory_needed / GIB:.3g} GiB a rank on {count}" if layout else f"no process grid on {count}"
        for count, layout in zip(nodes, found, strict=True)
    ]
    share = machine.node.memory / machine.node.ranks
    return (
        f"the case fits on none of the nodes given: {', '.join(ways)}, and a rank of {machine.machine.name} "
        f"has {share:.3g} GiB; the fewest nodes that do are {fewest}."
    )


def _run(way: Whorl | Gests, machine: Machine, layout: RunLayout, length: Length) -> PlannedRun:
    seconds = length.steps * layout.parts.total
    output = output_of(way.case, machine, layout.nodes, length, seconds, way.modes)
    return PlannedRun(layout, output, seconds + output.seconds)


def as_json(plan: RunPlan) -> str:
    """The result of `to_dict` as text."""
    return json.dumps(to_dict(plan), indent=2) + "\n"


def to_dict(plan: RunPlan) -> dict[str, Any]:
    """The plan as a dict for JSON: seconds, bytes and hours."""
    return {
        "machine": plan.machine.machine.name,
        "algorithm": plan.algorithm,
        "overlap": plan.overlap,
        "fewest_nodes": plan.fewest,
        "steps": plan.length.steps,
        "dt": plan.length.dt,
        "turnover": plan.length.turnover,
        "steps_known_by": plan.length.known_by,
        "prediction": True,
        "notes": list(plan.notes),
        "expressions": dict(plan.expressions),
        "runs": [_run_to_dict(run) for run in plan.runs],
        "nodes_without_process_grid": list(plan.without_grid),
        "case": plan.case.to_dict(),
        "core": _core.build_info()["version"],
        "model": dict(_core.model_shape(planned_options(plan.case))),
    }


def _run_to_dict(run: PlannedRun) -> dict[str, Any]:
    layout = run.layout
    return {
        "nodes": layout.nodes,
        "ranks": layout.ranks,
        "process_grid": list(layout.grid),
        "batches": layout.batches,
        "own_batches": layout.own_batches,
        "fits": layout.fits,
        "memory": layout.memory,
        "memory_of_rank": layout.memory_of_rank,
        "messages": layout.messages,
        "parts": vars(layout.parts),
        "seconds_per_step": layout.parts.total,
        "output": vars(run.output) | {"bytes": run.output.bytes},
        "seconds": run.seconds,
        "node_hours": run.node_hours,
    }

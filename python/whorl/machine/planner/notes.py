"""Notes on a plan: extrapolated numbers, and parts that are not counted."""

import math
from collections.abc import Sequence
from itertools import groupby

from whorl.base.declared import GPUS
from whorl.config.case import Case
from whorl.forcing.options import expectation
from whorl.machine.planner.cost import MIB
from whorl.machine.planner.machine import Machine
from whorl.machine.planner.run_length import step_in
from whorl.machine.planner.search import RunLayout, threads_of_rank

REAL_BYTES = {"single": 4, "double": 8}


def notes_on(
    case: Case, machine: Machine, algorithm: str, overlap: bool, layouts: Sequence[RunLayout] = ()
) -> tuple[str, ...]:
    """Sentences, none if everything is measured and counted; `layouts` are the planned layouts."""
    not_counted = (
        *_threads(case, machine, algorithm),
        *_device(case, machine),
        *_particles(case, machine, algorithm),
    )
    beyond = (*_beyond_rates(case, machine), *_beyond_links(machine, layouts))
    extrapolated = [f"extrapolated to {', '.join(beyond)}: only a rough guess"] if beyond else []
    return (*_designed(case), *extrapolated, *not_counted, *_guess(overlap))


def _designed(case: Case) -> list[str]:
    """The flow that a designed force should keep up, and the averaging time for errors of some per cent."""
    flow = expectation(case)
    if flow is None:
        return []
    step = case.time.dt or step_in(flow, case)
    return [
        f"the force should keep up ε = {flow.dissipation:.4g}, η = {flow.kolmogorov_length:.3g} "
        f"(k_max η = {flow.kmax_eta:.3g}), R_λ = {flow.taylor_reynolds:.3g}, u' = {flow.rms_velocity:.3g} "
        f"and L = {flow.integral_scale:.3g}, each to some 10 %; 20 turnovers of {flow.turnover_time:.3g} are "
        f"t = {20 * flow.turnover_time:.3g}, {math.ceil(20 * flow.turnover_time / step)} steps"
    ]


def _beyond_rates(case: Case, machine: Machine) -> list[str]:
    """Lines shorter or longer than all measured ones, and a precision that was not measured."""
    precision, points = case.run.precision, case.grid.points
    rates, _ = machine.rates(REAL_BYTES[precision])
    shortest, longest = rates.points[0], rates.points[-1]
    outside = sorted({n for n in points if n > 1 and not shortest <= n <= longest})
    beyond = []
    if outside:
        beyond.append(f"lines of {_listed(outside)} points (rates: {_range(shortest, longest)})")
    if getattr(machine, precision) is None:
        measured = "double" if precision == "single" else "single"
        beyond.append(f"{precision} precision (rates: {measured})")
    free = [link.level for link in machine.links if link.latency == 0 and not link.messages]
    if outside and outside[0] < shortest and free:
        beyond.append(f"small messages (no latency known: {', '.join(free)})")
    return beyond


def _beyond_links(machine: Machine, layouts: Sequence[RunLayout]) -> list[str]:
    """More nodes than the links were measured on; messages smaller or larger than all at their level."""
    most = machine.node.measured
    far = [layout.nodes for layout in layouts if most and layout.nodes > most]
    beyond = [f"{_listed(far)} nodes (links: up to {most})"] if far else []
    for ends, links in groupby(machine.links, key=lambda link: link.messages):
        levels = [link.level for link in links]
        outside = [(layout.nodes, size) for layout in layouts for size in _outside(layout, levels, ends)]
        if outside:
            nodes, sizes = list(dict.fromkeys(n for n, _ in outside)), [size for _, size in outside]
            beyond.append(
                f"messages of {_range(min(sizes), max(sizes))} MiB on {_listed(nodes)} "
                f"{'node' if nodes == [1] else 'nodes'} (links {_listed(levels)}: {_range(*ends)} MiB)"
            )
    return beyond


def _outside(layout: RunLayout, levels: Sequence[str], ends: tuple[float, ...]) -> list[float]:
    """MiB of the messages at these levels that are smaller or larger than the measured ones, if any are."""
    sizes = [size / MIB for level in levels for size in layout.messages.get(level, ())]
    return [size for size in sizes if ends and not ends[0] <= size <= ends[1]]


def _threads(case: Case, machine: Machine, algorithm: str) -> list[str]:
    threads = threads_of_rank(machine)
    if machine.device != "cpu":
        return []
    if algorithm == "gests" or case.run.threads in (0, threads):
        return []
    return [f"run.threads = {case.run.threads} is not counted: the machine gives a rank {threads}"]


def _device(case: Case, machine: Machine) -> list[str]:
    if machine.device != "cpu" or case.run.device not in GPUS:
        return []
    return [
        f'run.device = "{case.run.device}" is not counted: {machine.machine.name} is planned by its cores'
    ]


def _particles(case: Case, machine: Machine, algorithm: str) -> list[str]:
    """Groups without a cost on the machine, and all of them where no program has any."""
    if algorithm == "gests":
        return ["gests has no particles: those of the case are not counted"] if case.particles else []
    size = REAL_BYTES[case.run.precision]
    unknown = {
        f"{one.kind} by {one.interpolation}": None
        for one in case.particles
        if machine.cost_of_particles(one.kind, one.interpolation, size) is None
    }
    if not unknown:
        return []
    return [
        f"the time of particles ({', '.join(unknown)}) is not counted: {machine.machine.name} has no "
        "[[particles]] for it, which whorl bench machine measures"
    ]


def _guess(overlap: bool) -> list[str]:
    guess = "overlap assumes the share links[].hidden of each exchange, which nobody measured"
    return [guess] if overlap else []


def _listed(items: Sequence[int | str]) -> str:
    return " and ".join(map(str, items))


def _range(low: float, high: float) -> str:
    ends = [f"{end:.4g}" if end < 1 else f"{end:.6g}" for end in (low, high)]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)

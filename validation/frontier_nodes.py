"""The planner against GESTS by number of nodes of Frontier, with and without totals and peaks of the links.

    .venv/bin/python validation/frontier_nodes.py

It repeats the comparison of gests.py (tables 2 and 3 of P. K. Yeung et al., Comput. Phys. Commun. 306,
109364, 2025) by nodes, with and without `total` and `peak` of the links, which earlier planners did not have.
It plans 32768³ points on 8192 nodes both ways; only ranges of those runs are known
(reference/frontier_8192.csv). It prints both tables and writes them into docs/planner.md and
validation/results/gests-nodes.json. It exits with 1 if an error is too large.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from comparison import Error, show, write_between, write_page_table, write_result
from frontier_fit import RANKS_OF_NODE, table
from gests import PAGE, Row, case_of, predict
from whorl.machine.planner.cost import MIB, seconds
from whorl.machine.planner.gests import Gests
from whorl.machine.planner.machine import Machine, load_machine

POINTS, NODES = 32768, 8192
ROWS_OF_RANKS, VARIABLES = (2, 4, 8, 16), (1, 2, 3)
SLACK = 0.05  # of a reported range, whose ends have one or two digits


@dataclass(frozen=True)
class Largest:
    """A way to run 32768³ points on 8192 nodes: MiB of a message, GB/s of columns, seconds a step."""

    grid: tuple[int, int]
    variables: int
    message: float
    bandwidth: float
    step: float


def unlimited(machine: Machine) -> Machine:
    """The machine as if its nodes shared no links and small messages were like others."""
    bare = tuple(link.model_copy(update={"total": 0.0, "peak": 0.0}) for link in machine.links)
    return machine.model_copy(update={"links": bare})


def plans_of_largest(machine: Machine) -> Iterator[Largest]:
    """The plans by process grid and variables a message.

    The bandwidth of columns includes the bytes that a rank keeps, as in the paper.
    """
    for rows in ROWS_OF_RANKS:
        grid = (rows, NODES * RANKS_OF_NODE // rows)
        for variables in VARIABLES:
            way = Gests(case_of(POINTS, variables))
            load = way.load(grid, 1)
            parts = seconds(load, machine, 4)
            bandwidth = load.column.bytes / parts.column / 1e9
            step = parts.times(way.stages).total
            yield Largest(grid, variables, load.column.message / MIB, bandwidth, step)


def by_nodes(rows: list[Row]) -> dict[int, list[float]]:
    """Errors of a step by number of nodes, ascending."""
    return {n: [row.error for row in rows if row.nodes == n] for n in sorted({row.nodes for row in rows})}


def reported() -> dict[str, tuple[float, float]]:
    """The reported ranges on 8192 nodes, by name."""
    return {r["quantity"]: (r["least"], r["most"]) for r in table("8192", numbers=("least", "most"))}


def slower_by_report() -> tuple[float, float]:
    """Least and largest ratio of the measured step to the one planned before: 1/(1 − p/100), p % too fast."""
    least, most = reported()["planned step too fast by"]
    return 1 / (1 - least / 100), 1 / (1 - most / 100)


def errors_on_largest(machine: Machine) -> tuple[float, float]:
    """Least and largest error of a step on 8192 nodes.

    The former plans are assumed to be least too fast where plans grew least, and most where they grew most.
    """
    pairs = zip(plans_of_largest(machine), plans_of_largest(unlimited(machine)), strict=True)
    grown = [now.step / past.step for now, past in pairs]
    least, most = slower_by_report()
    return min(grown) / least - 1, max(grown) / most - 1


def errors_of(machine: Machine) -> list[Error]:
    """Growth of the error up to 4096 nodes, and deviation of plans on 8192 nodes from the reported ranges."""
    after, before = by_nodes(predict(machine)), by_nodes(predict(unlimited(machine)))
    grown = max(mean_of(after[n]) - mean_of(before[n]) for n in after)
    measured = reported()["measured bandwidth of columns"]
    now, former = (
        outside([plan.bandwidth for plan in plans_of_largest(one)], *measured)
        for one in (machine, unlimited(machine))
    )
    return [
        Error("growth of the mean error of a step up to 4096 nodes", grown, 1e-6),
        Error("8192 nodes: columns out of the range reported", now, SLACK),
        Error("8192 nodes: the same, before", former),
        Error("8192 nodes: error of a step", max(map(abs, errors_on_largest(machine))), 0.15),
    ]


def mean_of(errors: list[float]) -> float:
    return float(np.mean(np.abs(errors)))


def outside(values: list[float], least: float, most: float) -> float:
    """The relative distance by which values reach beyond a range."""
    return max(0.0, least / min(values) - 1, max(values) / most - 1)


def nodes_table(machine: Machine) -> str:
    after, before = by_nodes(predict(machine)), by_nodes(predict(unlimited(machine)))
    lines = [
        "| nodes | rows | mean error before | largest | mean error now | largest |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    least, most = reported()["planned step too fast by"]
    now_least, now_most = (100 * error for error in errors_on_largest(machine))
    for n, errors in after.items():
        past, now = (
            f"{100 * mean_of(e):.1f} % | {100 * max(e, key=abs):+.1f} %" for e in (before[n], errors)
        )
        lines.append(f"| {n} | {len(errors)} | {past} | {now} |")
    past, now = f"−{least:.0f} to −{most:.0f} %", f"{now_least:+.0f} to {now_most:+.0f} %"
    lines.append(f"| {NODES} | reported | | {past} | | {now} |")
    return "\n".join(lines)


def largest_table(machine: Machine) -> str:
    lines = [
        "| process grid | Q | MiB a message | columns before, GB/s | now | step before, s | now |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for past, now in zip(plans_of_largest(unlimited(machine)), plans_of_largest(machine), strict=True):
        lines.append(
            f"| {now.grid[0]} × {now.grid[1]} | {now.variables} | {now.message:.4g} | {past.bandwidth:.2f} | "
            f"{now.bandwidth:.2f} | {past.step:.2f} | {now.step:.2f} |"
        )
    return "\n".join(lines)


def main() -> int:
    machine = load_machine("frontier")
    found, title = errors_of(machine), "GESTS on Frontier by nodes"
    show(title, found)
    for text, name in ((nodes_table(machine), "by nodes"), (largest_table(machine), "8192")):
        print(text)
        write_between(f"<!-- {name} -->", f"<!-- end of {name} -->", text, PAGE)
    write_page_table("gests-nodes", found, PAGE)
    errors = {f"{n} nodes": of_rows for n, of_rows in by_nodes(predict(machine)).items()}
    write_result("gests-nodes", title, found, errors)
    return int(any(error.verdict == "FAILED" for error in found))


if __name__ == "__main__":
    sys.exit(main())

"""`whorl bench exchange`: only the all-to-alls of a right-hand side, in the patterns of the plan.

The terms are those of tables 8 to 12 of Yeung et al., Comput. Phys. Commun. 306, 109364 (2025). A message
contains the data of Q variables that a rank sends to one other at a time. The bandwidth of a rank is message
size times ranks of the row, or the column, over the time of an all-to-all, including the message to itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from whorl import _core
from whorl.base.declared import TRANSPORTS
from whorl.base.ranks import MPI
from whorl.base.text import counted
from whorl.config.case import Case
from whorl.machine.benches.common import (
    WARM_UP,
    layout_of,
    provenance,
    several_ranks,
    show_headline,
    slowest,
    spread,
)
from whorl.run.core_options import core_options, what
from whorl.run.exchange_choice import plain
from whorl.run.tune import checked_options

FEW = (1, 3)  # values of Q besides all the variables of a right-hand side
ALL = "all"


@dataclass(frozen=True)
class AllToAll:
    """One direction of one leg, with Q variables."""

    leg: str  # "row" or "column"
    inwards: bool  # towards the points
    variables: int


def measure_exchange(case: Case, transport: str, times: int, comm: MPI.Intracomm) -> dict[str, Any]:
    """Times every all-to-all with one transport, or with "all". Collective. Raises CaseError.

    It uses the case's process grid. If that is open, it uses the one the plan chooses, and also its transpose
    if a row or a column of it is one rank.
    """
    several_ranks(comm, "exchange")
    results = []
    for rows, columns in _grids(case, comm):
        for name in transports(case) if transport == ALL else [transport]:
            own = case.updated([f"run.process_grid=[{rows}, {columns}]", f"run.transport={name}"])
            options, _ = checked_options(own, comm)
            flow = _core.Flow(options, comm.py2f())
            results += [_measure(flow, one, times, comm) for one in all_to_alls(own, (rows, columns))]
            flow.close()
    return {
        "exchanges": results,
        "summary": f"{what(case)}, {counted(comm.size, 'rank')}",
        "case": case.to_dict(),
        **provenance(comm),
    }


def _grids(case: Case, comm: MPI.Intracomm) -> list[tuple[int, int]]:
    if case.run.process_grid != (0, 0):
        return [case.run.process_grid]
    options, _ = checked_options(plain(case), comm)
    flow = _core.Flow(options, comm.py2f())
    rows, columns = flow.process_grid
    flow.close()
    allowed = [tuple(grid) for grid in _core.allowed_process_grids(options, comm.size)]
    turned = [(columns, rows)] if min(rows, columns) == 1 and (columns, rows) in allowed else []
    return [(rows, columns), *turned]


def transports(case: Case) -> list[str]:
    """The transports that can be used: one that does not pack cannot convert, and some are for GPUs."""
    converts, on_host = case.run.wire == "single", case.run.device == "cpu"
    return [
        name
        for name in _core.build_info()["transports"]
        if not (TRANSPORTS[name]["strided"] and converts) and not (TRANSPORTS[name]["of_gpus"] and on_host)
    ]


def all_to_alls(case: Case, process_grid: tuple[int, int]) -> Iterator[AllToAll]:
    """The all-to-alls of a right-hand side, with all its variables or fewer; none if a leg has one rank."""
    shape = _core.model_shape(core_options(case, threads=1))
    legs = {"row": ("inputs", "products"), "column": ("inputs", "fluxes")}
    for (leg, (inwards, outwards)), ranks in zip(legs.items(), process_grid, strict=True):
        for towards_points, most in ((True, shape[inwards]), (False, shape[outwards])):
            for variables in sorted({q for q in FEW if q < most} | {most}):
                if ranks > 1:
                    yield AllToAll(leg, towards_points, variables)


def _measure(flow: _core.Flow, one: AllToAll, times: int, comm: MPI.Intracomm) -> dict[str, Any]:
    def exchange() -> None:
        flow.exchange(one.leg == "row", one.variables, one.inwards)

    seconds = [slowest(comm, exchange) for _ in range(WARM_UP + times)][WARM_UP:]
    flow.reset_timings()
    exchange()
    sent = comm.allreduce(flow.traffic()[one.leg])
    ranks = flow.process_grid[0 if one.leg == "row" else 1]
    message = message_bytes(sent, comm.size, ranks, flow.batches)
    timing = spread(seconds)
    return {
        "leg": one.leg,
        "direction": "inwards" if one.inwards else "outwards",
        "variables": one.variables,
        "ranks": ranks,
        "message_bytes": message,
        "seconds": timing,
        "bandwidth": bandwidth(message, ranks, flow.batches, timing["mean"]),
        "best_bandwidth": bandwidth(message, ranks, flow.batches, timing["minimum"]),
        **layout_of(flow),
    }


def message_bytes(sent: int, all_ranks: int, ranks: int, batches: int) -> float:
    """Mean bytes from one rank to another in a batch; `sent`: bytes of all ranks to others in an exchange."""
    return sent / (all_ranks * (ranks - 1) * batches)


def bandwidth(message: float, ranks: int, batches: int, seconds: float) -> float:
    """Bytes a second of a rank, including its message to itself."""
    return message * ranks * batches / seconds


def show_exchange(figures: dict[str, Any], console: Console) -> None:
    """Print the figures as a table."""
    show_headline(figures, console)
    titles = ("leg", "transport", "grid", "batches", "Q", "MiB", "best ms", "mean ms", "GB/s")
    table = Table(*titles, box=None, header_style="bold", pad_edge=False)
    for column in table.columns[3:]:
        column.justify = "right"
    for one in figures["exchanges"]:
        rows, columns = one["process_grid"]
        table.add_row(
            f"{one['leg']} {'in' if one['direction'] == 'inwards' else 'out'}",
            one["transport"],
            f"{rows}×{columns}",
            str(one["batches"]),
            str(one["variables"]),
            f"{one['message_bytes'] / 2**20:.3g}",
            f"{1e3 * one['seconds']['minimum']:.3g}",
            f"{1e3 * one['seconds']['mean']:.3g}",
            f"{one['best_bandwidth'] / 1e9:.3g}",
        )
    console.print(table)
    console.print(
        "Q: variables in a message, of the given MiB; GB/s of a rank: message × ranks × batches ÷ best time",
        style="dim",
    )

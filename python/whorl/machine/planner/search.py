"""The best process grid and batches on a number of nodes, and the fewest nodes on which a case fits."""

import math
from dataclasses import dataclass, field
from typing import Protocol

from whorl.base.errors import CaseError
from whorl.base.text import counted
from whorl.config.case import Case
from whorl.machine.planner.cost import MIB, Parts, messages_by_level, seconds
from whorl.machine.planner.load import Load
from whorl.machine.planner.machine import Machine, machine_from

GIB = 2**30
# Rates are measured with the core's own batches, whose planes stay in cache: gains within the error of a step
# (TIME_LIMIT in validation/local_plan.py) are not significant.
WORTH = 0.2


class Algorithm(Protocol):
    """The interface of `Whorl` and `Gests` to the search; see there."""

    case: Case
    real_bytes: int
    stages: int
    least_memory: float
    less_memory: list[str]

    def grids(self, ranks: int) -> list[tuple[int, int]]: ...
    def own_batches(self, grid: tuple[int, int]) -> int: ...
    def batch_counts(self, grid: tuple[int, int]) -> list[int]: ...
    def memory(
        self, grid: tuple[int, int], batches: int, threads: int, overlap: bool
    ) -> dict[str, float]: ...
    def memory_at_least(self, grid: tuple[int, int], batches: int, threads: int, overlap: bool) -> float: ...
    def load(self, grid: tuple[int, int], batches: int, overlap: bool) -> Load: ...


@dataclass(frozen=True)
class RunLayout:
    """One layout of a run: bytes of a rank by array, seconds of a step by part.

    `own_batches` are those of a run that sets none; `messages` are the bytes of a message by level.
    """

    nodes: int
    ranks: int
    grid: tuple[int, int]
    batches: int
    own_batches: int
    memory: dict[str, float]
    memory_of_rank: float
    parts: Parts
    messages: dict[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def memory_needed(self) -> float:
        return sum(self.memory.values())

    @property
    def fits(self) -> bool:
        return self.memory_needed <= self.memory_of_rank


def threads_of_rank(machine: Machine) -> int:
    """One thread for each core; one for a GPU."""
    return machine.node.devices // machine.node.ranks if machine.node.kind == "cpu" else 1


def best(algorithm: Algorithm, machine: Machine, nodes: int, overlap: bool = False) -> RunLayout | None:
    """The fastest layout that fits, else the one of least memory; None if the ranks cannot share the box.

    Batches other than the core's own are chosen if they save more than WORTH, or if only they fit.
    """
    ranks = nodes * machine.node.ranks
    share = machine.node.memory * GIB / machine.node.ranks
    threads = threads_of_rank(machine)
    ways = []
    for grid in algorithm.grids(ranks):
        own = algorithm.own_batches(grid)
        for batches in algorithm.batch_counts(grid):
            parts = seconds(algorithm.load(grid, batches, overlap), machine, algorithm.real_bytes)
            handicap = 1 if batches == own else 1 / (1 - WORTH)
            ways.append((handicap * parts.total, parts.times(algorithm.stages), grid, batches, own))
    least = None
    for _, step, grid, batches, own in sorted(ways, key=lambda way: way[0]):
        # This is slow, so it is not done for every layout.
        memory = algorithm.memory(grid, batches, threads, overlap) | _process(machine)
        messages = messages_by_level(algorithm.load(grid, batches, overlap), machine.links)
        way = RunLayout(nodes, ranks, grid, batches, own, memory, share, step, messages)
        if way.fits:
            return way
        if least is None or way.memory_needed < least.memory_needed:
            least = way
    return least


def _process(machine: Machine) -> dict[str, float]:
    """Bytes of a rank besides arrays."""
    return {"process": MIB * machine.node.overhead} if machine.node.overhead else {}


def fewest_nodes(algorithm: Algorithm, machine: Machine, overlap: bool = False) -> int:
    """The smallest number of nodes on which the case fits. Raises CaseError if it fits on none.

    Not every number of ranks can share a box, so all are tried, from where the arrays of one rank would fit.
    """
    whole = math.ceil(algorithm.least_memory / (machine.node.memory * GIB))
    for nodes in range(max(1, whole), machine.node.nodes + 1):
        if _fits(algorithm, machine, nodes, overlap):
            return nodes
    raise CaseError(_too_large(algorithm, machine, overlap))


def _fits(algorithm: Algorithm, machine: Machine, nodes: int, overlap: bool) -> bool:
    """Whether some layout fits, with the most batches possible, which need the least memory."""
    threads = threads_of_rank(machine)
    share = machine.node.memory * GIB / machine.node.ranks - MIB * machine.node.overhead
    ways = [
        (grid, algorithm.batch_counts(grid)[-1], threads, overlap)
        for grid in algorithm.grids(nodes * machine.node.ranks)
    ]
    # Few layouts remain for the exact count, which is slow.
    return any(
        algorithm.memory_at_least(*way) <= share and sum(algorithm.memory(*way).values()) <= share
        for way in ways
    )


def _too_large(algorithm: Algorithm, machine: Machine, overlap: bool) -> str:
    """A message with the need on the largest number of nodes that can share the box."""
    name, ranks = machine.machine.name, machine.node.ranks
    nodes = next((n for n in range(machine.node.nodes, 0, -1) if algorithm.grids(n * ranks)), 0)
    if nodes == 0:
        return _not_shared(algorithm, machine)
    threads = threads_of_rank(machine)
    ways = [(grid, algorithm.batch_counts(grid)[-1]) for grid in algorithm.grids(nodes * ranks)]
    grid, batches = min(ways, key=lambda way: algorithm.memory_at_least(way[0], way[1], threads, overlap))
    needed = sum((algorithm.memory(grid, batches, threads, overlap) | _process(machine)).values())
    return (
        f"the case does not fit on {name}: on {nodes} of its {counted(machine.node.nodes, 'node')} a "
        f"rank needs {needed / GIB:.3g} GiB (process grid {grid[0]} × {grid[1]}) and has "
        f"{machine.node.memory / ranks:.3g} GiB; {_or(['use fewer points', *algorithm.less_memory])}."
    )


def _not_shared(algorithm: Algorithm, machine: Machine) -> str:
    """Why no number of nodes is possible, and the number of ranks a node with which one is."""
    node, name = machine.node, machine.machine.name
    size = " × ".join(map(str, algorithm.case.grid.points))
    rows, columns = algorithm.case.run.process_grid
    given, wanted = f"run.process_grid = [{rows}, {columns}]", rows * columns
    if wanted > node.ranks * node.nodes:
        return (
            f"{given} is for {wanted} ranks and {name} has {node.ranks * node.nodes}; choose a smaller one."
        )
    if wanted and wanted % node.ranks == 0:
        return f"{given} does not cut {size} points into equal pencils; choose another or leave it out."
    if wanted:
        why = f"{given} is for {counted(wanted, 'rank')} and {name} has {node.ranks} a node"
    else:
        why = f"{size} points cannot be shared by {counted(node.ranks, 'rank')} a node on {name}"
    otherwise = "leave the process grid out" if wanted else "use another number of points"
    for ranks in range(node.ranks - 1, 0, -1):
        counts = range(1, node.nodes + 1) if node.devices % ranks == 0 else ()
        if any(algorithm.grids(count * ranks) for count in counts):
            return f"{why}; plan with --ranks-per-node {ranks}, or {otherwise}."
    return f"{why}; {otherwise}."


def _or(ways: list[str]) -> str:
    return " or ".join(filter(None, [", ".join(ways[:-1]), ways[-1]]))


def node_counts(fewest: int, machine: Machine, rows: int = 8) -> list[int]:
    """The fewest nodes and doublings of that number, up to the machine's nodes."""
    counts = [fewest * 2**i for i in range(rows)]
    return [nodes for nodes in counts if nodes <= machine.node.nodes]


def with_ranks(machine: Machine, ranks: int) -> Machine:
    """The machine with another number of ranks per node, which share its devices and its links.

    A level joins as many nodes as before, so another number of ranks; a level then within a rank vanishes.
    A rank has its share of a node's bandwidth; the latency of a message and the bandwidth shared by all ranks
    are unchanged. A rank has one GPU: fewer ranks leave GPUs idle, with their memory and their links. Raises
    CaseError if the links are unknown: with one rank on one node no link was measured.
    """
    sections = machine.model_dump(exclude_none=True)
    old, links, node = machine.node.ranks, [], sections["node"]
    idle = node["kind"] == "gpu" and ranks < node["devices"]
    if idle:
        node |= {"devices": ranks, "memory": node["memory"] * ranks / node["devices"]}
    if not machine.links and ranks * machine.node.nodes > 1:
        raise CaseError(
            f"{machine.machine.name} has no [[links]], and {ranks} ranks a node exchange; measure them with "
            f"mpiexec -n {ranks} whorl bench machine."
        )
    for link in sections["links"]:
        joined = link["ranks"] * ranks // old
        if link["ranks"] == 0 or joined > 1:
            share = 1.0 if idle else old / ranks
            of_rank = {key: link[key] * share for key in ("bandwidth", "peak")}
            links.append(link | of_rank | {"ranks": joined})
    changed = {"node": node | {"ranks": ranks}, "links": links}
    return machine_from(sections | changed, machine.machine.name)

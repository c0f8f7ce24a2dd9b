"""Fit Frontier's machine file to the tables of links and transforms of the GESTS paper.

    .venv/bin/python validation/frontier_fit.py

It reads tables 1, 9 and 10–12 of P. K. Yeung et al., Comput. Phys. Commun. 306, 109364 (2025), and published
numbers of the network, but no table of time steps. It writes
python/whorl/machine/planner/machines/frontier.toml.
"""

import csv

import numpy as np
from comparison import ROOT
from scipy.optimize import least_squares
from whorl.base.files import write_text
from whorl.machine.planner.cost import MIB, all_to_all, peers_by_level
from whorl.machine.planner.load import AllToAlls, line_operations
from whorl.machine.planner.machine import MACHINES, Link, Machine, machine_from, machine_toml

TABLES = ROOT / "validation" / "reference"
RANKS_OF_NODE, GROUP_NODES = 8, 128
GIB = 2**30
# Assumption: MPI, the runtime and the libraries need an eighth of the 64 GiB of a GPU. The paper's runs of
# every size, also the largest, filled 42 GiB (its eq. 9), so no run shows that more than 42 GiB works.
FIELDS_OF_GPU = 56.0
MESSAGES = 4 * GIB  # one variable of a rank in tables 10–12, single precision
# When all links between groups are busy, a message goes through a third group instead of waiting.
GLOBAL_LINKS_OF_MESSAGE = 2
NODE, NETWORK = slice(0, 2), slice(2, 4)  # levels within a node and beyond


def table(name: str, numbers: tuple[str, ...] = ()) -> list[dict]:
    """The rows of a reference table by column; only the columns `numbers` are numbers if any are named."""
    with (TABLES / f"frontier_{name}.csv").open(encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return [
            {key: float(value) if not numbers or key in numbers else value for key, value in row.items()}
            for row in rows
        ]


def measured_exchanges(column: str) -> list[tuple[AllToAlls, float]]:
    """The all-to-alls of one variable in tables 10–12, with the seconds in a column."""
    ranks_and_stride = {"slabs": ("ranks", 1), "row": ("pr", 1), "column": ("pc", 2)}
    return [
        (AllToAlls(int(r[ranks]), stride, MESSAGES, 1, int(r["nodes"]) * RANKS_OF_NODE), r[column])
        for name, (ranks, stride) in ranks_and_stride.items()
        for r in table(f"alltoall_{name}")
    ]


def published() -> dict[str, float]:
    """The published numbers of the network, by name."""
    return {row["quantity"]: row["value"] for row in table("network", numbers=("value",))}


def global_bandwidth() -> float:
    """GB/s of all messages between groups together: that of all links, over the two that a message uses."""
    network = published()
    groups = network["compute groups"]
    links = groups * (groups - 1) * network["links from a group to another"]
    return links * network["bandwidth of a link each way"] / GLOBAL_LINKS_OF_MESSAGE


def peak_of_rank() -> float:
    """GB/s of a rank: half of those of a network card (table 9), which two ranks share."""
    peaks = {row["pathway"]: row["one_way_gbs"] for row in table("links", numbers=("one_way_gbs",))}
    return peaks["node to node per nic (2 ranks share one)"] / 2


def measured_messages(levels: slice) -> tuple[float, float]:
    """MiB of the smallest and the largest message of tables 10–12 with peers at one of these levels."""
    links = links_of(np.ones(4), 0.0)
    exchanges = [exchange for exchange, _ in measured_exchanges("gpu_mpi_s")]
    there = [one.message / MIB for one in exchanges if sum(peers_by_level(one, links)[levels])]
    return min(there), max(there)


def limited(links: tuple[Link, ...]) -> tuple[Link, ...]:
    """The links with the numbers that are not fitted: sizes of measured messages, peak and total."""
    within = {"messages": measured_messages(NODE)}
    beyond = {"messages": measured_messages(NETWORK), "peak": peak_of_rank()}
    shared = beyond | {"total": global_bandwidth()}
    changes = zip(links, (within, within, beyond, shared), strict=True)
    return tuple(link.model_copy(update=change) for link, change in changes)


def links_of(bandwidths: np.ndarray, latency: float, contention: float = 0.0) -> tuple[Link, ...]:
    """Links of a pair, node, group and machine: GB/s of each, and the µs of a message that leaves a node."""
    pair, node, group, machine = bandwidths
    group_ranks = GROUP_NODES * RANKS_OF_NODE
    return (
        Link(level="pair", ranks=2, bandwidth=pair),
        Link(level="node", ranks=RANKS_OF_NODE, bandwidth=node, contention=contention),
        Link(level="group", ranks=group_ranks, bandwidth=group, latency=latency, hidden=1.0),
        Link(level="machine", ranks=0, bandwidth=machine, latency=latency, hidden=1.0),
    )


def fit_links(between_cpus: bool = True) -> tuple[Link, ...]:
    """Fit the links of the GPUs to tables 10–12 by least squares of the logarithms of the times.

    GPUs and CPUs have separate bandwidths but the same latency of a message, because both send through the
    same network cards. The message rate shows in the largest runs only, two on GPUs and two on CPUs.
    `between_cpus = False` leaves the CPUs' columns out. The numbers that `limited` adds affect none of these
    rows.
    """
    on_gpus, on_cpus = measured_exchanges("gpu_mpi_s"), measured_exchanges("cpu_mpi_s")

    def both(p: np.ndarray) -> tuple[tuple[Link, ...], tuple[Link, ...]]:
        latency, gpu, cpu = np.exp(p[0]), np.exp(p[1:5]), np.exp(p[5:9])
        return links_of(gpu, latency, float(p[9])), links_of(cpu, latency)

    def errors(p: np.ndarray) -> list[float]:
        gpu, cpu = both(p)
        rows = [(gpu, *row) for row in on_gpus] + [(cpu, *row) for row in on_cpus if between_cpus]
        return [np.log(all_to_all(exchange, links) / time) for links, exchange, time in rows]

    start = np.array([*np.log([2.0, 50.0, 40.0, 8.0, 7.0, 6.0, 6.0, 6.0, 6.0]), 0.3])
    bounds = ([-np.inf] * 9 + [0.0], [np.inf] * 9 + [1.0])
    return limited(both(least_squares(errors, start, bounds=bounds).x)[0])


def measured_rates() -> dict[str, list[float]]:
    """Rates of three variables on one GPU (table 1): unit stride along x, strided along y and z; and copies.

    The paper packs and unpacks around strided transforms, the faster of its two ways from 8192 points on.
    """
    rows = table("fft_strided")
    variables, real = 3, 4
    points = MESSAGES / (2 * real)

    def rate(row: dict[str, float], column: str) -> float:
        return variables * line_operations(int(row["n"]), points / row["n"]) / row[column] / 1e9

    copied = variables * 2 * MESSAGES / 1e9
    copies = [copied / row[column] for row in rows for column in ("strided_unpack_s", "strided_pack_s")]
    strided = [rate(row, "strided_fft_s") for row in rows]
    copy = [float(np.exp(np.mean(np.log(copies))))]
    return {
        "points": [row["n"] for row in rows],
        "x": [rate(row, "unit_fft_s") for row in rows],
        "y": strided,
        "z": strided,
        "copies": copy,
        "point": copy,
        "modes": copy,
    }


def frontier() -> Machine:
    """The machine file's content: tables 1, 9 and 10–12, other published numbers, and assumptions.

    `hidden` (all traffic between nodes may proceed during work) and `files.bandwidth_node` are guesses.
    """
    return machine_from(
        {
            "machine": {
                "name": "frontier",
                "description": "Frontier (Oak Ridge): four AMD MI250X of two GPU dies a node, Slingshot 11",
                "source": "P. K. Yeung et al., Comput. Phys. Commun. 306, 109364 (2025), tables 1 and 9-12, "
                "fitted by validation/frontier_fit.py; links between groups (270+270 TB/s): J. Holmen, "
                "Frontier Exascale Architecture, ATPESC 2024; assumed: two of them a message, hidden, memory "
                "(7/8 of 64 GiB a GPU), files.bandwidth_node; files.bandwidth is the peak of a data sheet",
            },
            "node": {
                "kind": "gpu",
                "devices": RANKS_OF_NODE,
                "ranks": RANKS_OF_NODE,
                "memory": RANKS_OF_NODE * FIELDS_OF_GPU,
                "nodes": 9408,
                "measured": int(max(row["nodes"] for row in table("alltoall_slabs"))),
            },
            "single": {key: rounded(values) for key, values in measured_rates().items()},
            "links": [
                {key: round(value, 4) if isinstance(value, float) else value for key, value in link.items()}
                for link in (one.model_dump(exclude_defaults=True) for one in fit_links())
            ],
            "files": {"bandwidth": 4600.0, "bandwidth_node": 25.0},
        }
    )


def rounded(values: list[float]) -> list[float]:
    return [float(f"{value:.5g}") for value in values]


if __name__ == "__main__":
    write_text(MACHINES / "frontier.toml", machine_toml(frontier(), "Written by validation/frontier_fit.py."))

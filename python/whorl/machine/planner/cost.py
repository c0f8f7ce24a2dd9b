"""Seconds of a load on a machine: the equations of docs/planner.md."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from whorl.machine.planner.load import AllToAlls, Load
from whorl.machine.planner.machine import Link, Machine

MIB = 2**20


@dataclass(frozen=True)
class Parts:
    """Seconds by part; `hidden` is saved by overlap, so the total is the sum of the others − hidden."""

    fft: float
    pack: float
    row: float
    column: float
    other: float
    hidden: float = 0.0
    particles: float = 0.0

    @property
    def total(self) -> float:
        work = self.fft + self.pack + self.row + self.column + self.other + self.particles
        return work - self.hidden

    def times(self, factor: float) -> "Parts":
        return Parts(*(factor * value for value in vars(self).values()))


def seconds(load: Load, machine: Machine, real_bytes: int) -> Parts:
    """Seconds of one right-hand side; `real_bytes` is 4 in single and 8 in double precision.

    fft    Σ_axis operations / rate(axis, N)          pack   copy bytes / copy bandwidth
    other  (point bytes / its bandwidth) + (mode bytes / theirs)
    row, column   `all_to_all`;   hidden   `hidden_time`;   particles   `time_of_particles`
    """
    rates, factor = machine.rates(real_bytes)
    devices = machine.node.devices / machine.node.ranks
    at = load.working_set / devices / 1e6
    lines = {
        axis: load.operations[axis]
        / (1e9 * devices * factor * interpolate(n, rates.points, getattr(rates, axis)))
        for axis, n in load.lengths.items()
    }

    def traffic(count: float, bandwidths: Sequence[float]) -> float:
        return count / (1e9 * devices * interpolate(at, rates.working_set, bandwidths))

    pack, point = traffic(load.copy, rates.copies), traffic(load.point, rates.point)
    row, column = all_to_all(load.row, machine.links), all_to_all(load.column, machine.links)
    work = lines["x"] + lines["y"] + pack + point
    hidden = hidden_time(load, machine.links, work) if load.overlap else 0.0
    other = point + traffic(load.modes, rates.modes)
    particles = time_of_particles(load, machine, real_bytes)
    return Parts(sum(lines.values()), pack, row, column, other, hidden, particles)


def time_of_particles(load: Load, machine: Machine, real_bytes: int) -> float:
    """Seconds of a rank's particles in a right-hand side; none for those without a cost on the machine."""
    devices, total = machine.node.devices / machine.node.ranks, 0.0
    for one in load.particles:
        if cost := machine.cost_of_particles(one.kind, one.interpolation, real_bytes):
            total += one.number * 1e-9 * interpolate(one.points, cost.points, cost.nanoseconds)
    return total / devices


def interpolate(at: float, abscissa: Sequence[float], values: Sequence[float]) -> float:
    """Interpolates linearly in the logarithms of both; constant beyond the ends."""
    if at <= abscissa[0]:
        return values[0]
    for left, right, low, high in zip(abscissa, abscissa[1:], values, values[1:], strict=False):
        if at <= right:
            share = math.log(at / left) / math.log(right / left)
            return low ** (1 - share) * high**share
    return values[-1]


def peers_by_level(exchange: AllToAlls, links: Sequence[Link]) -> list[int]:
    """The number of other ranks that a rank meets at each level and at none below."""
    within = [1]
    for link in links:
        here = exchange.ranks if link.ranks == 0 else max(1, link.ranks // exchange.stride)
        within.append(max(within[-1], min(exchange.ranks, here)))
    return [after - before for before, after in pairwise(within)]


def level_times(exchange: AllToAlls, links: Sequence[Link]) -> list[float]:
    """Seconds at each level: q peers there, Q there and below, c messages of m bytes each, n ranks at once.

    t = q c (λ + m / min(b, T/n) + (μ − m)₊ (1/b − 1/P)),   b = B Q^−γ:

    The links of a level that all ranks share carry at most T. Below the smallest measured message, μ, each
    byte less saves only its time at the peak P.
    """
    times, below = [], 0
    for link, peers in zip(links, peers_by_level(exchange, links), strict=True):
        below += peers
        alone = 1e9 * link.bandwidth * max(1, below) ** -link.contention
        together = 1e9 * link.total / max(exchange.ranks, exchange.at_once)
        bandwidth = min(alone, together) if link.total else alone
        call = 1e-6 * link.latency + unsaved(exchange, link, alone)
        times.append(peers * (exchange.bytes / exchange.ranks / bandwidth + exchange.calls * call))
    return times


def unsaved(exchange: AllToAlls, link: Link, alone: float) -> float:
    """Extra seconds of a message smaller than all measured: (μ − m)₊ (1/b − 1/P); zero without a peak."""
    if not link.peak:
        return 0.0
    return max(0.0, MIB * link.messages[0] - exchange.message) * (1 / alone - 1e-9 / link.peak)


def messages_by_level(load: Load, links: Sequence[Link]) -> dict[str, tuple[float, ...]]:
    """Bytes of a message of rows and of columns, at each level where they have peers."""
    found: dict[str, tuple[float, ...]] = {}
    for exchange in (load.row, load.column):
        for link, peers in zip(links, peers_by_level(exchange, links), strict=True):
            if peers and exchange.message:
                found[link.level] = (*found.get(link.level, ()), exchange.message)
    return found


def all_to_all(exchange: AllToAlls, links: Sequence[Link]) -> float:
    """Seconds of the all-to-alls of a right-hand side, one level after the other; zero for one rank."""
    return sum(level_times(exchange, links)) if exchange.ranks > 1 else 0.0


def may_hide(exchange: AllToAlls, links: Sequence[Link]) -> float:
    """Seconds of an exchange that may overlap with work."""
    times = level_times(exchange, links) if exchange.ranks > 1 else []
    return sum(link.hidden * time for link, time in zip(links, times, strict=False))


def hidden_time(load: Load, links: Sequence[Link], work: float) -> float:
    """Seconds that b batches save: (b − 1)/b of the shorter of work on planes and time that may hide.

    The part of a row exchange that does not hide counts as work, during which columns may travel.
    """
    row, column = may_hide(load.row, links), may_hide(load.column, links)
    planes = work + all_to_all(load.row, links) - row
    return min(planes, row + column) * (load.batches - 1) / load.batches

"""Seconds of a load on a machine: the equations of docs/planner.md."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from whorl.planner.load import Exchange, Load
from whorl.planner.machine import Link, Machine


@dataclass(frozen=True)
class Parts:
    """Seconds by part; `hidden` is what overlap saves, so total = the sum of the others − hidden."""

    fft: float
    pack: float
    row: float
    column: float
    other: float
    hidden: float = 0.0

    @property
    def total(self) -> float:
        return self.fft + self.pack + self.row + self.column + self.other - self.hidden

    def times(self, factor: float) -> "Parts":
        return Parts(*(factor * value for value in vars(self).values()))


def seconds(load: Load, machine: Machine, real_bytes: int) -> Parts:
    """Of one right-hand side; `real_bytes` is 4 in single and 8 in double precision.

    fft    Σ_axis operations / rate(axis, N)          pack   copy bytes / copy bandwidth
    other  (point bytes / its bandwidth) + (mode bytes / theirs)
    row, column   `all_to_all`;   hidden   `hidden_time`
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
    return Parts(sum(lines.values()), pack, row, column, point + traffic(load.modes, rates.modes), hidden)


def interpolate(at: float, abscissa: Sequence[float], values: Sequence[float]) -> float:
    """Linear in the logarithms of both; constant beyond the ends."""
    if at <= abscissa[0]:
        return values[0]
    for left, right, low, high in zip(abscissa, abscissa[1:], values, values[1:], strict=False):
        if at <= right:
            share = math.log(at / left) / math.log(right / left)
            return low ** (1 - share) * high**share
    return values[-1]


def peers_by_level(exchange: Exchange, links: Sequence[Link]) -> list[int]:
    """Of one rank: the others it meets at each level and at none below."""
    within = [1]
    for link in links:
        here = exchange.ranks if link.ranks == 0 else max(1, link.ranks // exchange.stride)
        within.append(max(within[-1], min(exchange.ranks, here)))
    return [after - before for before, after in pairwise(within)]


def level_times(exchange: Exchange, links: Sequence[Link]) -> list[float]:
    """Seconds at each level: with q peers there, Q there and below, messages of m bytes, c calls,

    t = q (m / (B Q^−γ) + c λ).
    """
    times, below = [], 0
    message = exchange.bytes / exchange.ranks
    for link, peers in zip(links, peers_by_level(exchange, links), strict=True):
        below += peers
        bandwidth = 1e9 * link.bandwidth * max(1, below) ** -link.contention
        times.append(peers * (message / bandwidth + exchange.calls * 1e-6 * link.latency))
    return times


def all_to_all(exchange: Exchange, links: Sequence[Link]) -> float:
    """Seconds of the all-to-alls of a right-hand side: one level after the other. One rank takes none."""
    return sum(level_times(exchange, links)) if exchange.ranks > 1 else 0.0


def may_hide(exchange: Exchange, links: Sequence[Link]) -> float:
    """Seconds of an exchange during which work may go on."""
    times = level_times(exchange, links) if exchange.ranks > 1 else []
    return sum(link.hidden * time for link, time in zip(links, times, strict=False))


def hidden_time(load: Load, links: Sequence[Link], work: float) -> float:
    """What a pipeline of b batches saves: (b − 1)/b of the shorter of work on planes and what may hide.

    What of a row exchange does not hide is time in which columns may travel, as work is.
    """
    row, column = may_hide(load.row, links), may_hide(load.column, links)
    planes = work + all_to_all(load.row, links) - row
    return min(planes, row + column) * (load.batches - 1) / load.batches

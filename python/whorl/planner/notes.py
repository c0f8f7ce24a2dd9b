"""What to know of a plan beside its numbers: where they are extrapolated, what is not counted."""

from collections.abc import Sequence

from whorl.case import Case
from whorl.checks import GPUS
from whorl.planner.machine import Machine
from whorl.planner.search import threads_of_rank

REAL_BYTES = {"single": 4, "double": 8}


def notes_on(case: Case, machine: Machine, algorithm: str, overlap: bool) -> tuple[str, ...]:
    """Sentences, none where all is as measured and counted."""
    not_counted = (*_threads(case, machine, algorithm), *_device(case, machine))
    return (*_extrapolated(case, machine), *not_counted, *_guess(overlap))


def _extrapolated(case: Case, machine: Machine) -> list[str]:
    """Lines shorter or longer than any that was measured, and the precision that was not."""
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
    free = [link.level for link in machine.links if link.latency == 0]
    if outside and outside[0] < shortest and free:
        beyond.append(f"small messages (no latency known: {', '.join(free)})")
    return [f"extrapolated to {', '.join(beyond)}: only a rough guess"] if beyond else []


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
    return [f'run.device = "{case.run.device}" is not counted: {machine.machine.name} has no GPU']


def _guess(overlap: bool) -> list[str]:
    guess = "overlap assumes the share links[].hidden of each exchange, which nobody measured"
    return [guess] if overlap else []


def _listed(numbers: Sequence[int]) -> str:
    return " and ".join(map(str, numbers))


def _range(low: float, high: float) -> str:
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"

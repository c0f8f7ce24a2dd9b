"""A choice of transport, process grid and batches, and the plainest one."""

from dataclasses import asdict, dataclass

from whorl.base.declared import PLAIN_TRANSPORT
from whorl.config.case import Case
from whorl.config.run import AUTO


@dataclass(frozen=True)
class Choice:
    """A way to exchange; the core chooses a process grid of (0, 0), and batches of 0."""

    transport: str
    process_grid: tuple[int, int]
    batches: int

    def applied_to(self, case: Case) -> Case:
        """The case with this choice for the options that it leaves open."""
        return case.with_run(**asdict(self))


def plain(case: Case) -> Case:
    """The case with the plainest exchange for the options that it leaves open."""
    if case.run.transport != AUTO:
        return case
    return Choice(PLAIN_TRANSPORT, case.run.process_grid, case.run.batches).applied_to(case)

"""The number of threads of a rank."""

import os

from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.config.section import LARGEST_COUNT
from whorl.run.control_groups import processor_quota


def threads_of_rank(comm: MPI.Intracomm) -> int:
    """Threads for run.threads = 0: OMP_NUM_THREADS, or this rank's share of the cores that it is bound to.

    It is no more than its share of the processor time of its control group, rounded down, and at least 1.
    Raises CaseError if OMP_NUM_THREADS is not a number of threads.
    """
    cores = frozenset(os.sched_getaffinity(0))
    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    quota = processor_quota()
    others = node.allgather((cores, quota))
    node.Free()
    most = len(cores) // sum(1 for other, _ in others if other & cores)
    if quota:
        within = sum(1 for _, other in others if other and other.group == quota.group)
        most = min(most, int(quota.processors / within))
    given = os.environ.get("OMP_NUM_THREADS")
    if not given:
        return max(1, most)
    first = given.split(",")[0].strip()  # the others are for nested teams
    if not first.isdecimal() or not 0 < int(first) <= LARGEST_COUNT:
        raise CaseError(
            f"OMP_NUM_THREADS = {given} is no number of threads; unset it, or set 1 to {LARGEST_COUNT}."
        )
    return int(first)

"""A case as the core counts it for a machine that is not this one."""

from whorl import _core
from whorl.config.case import Case
from whorl.run.core_options import core_options
from whorl.run.exchange_choice import plain

# What this build may lack, with what is laid out alike.
ALIKE = {"nccl": "overlap"}


def planned_options(case: Case, threads: int = 1, device: str = "cpu") -> _core.Options:
    """What the core needs of a case to count it on `device`, be that in this build or not."""
    options = core_options(plain(case), threads)
    options.device = device
    options.transport = ALIKE.get(options.transport, options.transport)
    return options

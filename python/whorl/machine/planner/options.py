"""The core's options by which it counts a case for another machine."""

from whorl import _core
from whorl.config.case import Case
from whorl.run.core_options import core_options
from whorl.run.exchange_choice import plain

# Choices that this build may lack, each with one of the same layout.
ALIKE = {"nccl": "overlap"}


def planned_options(case: Case, threads: int = 1, device: str = "cpu") -> _core.Options:
    """The core's options to count a case on `device`, even if this build lacks the device."""
    options = core_options(plain(case).with_run(device=device), threads)
    options.transport = ALIKE.get(options.transport, options.transport)
    return options

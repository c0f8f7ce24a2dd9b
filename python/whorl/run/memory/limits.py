"""The memory left on this host, and within the limits of the control groups of this process.

A process that exceeds the limit of its group is killed, however much memory the host has free.
"""

from collections.abc import Iterator
from pathlib import Path

import psutil

from whorl.run.control_groups import groups_of

# The files of each version: the limit, the memory in use, and the entry of memory.stat that can be reclaimed.
V2 = ("memory.max", "memory.current", "inactive_file")
V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


def available_memory(root: Path = Path("/")) -> tuple[int, str]:
    """Bytes still available, and their limit: "" for the host, else "a limit of its control group"."""
    free = psutil.virtual_memory().available
    left = min(_left_in_groups(root), default=free)
    return (left, "a limit of its control group") if left < free else (free, "")


def _left_in_groups(root: Path) -> Iterator[int]:
    """Bytes left in each group of this process that has a limit."""
    for folder, version in groups_of(root, "memory"):
        names = V1 if version == 1 else V2
        limit, taken = (_number(folder / name) for name in names[:2])
        if limit is not None and taken is not None:
            yield max(0, limit - taken + _of_statistics(folder / "memory.stat", names[2]))


def _number(path: Path) -> int | None:
    """The number in a file; None without the file, or without a limit in it."""
    try:
        text = path.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() else None


def _of_statistics(path: Path, name: str) -> int:
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.split()[:1] == [name]), 0)

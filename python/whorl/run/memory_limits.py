"""The memory left on this host, and within the limits of the control groups of this process.

Containers and batch systems limit a group of processes (cgroups, "memory" in the documentation of Linux). A
process that takes more is killed, however much memory the host has free.
"""

from collections.abc import Iterator
from pathlib import Path

import psutil

# The files of each version: the limit, the memory in use, and the entry of memory.stat that can be reclaimed.
V2 = ("memory.max", "memory.current", "inactive_file")
V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
GROUPS = "sys/fs/cgroup"


def available_memory(root: Path = Path("/")) -> tuple[int, str]:
    """Bytes still available, and what limits them: "" the host, else "a limit of its control group"."""
    free = psutil.virtual_memory().available
    left = min(_left_in_groups(root), default=free)
    return (left, "a limit of its control group") if left < free else (free, "")


def _left_in_groups(root: Path) -> Iterator[int]:
    """Bytes left in each group of this process that has a limit."""
    for folder, names in _groups(root):
        limit, taken = (_number(folder / name) for name in names[:2])
        if limit is not None and taken is not None:
            yield max(0, limit - taken + _of_statistics(folder / "memory.stat", names[2]))


def _groups(root: Path) -> Iterator[tuple[Path, tuple[str, str, str]]]:
    """Folders of this process's groups and of the groups around them, with the names of their files.

    In a container the path may be that on the host, which is not visible: then the container's root counts.
    """
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers not in ("", "memory"):
            continue
        top, names = (root / GROUPS / controllers, V1 if controllers else V2)
        folder = top / path.strip("/")
        for group in (folder, *folder.parents):
            if group.is_relative_to(top) and group.is_dir():
                yield group, names


def _number(path: Path) -> int | None:
    """The number in a file; None if there is no such file, or no limit in it."""
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

"""The control groups of this process, and their quota of processor time.

Containers and batch systems limit a group of processes (cgroups, "cpu" and "memory" in the documentation of
Linux).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

GROUPS = "sys/fs/cgroup"


class Quota(NamedTuple):
    """Processors that a group may use on average, and the group, which other ranks may share."""

    processors: float
    group: tuple[int, int]


def groups_of(root: Path, controller: str) -> Iterator[tuple[Path, int]]:
    """Folders of this process's groups and of the groups around them, with their version, 1 or 2.

    In a container the path may be that on the host, which is not visible: then the container's root counts.
    """
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        top = root / GROUPS / controllers
        folder = top / path.strip("/")
        for group in (folder, *folder.parents):
            if group.is_relative_to(top) and group.is_dir():
                yield group, 1 if controllers else 2


def processor_quota(root: Path = Path("/")) -> Quota | None:
    """The smallest quota of a group of this process; None without one."""
    quotas = [
        Quota(processors, (place.st_dev, place.st_ino))
        for folder, version in groups_of(root, "cpu")
        if (processors := _processors(folder, version)) is not None
        for place in [folder.stat()]
    ]
    return min(quotas, default=None)


def _processors(folder: Path, version: int) -> float | None:
    """The processors of a group: microseconds of each period, both in a file; None without a limit."""
    files = ("cpu.max",) if version == 2 else ("cpu.cfs_quota_us", "cpu.cfs_period_us")
    try:
        quota, period = map(int, " ".join((folder / name).read_text() for name in files).split())
    except (OSError, ValueError):  # "max" is no limit
        return None
    return quota / period if quota > 0 and period > 0 else None

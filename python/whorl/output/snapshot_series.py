"""snapshots.vtkhdf.series: the snapshots of a run with their times, for ParaView to open as one series.

The format is ParaView's "file series": {"file-series-version": "1.0", "files": [{"name": …, "time": …}]},
with names relative to the file's own folder. The times in the snapshots themselves are authoritative.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from whorl.base.files import write_text
from whorl.base.hdf5 import open_hdf5


class SnapshotSeries:
    """The list of a run's snapshots and, if a path is given, its file (write from one rank only)."""

    def __init__(self, path: Path | None = None):
        self.path = path
        self._times: dict[Path, float] = {}

    def resume(self, snapshots: Sequence[Path]) -> None:
        """Resume the list after these snapshots."""
        if self.path is None:
            return
        self._times = dict(zip(snapshots, times_of(snapshots, self.path), strict=True))
        if self._times:
            self._write()
        else:
            self.path.unlink(missing_ok=True)

    def append(self, snapshot: Path, time: float) -> None:
        if self.path:
            self._times[snapshot] = time
            self._write()

    def _write(self) -> None:
        files = [{"name": _name(path, self.path), "time": time} for path, time in self._times.items()]
        write_text(self.path, json.dumps({"file-series-version": "1.0", "files": files}, indent=1) + "\n")


def times_of(snapshots: Sequence[Path], series: Path) -> list[float]:
    """The times of snapshots, from the list; only snapshots that are not in it are opened."""
    known = _read(series)
    names = [_name(path, series) for path in snapshots]
    return [
        known[name] if name in known else time_of(path) for name, path in zip(names, snapshots, strict=True)
    ]


def _name(snapshot: Path, series: Path) -> str:
    return str(snapshot.relative_to(series.parent))


def _read(series: Path) -> dict[str, float]:
    """Times by name; empty if the file is missing or has no such list."""
    try:
        files = json.loads(series.read_text(encoding="utf-8"))["files"]
        return {file["name"]: float(file["time"]) for file in files}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def time_of(snapshot: Path) -> float:
    """The time of a snapshot, in the case's own unit."""
    with open_hdf5(snapshot) as file:
        return float(file.attrs["time"])

"""The checkpoints of a run: written at once, or from a copy while the run goes on; the oldest are removed."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from whorl import _core
from whorl.base.parallel import on_root
from whorl.config.case import Case
from whorl.output.directory import RunDirectory
from whorl.output.patience import Patience

PER_NODE = -1  # a file for each node, as the core counts


def files_of(case: Case) -> int:
    """The number of data files of a checkpoint as the core counts: 0 for none of their own."""
    files = case.output.checkpoint_files
    return {"single": 0, "node": PER_NODE}[files] if isinstance(files, str) else files


class CheckpointFiles:
    """Checkpoints in the directory of a run. All methods are collective, properties are not.

    Attributes
    ----------
    last : Path or None
        The newest that is complete.
    longest : float or None
        Seconds of the one that took longest.
    in_background : bool
        Whether a checkpoint is written from a copy of the state.
    """

    def __init__(self, case: Case, flow: _core.Flow, directory: RunDirectory | None, patience: Patience):
        self._output, self._flow, self._directory = case.output, flow, directory
        self._patience, self._comm = patience, patience.comm
        self._how: dict[str, Any] = {
            "files": files_of(case),
            "single": case.output.checkpoint_precision == "single",
        }
        self.last: Path | None = None
        self.longest: float | None = None
        self.in_background = False
        self._held: tuple[Path, _core.HeldCheckpoint, float] | None = None  # that threads are writing since

    @property
    def none(self) -> bool:
        """Whether none is complete, nor being written."""
        return self.last is None and self._held is None

    @property
    def writing(self) -> bool:
        """Whether a thread of this rank is writing a checkpoint."""
        return self._held is not None and not self._held[1].ready

    def write(self, path: Path, attributes: Mapping[str, str | float | int], began: float) -> None:
        """Write the present state, or begin to; `began` is the reading of the clock."""
        if self.in_background:
            self._held = path, self._flow.begin_checkpoint(path, attributes, **self._how), began
            return
        self._patience(lambda: self._flow.write_checkpoint(path, attributes, **self._how))
        self._complete(path, began)

    def end(self) -> None:
        """Complete a checkpoint that threads are writing, or have written."""
        if self._held is not None:
            (path, held, began), self._held = self._held, None
            held.finish()
            self._complete(path, began)

    def _complete(self, path: Path, began: float) -> None:
        self.last = path
        keep = self._output.keep_checkpoints
        self._patience(lambda: on_root(self._comm, lambda: self._directory.prune(keep)))  # type: ignore[union-attr]
        self.longest = max(self.longest or 0.0, time.monotonic() - began)

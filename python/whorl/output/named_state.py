"""Paths into a run: to its directory, or to one of its checkpoints or snapshots."""

from pathlib import Path
from typing import NamedTuple

from whorl.base.errors import CaseError
from whorl.base.files import is_file
from whorl.output.directory import RunDirectory


class NamedState(NamedTuple):
    """The directory of a run, and the step of a checkpoint or a snapshot in it if the path named that."""

    directory: Path
    step: int | None = None
    snapshot: bool = False


def named_state(path: Path) -> NamedState:
    """The state that a path names. Raises CaseError if it is no run, checkpoint or snapshot of a run."""
    found = _in_a_run(path)
    if found is None and is_file(path):
        found = _in_a_run(path.resolve())  # a link, or a name within the present directory
        if found is None:
            raise CaseError(
                f"{path} is a file, and no checkpoint or snapshot in the directory of its run; name the "
                "directory of a run."
            )
    if found is None:
        RunDirectory(path).check_run()
    return found or NamedState(path)


def _in_a_run(path: Path) -> NamedState | None:
    """The state whose file has this path, even if it does not exist; None if no run has a file there."""
    run = RunDirectory(path.parent.parent)
    if not path.stem.isdecimal() or not run.is_run():
        return None
    step = int(path.stem)
    snapshot_of = {run.checkpoint_path(step): False, run.snapshot_path(step): True}
    return NamedState(run.path, step, snapshot_of[path]) if path in snapshot_of else None

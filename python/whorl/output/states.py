"""States of a run to go on from or to look at: the checkpoint or the snapshot, with the case for it."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from whorl.base.errors import CaseError
from whorl.base.files import is_file
from whorl.base.text import typed
from whorl.config.case import Case
from whorl.output.checkpoint import Checkpoint, read_clock
from whorl.output.directory import RunDirectory, of_step
from whorl.output.snapshot_header import SnapshotHeader, read_header

# Sections that a restart may change; of particles see particles/groups.py.
FREE_SECTIONS = {"time", "run", "output", "diagnostics", "probes", "particles"}
BESIDE = {
    *FREE_SECTIONS,
    "grid",
    "flow",
    "scalars",
    "forcing",
}  # sections that a restart into another directory may change


def to_restart(
    place: RunDirectory, end: dict[str, float], settings: Sequence[str], step: int | None
) -> tuple[Case, Checkpoint]:
    """The case with the requested end and changes, and the checkpoint of `step` or the newest."""
    for setting in _refused(settings, FREE_SECTIONS):
        raise CaseError(
            f"--set {setting} is not for a restart, which may change run.*, output.* (not directory), "
            f"diagnostics, probes, particles and time.*{_advice(place, setting)}."
        )
    case = place.read_case().updated(settings, output={"directory": str(place.path)}, time=end)
    return case, choose_checkpoint(place, step)


def to_look_at(
    place: RunDirectory,
    diagnostics: Sequence[dict[str, Any]],
    settings: Sequence[str],
    step: int | None,
    snapshot: bool,
    *,
    particles: bool = False,
) -> tuple[Case, Checkpoint | SnapshotHeader]:
    """The case with these diagnostics and changes of run.*, and the checkpoint or snapshot of the state.

    The case has no directory; with `particles` it has the particles of the checkpoint.
    """
    for setting in _refused(settings, {"run"}):
        raise CaseError(f"--set {setting} changes more than how it is computed; give run.* alone.")
    sections = place.read_case().to_dict()
    sections["output"].pop("directory", None)
    sections["diagnostics"] = diagnostics
    for name in ("probes", "particles"):
        sections.pop(name, None)
    chosen = choose_snapshot(place, step) if snapshot else choose_checkpoint(place, step)
    if particles and chosen.particles:
        sections["particles"] = chosen.case.get("particles", ())
    return Case(**sections).updated(settings), chosen


def _advice(place: RunDirectory, setting: str) -> str:
    """Advice on how to begin a run with a setting that a restart cannot change."""
    if [*_refused([setting], BESIDE)]:
        return "; for another initial field or another directory begin a new run (whorl run)"
    command = f"whorl restart {typed(place.path)} -o NEW --set {typed(setting)}"
    return f"; for a change of the grid or the equations begin a new run from its checkpoint: {command}"


def to_begin_beside(
    place: RunDirectory, new: RunDirectory, end: dict[str, float], settings: Sequence[str], step: int | None
) -> tuple[Case, Checkpoint]:
    """The case and the checkpoint, as of `to_restart`, for a run in another directory."""
    for setting in _refused(settings, BESIDE):
        raise CaseError(
            f"--set {setting} is not for a run that begins from a checkpoint, which has its fields from "
            "there and its directory from -o; leave it out, or begin a new run (whorl run)."
        )
    checkpoint = choose_checkpoint(place, step)
    return place.read_case().updated(settings, output={"directory": str(new.path)}, time=end), checkpoint


def choose_checkpoint(place: RunDirectory, step: int | None = None) -> Checkpoint:
    """The newest checkpoint, or that of `step`. If it is damaged, CaseError offers an earlier one."""
    wanted = place.path_of_checkpoint(step)
    try:
        chosen = read_clock(wanted)
    except ValueError as error:
        raise damaged(place, wanted, str(error)) from None
    try:
        there = Case.of_run(chosen.case)
    except CaseError as error:
        raise damaged(place, chosen.path, f"its case cannot be run: {error}") from None
    _check_same_run(place, f"checkpoint {chosen.path}", there)
    return chosen


def choose_snapshot(place: RunDirectory, step: int | None = None) -> SnapshotHeader:
    """The newest snapshot, or that of `step`. Raises CaseError."""
    paths = place.snapshots()
    if not paths:
        raise CaseError(f"{place.path} has no snapshots; take its checkpoints.")
    wanted = of_step(step, paths, place.snapshot_path)
    try:
        chosen = read_header(wanted)
        there = Case.of_run(chosen.case)
    except (ValueError, CaseError) as error:
        raise CaseError(f"the snapshot {wanted} cannot be used: {str(error).rstrip('.')}.") from None
    _check_same_run(place, f"snapshot {wanted}", there)
    return chosen


def _check_same_run(place: RunDirectory, what: str, case: Case) -> None:
    """Raises CaseError if the case of a file differs from the directory's in other than FREE_SECTIONS."""
    there = _flat(case.to_dict())
    here = _flat(place.read_case().to_dict())
    for key in sorted(here.keys() | there.keys()):
        if key.partition(".")[0] not in FREE_SECTIONS and here.get(key) != there.get(key):
            raise CaseError(
                f"the {what} is of another run: its {key} is {there.get(key)}, and "
                f"{place.case_file} says {here.get(key)}; put this run's own {what.partition(' ')[0]} "
                "there, or begin a new run from a snapshot (initial.name = from-file)."
            )


def damaged(place: RunDirectory, path: Path, reason: str, output: Path | None = None) -> CaseError:
    """The error for a checkpoint that cannot be used; it offers the newest good one before it.

    `output` is the directory of the run that was to begin from it.
    """
    for earlier in reversed(place.checkpoints()):
        if earlier >= path:
            continue
        try:
            good = read_clock(earlier)
        except ValueError:
            continue
        beside = "" if output is None else f" -o {typed(output)}"
        command = f"whorl restart {typed(place.path)}{beside} --step {good.step}"
        offer = f"the one before is {earlier} (t = {good.time:.6g}): {command}"
        break
    else:
        offer = "there is no good one before it"
    return CaseError(f"the checkpoint {path} cannot be used: {reason.rstrip('.')}; {offer}.")


def _refused(settings: Sequence[str], sections: set[str]) -> Iterator[str]:
    """The settings of other sections, and of output.directory."""
    for setting in settings:
        section, *rest = re.split("[.=]", setting.strip(), maxsplit=1)
        if section.strip() not in sections or (section == "output" and "directory" in "".join(rest)):
            yield setting


def _flat(value: Any, key: str = "") -> dict[str, Any]:
    """The options in nested tables and lists of tables, by dotted keys."""
    if isinstance(value, dict):
        entries = value.items()
    elif isinstance(value, tuple) and value and isinstance(value[0], dict):
        entries = enumerate(value)
    else:
        return {key: value}
    parts = (_flat(inner, f"{key}.{name}" if key else str(name)) for name, inner in entries)
    return {name: option for part in parts for name, option in part.items()}


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

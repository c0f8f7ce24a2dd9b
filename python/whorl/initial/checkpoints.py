"""Fields from checkpoints, from any grid of the same box, and the state in a snapshot of a run."""

from collections.abc import Iterable

from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.parallel import on_root
from whorl.base.ranks import MPI
from whorl.base.text import spelled
from whorl.config.case import Case
from whorl.config.measures import all_fields, state_fields
from whorl.initial.checks import FieldTarget, Given, check_mean
from whorl.initial.files import FROM_FILE, check_box, filled_by, left_out, open_field
from whorl.output.checkpoint import Checkpoint, read_clock
from whorl.output.snapshot_header import SnapshotHeader


def set_from_checkpoint(target: FieldTarget, path: str, place: str) -> None:
    """Sets a field, or the state that determines it, from a checkpoint; `place` is the option's name.

    Raises CaseError if the checkpoint lacks the field, is damaged or has another box.
    """
    which = f"{place} = {path}"
    checkpoint, case = on_root(target.comm, lambda: _open(path, which)), target.case
    wanted = [target.field] if target.field in state_fields(case) else list(case.flow.state)
    check_fields(checkpoint, case, wanted, which, FROM_FILE)
    try:
        read_fields(target.flow, case, target.comm, checkpoint, wanted)
    except _core.Error as error:
        raise CaseError(f"{which} cannot be used: {checkpoint.reason(error)}") from None
    target.remarks.extend(filter(None, [left_out(checkpoint.grid, case.grid, f"{place} is a checkpoint")]))


def check_fields(checkpoint: Checkpoint, case: Case, wanted: Iterable[str], which: str, remedy: str) -> None:
    """Raises CaseError unless the file, named `which`, has these fields of the case in its box.

    `remedy` is the advice on another box.
    """
    known = checkpoint.names_in_file()
    if missing := [name for name in wanted if name not in known]:
        raise CaseError(
            f"{which} is a checkpoint without {', '.join(missing)}, of {', '.join(known)}; a new run can "
            "have fields from several places ([initial], [initial.FIELD], from-file)."
        )
    check_box(checkpoint.grid, case.grid, f"{which} is a checkpoint", remedy)


def read_fields(
    flow: _core.Flow, case: Case, comm: MPI.Intracomm, checkpoint: Checkpoint, wanted: Iterable[str]
) -> None:
    """Sets these fields of the state from a checkpoint.

    Raises _core.Error if it is damaged, CaseError for a mean that the case cannot have.
    """
    known, fields = checkpoint.names_in_file(), state_fields(case)
    flow.read_regridded(checkpoint.path, {name: known[name] for name in wanted})
    for name in wanted:
        target = FieldTarget(flow, case, comm, name, fields[name].components, "initial")
        check_mean(target, *target.moments())


def _open(path: str, which: str) -> Checkpoint:
    try:
        return read_clock(path)  # type: ignore[arg-type]
    except ValueError as error:
        raise CaseError(f"{which} cannot be used: {error}.") from None


def read_snapshot(flow: _core.Flow, case: Case, comm: MPI.Intracomm, header: SnapshotHeader) -> None:
    """Sets the state from the fields of a snapshot. Raises CaseError if it lacks one. Collective.

    A snapshot in double precision gives the modes of the state to rounding.
    """
    for field in on_root(comm, lambda: _fields_for(case, header)):
        about = all_fields(case)[field]
        target = FieldTarget(flow, case, comm, field, about.components, str(header.path))
        with open_field(str(header.path), field, about, case.grid) as readers:
            given = Given(target, filled_by(readers))
            target.give(given)
            given.check_finite()


def _fields_for(case: Case, header: SnapshotHeader) -> list[str]:
    """The fields that give the state: its own, or the field that determines that of the model."""
    own, first = list(state_fields(case)), case.flow.first_field()
    others = [name for name in own if name not in case.flow.state]
    determines = [] if first in own else [[first, *others]]
    for fields in (own, *determines):
        if all(name in header.fields for name in fields):
            return fields
    missing = ", ".join(name for name in own if name not in header.fields)
    raise CaseError(
        f"the snapshot {spelled(str(header.path))} has {', '.join(header.fields)}, and its state needs "
        f"{missing}: analyse checkpoints, or run with output.fields that have it."
    )

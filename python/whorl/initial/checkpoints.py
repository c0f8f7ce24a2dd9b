"""Fields from checkpoints: their modes, from any grid of the same box."""

from collections.abc import Iterable

from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.parallel import on_root
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.measures import state_fields
from whorl.initial.checks import FieldTarget, check_mean
from whorl.initial.files import FROM_FILE, check_box, left_out
from whorl.output.checkpoint import Checkpoint, read_clock


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

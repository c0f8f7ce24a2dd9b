"""Initial fields in checkpoints: their modes, on whatever grid of the same box they were written."""

from whorl import _core
from whorl.checkpoint import Checkpoint, read_clock
from whorl.errors import CaseError
from whorl.initial_checks import Target, check_mean
from whorl.initial_files import check_box, left_out
from whorl.measures import name_in_core, state_fields
from whorl.parallel import on_root


def set_from_checkpoint(target: Target, path: str, place: str) -> None:
    """Sets a field, or the state that a model has instead, from a checkpoint; `place` is the option's name.

    Raises CaseError where it has not the field, is damaged or of another box.
    """
    checkpoint = on_root(target.comm, lambda: _open(path, place))
    case = target.case
    wanted = [target.field] if target.field in state_fields(case) else list(case.flow.state)
    known = checkpoint.names_in_core()
    if missing := [name for name in wanted if name not in known]:
        raise CaseError(
            f"{place} = {path} is a checkpoint without {', '.join(missing)}, of {', '.join(known)}."
        )
    check_box(checkpoint.grid, case.grid, f"{place} = {path} is a checkpoint")
    names = {name_in_core(case, name): known[name] for name in wanted}
    try:
        target.flow.read_regridded(path, names)
    except _core.Error as error:
        reason = str(error).removeprefix(f"the checkpoint {path} cannot be read: ")
        raise CaseError(f"{place} = {path} cannot be used: {reason}") from None
    check_mean(target, *target.moments())
    target.remarks.extend(filter(None, [left_out(checkpoint.grid, case.grid, f"{place} is a checkpoint")]))


def _open(path: str, place: str) -> Checkpoint:
    try:
        return read_clock(path)
    except ValueError as error:
        raise CaseError(f"{place} = {path} cannot be used: {error}.") from None

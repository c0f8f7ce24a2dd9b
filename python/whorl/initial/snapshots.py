"""The state in a snapshot of a run, at the points of the run's own grid."""

from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.parallel import on_root
from whorl.base.ranks import MPI
from whorl.base.text import spelled
from whorl.config.case import Case
from whorl.config.measures import all_fields, state_fields
from whorl.initial.checks import FieldTarget, Given
from whorl.initial.files import filled_by, open_field
from whorl.output.snapshot_header import SnapshotHeader


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

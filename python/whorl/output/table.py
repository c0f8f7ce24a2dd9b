"""The interface of a table for the recorder: begin, measure, record, resume and cut."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from whorl.base.errors import CaseError
from whorl.config.columns import Column
from whorl.output.moment import Moment


class Kept(NamedTuple):
    """The part of a file up to a step: its states, their number, and the gaps before."""

    data: Any
    states: int
    gaps: list[str]


class Table(ABC):
    """A table of a run, in memory and, if a path is given, in its file (write from one rank only)."""

    suffix: ClassVar[str]
    """The suffix of the files that it writes."""

    def __init__(self, columns: tuple[Column, ...], path: Path | None = None):
        self.columns = columns
        self.path = path

    @abstractmethod
    def begin(self) -> None:
        """Create the file, if the table has one before the first state."""

    @abstractmethod
    def measure(self, moment: Moment) -> Any:
        """Measure the data of a state to append. Collective."""

    @abstractmethod
    def record(self, moment: Moment, measured: Any) -> None:
        """Append the measured data of a state."""

    @abstractmethod
    def resume(self, data: Any, gaps: Iterable[str] = ()) -> None:
        """Resume after `data`, and cut the file to it; `gaps` says which states are missing."""

    @property
    @abstractmethod
    def states(self) -> int:
        """The number of states."""

    @abstractmethod
    def read(self, step: int) -> tuple[list[str], Kept]:
        """The columns of the file, and its part up to a step. Raises CaseError."""

    def kept(self, step: int) -> Kept:
        """The part of the file up to a step, empty without a file. Raises CaseError."""
        if self.path is None or not self.path.is_file():
            return Kept(self.nothing(), 0, [])
        there, kept = self.read(step)
        needed = (column.name for column in self.columns if not column.later)
        if missing := [name for name in needed if name not in there]:
            raise CaseError(
                f"{self.path} is of another version of whorl and has no {', '.join(missing)}; move it away, "
                "and the restart begins a new one."
            )
        return kept

    @abstractmethod
    def nothing(self) -> Any:
        """The data of a table without states."""

    @abstractmethod
    def synchronise(self) -> None:
        """Return when all states are on disk."""

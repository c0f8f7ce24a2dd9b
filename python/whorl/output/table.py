"""What the recorder knows of a table: how it begins, what is measured for it, what of it is kept."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from whorl.base.errors import CaseError
from whorl.config.columns import Column
from whorl.output.diagnostics import Moment


class Kept(NamedTuple):
    """Of a file: its states up to a step, how many these are, and what its gaps say of those before."""

    data: Any
    states: int
    gaps: list[str]


class Table(ABC):
    """A table of a run, in memory and, where a path is given, in its file (write from one rank only)."""

    suffix: ClassVar[str]
    """Of the files that it writes."""

    def __init__(self, columns: tuple[Column, ...], path: Path | None = None):
        self.columns = columns
        self.path = path

    @abstractmethod
    def begin(self) -> None:
        """Make the file, where it is there before the first state."""

    @abstractmethod
    def measure(self, moment: Moment) -> Any:
        """What is to be appended of a state. Collective."""

    @abstractmethod
    def record(self, moment: Moment, measured: Any) -> None:
        """Append it."""

    @abstractmethod
    def resume(self, data: Any, gaps: Iterable[str] = ()) -> None:
        """Go on behind `data`, and cut the file to it; `gaps` says what is missing."""

    @property
    @abstractmethod
    def states(self) -> int:
        """How many there are."""

    @abstractmethod
    def read(self, step: int) -> tuple[list[str], Kept]:
        """The columns of the file, and what is there up to a step. Raises CaseError."""

    def kept(self, step: int) -> Kept:
        """What is there up to a step, nothing without a file. Raises CaseError."""
        if self.path is None or not self.path.is_file():
            return Kept(self.nothing(), 0, [])
        there, kept = self.read(step)
        if missing := [column.name for column in self.columns if column.name not in there]:
            raise CaseError(
                f"{self.path} is of another version of whorl and has no {', '.join(missing)}; move it away, "
                "and the restart begins a new one."
            )
        return kept

    @abstractmethod
    def nothing(self) -> Any:
        """The data of no state."""

    @abstractmethod
    def synchronise(self) -> None:
        """Return when all states are on disk."""

"""The interfaces of what a run writes when it is due, and of its tables, which a restart resumes."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from whorl.base.errors import CaseError
from whorl.config.clock import Clock, Every
from whorl.config.columns import Column
from whorl.output.sample import StateSample

Agree = Callable[[Callable[[], None]], None]  # does work of each rank, and raises an error of any on all


class Writer(ABC):
    """An output with an interval for each of its parts; `write` writes the parts that are due."""

    needs_sums: ClassVar[bool] = True
    """Whether it is written only after the sums over modes, by which the flow is known to be finite."""

    at_end: ClassVar[bool] = True
    """Whether it is also written at the end."""

    def __init__(self, every: Mapping[str, Every]):
        self.every = dict(every)

    def wanted(self) -> list[str]:
        """The parts that a run writes at all, which it does at its start."""
        return [name for name, every in self.every.items() if every.unit != "never"]

    def due(self, clock: Clock, *, last: bool, released: Collection[str] = ()) -> list[str]:
        """The parts that are due after a step, the `last` or one that `released` groups of particles."""
        everything = last and self.at_end
        return [
            name
            for name in self.wanted()
            if everything or self.every[name].due(clock, self.counted_from(name))
        ]

    def counted_from(self, name: str) -> tuple[int, float]:
        """The step and the time from which the interval of a part is counted."""
        return 0, 0.0

    @abstractmethod
    def write(self, sample: StateSample, names: Sequence[str], agree: Agree) -> None:
        """Write some parts. Collective."""


class Single(Writer):
    """An output of one part, which a function writes."""

    def __init__(self, name: str, every: float | str, write: Callable[[StateSample], None]):
        super().__init__({name: Every.parse(every)})
        self._write = write

    def write(self, sample: StateSample, names: Sequence[str], agree: Agree) -> None:
        self._write(sample)


class Kept(NamedTuple):
    """The part of a file up to a step: its states, their number, and the gaps before; none without a file."""

    data: Any = None
    states: int = 0
    gaps: Sequence[str] = ()


class Table(Writer):
    """Rows of a run, in memory or, if a path is given, in a file, which one rank writes."""

    suffix: ClassVar[str]
    """The suffix of the files that it writes."""

    def __init__(self, every: Mapping[str, Every], path: Path | None = None):
        super().__init__(every)
        self.path = path

    @property
    @abstractmethod
    def states(self) -> int:
        """The number of states."""

    def kept(self, step: int) -> Kept:
        """The part of the file up to a step, empty without a file. Raises CaseError."""
        there = self.path is not None and self.path.is_file()
        return self.read(step) if there else Kept()

    @abstractmethod
    def read(self, step: int) -> Kept:
        """The part of an existing file up to a step. Raises CaseError."""

    @abstractmethod
    def resume(self, data: Any, gaps: Iterable[str] = ()) -> None:
        """Resume after `data`, if any, and cut the file to it; `gaps` says which states are missing."""

    def drop_lost(self) -> None:
        """Drop the last rows in memory that are not finite."""

    def synchronise(self) -> None:
        """Return when all states are on disk."""

    def finish(self) -> None:
        """Complete the file at the end of the run."""


class ColumnTable(Table):
    """A table of columns; it writes each state at once."""

    def __init__(
        self, columns: tuple[Column, ...], path: Path | None = None, every: Mapping[str, Every] | None = None
    ):
        super().__init__(every or {}, path)
        self.columns = columns
        self.rows = self.no_rows()
        self.gaps: list[str] = []

    @abstractmethod
    def no_rows(self) -> Any:
        """The rows of a table without states."""

    @property
    def states(self) -> int:
        return len(self.rows)

    def write(self, sample: StateSample, names: Sequence[str], agree: Agree) -> None:
        self.add(sample, self.measure(sample))
        agree(self.put)

    @abstractmethod
    def measure(self, sample: StateSample) -> dict[str, Any]:
        """Measure the columns in a state. Collective."""

    @abstractmethod
    def add(self, sample: StateSample, measured: dict[str, Any]) -> None:
        """Add the columns of a state to the rows in memory."""

    @abstractmethod
    def put(self) -> None:
        """Write the rows that are not in the file; after a failure it may be called again."""

    def check_columns(self, there: Collection[str]) -> None:
        """Raises CaseError unless the file has the columns."""
        needed = (column.name for column in self.columns if not column.later)
        if missing := [name for name in needed if name not in there]:
            raise CaseError(
                f"{self.path} is of another version of whorl and has no {', '.join(missing)}; move it away, "
                "and the restart begins a new one."
            )

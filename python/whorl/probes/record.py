"""The probes of a run: rows of probes.h5, which the core reads from the modes when they are due."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from whorl.config.case import Case
from whorl.output.groups import write_rows
from whorl.output.growing_file import Write
from whorl.output.growing_table import GrowingTable, Rows
from whorl.output.sample import StateSample
from whorl.probes.ask import Reading
from whorl.probes.files import as_complex

if TYPE_CHECKING:
    import xarray as xr


class ReadRows(Rows):
    """The rows of a probe, or of a group of particles, which its `reading` reads."""

    def __init__(self, reading: Any):
        self.reading = reading
        super().__init__(reading.probe, reading.layout, reading.width, reading.coordinates)

    def arrays(self, raw: Sequence[np.ndarray], times: np.ndarray) -> list[np.ndarray]:
        return self.reading.arrays(np.array(raw).reshape(len(raw), self.width), times)

    def is_lost(self, raw: np.ndarray) -> bool:
        return self.reading.is_lost(raw)


Group = TypeVar("Group", bound=ReadRows)


class ReadTable(GrowingTable[Group]):
    """Rows that are read without sums over modes; their intervals are counted from the first row."""

    needs_sums: ClassVar[bool] = False
    write_group: ClassVar[Write] = staticmethod(write_rows)

    def counted_from(self, name: str) -> tuple[int, float]:
        return self.rows[name].first or super().counted_from(name)

    def measure(self, sample: StateSample, names: Sequence[str]) -> dict[str, np.ndarray | None]:
        """The values that the named groups read of the present state. Collective."""
        return {name: self.rows[name].reading.read(sample.flow) for name in names}


class Probes(ReadTable[ReadRows]):
    """The probes of a run: evenly spaced rows, without one at the end."""

    at_end: ClassVar[bool] = False

    def __init__(self, case: Case, path: Path | None = None, *, keeps: bool = False):
        super().__init__([ReadRows(Reading(case, one)) for one in case.probes], path, keeps=keeps)

    def datasets(self) -> "dict[str, xr.Dataset]":
        """The rows in memory, by the names of the probes."""
        return {name: as_complex(one) for name, one in super().datasets().items()}

"""The header of a snapshot: its time, step, case and fields."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whorl.base.hdf5 import open_hdf5, python_value
from whorl.base.toml import loads
from whorl.output.snapshot_format import FIELDS, scalars_in

FORMAT = "whorl snapshot"


@dataclass(frozen=True)
class SnapshotHeader:
    """The time, step and case of a snapshot, and the names of its fields."""

    path: Path
    time: float
    step: int
    case: dict[str, Any]
    fields: tuple[str, ...]


def read_header(path: Path) -> SnapshotHeader:
    """The header of a snapshot. Raises ValueError if the file is damaged or not written by whorl."""
    try:
        with open_hdf5(path) as file:
            attributes = {name: python_value(value) for name, value in file.attrs.items()}
            if attributes.get("format") != FORMAT:
                raise ValueError("it is no snapshot of whorl")
            own = scalars_in(attributes)
            fields = tuple(own.get(name, name) for name in file[FIELDS])
        case = loads(attributes["case"])
        return SnapshotHeader(path, float(attributes["time"]), int(attributes["step"]), case, fields)
    except (OSError, KeyError) as error:
        raise ValueError(f"it cannot be read: {' '.join(str(error).split())}") from None

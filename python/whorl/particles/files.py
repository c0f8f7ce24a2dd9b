"""Reads particles.h5: a group for each group of particles, as datasets over time."""

from pathlib import Path
from typing import TYPE_CHECKING

from whorl.output.growing_file import GrowingFile

if TYPE_CHECKING:
    import xarray as xr


def read_paths(path: Path) -> "dict[str, xr.Dataset]":
    """The groups in a file, with arrays [time][particle]. Raises CaseError."""
    return {name: ordered(data, "time") for name, data in GrowingFile(path).read().items()}


def ordered(data: "xr.Dataset", order: str) -> "xr.Dataset":
    """Arrays over time and particles, with the axis `order` first."""
    return data.transpose(*(("particle", "time") if order == "particle" else ("time", "particle")), ...)

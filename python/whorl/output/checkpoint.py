"""The attributes of a checkpoint, read before the core reads the modes and checks both by their checksums."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from whorl.base import toml
from whorl.base.hdf5 import open_hdf5, python_value
from whorl.config.case import Case, Grid
from whorl.config.clock import Clock, Pace, Turnovers
from whorl.config.earlier import as_of_today
from whorl.config.run import Run
from whorl.config.scalars import own_names

ROWS = "_rows"
COUNT = ("turnovers", "turnover_rate")
PACE = ("pace_free", "pace_rate", "pace_dt", "pace_usual")
SOURCES = "sources."


class Timed(NamedTuple):
    """Choices by timing on which the bits of a run depend; an empty text and 0 leave them open."""

    lines: str = ""  # the result of run.lines = "auto"
    plane_bytes: int = 0  # memory of a GPU stream for the planes of one batch


OPEN = Timed()


@dataclass(frozen=True)
class Checkpoint:
    """The clock in a checkpoint, the tables of its case, and other choices that set the bits of a run."""

    path: Path
    time: float
    compensation: float
    step: int
    dt: float
    case: dict[str, Any]
    grid: Grid
    fields: tuple[str, ...]  # as the core stores them
    timed: Timed
    level: str  # the instruction level of the core
    code: str  # the kind of rows of typed equations: compiled or tabulated
    rows: dict[str, int]  # number of states in each table when it was written
    sources: dict[str, float]  # numbers that the core saved of its sources
    particles: str  # the checksum of its file of particles; empty without one
    turnovers: tuple[float, float] | None  # the count and u'/L, of a run that counts them
    pace: tuple[float, ...] | None  # of the step before; None if the file has none

    def clock(self) -> Clock:
        turnovers = Turnovers(*self.turnovers) if self.turnovers else None
        pace = Pace(*self.pace) if self.pace else None
        return Clock(self.time, self.compensation, self.step, turnovers, pace)

    def timed_for(self, case: Case, settings: Sequence[str]) -> Timed:
        """The choices of the run so far; OPEN if a restart sets run.lines or uses another device."""
        asked = any(setting.strip().startswith("run.lines") for setting in settings)
        device = self.case.get("run", {}).get("device", Run().device)
        return OPEN if asked or device != case.run.device else self.timed

    def reason(self, error: Exception) -> str:
        """The core's reason, without the name of the file, which the message already has."""
        return str(error).removeprefix(f"the checkpoint {self.path} cannot be read: ")

    def names_in_file(self) -> dict[str, str]:
        """The names of its fields in the file, by their names in its case; ψ is stored in two parts."""
        own = own_names(self.case)
        names = dict.fromkeys(re.sub(r"_\d$", "", field) for field in self.fields)
        return {own.get(name, name): name for name in names}


def read_clock(path: Path) -> Checkpoint:
    """The contents of its attributes. Raises ValueError if the file is damaged or not written by whorl."""
    try:
        with open_hdf5(path) as file:
            attributes = {name: python_value(value) for name, value in file.attrs.items()}
        clock = {name: float(attributes[name]) for name in ("time", "compensation", "dt")}
        rows = {
            name.removesuffix(ROWS): int(value) for name, value in attributes.items() if name.endswith(ROWS)
        }
        if not rows.keys() >= {"series", "spectra"}:  # which every version has written
            raise KeyError
        count, pace = (
            tuple(float(attributes[name]) for name in names) if names[-1] in attributes else None
            for names in (COUNT, PACE)
        )
        sources = {
            name.removeprefix(SOURCES): float(value)
            for name, value in attributes.items()
            if name.startswith(SOURCES)
        }
        how = {name: str(attributes.get(name, "")) for name in ("level", "code", "particles")}
        timed = Timed(str(attributes.get("lines", "")), int(attributes.get("plane_bytes", 0)))
        case = as_of_today(toml.loads(attributes["case"]))
        what = {"grid": Grid(**case["grid"]), "fields": tuple(str(attributes["fields"]).split())}
        what |= {"step": int(attributes["step"]), "case": case, "rows": rows, "sources": sources}
        return Checkpoint(path, turnovers=count, pace=pace, timed=timed, **what, **clock, **how)
    except (OSError, RuntimeError) as error:
        raise ValueError(f"it is damaged or no HDF5 file ({error})") from None
    except KeyError:
        raise ValueError("it was not written by whorl") from None
    except (TypeError, ValueError) as error:
        raise ValueError(f"its attributes are damaged ({error})") from None

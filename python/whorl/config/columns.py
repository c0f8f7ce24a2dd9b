"""What is measured, declared once: the columns of the series and the spectra, each with unit and meaning."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """A number that a run measures, or a spectrum of them: its name, unit and meaning."""

    name: str
    unit: str
    meaning: str


# What every model's series begins with.
CLOCK = (
    Column("step", "", "number of time steps made"),
    Column("time", "time", "t"),
    Column("dt", "time", "step that led here"),
    Column("courant", "", "Courant number of that step, dt max(|u|/dx + |v|/dy + |w|/dz)"),
)

"""The columns of the series, declared once."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """A column of the series: its name, unit and meaning."""

    name: str
    unit: str
    meaning: str


COLUMNS = (
    Column("step", "", "number of time steps made"),
    Column("time", "time", "t"),
    Column("dt", "time", "step that led here"),
    Column("courant", "", "Courant number of that step, dt max(|u|/dx + |v|/dy + |w|/dz)"),
    Column("energy", "length²/time²", "mean kinetic energy E = ½⟨u²⟩"),
    Column("dissipation", "length²/time³", "mean dissipation ε = 2 ν Z"),
    Column("enstrophy", "1/time²", "Z = ½⟨ω²⟩"),
    Column("helicity", "length/time²", "⟨u·ω⟩"),
    Column("maximum_velocity", "length/time", "largest |u| on the grid at the start of that step"),
    Column("taylor_scale", "length", "λ = √(15 ν u'²/ε) = √(5 E/Z), u'² = 2E/3"),
    Column("R_lambda", "", "u' λ/ν"),
    Column("kolmogorov_length", "length", "η = (ν³/ε)^¼"),
    Column("kmax_eta", "", "largest kept wavenumber times η"),
    Column("integral_scale", "length", "L = π/(2u'²) Σ E(k)/k"),
)

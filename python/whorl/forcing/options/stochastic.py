"""Forcing by random processes in time: `stochastic`, `lindborg` and `noise`."""

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import model_validator

from whorl.config.section import Seed, at_most_one, option
from whorl.config.wavenumbers import largest_wavenumbers, smallest_wavenumber, smallest_wavenumbers
from whorl.forcing.options.base import (
    END_ABOUT_PEAK,
    CoreSource,
    Forcing,
    OnBand,
    about_peak,
    ends_about_peak,
    given,
)
from whorl.forcing.options.design import Expected, Target, count_modes, design, dissipation_of, expected

if TYPE_CHECKING:
    from whorl.config.case import Case

EVERYTHING = 1e9  # a |k| beyond those of any grid
INTERVAL = 1 / 64  # in turnover times of the force, (P k²)^(−1/3)
SEED = "seed of its random numbers, which depend only on seed, field, mode and time"


class Stochastic(OnBand):
    """Ornstein–Uhlenbeck process in each mode of a band (Eswaran and Pope 1988), or white noise."""

    kind: Literal["stochastic"]
    seed: Seed = option(0, SEED)
    variance: float | None = option(
        None,
        "variance σ² of the real and the imaginary part of each component, before projection",
        unit="(field/time)²",
        gt=0,
    )
    power: float | None = option(
        None,
        "mean power on a field that does not react; 4 N σ² T_L for a solenoidal field on N modes",
        unit="field²/time",
        gt=0,
    )
    target: Target | None = option(
        None,
        "design from what the flow should reach, {taylor_reynolds, kmax_eta, dissipation, correlation}: sets "
        "variance, correlation_time and flow.viscosity",
    )
    correlation_time: float | None = option(
        None, "correlation time T_L; 0: white noise, of the mean power `power`", unit="time", ge=0
    )
    interval: float | None = option(
        None,
        "time in which white noise is constant; by default 1/64 of (P k²)^(−1/3), k that of k_max",
        unit="time",
        gt=0,
    )
    polarisation: Literal["all", "horizontal"] = option(
        "all", "horizontal: the force on a vector field has no z component"
    )
    helicity: float = option(
        0.0, "mean helicity of the force on a vector field, relative to the largest possible", ge=-1, le=1
    )
    peak: float | None = option(
        None, "|k| about which the variance is a Gaussian, in units of the smallest; flat by default", gt=0
    )
    width: float | None = option(
        None, "standard deviation of this Gaussian, in units of the smallest; 1 by default", gt=0
    )

    rivals: ClassVar = {
        "variance": ("power", "target"),
        "power": ("variance", "target"),
        "target": ("variance", "power", "correlation_time"),
    }

    @model_validator(mode="after")
    def _one_size(self) -> "Stochastic":
        at_most_one(self, "forcing", "variance", "power")
        sized = self.variance is not None or self.power is not None
        if not sized and self.target is None:
            raise ValueError("give forcing.power, forcing.variance or forcing.target: how strong it is")
        if self.correlation_time is None and self.target is None:
            raise ValueError("give forcing.correlation_time: T_L, or 0 for white noise")
        if self.correlation_time == 0 and self.variance is not None:
            raise ValueError("white noise (forcing.correlation_time = 0) has no variance; give forcing.power")
        if self.correlation_time != 0 and self.interval is not None:
            raise ValueError(
                f"forcing.interval = {self.interval:g} is that of white noise, of forcing.correlation_time "
                "= 0; leave it out"
            )
        if self.width is not None and self.peak is None:
            raise ValueError(f"forcing.width = {self.width:g} is that of a forcing.peak; give the peak")
        return self

    def check(self, case: "Case") -> None:
        """Refuses helicity where it has no meaning, and white noise without a time scale of its own."""
        about = (case.flow.outputs | case.flow.state).get(self.field)
        vector = about is not None and about.components == 3
        if not vector and (self.helicity or self.polarisation != "all"):
            raise ValueError(
                "forcing.helicity and forcing.polarisation are for vector fields, not for "
                f"{self.field}; leave them out"
            )
        one_sided = self.polarisation == "horizontal" or case.flow.must_be_flat
        if self.helicity and (one_sided or case.grid.bases != "FFF"):
            raise ValueError(
                "forcing.helicity is for a force of all polarisations in a periodic box, on a velocity of "
                "three components; set it to 0"
            )
        if self.correlation_time == 0 and self.interval is None and not _has_time(self, case):
            raise ValueError(
                f"white noise on {self.field} needs forcing.interval, a time much shorter than those of the "
                "flow, in which it is constant"
            )

    def sources(self, case: "Case") -> tuple[CoreSource, ...]:
        numbers = given(
            seed=self.seed,
            correlation_time=self.correlation_time,
            power=self.power,
            horizontal=float(self.polarisation == "horizontal"),
            helicity=self.helicity,
            interval=interval_of(self, case),
        )
        if self.variance is not None:
            numbers["intensity"] = self.variance * self.correlation_time
        if self.peak is not None:
            numbers |= {"peak": self.peak, "width": self.width or 1.0}
        return (CoreSource("stochastic", self.band() | numbers),)

    @property
    def correlated_for(self) -> float:  # type: ignore[override]
        """The correlation time T_L."""
        return self.correlation_time

    @property
    def isotropic(self) -> bool:
        """Whether it is alike in all modes of the band, of any direction and polarisation."""
        return self.modes == "all" and self.polarisation == "all" and self.peak is None

    def designed(self, grid: Any) -> dict[str, float] | None:
        """The options that its target sets: viscosity, variance and correlation_time."""
        return None if self.target is None else design(self.target, self.k_min, self.k_max, grid)


def undesigned(flow: dict[str, Any], lengths: tuple[float, ...]) -> str:
    """A setting of the equations or the box that a design does not allow for; "" without one."""
    if flow.get("model", "navier-stokes") != "navier-stokes":
        return f'flow.model = "{flow["model"]}"'
    for name in ("hyperviscosity", "hypoviscosity", "drag", "rotation"):
        if np.any(flow.get(name, 0.0)):
            return f"flow.{name}"
    return "" if max(lengths) <= min(lengths) * (1 + 1e-12) else "a box that is not a cube (grid.lengths)"


def expectation(case: "Case") -> Expected | None:
    """The expected statistics of a case whose only force is isotropic, of known σ² and T_L; else None."""
    if len(case.forcing) != 1 or not isinstance(force := case.forcing[0], Stochastic):
        return None
    three = case.grid.bases == "FFF" and 1 not in case.grid.points
    if not (force.isotropic and three and force.variance and force.field == "velocity"):
        return None
    if undesigned(case.flow.model_dump(), case.grid.lengths) or not case.flow.viscosity:  # type: ignore[attr-defined]
        return None
    modes = count_modes(force.k_min, force.k_max, case.grid)
    intensity, smallest = force.variance * force.correlation_time, smallest_wavenumber(case.grid)
    dissipation = dissipation_of(intensity, force.correlation_time, modes, smallest)
    return expected(dissipation, case.flow.viscosity, modes, case.grid)  # type: ignore[attr-defined]


def _has_time(force: Any, case: "Case") -> bool:
    fields = case.flow.outputs | case.flow.state
    return force.field in fields and fields[force.field].unit == "length/time"


def interval_of(force: Any, case: "Case") -> float | None:
    """The time in which white noise is constant."""
    if force.correlation_time or force.power is None:
        return None
    if force.interval is not None:
        return force.interval
    return white_interval(force.power, force.k_max, case)


def white_interval(power: float, k_max: float, case: "Case") -> float:
    """1/64 of the turnover time of the force at the largest wavenumber of its band."""
    return INTERVAL * (power * (k_max * smallest_wavenumber(case.grid)) ** 2) ** (-1 / 3)


class Lindborg(Forcing):
    """White noise on horizontal modes about k_f, and a little on vertical ones, for stratified turbulence."""

    kind: Literal["lindborg"]
    power: float = option(
        ..., "mean power, on horizontal and vertical modes together", unit="field²/time", gt=0
    )
    k_f: float = option(
        4.0, "|k| about which the horizontal modes are a Gaussian, in units of the smallest", gt=0
    )
    width: float = option(0.5, "standard deviation of this Gaussian, in the same units", gt=0)
    vertical: float = option(0.01, "share of the power in the vertical modes", ge=0, lt=1)
    vertical_min: float = option(3.0, "smallest |k_z| of the vertical modes, in units of that along z", gt=0)
    vertical_max: float = option(5.0, "largest |k_z| of the vertical modes, in units of that along z", gt=0)
    seed: Seed = option(0, SEED)
    vector: ClassVar = True
    correlated_for: ClassVar = 0.0
    end_of_band: ClassVar = END_ABOUT_PEAK

    def ends(self) -> tuple[float, float]:
        return ends_about_peak(self)

    def seeds(self) -> tuple[int, ...]:
        """The seed `seed` and, for the vertical modes, the next one."""
        return (self.seed, self.seed + 1) if self.vertical else (self.seed,)

    def check(self, case: "Case") -> None:
        """Refuses vertical modes that the grid does not keep."""
        if self.vertical_min > self.vertical_max:
            raise ValueError(
                f"forcing.vertical_min = {self.vertical_min:g} is larger than forcing.vertical_max = "
                f"{self.vertical_max:g}: the band has no vertical modes"
            )
        most = largest_wavenumbers(case.grid)[2] / smallest_wavenumbers(case.grid)[2]
        if self.vertical and self.vertical_max > most * (1 + 1e-9):
            raise ValueError(
                f"forcing.vertical_max = {self.vertical_max:g} is beyond the largest |k_z| that is kept, "
                f"{most:.4g} times the smallest; lower it or use more points"
            )

    def sources(self, case: "Case") -> tuple[CoreSource, ...]:
        """Horizontal velocity on horizontal modes, and vertical shear; J. Fluid Mech. 550, 207 (2006)."""
        white = {
            "correlation_time": 0.0,
            "horizontal": 1.0,
            "helicity": 0.0,
            "interval": white_interval(self.power, self.ends()[1], case),
        }
        flat = {"power": self.power * (1 - self.vertical), "seed": float(self.seeds()[0]), "of": 1.0}
        first = CoreSource("stochastic", white | about_peak(self) | flat)
        if self.vertical == 0:
            return (first,)
        unit = smallest_wavenumbers(case.grid)[2] / smallest_wavenumber(case.grid)
        column = {"k_min": self.vertical_min * unit, "k_max": self.vertical_max * unit, "of": 2.0}
        upright = {"power": self.power * self.vertical, "seed": float(self.seeds()[1])}
        return first, CoreSource("stochastic", white | column | upright)


class Noise(Forcing):
    """White noise on all modes alike, or on those up to k_max, such as thermal noise of a condensate ψ."""

    kind: Literal["noise"]
    power: float = option(
        ..., "mean power, shared equally by all components of all modes", unit="field²/time", gt=0
    )
    interval: float = option(
        ..., "time in which it is constant, much shorter than those of the flow", unit="time", gt=0
    )
    k_max: float | None = option(
        None,
        "largest |k| of the modes, in units of the box's smallest wavenumber; all modes by default",
        gt=0,
    )
    seed: Seed = option(0, SEED)
    correlated_for: ClassVar = 0.0

    def ends(self) -> tuple[float, float] | None:
        return None if self.k_max is None else (0.0, self.k_max)

    def sources(self, case: "Case") -> tuple[CoreSource, ...]:
        numbers = given(
            seed=self.seed,
            correlation_time=0.0,
            power=self.power,
            interval=self.interval,
            k_max=EVERYTHING if self.k_max is None else self.k_max,
        )
        return (CoreSource("stochastic", numbers),)

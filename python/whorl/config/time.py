"""The options of [time]: the scheme, its step and the end of the run."""

import json
from typing import Any, ClassVar

from pydantic import model_validator

from whorl.config.clock import Instant
from whorl.config.schemes import DEFAULT, SCHEMES, SchemeName
from whorl.config.section import Beginning, EndOfRun, Section, Share, given_one, option


class Time(Section):
    """The time scheme, its step (dt or courant) and the end (until, steps, until_error, stop_when)."""

    scheme: SchemeName = option(
        DEFAULT,
        "rk: Runge–Kutta, ab: Adams–Bashforth, etdrk: exponential time differencing; its order in the name",
    )
    dt: float | None = option(None, "fixed time step; instead of courant", unit="time", gt=0)
    courant: float | None = option(
        None,
        "Courant number dt·max(|u|/dx + |v|/dy + |w|/dz) that sets the step; without dt that of the scheme, "
        f"{SCHEMES[DEFAULT].courant} for {DEFAULT}",
        gt=0,
    )
    tolerance: float | None = option(
        None,
        "error of a step relative to each field, root mean square, that sets the step together with courant; "
        "one register more",
        gt=0,
        lt=1,
    )
    dt_max: float | None = option(None, "largest step with courant", unit="time", gt=0)
    until: EndOfRun | None = option(
        None,
        'time to stop at, reached exactly, or "N turnovers" L/u\', reached within a step',
        unit="time",
    )
    steps: int | None = option(None, "number of steps to stop after", ge=1)
    until_error: dict[str, Share] | None = option(
        None,
        "relative standard errors of the means of columns of series.csv to stop at, {dissipation = 0.02}",
    )
    stop_when: str | None = option(
        None,
        "condition to stop at, looked at in each row of series.csv: an expression that compares, such "
        'as "mean(dot(u, u))/2 < 0.01" (docs/expressions.md)',
    )
    average_from: Beginning | None = option(
        None,
        'time, or "N turnovers", from which until_error takes means; the second half of the run by default',
        unit="time",
    )

    rivals: ClassVar = {"dt": ("courant", "dt_max", "tolerance"), "courant": ("dt",), "tolerance": ("dt",)}

    @model_validator(mode="before")
    @classmethod
    def _courant_unless_fixed(cls, data: Any) -> Any:
        scheme = data.get("scheme", cls.model_fields["scheme"].default) if isinstance(data, dict) else None
        # Another check refuses an unknown scheme.
        known = SCHEMES.get(scheme) if isinstance(scheme, str) else None
        return given_one(data, "courant", known.courant if known else 1.0, "dt")

    @model_validator(mode="after")
    def _consistent(self) -> "Time":
        if self.dt is not None and self.courant is not None:
            raise ValueError(
                f"time.dt = {self.dt} and time.courant = {self.courant} exclude each other; give one"
            )
        if self.dt is not None and self.dt_max is not None:
            raise ValueError(
                "time.dt_max goes with time.courant, not with the fixed step time.dt; leave one out"
            )
        if self.tolerance is not None:
            self._check_tolerance()
        if self.until_error == {}:
            raise ValueError("time.until_error = {} names no column; give one, such as {dissipation = 0.02}")
        if all(end is None for end in (self.until, self.steps, self.until_error, self.stop_when)):
            raise ValueError(
                "[time] has no end: give time.until, time.steps, time.until_error, time.stop_when or several"
            )
        if self.average_from is not None and self.until_error is None:
            raise ValueError(
                f"time.average_from = {json.dumps(self.average_from)} goes with time.until_error; give both"
            )
        return self

    def _check_tolerance(self) -> None:
        given = f"time.tolerance = {self.tolerance:g}"
        if self.dt is not None:
            raise ValueError(f"{given} and time.dt = {self.dt} exclude each other; give one")
        if not SCHEMES[self.scheme].estimate:
            able = [name for name, scheme in SCHEMES.items() if scheme.estimate]
            raise ValueError(
                f'{given} needs an estimate of the error, which time.scheme = "{self.scheme}" lacks; give '
                f"one of {', '.join(able)}"
            )

    @property
    def end(self) -> Instant:
        """`until` as a time or a count of turnovers."""
        return Instant.parse(self.until)

    @property
    def beginning(self) -> Instant:
        """`average_from` as a time or a count of turnovers."""
        return Instant.parse(self.average_from, zero=True)

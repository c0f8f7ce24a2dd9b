"""One step: its length, how it lands on the end or on a pause, and what is wrong with it."""

import math
from collections.abc import Callable
from typing import Any

from whorl import _core
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.config.clock import LANDING, Clock
from whorl.run.checks import at_rest, step_too_large

REST = 1e6  # times the shortest step: in a step so long the flow moves a millionth as fast


class Advances:
    """The part of a simulation that makes a step."""

    case: Case
    flow: _core.Flow
    clock: Clock
    report: _core.StepReport | None
    _recorder: Any
    _goal: float | None
    _dt: float
    _shortest_dt: float
    _step_told: bool
    _warn: Callable[[str], None]

    def _advance(self) -> _core.StepReport:
        """Make the step itself; the last is shortened to land on time.until, or on the time to pause at."""
        options, clock, goal = self.case.time, self.clock, self._goal
        left = clock.until(goal) if goal is not None else math.inf
        if options.dt is not None:
            landing = left < options.dt * (1 - LANDING)
            report = self.flow.step(left if landing else options.dt, time=clock.time, step_number=clock.step)
        else:
            bound = REST * self._shortest_dt if self._follows else math.inf
            longest = min(left, options.dt_max or bound)
            report = self.flow.step(
                0.0,
                courant=options.courant,
                dt_max=longest,
                time=clock.time,
                step_number=clock.step,
            )
            landing = report.dt >= left
        if not math.isfinite(report.maximum_velocity):
            measured = self.case.flow.measured
            raise self._recorder.blow_up(f"the largest {measured} is {report.maximum_velocity}")
        if not math.isfinite(report.dt):
            raise CaseError(at_rest(self.case))
        if landing:
            clock.land(goal)
        else:
            clock.advance(report.dt)
            if goal is not None and clock.until(goal) <= LANDING * report.dt:
                clock.settle(goal)
        if clock.time <= clock.previous:
            raise self._recorder.blow_up(f"the time step {report.dt:.3g} is too small to move the time on")
        if clock.turnovers:
            clock.turnovers.advance(report.dt, self._dt)
        self._dt = report.dt
        if not landing:
            self._shortest_dt = min(self._shortest_dt, report.dt)
        return report

    @property
    def _follows(self) -> bool:
        """Whether the flow alone determines the length of a step."""
        return self.case.time.dt is None and self.case.time.dt_max is None

    def _settled(self) -> bool:
        """Whether the flow has come to rest, as the length of its last step tells."""
        return self._follows and self.report.dt >= REST * self._shortest_dt

    def _watch_step(self, report: _core.StepReport) -> None:
        """Warn once that a fixed step is beyond the scheme's limit of stability."""
        warning = None if self._step_told else step_too_large(self.case, report.courant, self.clock.step)
        if warning:
            self._step_told = True
            self._warn(warning)

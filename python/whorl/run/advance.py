"""One step: its length, how it lands on the end or on a pause, and warnings about it."""

import math
from dataclasses import replace

from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.text import counted
from whorl.config.clock import LANDING, Pace
from whorl.run.checks import at_rest, step_too_large
from whorl.run.current import CurrentRun
from whorl.run.driven import Driven, fastest_driven, step_too_long
from whorl.run.tolerance import error_too_large, first_share, largest_error, lengthening

WORSE = 1.25  # times the Courant number of the last warning is worth another warning
REST = 1e6  # times the shortest step: in a step this long the flow moves a millionth as fast
LENGTHENED = 1.2  # times the step before, at most: a force may begin within a step
SHORT = 0.5  # times the usual step: in a shorter one the rate of advection hardly grows
FEW = 10  # steps; a run that ends in fewer gets a warning
TINY = 1e-300


class Steps:
    """The steps of a run, without the output and callbacks between them."""

    def __init__(self, run: CurrentRun):
        self.case, self.flow, self.clock = run.case, run.flow, run.clock
        self.goal = run.case.time.end.time  # the time that the next landing step lands on
        self._run, self._notices, self._finite = run, run.notices, run.recorder.finite
        self._allowed_dt = 0.0
        self._shortest_dt = math.inf
        self._driven: Driven | None = None
        self._courant_told = 0.0  # the largest Courant number that a warning reported

    def advance(self) -> _core.StepReport:
        """Make the step itself; the last is shortened to land on time.until, or on the time to pause at."""
        options, clock, goal = self.case.time, self.clock, self.goal
        left = clock.until(goal) if goal is not None else math.inf
        if options.dt is not None:
            clock.pace, landing = None, left < options.dt * (1 - LANDING)
            report = self.flow.step(left if landing else options.dt, time=clock.time, step_number=clock.step)
        else:
            report = self._follow(left)
            landing = report.dt >= left
        self._finite.check_step(report)
        if not math.isfinite(report.dt):
            raise CaseError(at_rest(self.case))
        if landing:
            clock.land(goal)
        else:
            clock.advance(report.dt)
            if goal is not None and clock.until(goal) <= LANDING * report.dt:
                clock.settle(goal)
        self._finite.check_time(report.dt)
        if clock.turnovers:
            clock.turnovers.advance(report.dt, self._run.dt)
        self._run.dt = report.dt
        self._tell_of_few_steps(landing)
        self._tell_of_driven_modes()
        return report

    def _follow(self, left: float) -> _core.StepReport:
        """Make a step that follows the Courant number, not longer than `left`."""
        options, clock, pace = self.case.time, self.clock, self.clock.pace
        bound = REST * self._shortest_dt if self._follows else math.inf
        longest = min(left, options.dt_max or bound)
        share = 1.0 if pace else first_share(self.case)
        when = {"courant": share * options.courant, "time": clock.time, "step_number": clock.step}
        if pace:
            grown = LENGTHENED * pace.free
            before = {"rate_before": pace.rate, "dt_before": pace.dt, "dt_usual": pace.usual}
        else:
            found = self.flow.first_step(dt_max=longest, **(when | {"courant": options.courant}))
            grown, before = share * found if found < longest else longest, {}
        report = self.flow.step(0.0, dt_max=min(longest, grown), **when, **before)
        landing, lengthens = report.dt >= left, report.dt >= grown
        if 0 < report.dt < math.inf:
            rate = report.courant / report.dt
            clock.pace = self._paced(report, rate, landing)
            # A step that lengthens as far as it may is shorter than the flow alone allows.
            is_free = lengthens and not self.case.forcing
            self._allowed_dt = options.courant / max(rate, TINY) if is_free else report.dt
        if options.tolerance is not None and not landing and math.isfinite(report.maximum_velocity):
            clock.pace = replace(clock.pace, free=self._tolerated(report.dt) / LENGTHENED)
        if not (landing or lengthens):
            self._shortest_dt = min(self._shortest_dt, report.dt)
        return report

    def _paced(self, report: _core.StepReport, rate: float, landing: bool) -> Pace:
        """The pace for the next step; after a short step with the rate before, since its change is noise."""
        pace, usual = self.clock.pace, report.dt_usual
        free = pace.free if landing and pace else report.dt
        if pace is None or report.dt >= SHORT * usual:
            return Pace(free, rate, report.dt, usual)
        return Pace(free, pace.rate, pace.dt + report.dt, usual)

    def _tolerated(self, dt: float) -> float:
        """The longest next step after one of dt, by its error; warn once of an error far too large."""
        error = largest_error(self.flow)
        if warning := error_too_large(self.case, error, self.clock.time + dt):
            self._notices.warn(warning, kind="error of steps")
        return dt * min(lengthening(self.case, error), LENGTHENED)

    def _tell_of_driven_modes(self) -> None:
        """Warn once of driven modes that decay in less than a step of an integrating factor."""
        if self._notices.has_told("driven modes"):
            return
        # A force may begin later, or move to other modes.
        if self._driven is None or self.clock.step.bit_count() == 1:
            self._driven = fastest_driven(self.case, self.flow)
        if warning := step_too_long(self.case, self._driven, self._run.dt):
            self._notices.warn(warning, kind="driven modes")

    def _tell_of_few_steps(self, landing: bool) -> None:
        """Warn of a run that reaches its end in so few steps that nothing can be seen of its course."""
        if landing and self._follows and self.goal == self.case.time.end.time and self.clock.step < FEW:
            self._notices.warn(
                f"the run took {counted(self.clock.step, 'step')} to t = {self.clock.time:.6g}: the "
                f"flow hardly moves within a step of time.courant = {self.case.time.courant:g}; give "
                "time.dt_max to see more of its course"
            )

    @property
    def _follows(self) -> bool:
        """Whether only the flow determines the length of a step."""
        return self.case.time.dt is None and self.case.time.dt_max is None

    def settled(self) -> bool:
        """Whether the flow has come to rest, by the length that was allowed for the last step."""
        return self._follows and self._allowed_dt >= REST * self._shortest_dt

    def watch(self, report: _core.StepReport) -> None:
        """Warn that a fixed step is beyond the scheme's limit of stability, and again where it gets worse."""
        if report.courant < WORSE * self._courant_told:
            return
        if warning := step_too_large(self.case, report.courant, self.clock.step):
            self._courant_told = report.courant
            self._notices.warn(warning)

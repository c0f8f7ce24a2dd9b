"""The count of turnovers of a run: when it begins, and when u'/L is measured."""

from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.config.clock import Clock, Turnovers
from whorl.config.turnovers import check_counted, in_turnovers
from whorl.run.current import CurrentRun

ENDLESS = 1e9  # steps, more than any run takes


def count_of_case(case: Case, clock: Clock) -> None:
    """Begin to count if the case asks for it."""
    if in_turnovers(case):
        clock.turnovers = clock.turnovers or Turnovers()


class Counts:
    """The count of turnovers, if the case, the checkpoint or a script asks for it."""

    def __init__(self, run: CurrentRun):
        self.case, self.flow, self.clock = run.case, run.flow, run.clock
        self._notices, self._finite = run.notices, run.recorder.finite

    @property
    def count(self) -> float | None:
        """The count of turnovers L/u' of the flow so far, ∫ u'/L dt; None in a run that does not count them.

        It counts from the start of the run, or from where the first option or call in turnovers was made.
        """
        return None if self.clock.turnovers is None else self.clock.turnovers.count

    def count_for(self, asked: str) -> None:
        """Begin to count for a call, unless turnovers are counted. Raises CaseError."""
        try:
            check_counted(self.case, asked)
        except ValueError as error:
            raise CaseError(f"{error}.") from None
        self.clock.turnovers = self.clock.turnovers or Turnovers()

    def measure(self) -> None:
        """Measure u'/L of the present state. Collective."""
        rate = self.case.flow.turnover_rate(self.flow.sums_over_modes())
        self._finite.check_turnovers(rate)
        self.clock.turnovers.rate = rate

    def measure_when_due(self, dt: float) -> None:
        """Measure u'/L after a step, when it is due, and warn once of a flow too slow to reach its end."""
        turnovers, until = self.clock.turnovers, self.case.time.end.turnovers
        if turnovers is None or not turnovers.to_measure(self.clock.step):
            return
        self.measure()
        left = 0.0 if until is None or self.case.time.steps else until - turnovers.count
        if left > ENDLESS * turnovers.rate * dt:
            self._notices.warn(
                f"u'/L is {turnovers.rate:.3g} at t = {self.clock.time:.6g}, step {self.clock.step}, so that "
                f'time.until = "{self.case.time.until}" is more than {ENDLESS:.0e} such steps away, of which '
                f"{turnovers.count:.4g} turnovers are done; give time.steps as well, or stop the run",
                kind="slow turnovers",
            )

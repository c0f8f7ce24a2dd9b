"""The condition that ends a run, time.stop_when, at the rows of its series."""

from collections.abc import Mapping

from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.config.clock import Clock
from whorl.config.explain import show
from whorl.expressions.case import STOP_WHEN


class Condition:
    """Whether time.stop_when held in the last row: the run then ends.

    It follows from the state at the row, so that a restart ends where the uninterrupted run ends.
    """

    def __init__(self, case: Case):
        self.text = case.time.stop_when
        self.holds = False

    def check(self, numbers: Mapping[str, float]) -> None:
        """Take its value from the expressions of a row, by their options."""
        self.holds = bool(numbers[STOP_WHEN]) if self.text else False

    def check_at_start(self, clock: Clock) -> None:
        """Raises CaseError if it holds before the first step."""
        if self.holds:
            place = f"t = {clock.time:.6g}, step {clock.step}"
            raise CaseError(
                f"time.stop_when = {show(self.text)} holds before the first step ({place}): the run would "
                "end at once; give a condition that begins to hold later."
            )

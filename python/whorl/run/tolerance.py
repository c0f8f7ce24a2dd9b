"""Steps whose error is to stay at time.tolerance, by the estimate of an embedded scheme.

E. Hairer, S. P. Nørsett and G. Wanner, Solving Ordinary Differential Equations I, section II.4. No step is
made again: it would need a copy of the state. A step follows from the error of the one before. Steps lengthen
so slowly that the error seldom exceeds the tolerance by more than a factor of two.
"""

from whorl import _core
from whorl.config.case import Case
from whorl.config.schemes import SCHEMES

SHORTENED, SAFETY = 0.2, 0.9  # the least factor between steps, and of the step that has the error
MUCH = 10.0  # times the tolerance: an error to warn of


def largest_error(flow: _core.Flow) -> float:
    """The error of the last step relative to each field, root mean square; the largest. Collective."""
    return max((error / size for error, size in flow.step_errors().values() if size > 0), default=0.0)


def first_share(case: Case) -> float:
    """The share of the first step that the Courant number allows, whose error is not known before."""
    tolerance = case.time.tolerance
    return 1.0 if tolerance is None else tolerance ** (1 / (SCHEMES[case.time.scheme].estimate + 1))


def lengthening(case: Case, error: float) -> float:
    """The factor from a step with this error to one with the tolerance; infinite without an error."""
    order = SCHEMES[case.time.scheme].estimate + 1
    wanted = SAFETY * (case.time.tolerance / error) ** (1 / order) if error > 0 else float("inf")
    return max(wanted, SHORTENED)


def error_too_large(case: Case, error: float, time: float) -> str | None:
    """A warning if the error of the step to a time is far beyond the tolerance."""
    tolerance = case.time.tolerance
    if error <= MUCH * tolerance:
        return None
    return (
        f"the step to t = {time:.6g} has an error of {error:.2g}, more than {MUCH:g} times time.tolerance = "
        f"{tolerance:g}: the flow changed faster than its steps; give time.dt_max"
    )

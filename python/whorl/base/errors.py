"""What can go wrong by the user's hand or the flow's; each message is one paragraph."""

from whorl.base.text import one_paragraph


class CaseError(ValueError):
    """Input that cannot be run: the message names the option, its value and what is allowed."""

    exit_code = 2

    def __init__(self, message: str):
        super().__init__(one_paragraph(message))


class BlowUp(RuntimeError):
    """The flow stopped being finite.

    Attributes: `time` and `step` of the first bad state, `checkpoint` the last good one (a path) or None.
    """

    exit_code = 3

    def __init__(self, time: float, step: int, reason: str, checkpoint=None, *, viscous: bool = True):
        self.time = time
        self.step = step
        self.checkpoint = checkpoint
        otherwise = ", a larger viscosity or more points" if viscous else " or more points"
        super().__init__(
            f"the flow blew up at t = {time:.9g}, step {step}: {reason}; {last_checkpoint(checkpoint)}. "
            f"A smaller time.dt or time.courant{otherwise} may keep it stable."
        )


class RunFault(RuntimeError):
    """A run that had begun cannot go on (a full disk, a library that failed); `__cause__` says why."""

    exit_code = 1

    def __init__(self, message: str):
        super().__init__(one_paragraph(message))


def last_checkpoint(path) -> str:
    """How a message ends that says from where a run can go on."""
    return f"the last good checkpoint is {path}" if path else "no checkpoint had been written"

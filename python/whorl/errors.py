"""What can go wrong by the user's hand or the flow's; each message is one paragraph."""


class CaseError(ValueError):
    """Input that cannot be run: the message names the option, its value and what is allowed."""

    exit_code = 2


class BlowUp(RuntimeError):
    """The velocity stopped being finite.

    Attributes: `time` and `step` of the first bad state, `checkpoint` the last good one (a path) or None.
    """

    exit_code = 3

    def __init__(self, time: float, step: int, reason: str, checkpoint=None):
        self.time = time
        self.step = step
        self.checkpoint = checkpoint
        last = f"the last good checkpoint is {checkpoint}" if checkpoint else "no checkpoint had been written"
        super().__init__(
            f"the flow blew up at t = {time:.9g}, step {step}: {reason}; {last}. "
            "A smaller time.dt or time.courant, a larger viscosity or more points may keep it stable."
        )

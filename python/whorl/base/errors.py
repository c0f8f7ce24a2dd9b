"""What can go wrong by the user's hand or the flow's; each message is one paragraph."""

from whorl.base.text import one_paragraph


class CaseError(ValueError):
    """The input cannot be run.

    Parameters
    ----------
    message : str
        The option, its value and what is allowed. It becomes one paragraph: control characters are spelled
        out, and the middle of a very long text is left out.

    Attributes
    ----------
    exit_code : int
        The status 2, with which the command `whorl` ends on it.
    """

    exit_code = 2

    def __init__(self, message: str):
        super().__init__(one_paragraph(message))


class BlowUp(RuntimeError):
    """The flow stopped being finite.

    Parameters
    ----------
    time : float
        The time t of the first bad state, in the case's unit of time.
    step : int
        The number of steps made up to that state.
    reason : str
        What is not finite, or too large.
    checkpoint : Path, optional
        The last good checkpoint; None if none has been written.
    viscous : bool, default True
        Whether the flow has a viscosity, which the message then advises to raise.

    Attributes
    ----------
    time : float
        The time t of the first bad state.
    step : int
        The step of the first bad state.
    checkpoint : Path or None
        The last good checkpoint, from which a run can go on.
    exit_code : int
        The status 3, with which the command `whorl` ends on it.
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
    """A run that had begun cannot go on, because a disk is full or a library failed, for example.

    Parameters
    ----------
    message : str
        What happened, and from where the run can go on; it becomes one paragraph.

    Attributes
    ----------
    exit_code : int
        The status 1, with which the command `whorl` ends on it.

    Notes
    -----
    Where another exception is the reason, `__cause__` holds it.
    """

    exit_code = 1

    def __init__(self, message: str):
        super().__init__(one_paragraph(message))


def last_checkpoint(path) -> str:
    """Return the end of a message that says from where a run can go on.

    Parameters
    ----------
    path : Path or None
        The last good checkpoint, if there is one.

    Returns
    -------
    str
        A clause without a full stop.
    """
    return f"the last good checkpoint is {path}" if path else "no checkpoint had been written"

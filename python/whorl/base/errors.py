"""The exceptions of whorl; each message is one paragraph."""

from functools import partial
from typing import Any

from whorl.base.text import one_paragraph


class CaseError(ValueError):
    """The input cannot be run.

    Parameters
    ----------
    message : str
        The option, its value and the values allowed. It becomes one paragraph: control characters are
        spelled out, and the middle of a very long text is left out.

    Attributes
    ----------
    exit_code : int
        The exit status of the command `whorl`, 2.
    """

    exit_code = 2

    def __init__(self, message: str):
        super().__init__(one_paragraph(message))


class BlowUp(RuntimeError):
    """The flow or its particles blew up: a quantity is not finite, or too large.

    Parameters
    ----------
    time : float
        The time t of the first bad state, in the case's unit of time.
    step : int
        The number of steps made up to that state.
    reason : str
        The quantity that is not finite, or too large.
    checkpoint : Path, optional
        The last good checkpoint; None if none was written.
    viscous : bool, default True
        Whether the flow has a viscosity, which the message then advises to raise.
    particles : str, optional
        The name of the particles that blew up; empty if the flow did.

    Attributes
    ----------
    time : float
        The time t of the first bad state.
    step : int
        The step of the first bad state.
    checkpoint : Path or None
        The last good checkpoint, from which a run can be restarted.
    exit_code : int
        The exit status of the command `whorl`, 3.
    """

    exit_code = 3

    def __init__(
        self,
        time: float,
        step: int,
        reason: str,
        checkpoint=None,
        *,
        viscous: bool = True,
        particles: str = "",
    ):
        self.time = time
        self.step = step
        self.checkpoint = checkpoint
        self._given = (reason, viscous, particles)
        otherwise = ", a larger viscosity or more points" if viscous else " or more points"
        lost, rest = ("particles " + particles, "") if particles else ("flow", otherwise)
        super().__init__(
            f"the {lost} blew up at t = {time:.9g}, step {step}: {reason}; {last_checkpoint(checkpoint)}. "
            f"A smaller time.dt or time.courant{rest} may keep {'them' if particles else 'it'} stable."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the arguments: the message alone is not enough to make the exception again."""
        reason, viscous, particles = self._given
        made = partial(type(self), viscous=viscous, particles=particles)
        return made, (self.time, self.step, reason, self.checkpoint), self.__dict__


class RunFault(RuntimeError):
    """A run in progress cannot go on, for example because a disk is full or a library failed.

    Parameters
    ----------
    message : str
        The reason, and the checkpoint from which the run can be restarted; it becomes one paragraph.

    Attributes
    ----------
    exit_code : int
        The exit status of the command `whorl`, 1.

    Notes
    -----
    If another exception is the reason, it is `__cause__`.
    """

    exit_code = 1

    def __init__(self, message: str):
        super().__init__(one_paragraph(message))


def last_checkpoint(path) -> str:
    """Return the end of a message that names the checkpoint from which a run can be restarted.

    Parameters
    ----------
    path : Path or None
        The last good checkpoint, if any.

    Returns
    -------
    str
        A clause without a full stop.
    """
    return f"the last good checkpoint is {path}" if path else "no checkpoint had been written"

"""Signals that ask a run to stop: they raise a flag, which the loop reads between steps."""

import signal
import threading
from types import FrameType
from typing import Any

# Batch systems send SIGUSR1 before the time limit, and mpiexec passes it on to the ranks unchanged. A
# terminal sends SIGHUP when it is closed.
STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP)
# A run without files has nothing to save from the others. A notebook sends SIGINT to interrupt a cell.
INTERRUPTING = (signal.SIGINT,)


class StopFlag:
    """Inside its `with` block the first of some signals sets `signal`; a second SIGINT interrupts at once."""

    def __init__(self, signals: tuple[signal.Signals, ...] = STOPPING):
        self._signals = signals
        self.signal: signal.Signals | None = None
        self._previous: dict[signal.Signals, Any] = {}

    def __enter__(self) -> "StopFlag":
        self.signal = None
        if threading.current_thread() is threading.main_thread():
            self._previous = {
                number: signal.signal(number, self._raise_flag)
                for number in self._signals
                if not ignored(number)
            }
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _raise_flag(self, number: int, frame: FrameType | None) -> None:
        if self.signal is not None and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.signal = signal.Signals(number)


def ignored(number: signal.Signals) -> bool:
    """Whether nohup made the process ignore a signal. A shell's background jobs ignore SIGINT anyway."""
    return number == signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN

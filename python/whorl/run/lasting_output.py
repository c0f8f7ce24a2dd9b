"""Standard output that does not end a run: it outlives `whorl run case | head -1` and a closed terminal."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from whorl.base.plain import showable


class LastingStream:
    """A stream; once nobody can read it, text written to it is lost without an error.

    `lost(reason)` is called when that happens. Characters that it cannot show are replaced.
    """

    def __init__(self, stream: Any, lost: Callable[[str], None]):
        self._stream, self._lost = stream, lost

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except UnicodeEncodeError:
            return self._stream.write(showable(text, self._stream))
        except OSError as error:
            self._give_up(error)
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        """Discard the stream's buffer, because Python would fail to flush it at its end."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)
        self._lost(error.strerror or str(error))


@contextmanager
def lasting_output(lost: Callable[[str], None] = lambda reason: None) -> Iterator[None]:
    """Within the block standard output and standard error may be closed, or their disk full."""
    streams = {name: getattr(sys, name) for name in ("stdout", "stderr")}
    for name, stream in streams.items():
        if stream is not None:
            setattr(sys, name, LastingStream(stream, lost))
    try:
        yield
    finally:
        for name, stream in streams.items():
            if stream is not None:
                getattr(sys, name).flush()
            setattr(sys, name, stream)

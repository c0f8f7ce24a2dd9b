"""Sentences of a run to its user: the log, warnings, and the display of progress."""

from collections.abc import Sequence

from whorl.run.progress import Progress, run_log


class Notices:
    """The log of a run, with the display of its progress while it has one."""

    def __init__(self):
        self.log = run_log(None)
        self.warnings: list[str] = []  # from before the first step
        self.progress: Progress | None = None
        self._told: set[str] = set()

    def begin_with(self, warnings: Sequence[str]) -> None:
        """Log the warnings from before the first step, which a display repeats."""
        self.warnings = list(warnings)
        for warning in self.warnings:
            self.log.warning(f"warning: {warning}")

    def has_told(self, kind: str) -> bool:
        return kind in self._told

    def warn(self, warning: str, kind: str = "") -> None:
        """Log and show a warning; only the first one of a kind."""
        if kind in self._told:
            return
        if kind:
            self._told.add(kind)
        self.log.warning(f"warning: {warning}")
        if self.progress:
            self.progress.say(f"warning: {warning}")

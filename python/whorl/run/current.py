"""The run that a process computes: a flow with its clock and its files."""

import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from whorl import _core
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.clock import Clock
from whorl.output.directory import RunDirectory
from whorl.output.recorder import Recorder
from whorl.particles.particles import Particles
from whorl.run.hold import Hold
from whorl.run.notices import Notices
from whorl.run.tune import Trial


@dataclass
class CurrentRun:
    """A run that is ready for its next step. The parts of a simulation share it."""

    case: Case
    comm: MPI.Intracomm
    directory: RunDirectory | None
    clock: Clock
    flow: _core.Flow
    trials: list[Trial]
    recorder: Recorder
    tracers: dict[str, Particles]  # the groups of the case that are placed, by name
    hold: Hold
    remarks: list[str]  # sentences for the log: on forces that a script gave, on copies for checkpoints
    rows: str = ""  # how the rows of typed equations are worked out
    notices: Notices = field(default_factory=Notices)
    started: float = field(default_factory=time.time)  # in seconds since 1970
    dt: float = 0.0  # of the last step
    fresh: bool = True  # no step has been made since a beginning
    makes_steps: bool = True
    origin: Path | None = None  # the checkpoint from which it continues

    def changed(self) -> None:
        """Forget statistics of the state before a change."""
        self.recorder.sums.forget()
        if self.clock.pace:
            self.clock.pace = replace(self.clock.pace, rate=0.0)
        if self.clock.turnovers:
            self.clock.turnovers.rate = None

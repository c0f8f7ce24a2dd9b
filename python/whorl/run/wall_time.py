"""The time on the clock within which a run ends: of its case, or of the job of a batch system."""

import time
from datetime import datetime

from whorl.config.run import AUTO, NEVER, real_seconds
from whorl.run.batch import present_job
from whorl.run.current import CurrentRun

NAME = "run.wall_time"
EXIT_CODE = 85  # ERESTART of Linux: start it again
KEPT = 30.0  # seconds for the end of the program, besides the last step and its checkpoint
SAFETY = 2.0  # times the seconds of the longest checkpoint before
BYTES_PER_SECOND = 50e6  # of the first checkpoint, a guess on the safe side


class WallTime:
    """The limit of a run, which rank 0 knows; inside its `with` block it may pass.

    The limit comes before the end of the allotted time. In between are `KEPT` seconds, the longest step with
    its output and `SAFETY` times the longest checkpoint.
    """

    def __init__(self, run: CurrentRun):
        self._run, self._option = run, run.case.run.wall_time
        self._end: float | None = None  # in seconds since 1970
        self._looked = self._active = False
        self._longest = self._before = self._first = 0.0

    def __enter__(self) -> "WallTime":
        self._active, self._before = True, time.time()
        if not self._looked and self._run.comm.rank == 0:
            self._looked = True
            self._find()
        return self

    def __exit__(self, *exception: object) -> None:
        self._active = False

    def passed(self) -> bool:
        """Whether the run has to end after this step."""
        if not self._active or self._end is None:
            return False
        now = time.time()
        self._longest, self._before = max(self._longest, now - self._before), now
        return now + self._margin() >= self._end

    def _find(self) -> None:
        """Find the end of the allotted time, and log how it was found."""
        log = self._run.notices.log
        self._first = self._run.flow.memory()["state"] * self._run.comm.size / BYTES_PER_SECOND
        if self._option not in (AUTO, NEVER):
            self._end = self._run.started + real_seconds(self._option)
            log.info(f'{NAME} = "{self._option}": {self._ends()}')
        elif self._option == AUTO and self._run.recorder.keeps_checkpoints and (job := present_job()):
            self._end = job.end
            if job.end is None:
                log.info(f"{job.name}: neither {job.ways} gives its end; set {NAME} to end the run in time")
            else:
                log.info(f"{job.name} ends at {_clock(job.end)} ({job.ways}): {self._ends()}")

    def _ends(self) -> str:
        end = (self._end or 0.0) - self._margin()
        return f"the run ends with a checkpoint at about {_clock(end)}"

    def _margin(self) -> float:
        checkpoint = self._run.recorder.checkpoints.longest
        return KEPT + self._longest + SAFETY * (self._first if checkpoint is None else checkpoint)


def _clock(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M:%S")

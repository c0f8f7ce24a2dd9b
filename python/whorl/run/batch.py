"""Batch systems: the job that this process is in, and the time at which the job ends.

An entry of SYSTEMS declares a batch system: the variable with the number of a job, and the ways to find its
end. The first way that knows an end in the future is taken.
"""

import os
import re
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

PATIENCE = 20.0  # seconds for the answer of a batch system
Way = Callable[[str], float | None]  # from the number of a job to its end, in seconds since 1970


@dataclass(frozen=True)
class BatchSystem:
    """A batch system: the variable with the number of a job, and ways to find a job's end by their names."""

    name: str
    number: str
    ways: dict[str, Way]


@dataclass(frozen=True)
class Job:
    """A job of a batch system; `end` is in seconds since 1970, None if no way gave it."""

    name: str
    ways: str
    end: float | None = None


def present_job() -> Job | None:
    """The job that this process is in; None outside batch systems."""
    for system in SYSTEMS:
        if number := os.environ.get(system.number):
            name = f"job {number} of {system.name}"
            for way, find in system.ways.items():
                end = find(number)
                if end is not None and end > time.time():
                    return Job(name, way, end)
            return Job(name, " nor ".join(system.ways))
    return None


def slurm_variable(number: str) -> float | None:
    """The end by the environment of Slurm 22.05 and later."""
    return number_of(os.environ.get("SLURM_JOB_END_TIME", ""))


def squeue(number: str) -> float | None:
    """The end by squeue, which gives the time left."""
    left = seconds_of(answer_of("squeue", "-h", "-j", number, "-o", "%L"))
    return None if left is None else time.time() + left


def pbs_variable(number: str) -> float | None:
    """The end by the environment of PBS: the limit in seconds, from the start of the job's oldest process."""
    limit, start = number_of(os.environ.get("PBS_WALLTIME", "")), start_of_job("PBS_JOBID", number)
    return None if limit is None or start is None else start + limit


def qstat(number: str) -> float | None:
    """The end by qstat, which gives the limit and the start of a job."""
    told = answer_of("qstat", "-f", number)
    limit = re.search(r"^\s*Resource_List\.walltime = (\S+)", told, re.MULTILINE)
    start = re.search(r"^\s*(?:stime|start_time) = (.+?)\s*$", told, re.MULTILINE)
    seconds = seconds_of(limit[1]) if limit else None
    if seconds is None or start is None:
        return None
    try:
        return datetime.strptime(start[1], "%a %b %d %H:%M:%S %Y").timestamp() + seconds
    except ValueError:
        return None


SYSTEMS = (
    BatchSystem("Slurm", "SLURM_JOB_ID", {"SLURM_JOB_END_TIME": slurm_variable, "squeue": squeue}),
    BatchSystem("PBS", "PBS_JOBID", {"PBS_WALLTIME": pbs_variable, "qstat": qstat}),
)


def number_of(text: str) -> float | None:
    """A whole number; None for other text."""
    return float(text) if text.isdecimal() else None


def seconds_of(text: str) -> float | None:
    """Seconds of a duration of a batch system, [days-][hours:]minutes:seconds; None for other text."""
    found = re.fullmatch(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)", text.strip())
    if not found:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds).total_seconds()


def answer_of(*command: str) -> str:
    """The output of a command of the batch system; empty if it failed."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return ""
    return done.stdout if done.returncode == 0 else ""


def start_of_job(variable: str, number: str) -> float | None:
    """The start of the oldest of this process and its parents that has the number of the job."""
    import psutil  # only here, as commands without a batch system begin sooner without it

    start = None
    for process in (own := psutil.Process(), *own.parents()):
        try:
            if process.environ().get(variable) != number:
                break
            start = process.create_time()
        except psutil.Error:
            break
    return start

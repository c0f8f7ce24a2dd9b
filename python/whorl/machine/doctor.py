"""Checks of the surroundings of a run for `whorl doctor`: each finds a fact and, if needed, a remedy."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

from whorl import _core
from whorl.base import instruction_levels
from whorl.base.errors import CaseError
from whorl.base.parallel import copies
from whorl.base.ranks import ENOUGH_SHARED, MPI, SHARED_MEMORY, launched, library, without_mpi
from whorl.run.memory.checks import gibibytes
from whorl.run.threads import threads_of_rank

THREADS, LIBRARY = "OMP_NUM_THREADS", "MPI4PY_LIBMPI"
ENOUGH_DISK = 2**30
SECONDS = 20  # for a launcher to print its version


@dataclass(frozen=True)
class Finding:
    """The result of a check; `remedy` is empty where all is well."""

    fact: str
    remedy: str = ""


Check = Callable[[MPI.Intracomm, Path], Finding]


def examine(comm: MPI.Intracomm, directory: Path) -> dict[str, Finding]:
    """The findings by name on this rank, whose runs would write into `directory`. Collective."""
    return {name: _examined(check, comm, directory) for name, check in CHECKS.items()}


def _examined(check: Check, comm: MPI.Intracomm, directory: Path) -> Finding:
    try:
        return check(comm, directory)
    except (CaseError, OSError, RuntimeError, subprocess.TimeoutExpired) as error:
        return Finding("cannot be examined", str(error))


def _level(comm: MPI.Intracomm, directory: Path) -> Finding:
    built, able = instruction_levels.usable(), instruction_levels.of_processor()
    used = instruction_levels.chosen()
    fact = f"{used} is used, {able[-1]} is the best of this processor"
    if used == able[-1]:
        return Finding(fact)
    if used != built[-1]:
        return Finding(fact, f"leave {instruction_levels.VARIABLE} unset to use {built[-1]}.")
    return Finding(fact, f"build it: make setup LEVELS={able[-1]}.")


def _library(comm: MPI.Intracomm, directory: Path) -> Finding:
    if reason := without_mpi():
        if (named := os.environ.get(LIBRARY)) and "library" in reason:
            fact = f"none, one rank ({reason}, {LIBRARY}={named})"
            remedy = f"leave {LIBRARY} unset, or name a library of MPI, {LIBRARY}=/path/to/libmpi.so."
            return Finding(fact, "" if named == "none" and launched() == 1 else remedy)
        remedy = 'for several ranks install mpi4py and a library of MPI, such as by pip install "whorl[mpi]".'
        return Finding(f"none, one rank ({reason})", "" if launched() == 1 else remedy)
    return Finding(f"{library()}, {comm.size} rank{'s' if comm.size > 1 else ''}", copies())


def _launcher(comm: MPI.Intracomm, directory: Path) -> Finding:
    """The first mpiexec on PATH has to be that of the library."""
    found = shutil.which("mpiexec")
    if found is None:
        remedy = "" if without_mpi() else "several ranks need the mpiexec (or srun) of this MPI on PATH."
        return Finding("no mpiexec on PATH", remedy)
    told = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=SECONDS, check=False)
    text = told.stdout + told.stderr
    kind = "Open MPI" if re.search("Open ?MPI|OpenRTE|PRTE", text) else "MPICH"
    fact = f"{found} of {kind}"
    if without_mpi() or library().startswith("Open MPI") == (kind == "Open MPI"):
        return Finding(fact)
    remedy = (
        f"mpi4py has loaded {library()}: put its mpiexec first on PATH, or choose the "
        f"launcher's library, {LIBRARY}=/path/to/libmpi.so."
    )
    return Finding(fact, remedy)


def _threads(comm: MPI.Intracomm, directory: Path) -> Finding:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    used = threads_of_rank(comm)
    fact = f"{used} a rank, {cores} of {os.cpu_count()} cores may be used"
    given = os.environ.get(THREADS, "")
    if used > cores and given.split(",")[0].strip() == str(used):
        return Finding(f"{fact}, {THREADS}={given}", f"lower {THREADS}, or leave it unset.")
    if used > cores:
        return Finding(fact, f"start ranks with more cores (mpiexec --bind-to none), or set {THREADS}.")
    return Finding(fact)


def _memory(comm: MPI.Intracomm, directory: Path) -> Finding:
    return Finding(f"{gibibytes(psutil.virtual_memory().available)} available")


def _shared_memory(comm: MPI.Intracomm, directory: Path) -> Finding:
    if not SHARED_MEMORY.exists():
        return Finding(f"there is no {SHARED_MEMORY}")
    free = shutil.disk_usage(SHARED_MEMORY).free
    fact = f"{gibibytes(free)} free in {SHARED_MEMORY}"
    if free >= ENOUGH_SHARED or without_mpi():
        return Finding(fact)
    remedy = (
        "MPI keeps buffers there, and the transport rma-shared the fields: make it larger (a container: "
        '--shm-size=1g), or choose another transport (run.transport = "pairwise").'
    )
    return Finding(fact, remedy)


def _disk(comm: MPI.Intracomm, directory: Path) -> Finding:
    free = shutil.disk_usage(directory).free
    fact = f"{gibibytes(free)} free in {directory}"
    try:
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        return Finding(
            fact, f"nothing can be written there ({error.strerror}): choose another directory, -o."
        )
    return Finding(fact, "" if free >= ENOUGH_DISK else "see whorl plan for the size of the files of a case.")


def _settings(comm: MPI.Intracomm, directory: Path) -> Finding:
    """Matplotlib keeps its list of fonts in a folder, and begins slowly where it cannot."""
    chosen = os.environ.get("MPLCONFIGDIR") or os.environ.get("XDG_CACHE_HOME")
    folder = Path(chosen) if chosen else Path.home() / ".cache"
    place = next(path for path in (folder, *folder.parents) if path.exists())
    if os.access(place, os.W_OK):
        return Finding(f"{folder} can be written")
    return Finding(
        f"{folder} cannot be written",
        "set MPLCONFIGDIR to a folder that can: pictures begin sooner.",
    )


def _gpu(comm: MPI.Intracomm, directory: Path) -> Finding:
    driver = shutil.which("nvidia-smi")
    usable = _core.gpus()
    if usable:
        return Finding(", ".join(gpu["name"] for gpu in usable))
    if driver is None:
        return Finding("no driver of NVIDIA")
    if _core.build_info()["cuda"] == "none":
        return Finding("a driver, but this whorl was built without CUDA (docs/gpu.md)")
    return Finding("a driver, but no GPU that this build can use", "see nvidia-smi and CUDA_VISIBLE_DEVICES.")


CHECKS: dict[str, Check] = {
    "instructions": _level,
    "MPI": _library,
    "launcher": _launcher,
    "threads": _threads,
    "memory": _memory,
    "shared memory": _shared_memory,
    "disk": _disk,
    "settings": _settings,
    "GPU": _gpu,
}

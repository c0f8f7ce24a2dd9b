"""What `whorl info` and a benchmark say about the build and the machine."""

import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path

import psutil

from whorl import _core, instruction_levels
from whorl.checks import gibibytes
from whorl.parallel import threads_of_rank
from whorl.ranks import MPI
from whorl.version import __version__


def information(comm: MPI.Intracomm) -> dict[str, str]:
    """Facts by name, for people. Collective."""
    build = {name: _text(value) for name, value in _core.build_info().items()}
    return {
        "whorl": __version__,
        **{f"core {name}": value for name, value in build.items()},
        "instruction levels": f"{', '.join(instruction_levels.of_processor())} of this processor; "
        f"{', '.join(instruction_levels.usable())} built",
        "python": platform.python_version(),
        "packages": ", ".join(f"{name} {_version(name)}" for name in ("numpy", "mpi4py", "h5py")),
        **{name: _text(value) for name, value in machine(comm).items()},
    }


def machine(comm: MPI.Intracomm) -> dict[str, str | int]:
    """The machine and how it is used, as rank 0 sees it. Collective."""
    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    ranks_here = node.size
    memory = psutil.virtual_memory()
    node.Free()
    return {
        "host": platform.node(),
        "system": platform.platform(),
        "processor": processor(),
        "cores": psutil.cpu_count(logical=False) or os.cpu_count(),
        "hardware threads": os.cpu_count(),
        "memory": f"{gibibytes(memory.total)}, {gibibytes(memory.available)} available",
        "GPUs": "; ".join(map(_of_gpu, _core.gpus())) or "none that this build can use",
        "ranks": comm.size,
        "ranks on this host": ranks_here,
        "threads a rank": threads_of_rank(comm),
    }


def commit() -> str | None:
    """The commit this package runs from, "-dirty" behind it if files changed; None outside a checkout."""
    here = Path(__file__).parent

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(here), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        # Of the repository that holds this very file, not of one around the place it is installed in.
        git("ls-files", "--error-unmatch", Path(__file__).name)
        return git("describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
    except (OSError, subprocess.CalledProcessError):
        return None


def processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")),
        platform.machine(),
    )


def _of_gpu(gpu: dict[str, str | int]) -> str:
    return f"{gpu['name']}, {gibibytes(gpu['memory'])}"


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value)

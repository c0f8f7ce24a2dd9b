"""Facts about the build and the machine for `whorl info` and the benchmarks."""

import importlib.metadata
import os
import platform
import re
from pathlib import Path
from typing import Any

import psutil

from whorl import _core
from whorl.base import instruction_levels
from whorl.base.host import commit, processor
from whorl.base.ranks import MPI, library
from whorl.base.version import __version__
from whorl.run.memory.checks import gibibytes
from whorl.run.threads import threads_of_rank

CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
UNITS = {"K": 2**10, "M": 2**20, "G": 2**30}


def information(comm: MPI.Intracomm) -> dict[str, str]:
    """Facts by name, as text. Collective."""
    build = {name: _text(value) for name, value in _core.build_info().items()} | {"mpi": library()}
    return {
        "whorl": __version__,
        **({"commit": known} if (known := commit()) else {}),
        **{f"core {name}": value for name, value in build.items()},
        "instruction levels": f"{', '.join(instruction_levels.built())} built; "
        f"{', '.join(instruction_levels.of_processor())} of this processor; "
        f"{', '.join(instruction_levels.usable())} can be used here",
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
        **({"caches": found} if (found := caches()) else {}),
        "cores": psutil.cpu_count(logical=False) or os.cpu_count(),
        "hardware threads": os.cpu_count(),
        "memory": f"{gibibytes(memory.total)}, {gibibytes(memory.available)} available",
        "GPUs": "; ".join(map(_of_gpu, _core.gpus())) or "none that this build can use",
        "ranks": comm.size,
        "ranks on this host": ranks_here,
        "threads a rank": threads_of_rank(comm),
    }


def caches(folder: Path = CACHES) -> str:
    """The data caches of the first core, from the nearest; empty if the system does not report them.

    For example "L1d 32 KiB 8-way, L2 512 KiB 8-way, L3 32 MiB 16-way".
    """
    return ", ".join(text for _, text in sorted(filter(None, map(_cache, folder.glob("index*")))))


def _cache(index: Path) -> tuple[int, str] | None:
    """Level and description of a data cache; None for others, and if its size is not reported."""
    facts = {}
    for name in ("level", "type", "size", "ways_of_associativity"):
        try:
            facts[name] = (index / name).read_text(encoding="utf-8").strip()
        except OSError:
            facts[name] = ""
    size = re.fullmatch(r"(\d+)([KMG])", facts["size"])
    if not size or not facts["level"].isdecimal() or facts["type"] not in ("Data", "Unified"):
        return None
    count = int(size[1]) * UNITS[size[2]]
    held = f"{count / 2**20:.4g} MiB" if count >= 2**20 else f"{count / 2**10:.4g} KiB"
    ways = facts["ways_of_associativity"]
    name = f"L{facts['level']}{'d' if facts['type'] == 'Data' else ''}"
    return int(facts["level"]), f"{name} {held}" + (f" {ways}-way" if ways.strip("0") else "")


def _of_gpu(gpu: dict[str, Any]) -> str:
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

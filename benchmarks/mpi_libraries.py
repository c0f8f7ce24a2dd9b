"""Run every transport with every MPI library on 1, 2 and 3 ranks, and restart runs with another library.

    tools/mpi-check mpich && tools/mpi-check openmpi      # get these libraries; others are left out
    .venv/bin/python benchmarks/mpi_libraries.py

The core is one build, which calls the library that mpi4py has loaded. Runs on one number of ranks must have
equal bytes in series.csv and in the fields of the last checkpoint, whatever the library and the transport. So
must a run that is stopped half-way and goes on with another library. The table is written into
docs/exchange/README.md.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import h5py
from shared import ROOT, console, environment, table, write_page
from whorl import _core

RANKS = (1, 2, 3)
CASE = ["taylor-green", "--set", "grid.points=24", "--set", "time.dt=0.01"]
UNTIL, HALF_WAY = 0.2, 0.1
CROWDED = {
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}


@dataclass(frozen=True)
class Library:
    """An MPI library; without `folder` it is that of the machine."""

    folder: Path | None = None

    def run(self, ranks: int, *arguments: str) -> subprocess.CompletedProcess[str]:
        given = environment() | CROWDED
        if self.folder is not None:
            given["PATH"] = f"{self.folder / 'bin'}:{given['PATH']}"
            given["MPI4PY_LIBMPI"] = str(next((self.folder / "lib").glob("libmpi.so.[0-9]*")))
        command = ["mpiexec", "-n", str(ranks), sys.executable, *arguments]
        return subprocess.run(command, env=given, capture_output=True, text=True, timeout=300, check=False)

    @property
    def version(self) -> str:
        """The begin of MPI's own text."""
        program = "from mpi4py import MPI; print(MPI.Get_library_version())"
        text = " ".join(self.run(1, "-c", program).stdout.replace("Version:", "").split())
        return re.match(r"(?:MPICH|Open MPI|Intel\S* MPI Library)\D*[\d.]+|.{0,20}", text)[0]


def libraries() -> list[Library]:
    return [Library(), *(Library(folder) for folder in sorted((ROOT / "build/mpi").glob("*")))]


def results(directory: Path) -> bytes:
    """Series and fields of the last checkpoint of a run."""
    with h5py.File(max((directory / "checkpoints").glob("*.h5"))) as checkpoint:
        fields = [one[...].tobytes() for one in checkpoint.values() if isinstance(one, h5py.Dataset)]
    return b"".join([(directory / "series.csv").read_bytes(), *fields])


class Runs:
    """Runs in a folder, compared with the first one on as many ranks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.first: dict[int, bytes] = {}

    def outcome(self, ranks: int, *ended: subprocess.CompletedProcess[str]) -> str:
        """`equal` to the first run on as many ranks, `differs`, or `failed`. Removes the run."""
        if any(one.returncode for one in ended):
            console.print(*(one.stderr[-500:] for one in ended), markup=False)
            return "failed"
        found = results(self.folder)
        shutil.rmtree(self.folder)
        return "equal" if self.first.setdefault(ranks, found) == found else "differs"

    def of_transport(self, library: Library, ranks: int, transport: str) -> str:
        case = [*CASE, "-o", str(self.folder), "--set", f"time.until={UNTIL}"]
        done = library.run(ranks, "-m", "whorl", "run", *case, "--set", f"run.transport={transport}")
        return self.outcome(ranks, done)

    def of_restart(self, library: Library, other: Library, ranks: int) -> str:
        case = [*CASE, "-o", str(self.folder), "--set", f"time.until={HALF_WAY}"]
        done = library.run(ranks, "-m", "whorl", "run", *case)
        more = other.run(ranks, "-m", "whorl", "restart", str(self.folder), "--until", str(UNTIL))
        return self.outcome(ranks, done, more)


def main() -> None:
    names = {library: library.version for library in libraries()}
    transports = [name for name in _core.build_info()["transports"] if name != "nccl"]
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(Path(folder, "run"))
        rows = [
            (name, str(ranks), *(runs.of_transport(library, ranks, one) for one in transports))
            for library, name in names.items()
            for ranks in RANKS
        ]
        restarts = [
            (name, *(runs.of_restart(library, other, RANKS[-1]) for other in names))
            for library, name in names.items()
        ]
    text = table(("library", "ranks", *(f"`{one}`" for one in transports)), rows)
    text += f"\n\nA run on {RANKS[-1]} ranks with the library of the row goes on with that of the column:\n\n"
    text += table(("", *names.values()), restarts)
    console.print(text, markup=False)
    write_page("libraries", text, ROOT / "docs/exchange/README.md")


if __name__ == "__main__":
    main()

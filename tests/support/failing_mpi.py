"""An MPI of which one call fails when it is told to: programs on ranks that see it do so."""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.build import LEFT_OUT
from support.ranks import environment

# fail_after(n): n more calls succeed, the next one fails. Handles of every MPI fit into a pointer.
SOURCE = r"""
#include <limits.h>
static int left = INT_MAX;
void fail_after(int calls) { left = calls; }
#define CALL(name, parameters, arguments) \
    int P##name parameters; \
    int name parameters { return left-- == 0 ? 15 : P##name arguments; }
#if defined FAILING_MPI_Type_commit
CALL(MPI_Type_commit, (void* type), (type))
#elif defined FAILING_MPI_Ialltoallv
CALL(MPI_Ialltoallv,
     (const void* from, const int* counts, const int* at, void* type, void* to, const int* to_counts,
      const int* to_at, void* to_type, void* among, void* request),
     (from, counts, at, type, to, to_counts, to_at, to_type, among, request))
#endif
"""

LOADED = """
from pathlib import Path
from mpi4py import MPI
maps = Path("/proc/self/maps").read_text().split()
print(next(path for path in maps if "/libmpi.so" in path))
"""


def build(folder: Path, call: str) -> Path:
    """The library whose `call` can be made to fail; skips where there is no compiler for it."""
    if "mpi" in LEFT_OUT or (compiler := shutil.which("cc")) is None:
        pytest.skip(LEFT_OUT.get("mpi", "there is no C compiler"))
    loaded = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    source, library = folder / "failing.c", folder / f"{call}.so"
    source.write_text(SOURCE)
    mpi = Path(loaded.stdout.strip())
    flags = ["-shared", "-fPIC", "-O1", f"-DFAILING_{call}", f"-Wl,-rpath,{mpi.parent}"]
    subprocess.run([compiler, *flags, "-o", library, source, mpi], check=True)
    return library


def run(library: Path, program: str, *arguments: str, ranks: int = 2, timeout: float = 20.0) -> str:
    """What a program says on ranks whose MPI is the failing one; it has `fail_after` and ends with 0."""
    given = environment() | {"LD_PRELOAD": str(library), "FAILING_MPI": str(library)}
    command = ["mpiexec", "-n", str(ranks), sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, env=given, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def fail_after(calls: int) -> None:
    """In such a program: that many more calls succeed, the next one fails."""
    ctypes.CDLL(os.environ["FAILING_MPI"]).fail_after(calls)

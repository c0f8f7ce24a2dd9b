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

# fail_after(n): n more calls succeed, the next one fails.
SOURCE = r"""
#include <limits.h>
#include <mpi.h>
static int left = INT_MAX;
void fail_after(int calls) { left = calls; }
#define CALL(name, parameters, arguments) \
    int name parameters { return left-- == 0 ? MPI_ERR_OTHER : P##name arguments; }
#if defined FAILING_MPI_Type_commit
CALL(MPI_Type_commit, (MPI_Datatype* type), (type))
#elif defined FAILING_MPI_Ialltoallv
CALL(MPI_Ialltoallv,
     (const void* from, const int* counts, const int* at, MPI_Datatype type, void* to, const int* to_counts,
      const int* to_at, MPI_Datatype to_type, MPI_Comm among, MPI_Request* request),
     (from, counts, at, type, to, to_counts, to_at, to_type, among, request))
#endif
"""


def build(folder: Path, call: str) -> Path:
    """The library whose `call` can be made to fail; skips where there is no compiler for it."""
    if "mpi" in LEFT_OUT or shutil.which("mpicc") is None:
        pytest.skip(LEFT_OUT.get("mpi", "there is no mpicc"))
    source, library = folder / "failing.c", folder / f"{call}.so"
    source.write_text(SOURCE)
    flags = ["-shared", "-fPIC", "-O1", f"-DFAILING_{call}"]
    subprocess.run(["mpicc", *flags, "-o", str(library), str(source)], check=True)
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

"""What the core does with threads it does with those of the run, not with as many as OpenMP has by default.

OpenMP itself says how large the teams are that it makes (OMP_DISPLAY_AFFINITY).
"""

import re
import subprocess
import sys

import pytest
from support.build import needs
from support.ranks import environment

# One thread of the run, or two, among five that OpenMP would take. Messages are of more than a mebibyte, so
# that they are copied and converted by several threads.
PROGRAM = """
import sys
from support import flows
from support.twin import Twin
from whorl.base.ranks import MPI

settings = dict(pair.split("=") for pair in sys.argv[2:])
twin = Twin((64, 64, 64), dealias="none", viscosity=0.01)
flow = flows.make(MPI.COMM_WORLD, twin, batches=1, threads=int(sys.argv[1]), **settings)
flow.set_physical(lambda z0, z1, y0, y1, u: u.fill(1.0))
flow.evaluate()
"""


def teams(threads: int, *settings: str, ranks: int = 1) -> set[int]:
    """Sizes of all teams of threads that a flow makes."""
    command = [sys.executable, "-c", PROGRAM, str(threads), *settings]
    if ranks > 1:
        command = ["mpiexec", "-n", str(ranks), *command]
    shown = {"OMP_NUM_THREADS": "5", "OMP_DISPLAY_AFFINITY": "true", "OMP_AFFINITY_FORMAT": "team of %N;"}
    run = subprocess.run(command, env=environment() | shown, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return {int(size) for size in re.findall(r"team of (\d+);", run.stdout + run.stderr)}


@pytest.mark.parametrize("threads", [1, 2])
def test_arrays_are_zeroed_by_the_threads_of_the_run(threads):
    assert teams(threads) | {1} == {1, threads}


@needs("mpi")
@pytest.mark.mpi
@pytest.mark.parametrize(
    ("threading", "wire"),
    [
        ("multiple", "single"),
        ("serialized", "full"),
        *(
            pytest.param(*one, marks=pytest.mark.slow)
            for one in (
                ("multiple", "full"),
                ("serialized", "single"),
                ("funneled", "full"),
                ("funneled", "single"),
            )
        ),
    ],
)
def test_messages_are_moved_by_the_threads_of_the_run(threading, wire):
    found = teams(2, "transport=pairwise", f"wire={wire}", f"threading={threading}", ranks=2)
    assert found | {1} == {1, 2}


def test_the_display_shows_what_is_looked_for():
    """Without run.threads it is OpenMP's team."""
    assert 5 in teams(0)

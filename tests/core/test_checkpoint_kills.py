"""Kills at random moments while checkpoints of all kinds are written: the newest complete one is readable."""

import random
import signal
import subprocess
import sys
import time

import h5py
import numpy as np
import pytest
from support import flows
from support.build import needs
from support.ranks import environment, run_on
from support.twin import Twin

pytestmark = needs("hdf5")

TWIN = Twin((20, 14, 18), (2 * np.pi, 3.0, 5.0))

# Writes the states 1, 2, … over each other, in one file, in two and in one of each rank, and from copies.
SCRIPT = """
from mpi4py import MPI
from support import flows
from core.test_checkpoint_kills import TWIN, state
world = MPI.COMM_WORLD
flow = flows.make(world, TWIN, lines="direct")
number = 0
while True:
    number += 1
    flows.write(flow, state(number))
    kind = {path!r}, {{"time": float(number)}}, [0, 2, 99][number % 3]
    flow.begin_checkpoint(*kind).finish() if number % 2 else flow.write_checkpoint(*kind)
    if world.rank == 0 and number == 3:
        print("began", flush=True)
"""


def state(number):
    return flows.noise(TWIN, seed=number % 7)


def read(world, path):
    flow = flows.make(world, TWIN, lines="direct")
    flow.read_checkpoint(str(path))
    return flows.read(world, flow)


def write(world, number, path):
    flow = flows.make(world, TWIN, lines="direct")
    flows.write(flow, state(number))
    return flows.read(world, flow)


def kill_at_random(rng, ranks, path):
    command = ["mpiexec", "-n", str(ranks), sys.executable, "-c", SCRIPT.format(path=str(path))]
    with subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as job:
        assert job.stdout.readline() == "began\n"
        time.sleep(rng.uniform(0, 0.1))
        killed = subprocess.run(["pkill", "-KILL", "-f", str(path)])
        assert killed.returncode == 0
        job.send_signal(signal.SIGTERM)


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_twenty_five_kills(ranks, tmp_path):
    rng, left = random.Random(ranks), 0
    for kill in range(25):
        path = tmp_path / f"{kill}.h5"
        kill_at_random(rng, ranks, path)
        with h5py.File(path) as file:
            number = int(file.attrs["time"])
        assert number >= 3
        left += len(list(tmp_path.glob(f"{kill}.*"))) > 2
        assert np.array_equal(run_on(1, read, path=path)[0], run_on(1, write, number=number, path=path)[0])
    assert left > 0, "no kill met a checkpoint that was being written"

"""A core without MPI, HDF5 or FFTW: its errors where they are needed, and what works without them."""

import subprocess
import sys

import pytest
from support import flows
from support.build import without
from support.ranks import environment
from support.twin import Twin
from whorl import _core
from whorl.base.ranks import MPI
from whorl.output.snapshot_writer import write_snapshot

BOX = Twin((8, 10, 6), viscosity=0.01)


# mpi4py finds no library of MPI where the argument is "library", and is not installed where it is "mpi4py".
WITHOUT_MPI = """
import os, sys
if sys.argv[1] == "mpi4py":
    sys.modules["mpi4py"] = None
else:
    os.environ["MPI4PY_LIBMPI"] = "/nowhere/libmpi.so"
from support import flows
from support.twin import Twin
from whorl import _core
from whorl.base.ranks import MPI, without_mpi
box = Twin((8, 10, 6), viscosity=0.01)
velocities = set()
for transport in _core.build_info()["transports"]:
    flow = flows.make(MPI.COMM_WORLD, box, transport=transport)
    flows.write(flow, flows.noise(box))
    flow.step(0.01)
    velocities.add(flows.read(MPI.COMM_WORLD, flow).tobytes())
energy = flow.statistics()["energy"].hex()
print(energy, flow.ranks, MPI.COMM_WORLD.size, _core.build_info()["mpi"], len(velocities), without_mpi())
"""


@pytest.mark.parametrize("without", ["mpi4py", "library"])
def test_without_mpi_a_flow_runs_on_one_rank(without):
    command = [sys.executable, "-c", WITHOUT_MPI, without]
    flow = flows.make(MPI.COMM_SELF, BOX)
    flows.write(flow, flows.noise(BOX))
    flow.step(0.01)
    energy = flow.statistics()["energy"].hex()
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    assert done.stdout.startswith(f"{energy} 1 1 none 1 "), done.stdout + done.stderr
    reason = {"mpi4py": "mpi4py is not installed", "library": "cannot load MPI library"}[without]
    assert reason in done.stdout


TOO_EARLY = """
import sys
sys.modules["mpi4py"] = None
from support import flows
from support.twin import Twin
from whorl import _core
from whorl.base.ranks import MPI
options = flows.options(Twin((8, 10, 6)))
def told(function, *arguments):
    try:
        function(*arguments)
    except _core.Error as error:
        print(error)
told(_core.Flow, options, 0)
flow = _core.Flow(options, MPI.COMM_WORLD.py2f())
told(_core.connect_mpi, sys.argv[1])
"""


def test_flows_of_one_rank_and_of_mpi_do_not_mix():
    """A communicator of a script's own MPI is none of one rank, and MPI comes too late once one was made."""
    command = [sys.executable, "-c", TOO_EARLY, _core.__file__]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    refused, late = done.stdout.splitlines()
    assert "whorl is not connected to MPI, and runs on one rank" in refused
    assert "comes too late" in late


@without("hdf5")
def test_without_hdf5_no_file_is_written_or_read(tmp_path):
    flow = flows.make(MPI.COMM_WORLD, BOX)
    path = tmp_path / "file.h5"
    for call, did in {
        lambda: flow.write_checkpoint(str(path), {}): "checkpoint .* written",
        lambda: flow.read_checkpoint(str(path)): "checkpoint .* read",
        lambda: write_snapshot(flow, str(path), ["velocity"], {}, single=True): "snapshot .* written",
    }.items():
        with pytest.raises(_core.Error, match=f"^the {did}: .* without HDF5; .* -DWHORL_HDF5=ON"):
            call()
    assert not list(tmp_path.iterdir())


@without("fftw")
def test_without_fftw_its_lines_are_refused():
    with pytest.raises(_core.Error, match=r'^lines = "fftw".* without it: choose own .* -DWHORL_FFTW=ON'):
        flows.make(MPI.COMM_WORLD, BOX, lines="fftw")


@without("fftw")
def test_without_fftw_rates_are_measured_with_the_other_lines():
    assert _core.line_rate(16, "double", 1, abs) > 0

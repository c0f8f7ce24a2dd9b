"""What a core built without MPI, HDF5 or FFTW says where it is asked for them, and does where it is not."""

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


@without("mpi")
def test_without_mpi_other_transports_are_refused():
    assert _core.build_info()["transports"] == []
    for option, value in (("transport", "overlap"), ("wire", "single"), ("threading", "multiple")):
        message = rf'^{option} = "{value}" applies to .* without MPI .* -DWHORL_MPI=ON'
        with pytest.raises(_core.Error, match=message):
            flows.make(MPI.COMM_WORLD, BOX, **{option: value})
        with pytest.raises(_core.Error, match=message):
            _core.estimate_memory(flows.options(BOX, **{option: value}), 1)


WITHOUT_MPI4PY = """
import sys
sys.modules["mpi4py"] = None
from support import flows
from support.twin import Twin
from whorl.base.ranks import MPI
print(flows.make(MPI.COMM_WORLD, Twin((8, 10, 6))).ranks, MPI.COMM_WORLD.size)
"""


@without("mpi")
def test_without_mpi_a_flow_needs_no_mpi4py():
    command = [sys.executable, "-c", WITHOUT_MPI4PY]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    assert done.stdout == "1 1\n", done.stderr


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

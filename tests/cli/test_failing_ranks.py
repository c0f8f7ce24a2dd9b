"""A rank that fails in Python ends all, and says why."""

import sys

import pytest
from cli.commands import SECONDS_TO_END_ALL

FAILING = """
from whorl import Case, Simulation
from mpi4py import MPI

here = MPI.COMM_WORLD.rank
case = Case(grid={"points": 8}, flow={"viscosity": 0.1}, time={"dt": 0.1, "steps": 5})


def velocity(x, y, z):
    if FAILS_IN == "initial" and here == 1:
        raise RuntimeError("this rank has had enough")
    return 0 * x, 0 * y, 0 * z


simulation = Simulation(case, velocity)


@simulation.every("2 steps")
def watch(flow):
    if FAILS_IN == "callback" and here == 1:
        raise RuntimeError("this rank has had enough")


simulation.run()
print("reached the end")
"""


@pytest.mark.parametrize("where", ["initial", "callback"])
def test_an_exception_on_one_rank_ends_all(shell, tmp_path, where):
    (tmp_path / "script.py").write_text(f"FAILS_IN = {where!r}\n{FAILING}")
    process = shell.start(sys.executable, "script.py", ranks=2)
    result = shell.finish(process, SECONDS_TO_END_ALL)
    assert result.code != 0
    assert "reached the end" not in result.out
    assert "whorl: rank 1 of 2 failed and ends all" in result.err
    assert "RuntimeError: this rank has had enough" in result.err


LEAVING = """
import sys
from mpi4py import MPI
import whorl
from whorl import Case
from whorl.base import endings, parallel

here = MPI.COMM_WORLD.rank
endings.PATIENCE = parallel.PATIENCE = 0.5
time = {"dt": 0.1, "steps": 5}
case = Case(grid={"points": 8}, flow={"viscosity": 0.1}, time=time, initial={"name": "abc"})


def leaves(at):
    if LEAVES_AT == at and (here == 1 or ALL):
        HOW


def watch(flow):
    leaves("callback")
    flow.statistics()


try:
    sys.exit(7)
except SystemExit:
    pass  # which is no end
leaves("beginning")
first = whorl.Simulation(case)
first.every("2 steps", watch)
first.run(progress=False)
leaves("between")
whorl.Simulation(case).run(progress=False)
print("reached the end")
leaves("end")
"""


@pytest.mark.parametrize(
    ("at", "how", "told"),
    [
        ("beginning", "raise KeyError('early')", "whorl: rank 1 of 2 failed and ends all"),
        ("callback", "sys.exit('enough')", "enough"),
        ("between", "sys.exit('enough')", "enough"),
        ("between", "sys.exit(4)", "whorl: rank 1 of 2 left with exit code 4 and ends all"),
    ],
)
def test_a_rank_that_leaves_ends_all(shell, tmp_path, at, how, told):
    (tmp_path / "script.py").write_text(f"LEAVES_AT, ALL = {at!r}, False\n{LEAVING.replace('HOW', how)}")
    result = shell.finish(shell.start(sys.executable, "script.py", ranks=2), SECONDS_TO_END_ALL)
    assert result.code != 0
    assert "reached the end" not in result.out
    assert told in result.err


@pytest.mark.long("mpiexec takes seconds to end what is left")
@pytest.mark.parametrize(("how", "code"), [("sys.exit(0)", 0), ("sys.exit(4)", 4)])
def test_ranks_that_leave_together_leave_as_they_would(shell, tmp_path, how, code):
    (tmp_path / "script.py").write_text(f"LEAVES_AT, ALL = 'end', True\n{LEAVING.replace('HOW', how)}")
    result = shell.finish(shell.start(sys.executable, "script.py", ranks=2), SECONDS_TO_END_ALL)
    assert result.code == code
    assert result.out.count("reached the end") == 2
    assert "whorl: " not in result.err
    assert "ABORT" not in result.err


ERROR_ON_ONE_RANK = """
import sys
from whorl.base import parallel
from whorl.cli import main as cli
from whorl.initial import fields as initial
from whorl.base.errors import CaseError
from whorl.initial.options import Abc


def fails(target, parameters):
    if target.comm.rank == 1:
        raise CaseError("only this rank saw it.")
    initial.abc(target, parameters)


initial.FIELDS[Abc] = fails
parallel.PATIENCE = 0.5
sys.argv = ["whorl", "run", "abc", "--set", "grid.points=8"]
cli.main()
"""


def test_an_error_that_one_rank_alone_has_ends_all(shell, tmp_path):
    """The others wait for it inside MPI; it says what it knows and ends them."""
    (tmp_path / "script.py").write_text(ERROR_ON_ONE_RANK)
    process = shell.start(sys.executable, "script.py", ranks=2)
    result = shell.finish(process, SECONDS_TO_END_ALL)
    assert result.code == 2
    assert "whorl: on rank 1: only this rank saw it." in result.err

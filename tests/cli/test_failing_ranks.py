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


ERROR_ON_ONE_RANK = """
import sys
from whorl.base import parallel
from whorl.cli import main as cli
from whorl.initial import fields as initial
from whorl.base.errors import CaseError
from whorl.config.initial_options import Abc


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

"""The instruction level of the core: the best there is, or the one asked for."""

import os
import subprocess
import sys
from importlib.machinery import ModuleSpec

import pytest
import whorl
import whorl.__main__
from whorl import _core
from whorl.base import instruction_levels
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.machine.information import information
from whorl.run.checks import check_levels

STEP = """
import numpy as np
from whorl import Case, Simulation, _core

case = Case(grid={"points": 24}, flow={"viscosity": 0.01}, time={"dt": 0.01, "steps": 3})
run = Simulation(case, lambda x, y, z: (np.sin(z), np.sin(x), np.sin(y) * np.cos(x)))
run.run(progress=False)
print(_core.build_info()["level"], repr(run.statistics()["energy"]), repr(run.statistics()["dissipation"]))
"""


def python(code, level=None):
    environment = {name: value for name, value in os.environ.items() if name != instruction_levels.VARIABLE}
    if level:
        environment[instruction_levels.VARIABLE] = level
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_the_best_level_is_taken():
    result = python('from whorl import _core; print(_core.build_info()["level"])')
    assert result.stdout.split() == [instruction_levels.usable()[-1]]
    assert set(instruction_levels.usable()) <= set(instruction_levels.of_processor())
    assert f"_{_core.build_info()['level']}" in _core.__name__


@pytest.mark.parametrize("level", ["v9", "sse"])
def test_another_level_is_refused_with_those_there_are(level):
    result = python("from whorl import _core", level)
    assert result.returncode != 0
    assert f"WHORL_LEVEL={level} is no instruction level" in result.stderr
    assert f"choose {' or '.join(instruction_levels.usable())}" in result.stderr


@pytest.mark.parametrize("rank", [0, 1])
def test_the_command_says_so_in_a_paragraph(tmp_path, rank):
    # Processors of nodes may differ, so that a rank other than the first may be the only one that says so.
    environment = os.environ | {instruction_levels.VARIABLE: "v9", "OMPI_COMM_WORLD_RANK": str(rank)}
    command = [sys.executable, "-m", "whorl", "run", "taylor-green", "-o", str(tmp_path / "run")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("whorl: WHORL_LEVEL=v9 is no instruction level")
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith("(rank 1)\n") == (rank == 1)


def test_a_processor_on_which_numpy_would_crash_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(instruction_levels.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(instruction_levels, "of_processor", lambda: ["baseline"])
    with pytest.raises(ImportError, match=r"^this processor is too old .*SSE4\.2.*-cpu host\.$"):
        whorl.Case  # noqa: B018
    with pytest.raises(SystemExit) as ended:
        whorl.__main__.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("whorl: this processor is too old")


def test_a_build_for_none_of_them_says_so(monkeypatch):
    monkeypatch.delenv(instruction_levels.VARIABLE, raising=False)
    monkeypatch.setattr(instruction_levels, "usable", list)
    with pytest.raises(ImportError, match=r"built for none of .*baseline.*: make setup"):
        instruction_levels.chosen()


@pytest.mark.skipif(len(instruction_levels.usable()) < 2, reason="one level is built or usable here")
def test_levels_differ_by_roundings_only():
    taken = {}
    for level in instruction_levels.usable():
        name, *numbers = python(STEP, level).stdout.split()
        assert name == level
        taken[level] = [float(number) for number in numbers]
    for numbers in taken.values():
        assert numbers == pytest.approx(next(iter(taken.values())), rel=1e-13)


class OtherLevel:
    """A communicator whose other rank says something else."""

    def __init__(self, other):
        self.other = other

    def allgather(self, level):
        return [level, self.other]


def test_ranks_of_different_levels_are_refused():
    own = _core.build_info()["level"]
    check_levels(OtherLevel(own))
    other = "v2" if own == "baseline" else "baseline"
    higher = max(own, other)
    with pytest.raises(CaseError, match=rf"levels, baseline and {higher}: .* WHORL_LEVEL=baseline on all"):
        check_levels(OtherLevel(other))


def test_info_tells_the_levels_of_other_processors_too(monkeypatch, tmp_path):
    for name in ("_core_v4.py", "_core_baseline.py", "_levels.py"):
        (tmp_path / name).touch()
    place = ModuleSpec("whorl", None, is_package=True)
    place.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(instruction_levels.importlib.util, "find_spec", lambda name: place)
    assert instruction_levels.built() == ["baseline", "v4"]
    monkeypatch.undo()
    assert set(instruction_levels.usable()) <= set(instruction_levels.built())
    monkeypatch.setattr(instruction_levels, "built", lambda: ["v2", "v4"])
    monkeypatch.setattr(instruction_levels, "usable", lambda: ["v2"])
    monkeypatch.setattr(instruction_levels, "of_processor", lambda: ["baseline", "v2", "v3"])
    told = information(MPI.COMM_SELF)["instruction levels"]
    assert told == "v2, v4 built; baseline, v2, v3 of this processor; v2 can be used here"

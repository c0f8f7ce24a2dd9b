"""`whorl demo` and `whorl doctor`."""

import os
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
from whorl import _core
from whorl.base import instruction_levels, ranks
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.machine import doctor
from whorl.results.runs import open_run


@pytest.mark.slow
def test_the_demo_ends_with_averages_and_a_picture(whorl, tmp_path):
    done = whorl("demo")
    assert done.code == 0, done.err
    row = next(line for line in done.out.splitlines() if line.startswith("R_lambda"))
    mean, error = map(float, re.fullmatch(r"R_lambda +([\d.]+) ± ([\d.]+)(?: \?)?", row.rstrip()).groups())
    assert 20 < mean < 40
    assert 0 < error < 2
    assert (tmp_path / "whorl-demo/plot.png").stat().st_size > 50_000
    assert open_run(tmp_path / "whorl-demo").case.grid.points == (48, 48, 48)


# An MPI that Open MPI's launcher cannot start.
OTHER_MPI = """
def Is_initialized(): return False
Is_finalized = Is_initialized
def get_vendor(): return "MPICH", (5, 0, 2)
def Get_library_version(): return "MPICH Version:      5.0.2\\nmore"
def Init_thread(level): raise SystemExit("it would abort")
THREAD_MULTIPLE = 3
"""


@pytest.mark.process
@pytest.mark.parametrize(("rank", "tells"), [("0", True), ("1", False)])
def test_the_launcher_of_another_mpi_is_a_paragraph_on_one_rank(rank, tells, tmp_path):
    package = tmp_path / "mpi4py"
    package.mkdir()
    (package / "__init__.py").write_text("class rc: finalize = None\n")
    (package / "MPI.py").write_text(OTHER_MPI)
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    launched = {"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": rank}
    command = [sys.executable, "-m", "whorl", "run", "taylor-green", "-o", str(tmp_path / "run")]
    given = os.environ | launched | {"PYTHONPATH": path}
    done = subprocess.run(command, env=given, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.startswith("whorl: the launcher of Open MPI started this process") == tells
    assert done.stderr.count("\n") == tells
    assert ("(MPICH Version: 5.0.2)" in done.stderr) == tells
    within = subprocess.run(
        command, env=given | {"PMI_SIZE": "1"}, capture_output=True, text=True, timeout=60
    )
    assert "it would abort" in within.stderr  # MPICH's launcher, in a job of Open MPI, starts it


def test_mpich_without_shared_memory_is_refused(monkeypatch):
    monkeypatch.setattr(ranks, "ENOUGH_SHARED", 2**62)
    mpich = SimpleNamespace(Is_initialized=lambda: False, get_vendor=lambda: ("MPICH", (5, 0, 2)))
    with pytest.raises(CaseError, match=r"^/dev/shm has .* MiB free, and MPICH needs .*--shm-size"):
        ranks._start(mpich)


def found(tmp_path):
    return doctor.examine(MPI.COMM_SELF, tmp_path)


def test_every_check_finds_something(tmp_path):
    findings = found(tmp_path)
    assert len(findings) == len(doctor.CHECKS)
    assert all(one.fact for one in findings.values())
    assert instruction_levels.usable()[-1] in findings["instructions"].fact


@pytest.mark.skipif(len(instruction_levels.usable()) < 2, reason="one level is built or usable here")
def test_the_level_that_is_used_is_told(tmp_path, monkeypatch):
    lower, *_, best = instruction_levels.usable()
    monkeypatch.setenv("WHORL_LEVEL", lower)
    level = found(tmp_path)["instructions"]
    assert level.fact.startswith(f"{lower} is used")
    assert best in level.remedy


FAULTS = {
    "instructions": ("instruction_levels.of_processor", lambda: ["v2", "v3", "v9"], "make setup LEVELS=v9"),
    "MPI": ("copies", lambda: "Start them by its mpiexec.", "its mpiexec"),
    "threads": ("threads_of_rank", lambda comm: 10_000, "--bind-to none"),
    "shared memory": ("ENOUGH_SHARED", 2**62, "--shm-size"),
    "disk": ("ENOUGH_DISK", 2**62, "whorl plan"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_wrong_has_a_remedy(name, tmp_path, monkeypatch):
    place, value, remedy = FAULTS[name]
    monkeypatch.setattr(f"whorl.machine.doctor.{place}", value)
    assert remedy in found(tmp_path)[name].remedy


def test_a_launcher_of_another_library_is_named(tmp_path, monkeypatch):
    launcher = tmp_path / "mpiexec"
    launcher.write_text("#!/bin/sh\necho HYDRA build details:\n")
    launcher.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    if not _core.build_info()["mpi"].startswith("Open MPI"):
        pytest.skip("the launcher of MPICH is that of this library")
    assert "put its mpiexec first" in found(tmp_path)["launcher"].remedy


def test_too_many_threads_by_the_variable_are_its_fault(tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "4000,2")
    threads = found(tmp_path)["threads"]
    assert threads.fact.endswith("OMP_NUM_THREADS=4000,2")
    assert threads.remedy == "lower OMP_NUM_THREADS, or leave it unset."


@pytest.mark.parametrize(("named", "has_remedy"), [("/none.so", True), ("none", False)])
def test_a_named_library_that_cannot_be_loaded_is_told(tmp_path, monkeypatch, named, has_remedy):
    """The word none is the way to run without MPI."""
    monkeypatch.setenv("MPI4PY_LIBMPI", named)
    monkeypatch.setattr(doctor, "without_mpi", lambda: "cannot load MPI library")
    library = found(tmp_path)["MPI"]
    assert library.fact == f"none, one rank (cannot load MPI library, MPI4PY_LIBMPI={named})"
    assert ("leave MPI4PY_LIBMPI unset" in library.remedy) == has_remedy


def test_a_check_that_fails_is_a_finding(tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "many")
    threads = found(tmp_path)["threads"]
    assert threads.fact == "cannot be examined"
    assert "OMP_NUM_THREADS" in threads.remedy


def test_a_folder_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    def refuse(dir):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    assert "Permission denied" in found(tmp_path)["disk"].remedy
